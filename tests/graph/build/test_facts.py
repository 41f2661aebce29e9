"""Facts: what one file says, before anything is looked up elsewhere."""

from __future__ import annotations

from sightline.languages import facts as f
from sightline.languages.facts import Facts, FileFacts, entity_id, line_of, position, structure_hashes
from tests.support.graphfacts import definition_of, facts_of

SHOP = """\
from pay import charge


class Order:
    total = 0

    def place(self, card):
        local = charge(card)
        return local


def helper():
    return Order()
"""


def test_the_same_expression_is_one_row_however_often_it_is_stated() -> None:
    facts = Facts("python", "shop")
    assert facts.named("a.b") == facts.attribute(facts.named("a"), "b")
    assert len(facts.expressions) == 3, "unknown, a and a.b"
    assert facts.names == ["a", "b"]


def test_a_union_of_one_is_that_one_and_of_nothing_is_unknown() -> None:
    facts = Facts("python", "shop")
    one, other = facts.named("one"), facts.named("other")
    assert facts.union([one, facts.unknown, one]) == one
    assert facts.union([facts.unknown]) == facts.unknown
    assert facts.expressions[facts.union([one, other])] == (f.UNION, one, other)


def test_positions_sort_as_the_text_does_and_know_their_line() -> None:
    places = [(0, 0), (0, 5), (0, 100_000), (1, 0), (7, 3)]
    numbers = [position(row, column) for row, column in places]
    assert numbers == sorted(numbers)
    assert [line_of(number) for number in numbers] == [row + 1 for row, _ in places]


def test_calls_of_builtins_are_dropped_unless_the_file_gives_the_name_a_meaning() -> None:
    def called(*bound: str) -> list[str]:
        facts = Facts("python", "shop")
        facts.define("shop", "shop", "module", ordinal=0, parent=-1, line=1)
        top = facts.scope(-1, f.MODULE_SCOPE, 0)
        for name in bound:
            facts.bind(top, name, facts.unknown)
        for name in ("len", "charge"):
            facts.site(top, facts.named(name), 1, 0)
        facts.drop_sites(frozenset({"len"}))
        return [facts.names[facts.expressions[site.callee][1]] for site in facts.sites]

    assert called() == ["charge"]
    assert called("len") == ["len", "charge"]


def test_members_are_found_by_their_class_and_locals_only_in_their_function() -> None:
    facts = facts_of("shop.py", SHOP)
    assert {("", "Order"), ("", "helper"), ("", "charge"), ("Order", "place"), ("Order", "total")} <= set(facts.members)
    assert not any(name == "local" for _, name in facts.members)
    inside = definition_of(facts, "Order.place").scope
    assert {"self", "card", "local"} <= set(facts.bindings[inside])
    assert facts.methods_of("Order") == ["place"]


def test_an_entity_keeps_its_id_while_its_body_changes_and_no_two_share_one() -> None:
    before = facts_of("shop.py", SHOP)
    after = facts_of("shop.py", SHOP.replace("return local", "return [local]"))
    assert [d.id for d in before.definitions] == [d.id for d in after.definitions]
    assert len({d.id for d in before.definitions}) == len(before.definitions)
    place = definition_of(before, "Order.place")
    assert place.id == entity_id("shop.py", "Order.place", "method", place.ordinal)
    assert place.id != definition_of(facts_of("other.py", SHOP), "Order.place").id


def test_what_an_expression_says_is_hashed_and_not_where_it_stands() -> None:
    def result_hash(facts: FileFacts) -> int:
        (returned,) = definition_of(facts, "helper").returns
        return structure_hashes(facts)[returned[0]]

    moved = facts_of("shop.py", "import os\nvalue = os.getcwd()\n\n\n" + SHOP)
    assert result_hash(moved) == result_hash(facts_of("shop.py", SHOP))
    assert result_hash(facts_of("shop.py", SHOP.replace("return Order()", "return charge()"))) != result_hash(moved)
