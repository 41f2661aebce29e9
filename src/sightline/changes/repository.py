"""What git knows about a root: commits, and which files differ between two states.

Two commits, or a commit and git's index, are compared by git. Files on disk are not: to compare them git may have to
run the filters that the repository names. `worktree.py` does that. Every question is asked in the folder of the root,
so that paths are those of the root, and what lies beside it in the repository is nobody's business.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sightline.changes.model import FileChange, FileStatus
from sightline.errors import QueryError
from sightline.indexer.files import git

_SUBMODULE = "160000"
_LINK = "120000"
_OID = re.compile(r"[0-9a-f]{40,64}")
_STATUS: dict[str, FileStatus] = {"A": "added", "D": "removed"}
_MAX_REF_CHARS = 300
SHORT = 10  # characters of a commit that are shown


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a root is in."""

    root: Path

    def ask(self, *arguments: str, given: bytes = b"") -> bytes | None:
        """What git prints; None when it refuses."""
        return git.run(self.root, *arguments, given=given)

    def tell(self, *arguments: str) -> str:
        """What git prints, as one line; "" when it refuses."""
        answer = self.ask(*arguments)
        return os.fsdecode(answer).rstrip("\n") if answer is not None else ""

    def head(self) -> str:
        """The commit that is checked out, on a branch or detached; "" before the first one."""
        return self.commit("HEAD", missing="") or ""

    def commit(self, name: str, *, missing: str | None = None) -> str:
        """The commit that a name stands for; QueryError, or `missing`, when there is none."""
        found = ""
        if 0 < len(name) <= _MAX_REF_CHARS and not name.startswith("-"):
            found = self.tell("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if _OID.fullmatch(found):
            return found
        if missing is not None:
            return missing
        hint = "this clone is shallow and may not have it" if self.is_shallow() else "see `git branch -a` and `git tag`"
        raise QueryError(f"git knows no commit {name[:_MAX_REF_CHARS]!r}", hint=hint)

    def is_shallow(self) -> bool:
        """Whether older commits are cut off."""
        return self.tell("rev-parse", "--is-shallow-repository") == "true"

    def branch(self) -> str:
        """The branch that is checked out; "" on a detached HEAD."""
        return self.tell("symbolic-ref", "--quiet", "--short", "HEAD")

    def fork(self, one: str, other: str) -> str:
        """Where two commits went apart; QueryError when git cannot tell."""
        found = self.tell("merge-base", "--end-of-options", one, other)
        if _OID.fullmatch(found):
            return found
        why = ", since this clone is shallow" if self.is_shallow() else ""
        raise QueryError(
            f"git finds no common ancestor of {one[:SHORT]} and {other[:SHORT]}{why}",
            hint="compare with it directly as A..B, or fetch more of the history",
        )

    def between(self, old: str, new: str) -> list[FileChange]:
        """Files that differ between two commits."""
        answer = self.ask("diff-tree", *_RAW, "-r", "--end-of-options", old, new)
        return list(_raw(self._checked(answer)))

    def staged(self, old: str) -> list[FileChange]:
        """Files of git's index that differ from a commit; all of them where there is no commit."""
        if old:
            answer = self.ask("diff-index", "--cached", *_RAW, "--end-of-options", old)
            return list(_raw(self._checked(answer)))
        listed = self._checked(self.ask("ls-files", "--stage", "-z"))
        found = []
        for entry in filter(None, listed.split(b"\0")):
            mode, oid, path = _staged(entry)
            found.append(FileChange(path, "added", "", oid, submodule=mode == _SUBMODULE, note=_note(mode)))
        return found

    @staticmethod
    def _checked(answer: bytes | None) -> bytes:
        if answer is None:
            raise QueryError(
                "git did not answer", hint="it was stopped at its limits, or objects are missing: see `git fsck`"
            )
        return answer


_RAW = ("--raw", "-z", "--no-renames", "--no-abbrev", "--relative", "--no-ext-diff", "--no-textconv")


def repository(root: Path) -> Repository:
    """The repository of a root; QueryError says why there is none."""
    if git.repository_of(root) is None:
        raise QueryError(f"{root} is not in a git repository", hint="changes are told from git; `git init` makes one")
    found = Repository(root)
    if found.tell("rev-parse", "--is-inside-work-tree") != "true":
        raise QueryError(
            f"git cannot be asked about {root}",
            hint="it is not installed, was stopped at its limits, or refuses a repository of another owner",
        )
    return found


def path_of(name: bytes) -> str:
    """A path as git writes it; bytes that are no UTF-8 stay what they are."""
    return name.decode("utf-8", "surrogateescape")


def _raw(answer: bytes) -> Iterator[FileChange]:
    """`:mode mode oid oid status NUL path NUL`, again and again."""
    parts = iter(answer.split(b"\0"))
    for header in parts:
        if not header:
            continue
        old_mode, new_mode, old, new, letter = header.decode("ascii").removeprefix(":").split(" ")
        submodule = _SUBMODULE in (old_mode, new_mode)
        status = _STATUS.get(letter[:1], "modified")
        yield FileChange(
            path_of(next(parts)),
            status,
            "" if status == "added" else old,
            "" if status == "removed" else new,
            submodule=submodule,
            note=_note(old_mode) or _note(new_mode),
        )


def _staged(entry: bytes) -> tuple[str, str, str]:
    """`mode oid stage TAB path`."""
    header, _, name = entry.partition(b"\t")
    mode, oid, _ = header.decode("ascii").split(" ")
    return mode, oid, path_of(name)


def _note(mode: str) -> str:
    return {_SUBMODULE: "a submodule", _LINK: "a symbolic link"}.get(mode, "")
