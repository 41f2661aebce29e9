"""The commits that touched a symbol: why is this here, when did it change.

The history says which commits touched the file. Of the newest of them both versions are outlined, and those count in
which the symbol's own text differs. A symbol is followed within its file and under its name; where it was moved or
renamed, the trail ends, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.changes.contents import blobs, why_not
from sightline.changes.history import Commit, History
from sightline.changes.outlines import Outline, Text, outlines
from sightline.changes.repository import Repository

if TYPE_CHECKING:
    from sightline.config import Config
    from sightline.types import Object

MAX_COMMITS = 60  # of the file that are looked into; outlining two versions of each takes a second at most
_MARK = b"\x01"


@dataclass(frozen=True, slots=True)
class Touched:
    """A commit that touched a symbol, and what it did to it."""

    commit: Commit
    what: str  # "added", "changed" or "removed"


@dataclass(frozen=True, slots=True)
class Past:
    """The commits that touched a symbol or a file, newest first."""

    path: str
    touched: tuple[Touched, ...]
    looked: int  # commits of the file that were looked into
    commits: int  # of the file in the history that is known
    shallow: bool


def past_of_file(history: History, path: str) -> list[Commit]:
    """The commits that touched a file, newest first."""
    number = {known: at for at, known in enumerate(history.paths)}.get(path)
    return [commit for commit in history.commits if number in commit.files] if number is not None else []


def past_of(config: Config, repository: Repository, history: History, item: Object) -> Past:
    """The commits that touched a symbol; of a module those of its file."""
    commits = past_of_file(history, item.path)
    if item.kind == "module" or why_not(item.path):
        touched = tuple(Touched(commit, "changed") for commit in commits)
        return Past(item.path, touched, len(commits), len(commits), history.shallow)
    looked = commits[:MAX_COMMITS]
    versions = list(_versions(repository, item.path, looked))
    texts = dict(blobs(repository, {oid for _, old, new in versions for oid in (old, new)}, config.max_file_bytes))
    oids = sorted(texts)
    outlined = outlines(config, [Text(item.path, texts[oid]) for oid in oids])
    bodies = {oid: _body(outline, item) for oid, outline in zip(oids, outlined, strict=True)}
    touched = tuple(
        Touched(commit, _what(old, new))
        for commit, old, new in ((commit, bodies.get(a), bodies.get(b)) for commit, a, b in versions)
        if old != new
    )
    return Past(item.path, touched, len(looked), len(commits), history.shallow)


def _what(old: str | None, new: str | None) -> str:
    return "added" if old is None else "removed" if new is None else "changed"


def _body(outline: Outline, item: Object) -> str | None:
    """The text of the symbol in a version of its file; None where it is not there."""
    found = [o for o in outline.objects if o.qualified_name == item.qualified_name and o.kind == item.kind]
    if not found:
        return None
    return "\n".join(line.rstrip() for o in found for line in outline.lines[o.start_line - 1 : o.end_line])


def _versions(repository: Repository, path: str, commits: Sequence[Commit]) -> Iterator[tuple[Commit, str, str]]:
    """The blobs of a file before and after each commit; of one that is not there, zeros."""
    by_id = {commit.id: commit for commit in commits}
    if not by_id:
        return
    answer = repository.ask(
        "--literal-pathspecs", "diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--relative",
        "--root", "--format=%x01%H%x00", "--", path, given="".join(f"{oid}\n" for oid in by_id).encode(),
    )  # fmt: skip
    commit = None
    for part in (answer or b"").split(b"\0"):
        part = part.lstrip(b"\n")
        if part.startswith(_MARK):
            commit = by_id.get(part[1:].decode("ascii", "replace"))
        elif part.startswith(b":") and commit is not None:
            _, _, old, new, _ = part.decode("ascii", "replace").split(" ")
            yield commit, old, new
            commit = None
