"""Routes of web frameworks in one snapshot: which code answers an address, and which addresses lead to a symbol.

`routes_in` is the one entry. `sightline.frameworks` reads the texts; here the index says which files to read and which
object a handler is. Nothing is kept: the lines are those of the texts that are given, as a rule those on disk.
"""

from __future__ import annotations

from sightline.retrieval.routes.find import Answering, Routes, routes_in

__all__ = ["Answering", "Routes", "routes_in"]
