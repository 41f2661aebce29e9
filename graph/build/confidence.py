"""How sure an edge is, by how it was found.

The constants are measured, not tuned: a route whose edges are right in 97 of 100 cases says 0.97. Measured on the
development half of the graph benchmark (flask, requests, zod, gin, chi, gson; right / wrong calls by that route), with
`scripts/bench graph`, November 2026:

| route | right | wrong | precision |
|---|---|---|---|
| local | 800 | 6 | .993 |
| import | 1217 | 3 | .998 |
| self | 914 | 2 | .998 |
| inherited | 101 | 0 | 1.0 |
| typed | 865 | 1 | .999 |
| any of these, of several values | 103 | 0 | 1.0 |
| unique name | 0 | 0 | – |
| ambiguous | 2 | 9 | .18 |
| stored | 0 | 25 | .0 |
| inherits, implements by name | 729 | 3 | .996 |
| implements by structure | 63 | 0 | 1.0 |
| imports | 842 | 2 | .998 |

Routes with few judged edges, or with none wrong, are stated lower than measured. Unique names, which the benchmark does
not judge any more, were judged by hand in three other repositories (django, vue, cobra): 107 of 111 right.
"""

from __future__ import annotations

from sightline.types import Resolution

# From this confidence on an edge is stated; below, and by ambiguous names, it is shown as possible. Above what a unique
# name gives, since that is a guess however often it is right.
PROVEN = 0.92
WORTH_A_VECTOR = 0.5  # less sure edges are found by walking the graph, not by meaning
CERTAIN = 1.0  # read off the syntax: containment
BY_RESOLUTION: dict[Resolution, float] = {
    "local": 0.99,
    "import": 0.99,
    "self": 0.99,
    "inherited": 0.98,
    "typed": 0.98,
    "unique_name": 0.91,
    "ambiguous": 0.28,
    "external": 0.95,  # that it lies outside; not judged by the benchmark
}
SEVERAL_VALUES = 0.97  # factor where a value may be one of several things and each has the member
BY_CONVENTION = 0.8  # a test named after what it tests; a convention, not measured
# What the text of a macro calls, for those who use it: 1,790 of 1,865 right in lua, hiredis and libuv, but 517 of 855
# in redis and 436 of 623 in zstd, whose macros have variants (clang, November 2026).
THROUGH_MACRO = 0.8
# What a call through a field may reach: functions that somebody keeps in that field of that type, or, where the type is
# not known, in any field of that name. Which of them it is depends on the run.
THROUGH_FIELD, THROUGH_FIELD_NAME = 0.6, 0.28
# Factor for functions that are kept or handed on: 81 of 85 right, read by hand in vitest (20 of 20), aiohttp (17 of
# 20; the others were properties of its own making, since recognised by their decorator), redis (20 of 20), flask (20 of
# 20), gin (1 of 1) and yaml-cpp (3 of 4), at random among those outside of tests, November 2026; 28 of 30
# more in click, nest and libuv (docs/GRAPH.md).
REGISTERED = 0.97
STRUCTURAL = 0.98  # a type that has all methods of an interface
# A function or class that a variable or field holds, or that is handed on: what is called there may be another one. The
# truth is static and counts none of them as calls, so a reader should not either.
STORED = 0.1


def is_proven(confidence: float, resolution: str) -> bool:
    """May a relationship be told as a fact? A guess among several is none, however sure the best of them is."""
    return confidence >= PROVEN and resolution != "ambiguous"
