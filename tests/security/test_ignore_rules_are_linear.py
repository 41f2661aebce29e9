"""No ignore rule takes long, whatever it says; and rules still mean what they mean to git."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.indexer.files.ignore import MAX_RULES, SIGHTLINEIGNORE, IgnoreRules
from sightline.indexer.files.walk import walk
from tests.support.hostile import git, make_root

FREEZE_S = 20  # generous: one such rule took 19 s and twelve stars took for ever
LONG = "a" * 250
EXPLOSIVE = [
    "a*" * 60 + "b",
    "*a" * 60 + "/b",
    "**/" + "*a" * 60 + "/b",
    "**/a/" * 60 + "b",
    "**/*a*/" * 60 + "b",
    "a?*" * 60 + "b",
    "[a-z]*" * 60 + "[!a]",
    "/" + "*a*" * 60 + "/**/" + "*a*" * 60 + "/c",
    "[[:alpha:]]*" * 40 + "!",
    "*" * 900 + "b",
]


@pytest.mark.parametrize("filename", [".sightlineignore", ".gitignore"])
@pytest.mark.parametrize("rule", EXPLOSIVE)
def test_no_rule_freezes_the_walk(tmp_path: Path, filename: str, rule: str) -> None:
    names = {f"{LONG}/{LONG}/{LONG}/{number}{LONG[:-3]}": "x" for number in range(10)}
    config = make_root(tmp_path / "root", {filename: f"{rule}\n", LONG: "x", **{f"d/{k}": v for k, v in names.items()}})
    began = time.monotonic()
    assert len(walk(config)) == 12
    assert time.monotonic() - began < FREEZE_S


def test_a_file_of_hundreds_of_thousands_of_rules_is_read_in_part(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rules = "hidden.py\n" + "".join(f"*x{number}*y*/**/z\n" for number in range(300_000))
    config = make_root(
        tmp_path / "root", {SIGHTLINEIGNORE: rules, "a.py": "a", "hidden.py": "h", "sub/.sightlineignore": rules}
    )
    began = time.monotonic()
    assert {candidate.path for candidate in walk(config)} == {SIGHTLINEIGNORE, "a.py", "sub/.sightlineignore"}
    assert time.monotonic() - began < FREEZE_S
    assert f"only {MAX_RULES} of its" in caplog.text


def test_a_rule_longer_than_any_path_is_left_out(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {SIGHTLINEIGNORE: "a" * 5_000 + "*\nb.py\n", "a.py": "a", "b.py": "b"})
    assert {candidate.path for candidate in walk(config)} == {SIGHTLINEIGNORE, "a.py"}


_PIECES = st.sampled_from(
    ["a", "b", "ab", ".", "*", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:digit:]b]", "[a", "\\a",
     "\\*", "\\?", "é", " ", "#", "!", "[\\]]", "[b-a]", "[a\\-c]", "[[:nope:]]", "-", "[a-]", "{a,b}", "\\\\"]
)  # fmt: skip
_PART = st.one_of(st.just("**"), st.lists(_PIECES, min_size=1, max_size=4).map("".join))
_NAME = st.text(
    st.sampled_from(["a", "b", "c", ".", "-", "é", "*", "?", "!", "#", " ", "]", "[", "{", "\\"]), max_size=4
)
_PATH = st.lists(_NAME.filter(lambda name: name not in ("", ".", "..")), min_size=1, max_size=4).map("/".join)


@st.composite
def _rule(draw: st.DrawFn) -> str:
    parts = draw(st.lists(_PART, min_size=1, max_size=4))
    before, after = draw(st.sampled_from(["", "/", "!", "!/"])), draw(st.sampled_from(["", "/", " ", "\\ ", "\r"]))
    return before + "/".join(parts) + after


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rules=st.lists(_rule(), min_size=1, max_size=6), paths=st.lists(_PATH, min_size=1, max_size=12, unique=True))
def test_rules_mean_what_they_mean_to_git(
    tmp_path_factory: pytest.TempPathFactory, rules: list[str], paths: list[str]
) -> None:
    root = tmp_path_factory.mktemp("tree") / "root"
    kept: list[str] = []
    for path in paths:
        if not any(other.startswith(path + "/") or path.startswith(other + "/") for other in kept):
            kept.append(path)
    config = make_root(root, dict.fromkeys(kept, "x"))
    (config.root / ".gitignore").write_bytes(os.fsencode("\n".join(rules) + "\n"))
    git(config.root, "init", "-q")
    shown = set(git(config.root, "ls-files", "-co", "--exclude-standard", "-z").split("\0")) - {""}
    own = IgnoreRules(config.root, ".gitignore")
    assert {path for path in kept if not own.ignores_file(path)} == shown & set(kept)
