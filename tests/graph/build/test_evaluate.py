"""The evaluator: what an expression of the facts may stand for."""

from __future__ import annotations

import pytest

from sightline.graph.build.evaluate import Evaluator
from sightline.graph.build.table import Table
from sightline.languages.facts import position
from sightline.languages.values import Class, Function, Instance, Outside, Values
from tests.support.graphfacts import definition_of, table_of

END = position(1_000, 0)
FILES = {
    "pay.py": "class Card:\n    def check(self):\n        return self\n\n\ndef charge(card: Card):\n    return card\n",
    "shop.py": """\
import json
import pay as till
from pay import Card, charge as take


def place(card: Card, unknown):
    made = Card()
    checked = made.check()
    taken = take(made)
    either = made if unknown else place
    outside = json.loads
    nothing = unknown
""",
}


def values_in(table: Table, name: str, function: str = "place", path: str = "shop.py") -> Values:
    facts = table.files[path]
    return Evaluator(table).name(facts, definition_of(facts, function).scope, name, END)


def shown(table: Table, values: Values) -> list[tuple[str, ...]]:
    """Kind, file and name of values: ("instance", "pay.py", "Card") is an instance of Card."""
    found: list[tuple[str, ...]] = []
    for value in values:
        if isinstance(value, Function):
            name = table.files[value.path].definitions[value.definition].qualified_name
            found.append((value.kind, value.path, name))
        else:
            assert isinstance(value, (Instance, Class))
            found.append((value.kind, value.space, value.name))
    return sorted(found)


@pytest.mark.parametrize(
    ("name", "stands_for"),
    [
        ("Card", [("class", "pay.py", "Card")]),
        ("take", [("function", "pay.py", "charge")]),
        ("card", [("instance", "pay.py", "Card")]),
        ("made", [("instance", "pay.py", "Card")]),
        ("checked", [("instance", "pay.py", "Card")]),
        ("taken", [("instance", "pay.py", "Card")]),
        ("either", [("function", "shop.py", "place"), ("instance", "pay.py", "Card")]),
        ("nothing", []),
        ("missing", []),
    ],
)
def test_a_name_stands_for_what_it_was_last_bound_to(name: str, stands_for: list[tuple[str, ...]]) -> None:
    table = table_of(FILES)
    assert shown(table, values_in(table, name)) == stands_for


def test_what_comes_from_outside_the_root_is_known_by_its_name_alone() -> None:
    assert values_in(table_of(FILES), "outside") == (Outside("json.loads", "shop.py"),)


def test_a_later_binding_counts_from_where_it_stands() -> None:
    table = table_of({"a.py": "class A: ...\n\n\nclass B: ...\n\n\ndef f():\n    x = A()\n    x = B()\n"})
    facts, evaluator = table.files["a.py"], Evaluator(table)
    scope = definition_of(facts, "f").scope
    between, after = position(8, 0), END
    assert shown(table, evaluator.name(facts, scope, "x", between)) == [("instance", "a.py", "A")]
    assert shown(table, evaluator.name(facts, scope, "x", after)) == [("instance", "a.py", "B")]


def test_how_a_name_was_found_is_told_beside_what_it_is() -> None:
    table = table_of(FILES)
    facts, evaluator = table.files["shop.py"], Evaluator(table)
    scope = definition_of(facts, "place").scope
    found = {name: evaluator.look_up(facts, scope, name, END) for name in ("made", "Card", "missing")}
    assert {name: how and how[1] for name, how in found.items()} == {"made": "local", "Card": "import", "missing": None}


def test_names_that_lead_back_to_themselves_end_with_nothing() -> None:
    files = {"a.py": "from b import x\n\n\ndef f():\n    y = x\n", "b.py": "from a import x\n"}
    assert values_in(table_of(files), "y", function="f", path="a.py") == ()


def test_a_member_is_looked_for_in_the_class_and_then_in_its_bases() -> None:
    base = "class Base:\n    def save(self): ...\n    def load(self): ...\n"
    files = {"base.py": base, "a.py": "from base import Base\n\n\nclass A(Base):\n    def load(self): ...\n"}
    table = table_of(files)
    facts, evaluator = table.files["a.py"], Evaluator(table)
    (made,) = evaluator.defined(facts, definition_of(facts, "A"))
    where = {name: shown(table, evaluator.member(made, name, facts)) for name in ("load", "save", "gone")}
    assert [place[1:] for place in where["load"]] == [("a.py", "A.load")]
    assert [place[1:] for place in where["save"]] == [("base.py", "Base.save")]
    assert where["gone"] == []
