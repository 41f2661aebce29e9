"""What is to be compared with what: from the words of a command line to two states of the files."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.changes.model import Compared
from sightline.changes.repository import SHORT, Repository
from sightline.changes.worktree import on_disk
from sightline.errors import QueryError

_NEW = "there is no commit yet: everything counts as added"


@dataclass(frozen=True, slots=True)
class Asked:
    """At most one of these; nothing at all means the work tree against HEAD."""

    base: str = ""  # the work tree against where it left this branch or commit
    staged: bool = False  # git's index against HEAD
    commits: str = ""  # A..B, or A...B: B against where it left A

    def __post_init__(self) -> None:
        if sum(map(bool, (self.base, self.staged, self.commits))) > 1:
            raise QueryError("more than one comparison is asked for", hint="give one of --base, --staged and A..B")


def compared(repository: Repository, asked: Asked) -> Compared:
    """The files that differ."""
    if asked.commits:
        return _commits(repository, asked.commits)
    head = repository.head()
    if asked.staged:
        return Compared(
            head, _title(repository, "what is staged", head), tuple(repository.staged(head)), False, _notes(head)
        )
    if not asked.base:
        return Compared(
            head, _title(repository, "the work tree", head), tuple(on_disk(repository, head)), True, _notes(head)
        )
    base = repository.commit(asked.base)
    if not head:
        raise QueryError("there is no commit yet to compare with", hint="leave --base out")
    fork = repository.fork(base, head)
    title = f"the work tree against {asked.base}"
    if fork != base:
        title += f", which it left at {fork[:SHORT]}"
    return Compared(fork, title, tuple(on_disk(repository, fork)))


def _commits(repository: Repository, text: str) -> Compared:
    left, dots, right = text.partition("...") if "..." in text else text.partition("..")
    if not dots:
        raise QueryError(f"{text[:200]!r} does not name two commits", hint="write A..B, or --base A")
    old, new = repository.commit(left or "HEAD"), repository.commit(right or "HEAD")
    title = f"{right or 'HEAD'} ({new[:SHORT]}) against {left or 'HEAD'} ({old[:SHORT]})"
    if dots == "...":
        fork = repository.fork(old, new)
        old, title = fork, f"{right or 'HEAD'} ({new[:SHORT]}) since it left {left or 'HEAD'} at {fork[:SHORT]}"
    return Compared(old, title, tuple(repository.between(old, new)), False)


def _title(repository: Repository, what: str, head: str) -> str:
    if not head:
        return what
    branch = repository.branch()
    return f"{what} against {branch or 'a detached HEAD'} ({head[:SHORT]})"


def _notes(head: str) -> tuple[str, ...]:
    return () if head else (_NEW,)
