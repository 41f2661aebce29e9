"""The table: what was looked up is remembered, and a change reaches exactly those who looked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sightline.graph.build import table as table_module
from sightline.graph.build.lookups import Givers
from sightline.graph.build.table import Table
from sightline.languages import detect
from sightline.languages.paths import stem_of
from tests.support.graphfacts import encoded_facts_of, facts_of, table_of

PAY = "def charge(card):\n    return card\n\n\ndef refund(card):\n    return card\n"


def reads(table: Table) -> set[int]:
    """What has been read since the last time, and forget it."""
    found = table.hashed(table.frames[-1])
    table.frames[-1] = set()
    return set(found.tolist())


def test_a_definition_is_found_by_its_namespace_and_name() -> None:
    table = table_of({"pay.py": PAY, "other.py": "def charge():\n    pass\n"})
    ((facts, definition),) = table.definitions("pay.py", "charge")
    assert (facts.path, definition.qualified_name) == ("pay.py", "charge")
    assert [facts.path for facts, _ in table.everywhere("python", "charge")] == ["other.py", "pay.py"]
    assert table.definitions("pay.py", "missing") == []


def test_a_change_names_the_keys_of_what_changed_and_no_others() -> None:
    table = table_of({"pay.py": PAY})
    table.definitions("pay.py", "charge")
    charge = reads(table)
    table.definitions("pay.py", "refund")
    refund = reads(table)
    changed = table.replace("pay.py", encoded_facts_of("pay.py", PAY.replace("refund(card)", "refund(card, why)")))
    assert changed & refund
    assert not changed & charge


def test_a_comment_changes_nothing_that_others_see() -> None:
    table = table_of({"pay.py": PAY})
    assert table.replace("pay.py", encoded_facts_of("pay.py", PAY + "# done\n")) == set()


def test_who_found_nothing_hears_of_a_new_definition() -> None:
    table = table_of({"pay.py": PAY})
    assert table.everywhere("python", "settle") == []
    missed = reads(table)
    assert table.replace("late.py", encoded_facts_of("late.py", "def settle():\n    pass\n")) & missed
    ((facts, _),) = table.everywhere("python", "settle")
    assert facts.path == "late.py"


def test_a_file_that_goes_leaves_nothing_behind() -> None:
    table = table_of({"pay.py": PAY})
    assert table.has_file("pay.py")
    seen = reads(table)
    assert table.replace("pay.py", None) & seen
    assert not table.has_file("pay.py")
    assert table.definitions("pay.py", "charge") == []
    assert not table.files_with_stem("python", "pay")


def test_a_remembered_answer_counts_as_read_by_everybody_who_gets_it() -> None:
    table = table_of({"pay.py": PAY})
    computed = []

    def answer() -> int:
        computed.append(1)
        return len(table.definitions("pay.py", "charge"))

    assert table.remember(("answer",), answer) == 1
    first = reads(table)
    assert table.remember(("answer",), answer) == 1
    assert reads(table) == first != set()
    assert len(computed) == 1


def test_a_name_that_too_many_files_of_a_namespace_define_is_crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_module, "_CROWD", 2)
    go = "package shop\n\ntype Main struct{}\n"
    table = table_of({"a.go": go, "b.go": go})
    space = facts_of("a.go", go).space
    assert not table.is_crowded(space, "Main")
    asked = reads(table)
    assert table.replace("c.go", encoded_facts_of("c.go", go)) & asked, "who asked hears of it"
    assert table.is_crowded(space, "Main")


def test_who_makes_up_a_crowd_is_listed_once_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[int] = []
    of = Givers.of

    def counted(givers: Givers, key: int) -> Sequence[str]:
        listed.append(key)
        return of(givers, key)

    monkeypatch.setattr(Givers, "of", counted)
    go = "package shop\n\ntype Main struct{}\n"
    table = table_of({f"{number:02}.go": go for number in range(40)})
    space = facts_of("00.go", go).space
    assert table.is_crowded(space, "Main")
    first = reads(table)
    assert table.is_crowded(space, "Main")
    assert reads(table) == first != set(), "everybody who asks hears of a change"
    assert len(listed) == 1


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a/pay.py", "pay"),
        ("a/pay/__init__.py", "pay"),
        ("web/cart/index.ts", "cart"),
        ("x/index.py", "index"),
        ("lib/index.c", "index"),
    ],
)
def test_a_file_goes_by_its_name_or_by_its_folders(path: str, stem: str) -> None:
    assert stem_of(path, detect(path)) == stem
