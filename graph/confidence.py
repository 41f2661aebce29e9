"""How sure an edge is, by how it was found.

The constants are the precision measured on the development half of the graph benchmark (`scripts/bench graph`); they
are stated, not tuned: a route whose edges are right in 97 of 100 cases says 0.97.
"""

from __future__ import annotations

from sightline.types import Resolution

CERTAIN = 1.0  # read off the syntax: containment
BY_RESOLUTION: dict[Resolution, float] = {
    "local": 0.99,
    "import": 0.98,
    "self": 0.98,
    "inherited": 0.96,
    "typed": 0.94,
    "unique_name": 0.6,
    "ambiguous": 0.2,
    "external": 0.9,
}
SEVERAL_VALUES = 0.85  # factor where a value may be one of several things and each has the member
BY_CONVENTION = 0.8  # a test named after what it tests
STRUCTURAL = 0.97  # a type that has all methods of an interface
STORED = 0.45  # a function or class that a variable or field holds: it may hold another one when it is called
PROVEN = 0.8  # from this confidence on an edge is stated; below, and by ambiguous names, it is shown as possible
