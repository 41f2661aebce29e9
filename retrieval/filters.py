"""Which rows may be hits: path globs and metadata, applied before top-K so that a filter never leaves a page short.

`allowed` turns the filters of a query into one mask per table, which the store applies inside its searches.

Globs: `*` and `?` stay within one path component, `**` crosses them, `[abc]` and `{a,b}` work as in a shell. A glob
without a slash matches a file or folder of that name at any depth (`*.swift`, `Tests`); one with a slash counts from
the root. A glob that names a folder covers everything in it.

Globs come from outside, so matching must not explode: every wildcard becomes an atomic group that takes the leftmost
match (as `fnmatch.translate` does), which is enough for globs and leaves nothing to backtrack into.
"""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from sightline.errors import QueryError
from sightline.languages import LANGUAGES
from sightline.types import OBJECT_KINDS, RELATIONSHIP_TYPES, RESOLUTIONS, Filters, HitType

if TYPE_CHECKING:
    import numpy.typing as npt

    from sightline.store import Rows, Snapshot

    Mask = npt.NDArray[np.bool_]

MAX_GLOBS = 100  # per list; an agent writes a handful
MAX_GLOB_CHARS = 1_000
MAX_PATTERN_CHARS = 10_000  # of a list's globs with their braces written out: compiling takes 10 µs each
_KEPT_FILTERS = 16  # different filters remembered per snapshot; a mask is a byte per row
MAX_BRACE_ALTERNATIVES = 64  # {a,b}{c,d}… multiply
MAX_ALTERNATIVES = 100  # of a list's globs together: every one is tried on every path

# Metadata a hit can be filtered by, and which table knows it. `path` and `language` hold for every type: they belong
# to the file. A type that does not know a key cannot match it.
_COLUMNS: Mapping[HitType, frozenset[str]] = {
    "chunk": frozenset({"symbol", "kind"}),
    "object": frozenset({"name", "qualified_name", "kind", "visibility"}),
    "relationship": frozenset({"relationship_type", "resolution"}),
}
_FILE_KEYS = frozenset({"path", "language"})
_VALUES: Mapping[str, frozenset[str]] = {  # of the keys that have a list of values
    "type": frozenset(get_args(HitType)),
    "language": frozenset(LANGUAGES),
    "kind": frozenset({*OBJECT_KINDS, "document"}),
    "relationship_type": frozenset(RELATIONSHIP_TYPES),
    "resolution": frozenset(RESOLUTIONS),
}
METADATA_KEYS = tuple(sorted(_FILE_KEYS.union({"type"}, *_COLUMNS.values())))

_CLASS = re.compile(r"\[(!|\^)?([^\]/]+)\]")
_BRACES = re.compile(r"\{([^{}]*)\}")


class PathFilter:
    """Decides about paths: any of `include` (when given) and none of `exclude`."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = compile_globs(tuple(include))
        self._exclude = compile_globs(tuple(exclude))

    def __bool__(self) -> bool:
        return self._include is not None or self._exclude is not None

    def allows(self, path: str) -> bool:
        """True when a path passes."""
        if self._include is not None and self._include.match(path) is None:
            return False
        return self._exclude is None or self._exclude.match(path) is None


@lru_cache(maxsize=256)
def compile_globs(globs: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return one pattern that matches what any of the globs matches; None when there is no glob."""
    if len(globs) > MAX_GLOBS:
        raise QueryError(f"{len(globs)} globs are too many", hint=f"use at most {MAX_GLOBS}, or wider ones")
    alternatives: dict[str, None] = {}
    for glob in globs:
        if len(glob) > MAX_GLOB_CHARS:
            raise QueryError(f"a glob of {len(glob)} characters is too long", hint=f"the limit is {MAX_GLOB_CHARS}")
        if "\0" in glob:
            raise QueryError("a glob must not contain a NUL character")
        for plain in _brace_alternatives(glob.strip()):
            alternatives.setdefault(_translate(plain))
        if len(alternatives) > MAX_ALTERNATIVES or sum(map(len, alternatives)) > MAX_PATTERN_CHARS:
            raise QueryError("the globs of one list stand for too much together", hint="use fewer, or wider ones")
    if not globs:
        return None
    return re.compile("|".join(alternatives) or r"(?!)", re.DOTALL)


def _brace_alternatives(glob: str) -> list[str]:
    done: list[str] = []
    waiting = [glob]
    while waiting:
        current = waiting.pop()
        match = _BRACES.search(current)
        if match is None:
            done.append(current)
            continue
        for option in match.group(1).split(","):
            waiting.append(current[: match.start()] + option + current[match.end() :])
        if len(waiting) + len(done) > MAX_BRACE_ALTERNATIVES:
            raise QueryError("the braces of a glob stand for too many alternatives", hint="write several globs instead")
    return done


def _translate(glob: str) -> str:
    glob = glob.replace("\\", "/")
    while glob.startswith("./"):
        glob = glob[2:]
    anchored = "/" in glob.rstrip("/")
    parts = [part for part in glob.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return r"(?!)"  # nothing is named, or it lies outside the root
    if not anchored:
        parts.insert(0, "**")
    blocks: list[list[str]] = [[]]  # components between two `**`; what follows a middle block may start anywhere
    for part in parts:
        if part == "**":
            blocks.append([])
        else:
            blocks[-1].append(part)
    first, *others = ["/".join(_component(part) for part in block) for block in blocks]
    if not others:
        return first + r"(?:/.*)?\Z"
    *middle, last = others
    pattern = f"{first}/" if first else ""
    pattern += "".join(f"(?>(?:[^/]+/)*?{block}/)" for block in middle if block)
    return pattern + (rf"(?:[^/]+/)*?{last}(?:/.*)?\Z" if last else r".+\Z")


def _component(part: str) -> str:
    """One path component as a pattern; each star takes the leftmost place where the rest up to the next star fits."""
    pieces: list[str] = [""]
    position = 0
    while position < len(part):
        char = part[position]
        if char == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append("")
            position += 1
            continue
        match = _CLASS.match(part, position) if char == "[" else None
        if match is not None:
            negated, members = match.groups()
            pieces[-1] += f"[{'^/' if negated else ''}{_class_members(members)}]"
            position = match.end()
            continue
        pieces[-1] += "[^/]" if char == "?" else re.escape(char)
        position += 1
    first, *rest = pieces
    if not rest:
        return first
    *middle, last = rest
    stars = "".join(f"(?>[^/]*?{piece})" for piece in middle)
    return f"{first}{stars}[^/]*{last}" if last else f"{first}{stars}[^/]*+"


def _class_members(members: str) -> str:
    """Character class body: ranges are kept when they are ordered, all else is literal."""
    out = ""
    position = 0
    while position < len(members):
        if position + 2 < len(members) and members[position + 1] == "-" and members[position] <= members[position + 2]:
            out += f"{re.escape(members[position])}-{re.escape(members[position + 2])}"
            position += 3
        else:
            out += re.escape(members[position])
            position += 1
    return out


class Decided:
    """What was decided about a snapshot so far. It is kept with the snapshot, so it must not hold the snapshot."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.of_path: Mask = np.zeros(0, dtype=np.bool_)  # by index into the path table, as far as it was needed
        self.masks: dict[HitType, Mask] = {}


class Allowed:
    """Which rows of each table pass the filters; the masks are made when a lane asks, in that lane's thread."""

    def __init__(
        self, snapshot: Snapshot, path_filter: PathFilter, metadata: Mapping[str, str], decided: Decided
    ) -> None:
        self._snapshot, self._path_filter, self._metadata, self._decided = snapshot, path_filter, metadata, decided
        self._filtered = bool(path_filter) or bool(metadata)

    def possible(self, kind: HitType) -> bool:
        """False when no row of a type can pass, so that its lane need not run."""
        known = _COLUMNS[kind] | _FILE_KEYS
        return all(key in known or (key == "type" and value == kind) for key, value in self._metadata.items())

    def mask(self, rows: Rows[Any], kind: HitType) -> Mask | None:
        """The rows that pass; None when all do."""
        if not self._filtered:
            return None
        masks = self._decided.masks
        if kind not in masks:
            masks[kind] = self._made(rows, kind)
        return masks[kind]

    def _made(self, rows: Rows[Any], kind: HitType) -> Mask:
        if not rows.size:
            return np.zeros(0, dtype=np.bool_)
        of_path = self._paths(int(rows.path_index.max()) + 1)
        mask: Mask = rows.alive & of_path[rows.path_index]
        for key, value in self._metadata.items():
            if key in _COLUMNS[kind]:
                mask = _equal(rows.column(key), value, mask)
        return mask

    def _paths(self, count: int) -> Mask:
        """Decide about the first `count` paths; the table grows while lanes read their tables."""
        decided = self._decided
        with decided.lock:
            known = len(decided.of_path)
            if known < count:
                fresh = [self._path_allowed(path) for path in self._snapshot.paths[known:count]]
                decided.of_path = np.concatenate([decided.of_path, np.array(fresh, dtype=np.bool_)])
            return decided.of_path

    def _path_allowed(self, path: str) -> bool:
        if not self._path_filter.allows(path):
            return False
        if "path" in self._metadata and path.lower() != self._metadata["path"]:
            return False
        if "language" not in self._metadata:
            return True
        record = self._snapshot.files.get(path)
        return record is not None and record.language == self._metadata["language"]


def allowed(snapshot: Snapshot, filters: Filters) -> Allowed:
    """Turn the filters of a query into masks over the rows of a snapshot."""
    metadata = {key.strip().lower(): str(value).strip().lower() for key, value in filters.metadata.items()}
    for key in metadata:
        if key not in METADATA_KEYS:
            nearest = difflib.get_close_matches(key[:60], METADATA_KEYS, 1)
            meant = f"did you mean {nearest[0]!r}? " if nearest else ""
            raise QueryError(f"unknown filter {key[:60]!r}", hint=f"{meant}known: {', '.join(METADATA_KEYS)}")
        _check_value(key, metadata[key])
    path_filter = PathFilter(filters.file_filter, filters.exclude_filter)
    if not path_filter and not metadata:
        return Allowed(snapshot, path_filter, metadata, Decided())
    # An agent asks several questions about one folder: the masks are kept with the snapshot.
    kept = snapshot.chunks.once("allowed", dict[object, Decided])
    named = (filters.file_filter, filters.exclude_filter, tuple(sorted(metadata.items())))
    found = kept.get(named)
    if found is None:
        if len(kept) >= _KEPT_FILTERS:
            kept.clear()
        found = kept[named] = Decided()
    return Allowed(snapshot, path_filter, metadata, found)


def _check_value(key: str, value: str) -> None:
    """Refuse a value that nothing can have: a misspelt one would look like an honest "no hits"."""
    known = _VALUES.get(key)
    if known is None or value in known:
        return
    nearest = difflib.get_close_matches(value[:60], known, 1)
    meant = f"did you mean {nearest[0]!r}? " if nearest else ""
    raise QueryError(f"unknown {key} {value[:60]!r}", hint=f"{meant}known: {', '.join(sorted(known))}")


def _equal(column: Any, value: str, among: Mask) -> Mask:
    """Which rows of a string column equal a lower-case value; only rows in `among` are looked at."""
    out = np.zeros(len(among), dtype=np.bool_)
    out[[position for position in np.flatnonzero(among).tolist() if column[position].lower() == value]] = True
    return out
