"""Addresses: joining their parts, and whether one answers to another.

`/users/{id}`, `/users/:id`, `/users/<int:id>`, `/users/[id]` and a concrete `/users/42` are compared by
segments.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sightline.frameworks.masked import UNKNOWN

VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_MAX_SEGMENTS, _MAX_CHARS = 40, 500
_PARAMETER = re.compile(
    r"\{[^{}]*\}|<[^<>]*>|\[[^\[\]]*\]|(?<![\w]):[A-Za-z_]\w*(?:\([^()]*\))?[?*+]?|\*[A-Za-z_]\w*|…|\$\{[^}]*\}|\([^()]*\)"
)
_REST = re.compile(  # a parameter that takes any number of segments
    r"\[?\[\.\.\..*|\*+[\w]*|\{\*.*|\{[\w]+:path\}|\{[\w]+\.\.\.\}|<path:.*|…|:[\w]+[*+]|:[\w]+\(\.[*+]\)|\{[\w]+:\.[*+]\}"
    r"|\{[^}]*\*\}|\(\.[*+]\)"
)
_OPTIONAL = re.compile(r"\[\[.*|\{[^}]*\?\}|:[\w]+\?|\*+[\w]*|\{\*.*|:[\w]+\*|\(:?[\w./]*\)")
_QUERY = re.compile(r"\?(?=\w).*$|#.*$")
_GROUP = re.compile(r"\(\?P?<(\w+)>(?:[^()]|\([^()]*\))*\)")
_UNNAMED = re.compile(r"\((?!\?)(?:[^()]|\([^()]*\))*\)")


class Fit(NamedTuple):
    """How well an address fits what is asked; smaller is better."""

    whole: int  # 0 where all of it fits, 1 where only the end does
    taken: int  # segments that a parameter took
    extra: int  # segments before the end that fits


def joined(*parts: str) -> str:
    """One address of several parts; a part `~/x` or one behind it begins anew."""
    found: list[str] = []
    ends = False
    for part in parts:
        if part.startswith("~/"):
            found, part = [], part[1:]
        found += [segment for segment in part.split("/") if segment]
        ends = part.endswith("/") if part else ends
    return "/" + "/".join(found) + ("/" if ends and found else "")


def of_pattern(pattern: str) -> str:
    """A regular expression of an address as an address: `^users/(?P<pk>\\d+)/$` is `users/{pk}/`."""
    address = _UNNAMED.sub("{}", _GROUP.sub(r"{\1}", pattern.removeprefix("^")))
    address = re.sub(r"\(\?:([^()|]*)\)\??", r"\1", address)
    address = re.sub(r"\\[AZz]|(?<!\\)\$$", "", address)
    return re.sub(r"/\?$", "/", re.sub(r"\\(.)", r"\1", address))


@lru_cache(maxsize=20_000)
def segments(address: str) -> tuple[str, ...]:
    """The parts of an address; `{}` for one that a parameter takes, `**` for any number, with `?` where it may lack."""
    bare = _QUERY.sub("", re.sub(r"^\w+://[^/]*", "", address[:_MAX_CHARS].strip()))
    bare = re.sub(r"\(\.:format\)|\(/?:?format\)", "", bare)
    found = []
    for segment in _split(bare):
        if not segment:
            continue
        if segment.startswith("(/"):  # Rails: an optional part with slashes of its own
            found.append("**?")
        elif _REST.fullmatch(segment):
            found.append("**?" if _OPTIONAL.fullmatch(segment) else "**")
        elif _PARAMETER.fullmatch(segment) or segment.startswith((":", "$")):
            found.append("{}?" if _OPTIONAL.fullmatch(segment) else "{}")
        elif _PARAMETER.search(segment):
            found.append("{}" + _PARAMETER.sub("\0", segment))  # a parameter with something around it
        else:
            found.append(segment)
    return tuple(found[:_MAX_SEGMENTS])


def _split(address: str) -> list[str]:
    """At the slashes that stand in no brackets."""
    parts, depth, at = [], 0, 0
    for number, character in enumerate(address):
        depth += (character in "{[(<") - (character in "}])>")
        if character == "/" and depth <= 0:
            parts.append(address[at:number])
            at = number + 1
    return [*parts, address[at:]]


def fit(address: str, asked: str, *, partial: bool = False) -> Fit | None:
    """Does a route's address answer what is asked? `partial`: something unknown stands before it."""
    have, want = segments(address), segments(asked)
    taken = _match(have, want)
    if taken is not None:
        return Fit(1 if partial else 0, taken, 0)
    if not any(_literal(segment) for segment in want):
        return None  # `/` and `/{id}` are the end of every address
    for extra in range(1, len(have)):  # what is asked may lack the prefix: `/users` for `/api/v1/users`
        taken = _match(have[extra:], want) if len(have) - extra <= len(want) + 1 else None
        if taken is not None and any(_literal(s) for s in have[extra:]):
            return Fit(1, taken, extra)
    if partial:
        for extra in range(1, len(want)):
            taken = _match(have, want[extra:])
            if taken is not None and any(_literal(s) for s in have):
                return Fit(1, taken, extra)
    return None


def _match(have: tuple[str, ...], want: tuple[str, ...]) -> int | None:
    """How many segments parameters take, None where they do not fit."""
    known: dict[tuple[int, int], int | None] = {}

    def at(i: int, j: int) -> int | None:
        if (i, j) in known:
            return known[i, j]
        known[i, j] = None
        options: list[int] = []
        if i == len(have):
            options += [0] if j == len(want) else []
        else:
            segment = have[i]
            if segment.startswith("**"):
                rests = range(j if segment == "**?" else j + 1, len(want) + 1)
                options += [found + max(end - j, 1) * 2 for end in rests if (found := at(i + 1, end)) is not None]
            else:
                if segment == "{}?" and (found := at(i + 1, j)) is not None:
                    options.append(found)
                if j < len(want) and (cost := _one(segment, want[j])) is not None:
                    rest = at(i + 1, j + 1)
                    options += [] if rest is None else [cost + rest]
        known[i, j] = min(options, default=None)
        return known[i, j]

    return at(0, 0)


def _one(have: str, want: str) -> int | None:
    asked = want.rstrip("?")
    if have in ("{}", "{}?"):
        return 0 if asked in ("{}", "**") else 1
    if have.startswith("{}"):
        pattern = "[^/]+".join(map(re.escape, have[2:].split("\0")))
        return 1 if want == have or re.fullmatch(pattern, want.replace("\0", "x").removeprefix("{}")) else None
    return 0 if have == want else None


def _literal(segment: str) -> bool:
    return not segment.startswith(("{}", "**")) and UNKNOWN not in segment
