"""Ignore files, nested, in gitignore syntax.

Git itself answers for .gitignore where there is a repository; these rules answer for .gitignore elsewhere and for
`.sightlineignore` everywhere. As in git, a deeper file overrides a shallower one, and nothing below an ignored folder
can be taken back in. The files come from the repository: their number of rules is bounded, and no rule can take long
(`wildmatch.py`).
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sightline.indexer.files import wildmatch
from sightline.indexer.files.confine import Confined, read_bytes

GITIGNORE = ".gitignore"
SIGHTLINEIGNORE = ".sightlineignore"
IGNORE_FILES = frozenset({GITIGNORE, SIGHTLINEIGNORE})
MAX_FILE_BYTES = 256_000
MAX_RULE_BYTES = 1_000
MAX_RULES = 2_000  # that apply to one path; the longest ignore files in use have some hundreds
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPECIAL = frozenset(b"*?[\\")
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line: what it matches, and whether that is ignored or taken back in."""

    ignores: bool
    folders_only: bool
    by_name: bool  # the name alone is matched, at any depth; otherwise the path from the ignore file's folder
    literal: bytes | None  # exactly this
    suffix: bytes | None  # or a name that ends so
    expression: re.Pattern[bytes] | None  # or this

    def matches(self, path: bytes, name: bytes) -> bool:
        subject = name if self.by_name else path
        if self.literal is not None:
            return subject == self.literal
        if self.suffix is not None:
            return subject.endswith(self.suffix)
        return self.expression is not None and self.expression.match(subject) is not None


_Rules = tuple[_Rule, ...]  # the last rule first


class IgnoreRules:
    """The rules of every ignore file of one name below a root, loaded folder by folder when first asked for."""

    def __init__(self, root: Path, filename: str, inside: Confined | None = None) -> None:
        # Most folders have none, and to look for it costs a way from the root for each: who walks along has it already.
        self._read = inside.read_bytes if inside is not None else partial(read_bytes, root)
        self._filename = filename
        # folder → its own rules and those of the folders above it, deepest first, each with its folder's prefix length
        self._rules: dict[str, tuple[tuple[int, _Rules], ...]] = {"": ()}
        self._ignored_folders: dict[str, bool] = {"": False}
        if own := self._load("", MAX_RULES):
            self._rules[""] = ((0, own),)

    def ignores_file(self, path: str) -> bool:
        """Say whether a file is ignored, by a rule for it or for a folder it is in."""
        folder = path.rpartition("/")[0]
        return self.ignores_folder(folder) or self._matches(path, folder, is_folder=False)

    def ignores_folder(self, folder: str) -> bool:
        """Say whether a folder ("" is the root) is ignored, so that nothing in it counts."""
        known = self._ignored_folders.get(folder)
        if known is not None:
            return known
        waiting = [folder]  # this one and those above it that were not asked for yet; no recursion, trees may be deep
        while (above := waiting[-1].rpartition("/")[0]) not in self._ignored_folders:
            waiting.append(above)
        ignored = self._ignored_folders[above]
        for each in reversed(waiting):
            ignored = ignored or self._matches(each, each.rpartition("/")[0], is_folder=True)
            self._ignored_folders[each] = ignored
        return ignored

    def _matches(self, path: str, folder: str, *, is_folder: bool) -> bool:
        chain = self._rules_of(folder)
        if not chain:
            return False
        whole = os.fsencode(path)
        name = whole.rpartition(b"/")[2]
        for prefix, rules in chain:
            relative = whole[prefix:]
            for rule in rules:
                if (is_folder or not rule.folders_only) and rule.matches(relative, name):
                    return rule.ignores
        return False

    def _rules_of(self, folder: str) -> tuple[tuple[int, _Rules], ...]:
        known = self._rules.get(folder)
        if known is not None:
            return known
        waiting = [folder]
        while (above := waiting[-1].rpartition("/")[0]) not in self._rules:
            waiting.append(above)
        chain = self._rules[above]
        for each in reversed(waiting):
            own = self._load(each, MAX_RULES - sum(len(rules) for _, rules in chain))
            chain = ((len(os.fsencode(each)) + 1, own), *chain) if own else chain
            self._rules[each] = chain
        return chain

    def _load(self, folder: str, room: int) -> _Rules:
        """The rules of one file, at most `room` of them; a link or a pipe is no ignore file."""
        path = f"{folder}/{self._filename}" if folder else self._filename
        try:
            data = self._read(path, MAX_FILE_BYTES + 1)
        except OSError:
            return ()
        if len(data) > MAX_FILE_BYTES:
            _logger.warning("%s: only its first %d bytes are read", path, MAX_FILE_BYTES)
            data = data[: data.rfind(b"\n", 0, MAX_FILE_BYTES) + 1]
        lines = data.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
        rules: list[_Rule] = []
        for line in lines:
            rule = _parsed(line)
            if rule is None:
                continue
            if len(rules) == room:
                _logger.warning("%s: only %d of its rules are obeyed", path, room)
                break
            rules.append(rule)
        return tuple(reversed(rules))


def _parsed(line: bytes) -> _Rule | None:
    """The rule of a line, if it has one; a pattern that matches nothing is left out."""
    line = line.split(b"\0", 1)[0]
    if not line or line.startswith(b"#"):
        return None
    pattern = _without_trailing_spaces(line.removesuffix(b"\r"))
    ignores = not pattern.startswith(b"!")
    pattern = pattern if ignores else pattern[1:]
    folders_only = pattern.endswith(b"/")
    pattern = pattern[:-1] if folders_only else pattern
    if not pattern or len(pattern) > MAX_RULE_BYTES:
        return None
    by_name = b"/" not in pattern
    pattern = pattern.removeprefix(b"/")
    literal = suffix = expression = None
    if _SPECIAL.isdisjoint(pattern):
        literal = pattern
    elif by_name and pattern.startswith(b"*") and _SPECIAL.isdisjoint(pattern[1:]):
        suffix = pattern[1:]
    else:
        expression = wildmatch.compile_name(pattern) if by_name else wildmatch.compile_path(pattern)
        if expression is None:
            return None
    return _Rule(ignores, folders_only, by_name, literal, suffix, expression)


def _without_trailing_spaces(line: bytes) -> bytes:
    """Spaces at the end do not count unless a backslash stands before them."""
    kept = line.rstrip(b" ")
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + 1] if backslashes % 2 and len(kept) < len(line) else kept
