"""Which tests are named: what runs when a module is loaded, what only a class leads to, and how many are too many."""

from __future__ import annotations

import numpy as np
import pytest

from sightline.changes.tests import likely_enough, next_likeliest
from tests.changes.conftest import Shop
from tests.support.indexes import write_files


def _ids(shop: Shop) -> set[str]:
    return {test.id for test in shop.report().tests}


def _pad(shop: Shop) -> None:
    """A suite that is large beside the tests in question, which reaches everything through `everything`."""
    calls = "".join(f"def test_{n}():\n    everything()\n\n\n" for n in range(40))
    text = "from shop.all import everything\n\n\n" + calls
    write_files(shop.root, {"tests/test_all.py": text, "shop/all.py": "def everything():\n    pass\n"})


@pytest.mark.parametrize(
    "users",
    [
        pytest.param("from shop.plan import planned\n\nPLAN = planned()\n", id="a call outside of functions"),
        pytest.param(
            "from shop.plan import planned\n\n\nclass Plan:\n    steps = planned()\n", id="the body of a class"
        ),
        pytest.param(
            "from shop.plan import planned\n\n\n@planned\ndef plan():\n    pass\n", id="a decorator of a function"
        ),
        pytest.param("from shop.plan import Planned\n\n\nclass Plan(Planned):\n    pass\n", id="a metaclass of a base"),
    ],
)
def test_what_runs_when_a_module_is_loaded_concerns_all_tests_that_import_it(shop: Shop, users: str) -> None:
    plan = (
        "def planned(what=None):\n    return what\n\n\n"
        "class Meta(type):\n    def __new__(cls, name, bases, body):\n        planned()\n"
        "        return super().__new__(cls, name, bases, body)\n\n\n"
        "class Planned(metaclass=Meta):\n    pass\n"
    )
    write_files(
        shop.root,
        {
            "other/plan.py": plan,
            "other/users.py": users.replace("shop.plan", "other.plan"),
            "other/through.py": "from other import users\n\n\ndef through():\n    return users\n",
            "tests/test_users.py": "from other.through import through\n\n\ndef test_nothing():\n    assert True\n",
        },
    )
    if "Planned" not in users:
        shop.edit("other/plan.py", "class Planned(metaclass=Meta):\n    pass\n", "")
    shop.commit("plan")
    shop.edit("other/plan.py", "    return what", "    return what or None")
    assert _ids(shop) == {"tests/test_users.py::test_nothing"}


def test_a_function_that_stands_in_for_missing_names_is_run_by_whoever_imports_from_the_module(shop: Shop) -> None:
    write_files(
        shop.root,
        {
            "shop/old.py": "KNOWN = 1\n\n\ndef __getattr__(name):\n    raise AttributeError(name)\n",
            "tests/test_old.py": "from shop.old import KNOWN\n\n\ndef test_known():\n    assert KNOWN\n",
        },
    )
    shop.commit("old")
    shop.edit("shop/old.py", "raise AttributeError(name)", "raise AttributeError(name + '?')")
    assert _ids(shop) == {"tests/test_old.py::test_known"}


def test_classes_that_are_only_kept_or_made_by_a_class_method_are_made_nevertheless(shop: Shop) -> None:
    write_files(
        shop.root,
        {
            "shop/kinds.py": "class Kind:\n    def check(self):\n        return False\n\n\n"
            "class First(Kind):\n    def check(self):\n        return True\n\n\n"
            "class Kinds:\n    known = [First]\n\n    def __init__(self):\n        self.all = [k() for k in self.known]"
            "\n\n    @classmethod\n    def made(cls):\n        return cls()\n",
            "tests/test_kinds.py": "from shop.kinds import Kinds\n\n\ndef test_made():\n    assert Kinds.made()\n",
        },
    )
    shop.commit("kinds")
    shop.edit("shop/kinds.py", "return True", "return not False")
    assert _ids(shop) == {"tests/test_kinds.py::test_made"}


def test_a_method_that_overrides_another_concerns_first_the_tests_that_have_its_class(shop: Shop) -> None:
    _pad(shop)
    fields = (
        "class Field:\n    def load(self, value):\n        return self.read(value)\n\n"
        "    def read(self, value):\n        return value\n\n\n"
        "class Number(Field):\n    def read(self, value):\n        return int(value)\n\n\n"
        "class Text(Field):\n    def read(self, value):\n        return str(value)\n"
    )
    text = "from shop.fields import {0}\n\n\ndef test_{1}():\n    assert {0}().load(1)\n"
    write_files(
        shop.root,
        {
            "shop/fields.py": fields,
            "tests/test_number.py": text.format("Number", "number"),
            "shop/all.py": "from shop.fields import Text\n\n\ndef everything():\n    Text().load('')\n",
        },
    )
    shop.commit("fields")
    shop.edit("shop/fields.py", "return int(value)", "return int(value) + 0")
    assert next(test.id for test in shop.report().tests) == "tests/test_number.py::test_number"


def test_a_symbol_with_tests_of_its_own_does_not_hide_those_of_another_one(shop: Shop) -> None:
    _pad(shop)
    shop.commit("suite")
    shop.edit("shop/all.py", "    pass", "    return")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    ids = _ids(shop)
    assert {"tests/test_prices.py::test_gross", "tests/test_all.py::test_7"} <= ids
    assert "tests/test_prices.py::test_nothing" not in ids


@pytest.mark.parametrize(
    ("likelihoods", "named"),
    [
        pytest.param([0.99, 0.9, 0.7, 0.7, 0.7], [1, 1, 0, 0, 0], id="beside tests of its own the others must be sure"),
        pytest.param([0.7, 0.6, 0.5, 0.4, 0.2], [1, 1, 1, 0, 0], id="without any, the likeliest set the measure"),
        pytest.param([0.2, 0.2, 0.2, 0.2, 0.2], [0, 0, 0, 0, 0], id="what is hardly reached is not"),
    ],
)
def test_which_tests_are_likely_enough(likelihoods: list[float], named: list[int]) -> None:
    assert likely_enough(np.array(likelihoods)).tolist() == [bool(each) for each in named]


@pytest.mark.parametrize(
    ("size", "more"),
    [
        pytest.param(10, [], id="no more where those that are sure are a part of the suite that is not small"),
        pytest.param(15, [2], id="one more: of two that are about as likely the one in the file of that name"),
        pytest.param(20, [2, 1], id="two more"),
        pytest.param(10_000, [2, 1, 4], id="all that are reached at all"),
    ],
)
def test_the_next_likeliest_tests_are_named_as_long_as_they_are_few(size: int, more: list[int]) -> None:
    likelihoods = np.array([0.9, 0.52, 0.5, 0.0, 0.2, 0.9])
    alike = np.array([False, False, True, True, False, False])
    chosen = likelihoods >= 0.9
    found = next_likeliest(likelihoods, alike, np.array([1, 2, 3, 0, 5, 1]), chosen, size)
    assert set(np.flatnonzero(found).tolist()) == set(more)


def test_no_more_than_a_list_to_run_is_added_however_large_the_suite() -> None:
    many = np.full(2_000, 0.3)
    found = next_likeliest(many, many < 0, np.ones(2_000, np.int64), many > 1, 100_000)
    assert 0 < found.sum() <= 200
