"""What is known of Python's standard library."""

from __future__ import annotations

import builtins
import datetime
import io
import logging
import pathlib
import re
import sys
import threading
from typing import TYPE_CHECKING, Any

from sightline.languages.values import EXTERNAL, TUPLE

if TYPE_CHECKING:
    from sightline.languages.values import Values

BUILTINS = frozenset(dir(builtins))
MODULES = frozenset(sys.stdlib_module_names)

_RESULTS = {
    "values": -1, "get": -1, "pop": -1, "setdefault": -1, "popitem": -1, "__getitem__": -1,
    "popleft": 0, "copy": None, "__iter__": None,
}  # fmt: skip


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What function types and the methods of built-in containers give, from their type arguments."""
    if not arguments:
        return None
    container, _, method = name.rpartition(".")
    if name == "Callable":
        return tuple(arguments[-1])
    if method == "values":
        return ((EXTERNAL, "Iterator", (arguments[-1],)),)
    if method == "items" and len(arguments) > 1:
        return ((EXTERNAL, "Iterator", (((TUPLE, arguments[0], arguments[1]),),)),)
    if method == "keys":
        return ((EXTERNAL, "Iterator", (arguments[0],)),)
    if method in _RESULTS:
        index = _RESULTS[method]
        return ((EXTERNAL, container, arguments),) if index is None else tuple(arguments[index])
    return None


# Names of methods of built-in and standard-library types: a receiver of unknown type most likely is one of those.
_COMMON_TYPES = (
    str, bytes, list, dict, set, frozenset, tuple, int, float, type, io.TextIOWrapper, io.BytesIO, threading.Thread,
    logging.Logger, re.Pattern, re.Match, pathlib.Path, datetime.datetime, BaseException,
)  # fmt: skip
COMMON_MEMBERS = frozenset(name for type_ in _COMMON_TYPES for name in dir(type_))
