"""Whatever state a repository is in, the answer is right, or a clear word says why there is none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sightline.changes.asked import Asked
from sightline.changes.report import report
from sightline.config import make_config
from sightline.errors import QueryError
from sightline.server.answers import changes as answers
from tests.changes.conftest import Shop
from tests.support.hostile import git
from tests.support.indexes import index_with, write_files


def asked_in(root: Path, home: Path, asked: Asked | None = None) -> str:
    config = make_config(root, index_dir=home / "indexes", embedder="none", environ={})
    return answers.text(report(config, index_with(config, None), asked or Asked()), max_tokens=2_000)


def test_without_git_it_says_so(tmp_path: Path) -> None:
    write_files(tmp_path / "root", {"a.py": "a = 1\n"})
    with pytest.raises(QueryError, match="not in a git repository"):
        asked_in(tmp_path / "root", tmp_path)


def test_before_the_first_commit_everything_is_added(tmp_path: Path) -> None:
    write_files(tmp_path / "root", {"a.py": "def first():\n    pass\n", "b.py": "def second():\n    pass\n"})
    git(tmp_path / "root", "init", "-q")
    git(tmp_path / "root", "add", "a.py")
    shown = asked_in(tmp_path / "root", tmp_path)
    assert "there is no commit yet" in shown
    assert "added function first" in shown
    assert "added function second" in shown
    with pytest.raises(QueryError, match="no commit"):
        asked_in(tmp_path / "root", tmp_path, Asked(base="main"))


def test_a_detached_head_is_named(shop: Shop) -> None:
    git(shop.root, "checkout", "-q", "--detach")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    found = shop.report()
    assert "a detached HEAD" in found.compared.title
    assert len(found.symbols) == 1


def test_a_shallow_clone_says_what_it_cannot_tell(shop: Shop, tmp_path: Path) -> None:
    shop.edit("README.md", "# Shop", "# The shop")
    git(shop.root, "checkout", "-qb", "topic")
    shop.commit("topic")
    git(shop.root, "checkout", "-q", "main")
    shop.edit("shop/cart.py", "return sum(", "return 0 + sum(")
    shop.commit("main goes on")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{shop.root}", str(clone))
    assert "No changes" in asked_in(clone, tmp_path)
    with pytest.raises(QueryError, match="shallow"):
        asked_in(clone, tmp_path, Asked(base="origin/topic"))
    with pytest.raises(QueryError, match="shallow"):
        asked_in(clone, tmp_path, Asked(commits="HEAD~1..HEAD"))
    assert "Compared: HEAD" in asked_in(clone, tmp_path, Asked(commits="origin/topic..HEAD"))


def test_a_second_work_tree_has_changes_of_its_own(shop: Shop, tmp_path: Path) -> None:
    git(shop.root, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    (tmp_path / "second/shop/prices.py").write_text("def tax(amount: float) -> float:\n    return 0\n")
    shown = asked_in(tmp_path / "second", tmp_path)
    assert "against second" in shown
    assert "removed function gross" in shown
    assert "No changes" in asked_in(shop.root, tmp_path)


def test_line_ends_alone_are_no_change(shop: Shop) -> None:
    place = shop.root / "shop/prices.py"
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n"))
    assert shop.report().compared.files == ()


def test_an_edit_of_a_file_with_crlf_changes_one_symbol(shop: Shop) -> None:
    place = shop.root / "shop/prices.py"
    place.write_bytes(place.read_bytes().replace(b"\n", b"\r\n").replace(b"return amount * RATE", b"return 1"))
    assert [change.item.qualified_name for change in shop.report().symbols] == ["tax"]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="these file systems know no such names")
def test_a_name_that_is_no_utf8_is_named_and_its_symbols_are_not_compared(shop: Shop) -> None:
    (Path(os.fsdecode(os.fsencode(shop.root) + b"/caf\xe9.py"))).write_text("def brew():\n    pass\n")
    found = shop.report()
    assert [(file.status, file.note) for file in found.compared.files] == [("added", "name not UTF-8")]
    assert "caf\\udce9.py" in answers.text(found, max_tokens=2_000)
    assert answers.data(found, 1)["files"][0]["path"] == "caf\\udce9.py"


def test_a_submodule_is_named_and_not_entered(shop: Shop, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write_files(other, {"lib.py": "def lib():\n    pass\n"})
    git(other, "init", "-q")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "lib")
    git(shop.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "lib")
    found = shop.report()
    assert ("lib", "a submodule") in [(file.path, file.note) for file in found.compared.files]
    shop.commit("submodule")
    assert shop.report().compared.files == ()


def test_a_sparse_checkout_has_not_removed_what_it_leaves_out(shop: Shop) -> None:
    git(shop.root, "sparse-checkout", "set", "--no-cone", "/shop/")
    assert not (shop.root / "tests").exists()
    assert shop.report().compared.files == ()


def test_a_conflict_is_compared_as_it_is_on_disk(shop: Shop) -> None:
    git(shop.root, "checkout", "-qb", "topic")
    shop.edit("shop/prices.py", "return amount * RATE", "return RATE * amount")
    shop.commit("topic")
    git(shop.root, "checkout", "-q", "main")
    shop.edit("shop/prices.py", "return amount * RATE", "return amount * RATE * 1")
    shop.commit("main")
    with pytest.raises(Exception, match="merge"):
        git(shop.root, "merge", "-q", "topic")
    found = shop.report()
    assert [file.path for file in found.compared.files] == ["shop/prices.py"]
    assert "tax" in [change.item.qualified_name for change in found.symbols]


def test_an_unknown_commit_and_an_option_are_refused(shop: Shop) -> None:
    for name in ("nowhere", "--output=x", "", "HEAD:shop"):
        with pytest.raises(QueryError):
            shop.report(Asked(commits=f"{name}..nowhere"))
    with pytest.raises(QueryError, match="two commits"):
        shop.report(Asked(commits="HEAD"))
    assert not (shop.root / "x").exists()


def test_a_secret_is_named_but_not_read(shop: Shop) -> None:
    (shop.root / ".env").write_text("TOKEN=abc\n")
    found = shop.report()
    assert [(file.path, file.note) for file in found.compared.files] == [(".env", "secret")]


def test_what_is_never_indexed_is_named_and_not_compared(shop: Shop) -> None:
    write_files(shop.root, {".yarn/releases/tool.js": "function tool() {}\n"})
    found = shop.report()
    assert [file.note for file in found.compared.files] == ["in a folder that is never indexed"]
    assert found.symbols == ()
