"""Names that Go brings along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sightline.languages.facts import FUNCTION_TYPE

if TYPE_CHECKING:
    from sightline.languages.values import Values

_TYPES_TEXT = (
    "any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string "
    "uint uint16 uint32 uint64 uint8 uintptr"
)
BUILTIN_TYPES = frozenset(_TYPES_TEXT.split())
_FUNCTIONS_TEXT = (
    "append cap clear close complex copy delete imag len make max min new panic print println real recover"
)
BUILTINS = frozenset(_TYPES_TEXT.split()) | frozenset(_FUNCTIONS_TEXT.split())
_COMMON_MEMBERS_TEXT = (
    "Add Bytes Close Copy Decode Delete Do Done Encode Err Error Errorf Fatal Fatalf Flush Format Get Header "
    "Index Init Int Interface IsNil Kind Len Load Lock Log Logf Marshal Name Next New Open Parse Print Printf "
    "Println Put Read Reset Run Scan Seek Send Set Size Start Stop Store String Sub Swap Type Unlock Unmarshal "
    "Value Wait Write WriteString"
)
COMMON_MEMBERS = frozenset(_COMMON_MEMBERS_TEXT.split())
# Methods of interfaces that other interfaces embed.
INTERFACES: dict[str, frozenset[str]] = {
    "ResponseWriter": frozenset({"Header", "Write", "WriteHeader"}),
    "Handler": frozenset({"ServeHTTP"}),
    "Flusher": frozenset({"Flush"}),
    "Hijacker": frozenset({"Hijack"}),
    "Reader": frozenset({"Read"}),
    "Writer": frozenset({"Write"}),
    "Closer": frozenset({"Close"}),
    "ReadCloser": frozenset({"Read", "Close"}),
    "ReadWriter": frozenset({"Read", "Write"}),
    "Stringer": frozenset({"String"}),
    "error": frozenset({"Error"}),
    "any": frozenset(),
    "Context": frozenset({"Deadline", "Done", "Err", "Value"}),
}


def external_result(name: str, arguments: tuple[Any, ...]) -> Values | None:
    """What calling a value of a function type gives."""
    return tuple(arguments[0]) if name == FUNCTION_TYPE and arguments else None
