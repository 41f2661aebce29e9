"""What an expression may stand for."""

from __future__ import annotations

from typing import Any

# A value is one of
#   ("i", space, qualified name, arguments)  an instance of a class of the root
#   ("c", space, qualified name, arguments)  the class itself
#   ("s", space, qualified name, class level)  `super()` inside that class
#   ("f", path, definition, receiver or None)  a function; receiver is the value it was taken from
#   ("l", path, scope)  an anonymous function
#   ("m", space)  a module or package of the root
#   ("u", spec, path)  a module outside the root, as imported by a file
#   ("x", name, arguments)  anything outside the root
#   ("t", values, values, …)  a tuple
Value = tuple[Any, ...]
Values = tuple[Value, ...]  # any of them; () = nothing is known
