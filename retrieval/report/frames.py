"""Stack traces, as the common languages print them: the locations they name, innermost first.

One pattern a way of printing, tried on each line by itself, so that the time is that of the text. A line is looked at
only where it has what every frame has: a file name with an ending and a number, or the words of one language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_FRAMES = 200  # a recursion repeats itself long before
MAX_LINE_CHARS = 600  # longer lines are data

_PATH = r"(?:[A-Za-z]:)?[\w.@+~/\\$-]*[\w@+~$-]\.[A-Za-z]\w{0,7}"


@dataclass(frozen=True, slots=True)
class Frame:
    """A location that a stack trace, a compiler or a test runner names."""

    path: str  # as printed, with forward slashes
    line: int  # 0 when it is not said
    name: str  # the function as printed, without arguments; "" when it is not said
    outermost_first: bool = False  # how its trace is printed


_PYTHON = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?')
_IPYTHON_NEW = re.compile(rf"^\s*File (?P<path>{_PATH}):(?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?")
_IPYTHON = re.compile(rf"^(?P<path>{_PATH}) in (?P<name>[\w<>]+)\((?P<line>)")
_PYTEST = re.compile(rf"^(?P<path>{_PATH}):(?P<line>\d+): (?:in (?P<name>[\w<>]+)|[A-Z]\w*)")
_DOTNET = re.compile(r"^\s*at (?P<name>[^\s(]+)\([^)\n]*\) in (?P<path>.+?):line (?P<line>\d+)")
_JAVA = re.compile(
    r"^\s*(?:at |\.\.\. )?(?:[\w.-]+(?:@[\w.-]+)?/)?(?P<name>[\w.$<>]+\.[\w$<>]+)"
    r"\((?P<path>[\w$-]+\.\w+):(?P<line>\d+)\)"
)
_NODE_NAMED = re.compile(
    rf"^\s*at (?:async )?(?:new )?(?P<name>[^\s(]+)(?: \[as [^\]\n]+\])? \((?:file://)?(?P<path>{_PATH}):(?P<line>\d+)(?::\d+)?\)"
)
_NODE = re.compile(rf"^\s*at (?:async )?(?P<name>)(?:file://)?(?P<path>{_PATH}):(?P<line>\d+)(?::\d+)?\s*$")
_FIREFOX = re.compile(rf"^(?P<name>[\w$.<>/]*)@(?:\w+://[^/\s]*)?(?P<path>{_PATH}):(?P<line>\d+)(?::\d+)?$")
_RUBY = re.compile(
    rf"^\s*(?:\d+: )?(?:from )?(?P<path>{_PATH}):(?P<line>\d+):in [`'‘]"
    r"(?:block (?:\(\d+ levels\) )?in )?(?P<name>[^'’`]+)"
)
_PHP = re.compile(rf"^\s*#\d+ (?P<path>{_PATH})\((?P<line>\d+)\): (?P<name>[\w\\>:{{}}-]+)?")
_PHP_IN = re.compile(rf"\bin (?P<path>{_PATH})(?: on line |:)(?P<line>\d+)(?P<name>)")
_RUST_AT = re.compile(rf"^\s+at (?P<path>{_PATH}):(?P<line>\d+)(?::\d+)?\s*$")
_RUST_NAME = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<name>[\w:<>&{}$ ]*::[\w:<>&{}$ ]+)$")
_RUST_PANIC = re.compile(rf"\bpanicked at (?:'.*', )?(?P<path>{_PATH}):(?P<line>\d+)(?P<name>)")
_GO_AT = re.compile(r"^\s+(?P<path>[^\s:]+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$")
_GO_NAME = re.compile(
    r"^(?:created by )?(?P<name>[\w./-]+\.(?:\(\*?\w+(?:\[[^\]]*\])?\)\.)?[\w.]+)(?:\[\.\.\.\])?(?:\(.*\))?"
    r"(?: in goroutine \d+)?\s*$"
)
_GDB = re.compile(
    rf"^\s*#\d+\s+(?:0x[0-9a-f]+ )?(?:in )?(?P<name>[\w:~<>]+)\s*(?:\(.*\))?\s*(?:at )?(?P<path>{_PATH}):(?P<line>\d+)"
)
_ELIXIR = re.compile(
    rf"^\s*(?:\(\w[^)\n]*\) )?(?P<path>{_PATH}):(?P<line>\d+): (?P<name>(?:[A-Z]\w*\.)+[\w?!]+)(?:/\d+)?"
)
_PRINTED = re.compile(
    rf"(?:^|[\s(\['\"`]|-->\s)(?P<path>{_PATH}):(?P<line>\d+)(?P<name>)(?::\d+)?(?=[\s:,;)\]'\"`.]|$)"
)
_LINK = re.compile(r"/(?:blob|tree|raw)/[\w.-]+/(?P<path>[\w./@+-]+\.\w{1,8})(?:#L(?P<line>\d+))?(?P<name>)")

# A pattern, and whether its traces are printed outermost first.
_OWN: tuple[tuple[re.Pattern[str], bool], ...] = (
    (_PYTHON, True),
    (_IPYTHON_NEW, True),
    (_IPYTHON, True),
    (_DOTNET, False),
    (_JAVA, False),
    (_NODE_NAMED, False),
    (_NODE, False),
    (_RUBY, False),
    (_PHP, False),
    (_GDB, False),
    (_ELIXIR, False),
    (_PYTEST, True),
    (_FIREFOX, False),
    (_RUST_PANIC, False),
    (_PHP_IN, False),
)
_ANYWHERE = frozenset({_RUST_PANIC, _PHP_IN})
_TELLING = re.compile(r"\.[A-Za-z]\w{0,7}\b")  # a frame has a file name


def frames(lines: Sequence[str]) -> tuple[list[Frame], set[int]]:
    """The frames of a text, the innermost of each trace first, and the lines they stand on."""
    found: list[tuple[int, Frame]] = []
    for number, line in enumerate(lines):
        if len(found) >= MAX_FRAMES:
            break
        if len(line) <= MAX_LINE_CHARS and _TELLING.search(line):
            frame = _frame(lines, number)
            if frame is not None:
                found.append((number, frame))
    return _innermost_first(found), {number for number, _ in found}


def printed(line: str) -> Iterable[Frame]:
    """Places within a line of prose or output: `src/a.py:12`, and links to lines of a file."""
    if len(line) > MAX_LINE_CHARS:
        return
    for pattern in (_PRINTED, _LINK):
        for match in pattern.finditer(line):
            yield _made(match, match["name"], outermost_first=False)


def _frame(lines: Sequence[str], number: int) -> Frame | None:
    line, before = lines[number], lines[number - 1] if number else ""
    for at, named in ((_GO_AT, _GO_NAME), (_RUST_AT, _RUST_NAME)):  # the line above has the name
        match = at.match(line)
        above = named.match(before) if match is not None and len(before) <= MAX_LINE_CHARS else None
        if match is not None and above is not None:
            return _made(match, above["name"], outermost_first=False)
    for pattern, outermost_first in _OWN:
        match = pattern.search(line) if pattern in _ANYWHERE else pattern.match(line)
        if match is not None:
            return _made(match, match["name"] or "", outermost_first=outermost_first)
    return None


def _made(match: re.Match[str], name: str, *, outermost_first: bool) -> Frame:
    path = match["path"].replace("\\", "/")
    line = match["line"]
    if match.re is _JAVA:  # the file's folder is the package of the class
        package = name.split(".")[:-2]
        path = "/".join([*package, path])
    return Frame(path, int(line[:9]) if line else 0, plain_name(name), outermost_first)


def plain_name(name: str) -> str:
    """The function itself: `(*Handler).ServeHTTP` → `ServeHTTP`, `Foo::bar` → `bar`, `Object.<anonymous>` → ""."""
    bare = re.sub(
        r"(?:\.func\d+(?:\.\d+)*|::\{\{?closure\}?\}|::h[0-9a-f]{16}|\(.*\)|<[^>]*>|/\d+)+$", "", name.strip()
    )
    last = re.split(r"::|->|[.#\\/]", bare)[-1].strip("<>()*&{} ")
    return "" if last in ("anonymous", "module", "lambda", "closure") else last


def _innermost_first(found: Sequence[tuple[int, Frame]]) -> list[Frame]:
    """Turn round what is printed outermost first; separate traces, the last of which is the reason most often, stay in
    their order, and what is printed twice counts once."""
    order: dict[Frame, None] = {}
    inner_first = [frame for _, frame in found if not frame.outermost_first]
    for frame in (*(frame for _, frame in reversed(found) if frame.outermost_first), *inner_first):
        order.setdefault(frame)
    return list(order)
