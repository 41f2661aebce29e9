"""Cython as the Python that its grammar reads: every word at its place, what only C has blank.

There is no grammar of Cython to be had. `cdef class A` is seen as a class, `cpdef double f(int x) except -1:` as
`def f(  x):`, `cimport` as `import`; declarations of C variables keep their names and values. A line that this does not
know is left as it is, and the grammar gets over it.
"""

from __future__ import annotations

import itertools
import re

_NAME = r"[A-Za-z_]\w*"
_IMPORT = re.compile(r"^(\s*(?:from\s+[\w.]+\s+)?)cimport\b")
_TYPE_BLOCK = re.compile(
    r"^(\s*)((?:cdef|cpdef|ctypedef)\s+(?:(?:public|api|packed|readonly)\s+)*)(class|struct|union|enum|cppclass)"
    rf"(\s+)(?:class\s+)?(?<!\w)({_NAME})"
)
_FUSED = re.compile(rf"^(\s*)ctypedef\s+fused\s+(?<!\w)({_NAME})\s*:")
_EXTERN = re.compile(r"^(\s*)cdef\s+extern\b.*:\s*(?:#.*)?$")
_BLOCK = re.compile(r"^(\s*)(?:cdef(?:\s+(?:public|readonly|inline|api))?|with\s+(?:no)?gil)\s*:\s*(?:#.*)?$")
_FUNCTION = re.compile(rf"^(\s*)(?:cdef|cpdef)\b([^=#(]*?)(?<!\w)({_NAME})(\s*)\(")
_DECLARED = re.compile(rf"^(\s*)([\w.][^=#(]*?[\s*&])(?<!\w)({_NAME})(\s*)\(")  # in an extern block
_DEF = re.compile(rf"^(\s*)((?:async\s+)?def\s+{_NAME}\s*)\(")
_VARIABLE = re.compile(
    rf"^(\s*)(?:cdef|cpdef|ctypedef|DEF)\s+([^=#(:\[]*(?:\[[^\]\n]*\])?[^=#(:]*?)(?<!\w)({_NAME})(\s*(?:=.*|,.*|#.*)?)$"
)
_FIELD = re.compile(
    rf"^(\s+)([A-Za-z_][^=#(:]*?(?:\[[^\]\n]*\])?[\s*])(?<!\w)({_NAME})(\s*(?:=.*|,.*|#.*)?)$"
)  # in `cdef:`
_CAST = re.compile(r"<\s*[A-Za-z_][\w.\s]*[\s*&]*(?:\[[^\]\n]*\])?\s*>(?=\s*[\w(&\"'-])")
_ADDRESS = re.compile(r"(?<=[(,=\s])&(?=[A-Za-z_])")
_PARAMETER = re.compile(rf"^(\s*)(.*?)(?<!\w)({_NAME})(\s*(?:=.*)?)$", re.DOTALL)
_NOT_NONE = re.compile(r"\s+(?:not|or)\s+None\s*$")
_COMMENT = re.compile(r"#[^\n\"']*$")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_KINDS = {_EXTERN: "extern", _BLOCK: "cdef", _FUSED: "fused"}
_C = re.compile(r"^(\s*)(?:cdef|cpdef|ctypedef)\b")
_MAX_HEAD_LINES = 30


def as_python(source: bytes) -> bytes:
    """The file as Python: as many bytes, and every name where it stood."""
    lines = source.decode("latin-1").split("\n")  # a byte a character, so that places stay what they are
    row = 0
    quoted = ""
    block, indent = "", 0  # the block of declarations of C that a line stands in
    while row < len(lines):
        line = lines[row]
        quoted, inside = _after(line, quoted)
        if inside or not line.strip():
            row += 1
            continue
        deep = len(line) - len(line.lstrip())
        if block and deep <= indent:
            block = ""
        if opened := _EXTERN.match(line) or _BLOCK.match(line) or _FUSED.match(line) or _TYPE_BLOCK.match(line):
            kind = opened.group(3) if opened.re is _TYPE_BLOCK else _KINDS[opened.re]
            if "with" in line[: deep + 4]:
                row += _rewrite(lines, row)
                continue
            if kind != "class" and line.partition("#")[0].rstrip().endswith(":"):
                row += _rewrite(lines, row)
                block, indent = kind, deep
                continue
        row += _declaration(lines, row, block) if block else _rewrite(lines, row)
    written = zip(source.decode("latin-1").split("\n"), lines, strict=True)
    return "\n".join(after if len(after) == len(before) else before for before, after in written).encode("latin-1")


def _after(line: str, quoted: str) -> tuple[str, bool]:
    """The mark of the string that is open after a line, and whether the line begins inside of one."""
    inside = bool(quoted)
    at = 0
    while True:
        if quoted:
            at = line.find(quoted, at)
            if at < 0:
                return quoted, inside
            at, quoted = at + 3, ""
        found = [(place, mark) for mark in ('"""', "'''") if (place := line.find(mark, at)) >= 0]
        if not found or "#" in line[at : min(found)[0]]:
            return "", inside
        place, quoted = min(found)
        at = place + 3


def _declaration(lines: list[str], row: int, block: str) -> int:
    """A line of a block that declares C: functions keep their names, fields are nothing to Python."""
    line = lines[row]
    match = _DECLARED.match(line)
    if match and block in ("extern", "cppclass"):
        return _function(lines, row, match.start(3), match.end(3), len(match.group(1)))
    if block == "cdef" and (variable := _FIELD.match(line)):
        lines[row] = _variable(line, variable)
    elif block == "cdef":  # the rest of a value over several lines
        lines[row] = " " * len(line)
    elif block != "enum" and not line.lstrip().startswith(("#", '"', "'", "pass")):
        lines[row] = _padded(line[: len(line) - len(line.lstrip())] + "0", line)
    return 1


def _rewrite(lines: list[str], row: int) -> int:
    """Rewrite the statement that begins in a row; returns how many lines it has."""
    line = lines[row]
    if match := _IMPORT.match(line):
        lines[row] = match.group(1) + "import " + line[match.end() :]
    elif match := _EXTERN.match(line) or _BLOCK.match(line):
        lines[row] = _padded(match.group(1) + "if 1:", line)
    elif match := _FUSED.match(line):
        lines[row] = _moved(line, "class", match.start(2), match.end(2), len(match.group(1)), ":")
    elif match := _TYPE_BLOCK.match(line):
        lines[row] = _type(line, match)
    elif (match := _FUNCTION.match(line)) and "extern" not in match.group(2):
        return _function(lines, row, match.start(3), match.end(3), len(match.group(1)))
    elif match := _DEF.match(line):
        return _parameters(lines, row, match.end(2))
    elif match := _VARIABLE.match(line):
        lines[row] = _variable(line, match)
    elif match := _C.match(line):  # `cdef int a[3]`
        lines[row] = _padded(match.group(1) + "0", line)
    else:
        lines[row] = _plain(line)
    return 1


def _variable(line: str, match: re.Match[str]) -> str:
    """`cdef int i = 0` is seen as `i = 0`."""
    indent, start = len(match.group(1)), match.start(3)
    given = match.group(4)
    value = given if given.lstrip().startswith("=") else ""
    if match.re is _FIELD and sum(map(given.count, "([{")) != sum(map(given.count, ")]}")):
        value = ""
    return _indented(_plain(_padded(" " * start + match.group(3) + value, line)), indent)


def _padded(text: str, line: str) -> str:
    return text + " " * (len(line) - len(text)) if len(text) <= len(line) else line


def _indented(line: str, indent: int) -> str:
    """A statement must begin at its indent: what was blanked before its name stands behind a harmless `0;`."""
    begins = len(line) - len(line.lstrip())
    return line[:indent] + "0;" + line[indent + 2 :] if begins >= indent + 2 else line


def _moved(line: str, keyword: str, start: int, end: int, indent: int, tail: str) -> str:
    """`keyword` right before the name that stands at a place, where there is room for it."""
    if start - indent < len(keyword) + 1:
        return line
    head = " " * indent + keyword
    return _padded(head + " " * (start - len(head)) + line[start:end] + tail, line)


def _type(line: str, match: re.Match[str]) -> str:
    """`cdef class A(B):`, `cdef struct P:`, `ctypedef enum E:`; a declaration without a body is a class of nothing."""
    indent, start, end = len(match.group(1)), match.start(5), match.end(5)
    bases = line[end:].partition("#")[0].rstrip()
    if not bases.endswith(":"):
        return line
    held = re.match(r"\s*\([^)]*\)", bases)
    return _moved(line, "class", start, end, indent, (held.group() if held else "") + ":")


def _function(lines: list[str], row: int, start: int, end: int, indent: int) -> int:
    """`cdef inline double f(int x) except -1 nogil:` is seen as `def f(x):`; without a body it declares nothing."""
    line = lines[row]
    if start - indent < 4:
        return 1
    lines[row] = " " * indent + "def" + " " * (start - indent - 3) + line[start:end] + line[end:]
    return _parameters(lines, row, end)


def _parameters(lines: list[str], row: int, at: int) -> int:
    """Blank the C types of parameters, and what stands between the list and its colon."""
    depth, text = 0, ""
    for count in range(min(_MAX_HEAD_LINES, len(lines) - row)):
        line = _COMMENT.sub(lambda match: " " * len(match.group()), lines[row + count])
        text += ("\n" if count else "") + (line[at:] if not count else line)
    opened = text.find("(")
    closed = -1
    cuts = [opened]
    for place in range(max(opened, 0), len(text)):
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if not depth:
                closed = place
                break
        elif text[place] == "," and depth == 1:
            cuts.append(place)
    if opened < 0 or closed < 0:
        return 1
    cuts.append(closed)
    listed = [_parameter(text[a + 1 : b]) for a, b in itertools.pairwise(cuts)]
    tail, newline, rest = text[closed + 1 :].partition("\n")
    code = tail.partition("#")[0]
    stripped = code.rstrip()
    if stripped.endswith(":") and "->" not in code:
        tail = " " * (len(stripped) - 1) + ":" + tail[len(stripped) :]
    elif ":" not in code:  # declared only: its body is a `0`, for which the parameters make room
        room = len(stripped)
        if room < 2 and closed - opened > 2 and "\n" not in text[opened:closed]:
            lines[row] = lines[row][:at] + text[: opened + 1] + " " * (closed - opened - 3) + "):0" + tail
            return 1
        if room < 2 and text[closed - 2 : closed] == "  ":
            listed[-1], tail = listed[-1][:-2], ":0" + tail
        elif room >= 2:
            tail = " " * (room - 2) + ":0" + tail[room:]
    result = (text[: opened + 1] + ",".join(listed) + ")" + tail + newline + rest).split("\n")
    used = text[: closed + 1].count("\n") + 1
    if len(result) < used:
        return 1
    for count in range(used):
        lines[row + count] = lines[row][:at] + result[0] if not count else result[count]
    return used


def _parameter(text: str) -> str:
    """`double[:] values not None` is seen as `values`; Python's own forms stay."""
    bare = _NOT_NONE.sub(lambda match: " " * len(match.group()), text)
    flat = _BRACKETS.sub(lambda match: " " * len(match.group()), bare)
    head, equals, _ = flat.partition("=")
    if ":" in head or not head.strip() or head.lstrip().startswith("*"):
        return bare
    match = _PARAMETER.match(head)
    if match is None:
        return bare
    kept = "".join(character if character == "\n" else " " for character in match.group(2))
    return match.group(1) + kept + match.group(3) + match.group(4) + (bare[len(head) :] if equals else "")


def _plain(line: str) -> str:
    """Blank casts and addresses in an expression."""
    if "<" in line:
        line = _CAST.sub(lambda match: " " * len(match.group()), line)
    return _ADDRESS.sub(" ", line) if "&" in line else line
