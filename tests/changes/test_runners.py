"""Tests are named as their runners take them."""

from __future__ import annotations

import pytest

from sightline.changes.runners import Runners, arguments, id_of, is_test, runners_of
from sightline.changes.tests import _is_support
from sightline.types import Object, ObjectKind
from tests.changes.conftest import Shop
from tests.support.indexes import write_files


def item(language: str, path: str, qualified_name: str, kind: ObjectKind = "function") -> Object:
    name = qualified_name.rpartition(".")[2]
    return Object("", "", path, name, qualified_name, kind, language, 1, 2, "", "", "public", "")


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (item("python", "tests/test_a.py", "TestA.test_b", "method"), "tests/test_a.py::TestA::test_b"),
        (item("go", "middleware/log_test.go", "TestLog"), "./middleware::TestLog"),
        (item("go", "log_test.go", "TestLog"), ".::TestLog"),
        (item("rust", "crates/core/src/net/mod.rs", "tests.binds"), "net::tests::binds"),
        (item("rust", "tests/api.rs", "binds"), "binds"),
        (item("java", "src/test/java/org/CartTest.java", "CartTest.testTotal", "method"), "org.CartTest#testTotal"),
        (item("java", "src/test/java/org/shop/CartTest.java", "CartTest.total", "method"), "org.shop.CartTest"),
        (item("ruby", "spec/cart_spec.rb", "spec.cart_spec", "module"), "spec/cart_spec.rb"),
        (item("typescript", "src/cart.test.ts", "src.cart", "module"), "src/cart.test.ts"),
        (item("php", "tests/CartTest.php", "CartTest.testTotal", "method"), "tests/CartTest.php"),
    ],
)  # fmt: skip
def test_the_id_of_a_test(test: Object, expected: str) -> None:
    runner = Runners().of(test.language, test.path)
    assert id_of(test, runner) == expected
    assert test.kind == "module" or is_test(test)


def test_go_gets_one_line_for_each_package() -> None:
    ids = [".::TestA", "./middleware::TestB", ".::TestC"]
    assert arguments(ids, "go") == [". -run '^(TestA|TestC)$'", "./middleware -run '^(TestB)$'"]


def test_the_runner_of_scripts_is_read_off_the_project() -> None:
    assert runners_of(["src/a.ts"], '{"devDependencies": {"vitest": "3"}}').script == "vitest"
    assert runners_of(["src/a.ts"], '{"devDependencies": {"jest": "29"}}').script == "jest"
    assert runners_of(["jest.config.js", "src/a.ts"]).script == "jest"
    assert Runners().of("ruby", "test/cart_test.rb") == "files"


def test_a_go_test_is_found_through_an_interface(shop: Shop) -> None:
    write_files(
        shop.root,
        {
            "go.mod": "module example.com/shop\n\ngo 1.19\n",
            "pay/pay.go": "package pay\n\ntype Payer interface {\n\tPay(amount int) int\n}\n\ntype Card struct{}\n\n"
            "func (c Card) Pay(amount int) int {\n\treturn amount\n}\n\n"
            "func All(p Payer) int {\n\treturn p.Pay(1)\n}\n",
            "pay/pay_test.go": 'package pay\n\nimport "testing"\n\n'
            "func TestAll(t *testing.T) {\n\tif All(Card{}) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
        },
    )
    shop.commit("go")
    shop.edit("pay/pay.go", "return amount", "return amount + 0")
    assert [test.id for test in shop.report().tests if test.runner == "go"] == ["./pay::TestAll"]


def test_fixtures_reach_tests_by_name_by_scope_and_by_themselves(shop: Shop) -> None:
    fixtures = (
        "import pytest\n\nfrom shop.cart import Cart\n\n\n"
        '@pytest.fixture(name="basket", scope="session")\ndef make_basket():\n    return Cart()\n\n\n'
        "@pytest.fixture(\n    autouse=True,\n)\ndef every_time():\n    set_up_all()\n\n\n"
        "def set_up_all():\n    pass\n"
    )
    tests = "def test_basket(basket):\n    assert basket\n\n\ndef test_plain():\n    assert True\n"
    write_files(shop.root, {"checks/conftest.py": fixtures, "checks/test_a.py": tests, "other/test_b.py": tests})
    for name in ("tests/conftest.py", "tests/test_cart.py"):
        (shop.root / name).unlink()
    shop.commit("fixtures")
    shop.edit("shop/cart.py", "self.items: list[float] = []", "self.items: list[float] = [0.0]")
    assert [test.id for test in shop.report().tests] == ["checks/test_a.py::test_basket"]
    shop.commit("cart")
    shop.edit("checks/conftest.py", "def set_up_all():\n    pass", "def set_up_all():\n    return")
    assert {test.id for test in shop.report().tests} == {
        "checks/test_a.py::test_basket",
        "checks/test_a.py::test_plain",
    }


def test_tests_that_a_class_inherits_or_a_module_imports_are_run_there_too(shop: Shop) -> None:
    write_files(
        shop.root,
        {
            "checks/__init__.py": "",
            "checks/test_base.py": "from shop.prices import gross\n\n\nclass TestBase:\n"
            "    def test_gross(self):\n        assert gross(1) > 1\n\n"
            "    def test_other(self):\n        assert True\n",
            "checks/test_more.py": "from checks.test_base import TestBase\n\n\nclass TestMore(TestBase):\n"
            "    def test_other(self):\n        assert True\n",
        },
    )
    shop.commit("classes")
    shop.edit("shop/prices.py", "return amount + tax(amount)", "return tax(amount) + amount")
    ids = {test.id for test in shop.report().tests if test.path.startswith("checks/")}
    assert ids == {
        "checks/test_base.py::TestBase::test_gross",
        "checks/test_more.py::TestBase::test_gross",
        "checks/test_more.py::TestMore::test_gross",
    }


def test_a_fixture_of_a_class_serves_the_tests_that_it_inherits(shop: Shop) -> None:
    write_files(
        shop.root,
        {
            "checks/__init__.py": "",
            "checks/test_base.py": "import pytest\n\n\nclass TestBase:\n    @pytest.fixture\n    def made(self):\n"
            "        return 1\n\n    def test_made(self, made):\n        assert made\n",
            "checks/test_more.py": "import pytest\n\n"
            "from checks.test_base import TestBase\nfrom shop.prices import tax\n\n\n"
            "class TestMore(TestBase):\n    @pytest.fixture\n    def made(self):\n        return tax(1)\n",
        },
    )
    shop.commit("classes")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    assert "checks/test_more.py::TestMore::test_made" in {test.id for test in shop.report().tests}


def test_a_file_that_is_named_a_test_is_one_whatever_it_is_about(shop: Shop) -> None:
    text = 'import {{ twice }} from "{}";\n\ntest("twice", () => {{ twice(1); }});\n'
    write_files(
        shop.root,
        {
            "src/utils.ts": "export function twice(x: number): number {\n  return 2 * x;\n}\n",
            "test/utilities.test.ts": text.format("../src/utils"),
            "test/helpers.ts": text.format("../src/utils"),
        },
    )
    shop.commit("scripts")
    shop.edit("src/utils.ts", "return 2 * x", "return x * 2")
    assert [test.id for test in shop.report().tests] == ["test/utilities.test.ts"]


@pytest.mark.parametrize("path", ["fixtures/users.js", "web/fixtures/users.js", "testdata/users.js", "test/setup.js"])
def test_what_tests_work_with_is_no_test(path: str) -> None:
    assert _is_support(path)
    assert not _is_support("fixtures/users.test.js")
