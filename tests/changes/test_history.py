"""What git's history tells: files that change together, the commits of a symbol; read once, then kept up with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.changes import history as reading
from sightline.changes.files import by_graph
from sightline.changes.history import FILE, History, history
from sightline.changes.past import past_of
from sightline.changes.repository import Repository, repository
from sightline.changes.together import changes_with, companions
from sightline.config import Config, make_config
from sightline.errors import ConfigError
from tests.changes.conftest import Shop
from tests.support.hostile import git
from tests.support.indexes import index_with


def settings(shop: Shop) -> Config:
    return make_config(shop.root, index_dir=shop.root.parent / "indexes", embedder="none", environ={})


def told(shop: Shop, config: Config | None = None) -> History:
    found = history(config or settings(shop), repository(shop.root))
    assert found is not None
    return found


def messages(found: History) -> list[str]:
    return [commit.message for commit in found.commits]


def edited(shop: Shop, number: int) -> None:
    """Prices and their tests change together."""
    shop.write(shop__prices=f"RATE = {number}\n\n\ndef gross(amount):\n    return amount + {number}\n")
    shop.write(tests__test_prices=f"def test_gross():\n    assert {number} >= 0\n")


def test_files_that_change_together_are_named_when_one_of_them_did_not(shop: Shop) -> None:
    for number in range(4):
        edited(shop, number)
        shop.commit(f"price {number}")
    pair = changes_with(told(shop), ["shop/prices.py"])["shop/prices.py"][0]
    assert (pair.other, pair.support) == ("tests/test_prices.py", 5)
    shop.edit("shop/prices.py", "RATE = 3", "RATE = 4")
    assert [(c.path, c.changed, c.support) for c in shop.report().companions] == [
        ("tests/test_prices.py", "shop/prices.py", 5)
    ]
    shop.edit("tests/test_prices.py", "3 >= 0", "4 >= 0")
    assert shop.report().companions == ()


def test_commits_of_many_files_do_not_count(shop: Shop) -> None:
    for number in range(4):
        shop.write(**{f"many__file{name}": f"x = {number}\n" for name in range(40)})
        shop.commit(f"bulk {number}")
    assert changes_with(told(shop), ["many/file1.py"])["many/file1.py"] == []


def test_a_companion_that_is_gone_is_not_named(shop: Shop) -> None:
    for number in range(4):
        edited(shop, number)
        shop.commit(f"price {number}")
    found = companions(told(shop), {"shop/prices.py"}, {"shop/prices.py"}, {})
    assert found == []


def test_only_new_commits_are_read(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    commits = reading._commits

    def counted(found: Repository, oids: list[str], numbers: dict[str, int]) -> Iterator[reading.Commit]:
        asked.append(len(oids))
        return commits(found, oids, numbers)

    monkeypatch.setattr(reading, "_commits", counted)
    told(shop)
    edited(shop, 1)
    shop.commit("second")
    assert messages(told(shop)) == ["second", "first"]
    told(shop)
    assert asked == [1, 1]


def test_rewritten_history_is_forgotten(shop: Shop) -> None:
    edited(shop, 1)
    shop.commit("to be rewritten")
    assert messages(told(shop)) == ["to be rewritten", "first"]
    git(shop.root, "commit", "-q", "--amend", "-m", "rewritten")
    assert messages(told(shop)) == ["rewritten", "first"]


@pytest.mark.parametrize("damage", [b"", b"x", b"sightline-history\x00\x01" + b"0" * 40, None])
def test_a_damaged_file_is_made_anew(shop: Shop, damage: bytes | None) -> None:
    config = settings(shop)
    told(shop)
    place = config.index_dir / FILE
    content = place.read_bytes()
    place.write_bytes(content[:-3] if damage is None else damage)
    assert messages(told(shop)) == ["first"]
    assert place.read_bytes() == content


def test_it_can_be_turned_off_and_bounded(shop: Shop) -> None:
    edited(shop, 1)
    shop.commit("second")
    assert messages(told(shop, replace(settings(shop), history_commits=1))) == ["second"]
    off = make_config(shop.root, index_dir=shop.root.parent / "off", environ={"SIGHTLINE_HISTORY": "0"})
    assert history(off, repository(shop.root)) is None
    assert not (off.index_dir / FILE).exists()
    with pytest.raises(ConfigError, match="SIGHTLINE_HISTORY"):
        make_config(shop.root, environ={"SIGHTLINE_HISTORY": "many"})


def test_messages_and_names_cannot_be_mistaken_for_other_commits(shop: Shop) -> None:
    head = git(shop.root, "rev-parse", "HEAD").strip()
    (shop.root / "new\nline.py").write_text("x = 1\n")
    shop.commit(f"second\n\n\x01{head}\n\nReviewed-by: A Person <a@example.com>")
    found = told(shop)
    assert [commit.id for commit in found.commits][1] == head
    assert "new\nline.py" in found.paths
    assert "Person" not in found.commits[0].message


def test_a_merge_adds_the_commits_of_its_branch_and_none_of_its_own(shop: Shop) -> None:
    git(shop.root, "checkout", "-q", "-b", "side")
    edited(shop, 1)
    shop.commit("side")
    git(shop.root, "checkout", "-q", "main")
    shop.write(shop__other="x = 1\n")
    shop.commit("main")
    git(shop.root, "merge", "-q", "--no-edit", "-m", "merged", "side")
    assert sorted(messages(told(shop))) == ["first", "main", "side"]


def test_a_renamed_file_begins_anew_under_its_new_name(shop: Shop) -> None:
    for number in range(4):
        edited(shop, number)
        shop.commit(f"price {number}")
    git(shop.root, "mv", "tests/test_prices.py", "tests/test_costs.py")
    shop.commit("renamed")
    found = told(shop)
    assert {"tests/test_prices.py", "tests/test_costs.py"} <= set(found.paths)
    existing = {"shop/prices.py", "tests/test_costs.py"}
    assert companions(found, {"shop/prices.py"}, existing, {}) == []


def test_a_name_that_is_no_utf8_is_kept_as_it_is(shop: Shop) -> None:
    (shop.root / os.fsdecode(b"caf\xe9.py")).write_text("x = 1\n")
    shop.commit("latin")
    told(shop)
    assert os.fsdecode(b"caf\xe9.py") in told(shop).paths  # the second time from the file


def test_nobody_else_can_read_it(shop: Shop) -> None:
    told(shop)
    assert (settings(shop).index_dir / FILE).stat().st_mode & 0o077 == 0


def test_the_commits_of_a_symbol_are_those_that_changed_its_text(shop: Shop) -> None:
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.commit("Turn the product round\n\nSince readers expect the rate first.")
    shop.edit("shop/prices.py", "return round(amount, 2)", "return round(amount, 3)")
    shop.commit("Round less")
    config = settings(shop)
    snapshot = index_with(config, None)
    (tax,) = [o for o in snapshot.objects.get(snapshot.objects.positions_of_path("shop/prices.py")) if o.name == "tax"]
    past = past_of(config, repository(shop.root), told(shop), tax)
    assert [(t.what, t.commit.message.split("\n")[0]) for t in past.touched] == [
        ("changed", "Turn the product round"),
        ("added", "first"),
    ]
    assert (past.looked, past.commits) == (3, 3)


def test_a_shallow_clone_knows_what_it_has(shop: Shop, tmp_path: Path) -> None:
    edited(shop, 1)
    shop.commit("second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{shop.root}", str(tmp_path / "clone"))
    config = make_config(tmp_path / "clone", index_dir=tmp_path / "indexes", environ={})
    found = history(config, repository(tmp_path / "clone"))
    assert found is not None
    assert found.shallow
    assert messages(found) == ["second"]


def test_of_two_companions_the_one_that_is_also_related_comes_first(shop: Shop) -> None:
    for number in range(4):
        edited(shop, number)
        shop.write(shop__aside=f"x = {number}\n")
        shop.commit(f"price {number}")
    config = settings(shop)
    snapshot = index_with(config, None)
    related = by_graph(snapshot, {"shop/prices.py"})
    assert set(related) == {"shop/cart.py", "tests/test_prices.py"}
    changed, there = {"shop/prices.py"}, snapshot.files.keys()
    assert companions(told(shop), changed, there, {})[0].path == "tests/test_prices.py"
    first = companions(told(shop), changed, there, {"shop/aside.py": 0.9})[0]
    assert first.path == "shop/aside.py"
