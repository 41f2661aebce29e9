"""The compact form of a file's facts, as the store keeps it: columns of small numbers, as JSON, deflated.

Rows of one kind become columns, and positions and indices that grow become differences: that makes the form about half
as big as plain rows. It is deterministic, readable by any Python, and decoding runs nothing: bytes that are cut off or
otherwise not what was written are a CorruptIndexError.
Its three parts are definitions, what they are made of, and sites: most files are only asked what they define.
"""

from __future__ import annotations

import contextlib
import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import accumulate, chain
from operator import attrgetter, sub
from typing import Any

from sightline.errors import CorruptIndexError
from sightline.languages.facts import (
    ATTRIBUTE,
    DEFINED,
    LAMBDA,
    MODULE_SCOPE,
    NAME,
    NAME_OPERANDS,
    NUMBERED,
    OVER_FIRST,
    Body,
    Facts,
    FileFacts,
    Stated,
)
from sightline.languages.rows import Calls, Import, Registration, Scope, Star

FORMAT = 4  # other bytes than ours decode to an empty file
_LENGTHS = struct.Struct("<BII")  # format, and how long the first two of three parts are
_MOST = 1 << 28  # bytes of a part when it is inflated; a file of a megabyte has a few
_COMPRESSION = 4  # level 6 saves 4 % and takes 70 % longer (gson, 2026-11)
_NAMES = tuple(field.name for field in fields(Stated))
_FIELDS, _WIDTH = attrgetter(*_NAMES), len(_NAMES)
_SHORT, _WHOLE, _PARENT, _OWNER = (_NAMES.index(name) for name in ("name", "qualified_name", "parent", "owner"))
_GROWING = tuple(_NAMES.index(name) for name in ("parent", "line", "scope"))
_NAME_OF = attrgetter("name")
_ABSOLUTE = frozenset({DEFINED, LAMBDA})  # operators whose operands are not expressions
_json = json.JSONEncoder(separators=(",", ":")).encode


def encode(facts: Facts) -> bytes:
    """Write facts down."""
    head = [
        facts.language,
        facts.module,
        facts.space,
        facts.notes,
        _definitions(facts),
        facts.stars,
    ]
    body = [
        [_expression(index, row) for index, row in enumerate(facts.expressions)],
        _columns(facts.scopes, 3, grow=(0, 2)),
        _columns(
            [
                (scope, name, expression, at, until and until - at, flags, evaluated_in + 1)
                for scope, name, expression, at, until, flags, evaluated_in in facts.bindings
            ],
            7,
            grow=(0, 3),
        ),
        facts.imports,
        _columns(facts.registrations, 6, grow=(0, 2)),
    ]
    sites = _columns(_grouped(facts), 5, grow=(0,))
    head.append(facts.names)  # at last: what comes before may add some
    parts = [_deflated(part) for part in (head, body, sites)]
    return _LENGTHS.pack(FORMAT, len(parts[0]), len(parts[1])) + b"".join(parts)


def as_decoded(path: str, facts: Facts) -> FileFacts:
    """Facts that were just stated, as whoever decodes them has them."""
    scopes = list(map(Scope._make, facts.scopes))
    body = Body(facts.expressions, scopes, facts.bindings, facts.imports, facts.registrations)
    return FileFacts(path, facts, list(map(_FIELDS, facts.definitions)), lambda: body, list)


def decode(path: str, data: bytes) -> FileFacts:
    """Read facts back, each part when it is needed; facts of another format count as an empty file."""
    if not data or data[0] != FORMAT:
        empty = _empty(path)
        stated = list(map(_FIELDS, empty.definitions))
        return FileFacts(path, empty, stated, lambda: Body(empty.expressions, empty.scopes, (), [], []), list)
    with _as_written(path):
        _, first, second = _LENGTHS.unpack_from(data)
        start = _LENGTHS.size
        parts = memoryview(data)
        language, module, space, notes, definitions, stars, names = _inflated(parts[start : start + first])
        facts = Facts(language, module)
        facts.space, facts.notes, facts.names = space, notes, names
        facts.stars = [Star(*row) for row in stars]
        stated = _stated(definitions, names)
    body, calls = parts[start + first : start + first + second], parts[start + first + second :]
    return FileFacts(path, facts, stated, lambda: _body(path, body), lambda: _calls(path, calls))


@contextlib.contextmanager
def _as_written(path: str) -> Iterator[None]:
    """What is raised for bytes that nobody wrote, as the error that has an index made anew."""
    try:
        yield
    except (zlib.error, struct.error, ValueError, TypeError, LookupError, RecursionError) as error:
        raise CorruptIndexError(f"the facts of {path!r} are damaged: {type(error).__name__}") from error


def _body(path: str, part: memoryview) -> Body:
    with _as_written(path):
        return _made_body(part)


def _made_body(part: memoryview) -> Body:
    expressions, scopes, bindings, imports, registrations = _inflated(part)
    return Body(
        [tuple(_expression(index, row)) for index, row in enumerate(expressions)],
        list(map(Scope._make, _rows(scopes, grow=(0, 2)))),
        [
            (scope, name, expression, at, until and until + at, flags, evaluated_in - 1)
            for scope, name, expression, at, until, flags, evaluated_in in _rows(bindings, grow=(0, 3))
        ],
        [Import(*row) for row in imports],
        list(map(Registration._make, _rows(registrations, grow=(0, 2)))),
    )


def _calls(path: str, part: memoryview) -> list[Calls]:
    with _as_written(path):
        return [
            Calls._make((scope, callee, arguments, [at] if isinstance(at, int) else _sums(at), kind))
            for scope, callee, arguments, at, kind in _rows(_inflated(part), grow=(0,))
        ]


def _deflated(part: list[Any]) -> bytes:
    return zlib.compress(_json(part).encode("ascii"), _COMPRESSION)


def _inflated(part: memoryview) -> Any:
    stream = zlib.decompressobj()
    text = stream.decompress(part, _MOST)
    if not stream.eof:
        raise ValueError("a part of the facts is cut off, or far too long")
    return json.loads(text)


def _empty(path: str) -> Facts:
    facts = Facts("text", path)
    facts.define("", path, "module", ordinal=0, parent=-1, line=1)
    facts.scope(-1, MODULE_SCOPE, 0)
    return facts


def _expression(index: int, row: Sequence[int]) -> list[int]:
    """Operands that are expressions, as distances back; the same step in both directions."""
    operator = row[0]
    if operator == ATTRIBUTE:  # most are this or a name
        return [operator, index - row[1], row[2]]
    if operator == NAME or operator in _ABSOLUTE:
        return list(row)
    named = NAME_OPERANDS.get(operator, -1)
    if operator in NUMBERED:
        return [operator, index - row[1], row[2]]
    return [operator, *[x if i == named else index - x for i, x in enumerate(row[1:])]]


def _columns(rows: Sequence[Sequence[Any]], width: int, grow: tuple[int, ...]) -> list[list[Any]]:
    columns: list[list[Any]] = list(map(list, zip(*rows, strict=True))) or [[] for _ in range(width)]
    for i in grow:
        columns[i] = _differences(columns[i])
    return columns


def _rows(columns: list[list[Any]], grow: tuple[int, ...]) -> list[tuple[Any, ...]]:
    for i in grow:
        columns[i] = _sums(columns[i])
    return list(zip(*columns, strict=True))


def _differences(values: Sequence[int]) -> list[int]:
    return list(map(sub, values, [0, *values]))


def _sums(values: Sequence[int]) -> list[int]:
    return list(accumulate(values, initial=0))[1:]


def _grouped(facts: Facts) -> list[list[Any]]:
    """Calls of one expression in one scope together, with their positions as differences.

    Only the first position counts unless the name that the expression begins with is bound more than once.
    """
    bound: set[int] = set()
    rebound: set[int] = set()
    for name in chain(map(_NAME_OF, facts.bindings), (facts.name(stated.name) for stated in facts.definitions[1:])):
        (rebound if name in bound else bound).add(name)
    groups: dict[tuple[int, int, int, int], list[int]] = {}
    for scope, callee, arguments, at, kind in facts.sites:
        key = (scope, callee, arguments, kind)
        group = groups.get(key)
        if group is None:
            groups[key] = [at]
        elif _root(facts, callee) in rebound:
            group.append(at)
    return [
        [scope, callee, n, ats[0] if len(ats) == 1 else _differences(ats), kind]
        for (scope, callee, n, kind), ats in groups.items()
    ]


def _root(facts: Facts, expression: int) -> int:
    """The name that an expression begins with, -1 when it begins otherwise."""
    row = facts.expressions[expression]
    while row[0] in OVER_FIRST:
        row = facts.expressions[row[1]]
    return row[1] if row[0] == NAME else -1


def _definitions(facts: Facts) -> list[list[Any]]:
    """Names by index; the qualified name and the owner only where they are not what nesting says."""
    rows = []
    for stated in facts.definitions:
        usual = stated.name
        if stated.parent > 0:
            usual = f"{facts.definitions[stated.parent].qualified_name}.{usual}"
        _, qualified_name, *rest, owner = _FIELDS(stated)
        rows.append([facts.name(stated.name), 0 if qualified_name == usual else qualified_name, *rest, owner or 0])
    return _columns(rows, _WIDTH, grow=_GROWING)


def _stated(columns: list[list[Any]], names: list[str]) -> list[tuple[Any, ...]]:
    """The fields of `Stated` of every definition; rows stay plain lists until somebody asks for them."""
    for place in _GROWING:
        columns[place] = _sums(columns[place])
    short = [names[name] for name in columns[_SHORT]]
    whole: list[str] = []
    for name, qualified_name, parent in zip(short, columns[_WHOLE], columns[_PARENT], strict=True):
        if qualified_name != 0:
            whole.append(qualified_name)
        else:
            whole.append(f"{whole[parent]}.{name}" if parent > 0 else name)
    columns[_SHORT], columns[_WHOLE] = short, whole
    columns[_OWNER] = [owner or None for owner in columns[_OWNER]]
    return list(zip(*columns, strict=True))
