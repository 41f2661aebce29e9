"""Edges: the relationships one file states, each with how it was found and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping

from sightline.graph.build.confidence import BY_CONVENTION, BY_RESOLUTION, CERTAIN, PROVEN
from sightline.graph.build.edges import relationships_of
from sightline.graph.build.evaluate import Evaluator
from sightline.types import Relationship
from tests.support.graphfacts import table_of

PAY = "class Card: ...\n\n\ndef charge(card):\n    return card\n"
SHOP = """\
import json
from pay import Card, charge


class Order:
    def place(self, card: Card):
        charge(card)
        charge(card)
        self.log()
        json.dumps(card)

    def log(self):
        return Card()
"""


def stated(files: Mapping[str, str], path: str) -> list[Relationship]:
    table = table_of(files)
    resolved = relationships_of(Evaluator(table), table.files[path])
    assert resolved.given_up == 0
    return resolved.relationships


def named(edges: list[Relationship], *types: str) -> dict[str, Relationship]:
    return {edge.triplet: edge for edge in edges if edge.relationship_type in types}


def test_a_call_says_how_its_target_was_found_and_is_as_sure_as_that() -> None:
    calls = named(stated({"pay.py": PAY, "shop.py": SHOP}, "shop.py"), "calls", "instantiates")
    how = {name: (edge.resolution, edge.target_path) for name, edge in calls.items()}
    assert how == {
        "Order.place calls charge": ("import", "pay.py"),
        "Order.place calls Order.log": ("self", "shop.py"),
        "Order.place calls json.dumps": ("external", ""),
        "Order.log instantiates Card": ("import", "pay.py"),
    }
    assert all(edge.confidence == BY_RESOLUTION[edge.resolution] for edge in calls.values())


def test_two_calls_of_the_same_are_one_edge_at_the_first_site() -> None:
    calls = [edge for edge in stated({"pay.py": PAY, "shop.py": SHOP}, "shop.py") if edge.target_name == "charge"]
    sites = {edge.relationship_type: edge.site_line for edge in calls}
    assert sites == {"imports": 2, "calls": 7}


def test_containment_is_certain_and_leads_from_the_module_down() -> None:
    contained = named(stated({"pay.py": PAY, "shop.py": SHOP}, "shop.py"), "contains")
    assert set(contained) == {
        "shop contains Order",
        "Order contains Order.place",
        "Order contains Order.log",
    }
    assert {edge.confidence for edge in contained.values()} == {CERTAIN}


def test_what_is_missing_is_external_and_what_comes_back_is_found_again() -> None:
    alone = named(stated({"shop.py": SHOP}, "shop.py"), "calls")
    whole = named(stated({"pay.py": PAY, "shop.py": SHOP}, "shop.py"), "calls")
    outside = [edge for edge in alone.values() if edge.target_name.endswith("charge")]
    assert [(edge.resolution, edge.target_id) for edge in outside] == [("external", "")]
    assert whole["Order.place calls charge"].target_id


def test_a_name_that_several_files_have_is_only_possible() -> None:
    text = "class {}:\n    def settle_account(self): ...\n"
    files = {"a.py": text.format("A"), "b.py": text.format("B"), "use.py": "def f(x):\n    x.settle_account()\n"}
    calls = named(stated(files, "use.py"), "calls")
    assert set(calls) == {"f calls A.settle_account", "f calls B.settle_account"}
    assert {edge.resolution for edge in calls.values()} == {"ambiguous"}
    assert all(edge.confidence < PROVEN for edge in calls.values())


def test_a_test_is_about_what_it_is_named_after() -> None:
    files = {"pay.py": PAY, "tests/test_pay.py": "from pay import charge\n\n\ndef test_charge():\n    charge(1)\n"}
    tests = named(stated(files, "tests/test_pay.py"), "tests")
    assert set(tests) == {"test_charge tests charge"}
    assert all(edge.confidence >= BY_CONVENTION for edge in tests.values())


def test_edges_come_in_the_order_of_the_file_whatever_the_table_met_first() -> None:
    forwards = stated({"pay.py": PAY, "shop.py": SHOP}, "shop.py")
    backwards = stated({"shop.py": SHOP, "pay.py": PAY}, "shop.py")
    assert forwards == backwards
    assert [edge.site_line for edge in forwards] == sorted(edge.site_line for edge in forwards)
