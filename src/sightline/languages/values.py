"""What an expression may stand for.

A value is a tuple whose first part says what it is.
"""

from __future__ import annotations

from typing import Any

INSTANCE = "i"  # space, qualified name, arguments: an instance of a class of the root
CLASS = "c"  # space, qualified name, arguments: the class itself
SUPER = "s"  # space, qualified name, class level: `super()` inside that class
FUNCTION = "f"  # path, definition, receiver or None: a function; receiver is the value it was taken from
LAMBDA = "l"  # path, scope: an anonymous function
MODULE = "m"  # space: a module or package of the root
OUTSIDE = "u"  # spec, path: a module outside the root, as imported by a file
EXTERNAL = "x"  # name, arguments: anything outside the root
TUPLE = "t"  # values, values, …: a tuple

Value = tuple[Any, ...]
Values = tuple[Value, ...]  # any of them; () = nothing is known
