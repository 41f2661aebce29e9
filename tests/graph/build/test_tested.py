"""Which files are tests: one rule for the graph, the ranking and research."""

from __future__ import annotations

import pytest

from sightline.graph.build import tested
from sightline.retrieval.paths import facts_of

TESTS = [
    "tests/pay.py",
    "src/Test/Pay.php",
    "pay_test.go",
    "a/test_pay.py",
    "web/pay.test.ts",
    "PayTests.java",
    "conftest.py",
    "app/test.py",
    "src/tests/test.py",
    "spec/pay_spec.rb",
    "lua/pay_spec.lua",
    "src/pay_spec.ts",
    "fixtures/shop/pay.py",
    "testdata/pay.go",
    "e2e/pay.ts",
    "shop/src/test/java/Pay.java",
    "test/src/main/java/Pay.java",
    "shop/src/main/java/PayTest.java",
    "Testing/Pay.php",
    "src/Testing/tests/Pay.php",
]
NO_TESTS = [
    "src/pay.py",
    "contest.py",
    "latest/pay.py",
    "src/attest.go",
    "resources/resource_spec.go",
    "plugins/validate_argument_spec.py",
    "src/werkzeug/test.py",
    "specification.md",
    "shop-test/src/main/java/org/shop/test/Pay.java",
    "shop/src/main/kotlin/testing/Pay.kt",
    "src/Shop/Support/Testing/Fakes/PayFake.php",
]


@pytest.mark.parametrize("path", TESTS)
def test_a_path_that_says_so_is_a_test_to_everybody(path: str) -> None:
    assert tested.is_test_file(path)
    assert facts_of(path).is_test


@pytest.mark.parametrize("path", NO_TESTS)
def test_a_path_that_only_sounds_like_it_is_none(path: str) -> None:
    assert not tested.is_test_file(path)
    assert not facts_of(path).is_test


def test_a_test_says_by_its_name_what_it_is_about() -> None:
    assert tested.is_test_name("test_charge", "function")
    assert not tested.is_test_name("charge", "function")
    assert tested.tested_names("test_charge") == ("charge",)
    assert tested.tested_names("ChargeTest") == ("Charge",)
