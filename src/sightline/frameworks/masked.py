"""Source text made readable without a grammar: where calls are, and what their arguments say.

A text is masked once: comments become blanks, in `code` the contents of strings too, and nothing moves. Brackets and
names are then looked for in `code`, and what a string says is read from `text` at the same place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sightline.frameworks.notes import Notes

Bound = Callable[[str, str], str | None]  # what a name is bound to in another file, for this one
UNKNOWN = "…"  # stands in an address for what could not be read

_DOUBLE, _SINGLE = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])*'"
_SLASHED = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_TICKED = r"`(?:\\.|[^`\\])*`"
_MASKS = {
    "python": rf'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|{_DOUBLE}|{_SINGLE}|\#[^\n]*',
    "ruby": rf"{_DOUBLE}|{_SINGLE}|(?<![\w$?])\#[^\n]*|^=begin\b.*?^=end\b",
    "php": rf"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|{_SLASHED}|\#(?!\[)[^\n]*",
    "go": rf"{_DOUBLE}|{_SINGLE}|`[^`]*`|{_SLASHED}",
    "java": rf'"""(?:\\.|[^\\])*?"""|{_DOUBLE}|{_SINGLE}|{_SLASHED}',
    "csharp": rf'@"(?:""|[^"])*"|"""(?:[^"]|"(?!""))*"""|{_DOUBLE}|{_SINGLE}|{_SLASHED}',
    "javascript": rf"{_DOUBLE}|{_SINGLE}|{_TICKED}|{_SLASHED}",
}
_FAMILY = {"typescript": "javascript", "tsx": "javascript", "jsx": "javascript", "kotlin": "java"}
_COMPILED = {name: re.compile(pattern, re.DOTALL | re.MULTILINE) for name, pattern in _MASKS.items()}
_BRACKET = re.compile(r"[()\[\]{},]")
_BRACE = re.compile(r"[{}]")
_MAX_VALUE_CHARS = 2_000  # of an address; a longer expression is none
_MAX_STEPS = 3_000_000  # brackets that are passed in one file; the largest that was seen takes a twentieth
_OPENING, _CLOSING = "([{", ")]}"
_MAX_ARGUMENT_CHARS = 60_000  # of one call: a table of routes may be one
_KEY = re.compile(r"\s*(?:(?P<equal>[A-Za-z_]\w*)\s*=(?![=>])|(?P<colon>[A-Za-z_$][\w$]*)\s*:(?!:))\s*")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]{2,}")  # a constant; of other names only members are looked for in other files
_QUOTES = "\"'`"
_STRING = re.compile(
    r"(?P<mark>[@$rbfuRBFU]{0,2})(?P<quote>\"\"\"|'''|[\"'`])(?P<body>.*)(?P=quote)", re.DOTALL
)  # a whole literal, once nothing but one is there
_HOLES = re.compile(r"\$\{([^}]*)\}|#\{([^}]*)\}|\{([\w.]+)\}")
_DOLLAR = re.compile(r"\$\{([^}]*)\}")


class TooMuchError(Exception):
    """A file takes more to be read than any that a person wrote."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call: its key where it has one, and where its value stands."""

    key: str
    start: int
    end: int


@dataclass(slots=True)
class Call:
    """A call: what is called, where it begins, and its arguments."""

    name: str
    start: int
    opened: int  # of the bracket
    end: int  # behind the closing bracket
    arguments: list[Argument]

    def keyed(self, *keys: str) -> Argument | None:
        """The argument of one of these keys."""
        return next((a for a in self.arguments if a.key in keys), None)

    def plain(self, number: int) -> Argument | None:
        """The argument without a key that is this many places along."""
        plain = [a for a in self.arguments if not a.key]
        return plain[number] if -len(plain) <= number < len(plain) else None


class MaskedText:
    """One file's text, masked, and the notes on it."""

    def __init__(
        self, path: str, language: str, text: Callable[[], str], notes: Notes, bound: Bound | None = None
    ) -> None:
        self.path, self.language, self.notes = path, language, notes
        self._text, self._bound = text, bound
        self.family = _FAMILY.get(language, language)
        self._steps = 0
        self._asked: dict[str, str | None] = {}

    @cached_property
    def raw(self) -> str:
        """The text as it is; had when something asks for it that is not noted."""
        return self._text()

    def begin(self) -> dict[str, str | None]:
        """Begin a reading of its own: with all it may take, and with a list of what it learns from other files."""
        self._steps, self._asked = 0, {}
        return self._asked

    @cached_property
    def _masked(self) -> tuple[str, str]:
        mask = _COMPILED.get(self.family)
        if mask is None:
            return self.raw, self.raw
        text: list[str] = []
        code: list[str] = []
        at = 0
        for match in mask.finditer(self.raw):
            start, end = match.span()
            between, token = self.raw[at:start], match[0]
            text.append(between)
            code.append(between)
            if token[0] in _QUOTES or token[:2] == '@"':
                text.append(token)
                edge = 3 if token[:3] in ('"""', "'''") else 2 if token[0] == "@" else 1
                code.append(token[:edge] + _blank(token[edge:-1]) + token[-1:])
            else:
                text.append(_blank(token))
                code.append(text[-1])
            at = end
        text.append(self.raw[at:])
        code.append(self.raw[at:])
        return "".join(text), "".join(code)

    @property
    def text(self) -> str:
        """The text without its comments."""
        return self._masked[0]

    @property
    def code(self) -> str:
        """The text without its comments and without what its strings say."""
        return self._masked[1]

    @cached_property
    def _breaks(self) -> list[int]:
        return [match.end() for match in re.finditer("\n", self.raw)]

    def line(self, offset: int) -> int:
        """The line of a place."""
        return bisect_right(self._breaks, offset) + 1

    def closing(self, opened: int) -> int:
        """Where the bracket that opens here is closed; the end of what may be looked at where it is not."""
        depth = 0
        limit = min(len(self.code), opened + _MAX_ARGUMENT_CHARS)
        self._spend(1)
        for match in _BRACKET.finditer(self.code, opened, limit):
            self._steps += 1
            if match[0] in _OPENING:
                depth += 1
            elif match[0] in _CLOSING:
                depth -= 1
                if depth <= 0:
                    return match.start()
        return limit

    def _spend(self, steps: int) -> None:
        """Give up on a text that no person wrote, before it takes minutes."""
        self._steps += steps
        if self._steps > _MAX_STEPS:
            raise TooMuchError(self.path)

    def end(self, opened: int) -> int:
        """Behind the end of a block in braces, however long."""
        depth = 0
        self._spend(1)
        for match in _BRACE.finditer(self.code, opened):
            self._steps += 1
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.end()
        return len(self.code)

    def opening(self, closed: int) -> int:
        """Where the bracket that closes here was opened; -1 where nowhere near."""
        depth = 0
        self._spend(1)
        for at in range(closed, max(closed - _MAX_ARGUMENT_CHARS, -1), -1):
            self._steps += 1
            if self.code[at] in _CLOSING:
                depth += 1
            elif self.code[at] in _OPENING:
                depth -= 1
                if depth == 0:
                    return at
        return -1

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        """Every pair of brackets, by where it opens."""
        found, stack = [], []
        for match in _BRACKET.finditer(self.code):
            if match[0] in _OPENING:
                stack.append(match.start())
            elif match[0] in _CLOSING and stack:
                found.append((stack.pop(), match.start()))
        return sorted(found)

    def around(self, at: int) -> list[int]:
        """Where the brackets around a place open, the nearest first."""
        before = self._spans[: bisect_right(self._spans, (at, -1))]
        self._spend(len(before))
        return [opened for opened, closed in reversed(before) if closed > at]

    def call(self, name: str, start: int, opened: int) -> Call:
        """The call whose bracket opens here."""
        end = self.closing(opened)
        return Call(name, start, opened, end + 1, list(self._arguments(opened + 1, end)))

    def _arguments(self, start: int, end: int) -> Iterator[Argument]:
        for begin, stop in self.parts(start, end):
            key = _KEY.match(self.code, begin, stop)
            if key is not None:
                yield Argument(key["equal"] or key["colon"], key.end(), stop)
            else:
                yield Argument("", begin, stop)

    def parts(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """What commas part, brackets respected; without blanks around it."""
        self._spend(1)
        depth, begin = 0, start
        for match in _BRACKET.finditer(self.code, start, end):
            self._steps += 1
            if match[0] in _OPENING:
                depth += 1
            elif match[0] in _CLOSING:
                depth -= 1
            elif depth == 0:
                yield from self._trimmed(begin, match.start())
                begin = match.end()
        yield from self._trimmed(begin, end)

    def _trimmed(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        piece = self.code[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))

    def written(self, argument: Argument) -> str:
        """An argument as it stands there."""
        return self.text[argument.start : argument.end]

    def strings(self, argument: Argument) -> list[str]:
        """The values of a list of strings, or of one."""
        code = self.code[argument.start : argument.end]
        opened = re.match(r"(?:arrayOf|listOf|array|new\s*(?:string)?\s*\[\s*\])?\s*[\[({]", code)
        if opened is None:
            return [self.value(argument.start, argument.end)]
        inner = argument.start + opened.end()
        closed = self.closing(inner - 1)
        return [self.value(start, end) for start, end in self.parts(inner, closed)]

    def value(self, start: int, end: int) -> str:
        """What an expression of strings says, with UNKNOWN for what is not read."""
        if end - start > _MAX_VALUE_CHARS:
            return UNKNOWN
        code = self.code[start:end]
        if code[:1] in ("(",) and self.closing(start) == end - 1:
            return self.value(start + 1, end - 1)
        joint = r"[+.]" if self.family == "php" else r"\+"
        if re.search(joint, code):
            pieces, at = [], start
            for match in re.finditer(joint, code):
                if match[0] == "." and not re.search(r"[\"'\s)]\s*$", code[: match.start()]):
                    continue
                pieces.append((at, start + match.start()))
                at = start + match.end()
            if pieces:
                return "".join(self.value(*piece) for piece in [*pieces, (at, end)])
        return self._single(start, end)

    def _single(self, start: int, end: int) -> str:
        written = self.text[start:end].strip()
        literal = _STRING.fullmatch(written)
        if literal is None:
            return self._constant(written) if written else ""
        body = literal["body"]
        holes = "f" in literal["mark"].lower() or "$" in literal["mark"]
        if self.family == "ruby":
            return re.sub(r"#\{([^}]*)\}", lambda m: self._hole(m[1]), body)
        if self.family == "java":
            return re.sub(r"\\?\$\{([^}]*)\}", UNKNOWN, body) if "$" in body else body
        if literal["quote"] == "`" and self.family == "javascript":
            return _DOLLAR.sub(lambda m: self._hole(m[1]), body)
        if holes:
            return re.sub(r"\{([^{}]*)\}", lambda m: self._hole(m[1]), body)
        return body.replace("\\\\", "\\") if "r" not in literal["mark"].lower() else body

    def _hole(self, name: str) -> str:
        return self._constant(name.strip())

    def _constant(self, written: str) -> str:
        """The string that a name is bound to, here or, when it is the only one, in another file."""
        if not re.fullmatch(r"\\?[\w$]+(?:(?:\.|::|->)[\w$]+)*", written):
            return UNKNOWN
        name = re.split(r"[.:>]", written)[-1]
        known = self.constants.get(name)
        if known is None and self._bound is not None and (name != written or _CAPITALS.fullmatch(name)):
            known = self._asked[name] = self._bound(name, self.path)
        return UNKNOWN if known is None else known

    def binding(self, name: str) -> str | None:
        """The string that this file binds a name to, where it is one."""
        return self.notes.once(("string", name), lambda: self._string(name))

    def _string(self, name: str) -> str | None:
        pattern, found = _constant(re.escape(name)), set()
        at = self.raw.find(name)
        while at >= 0:
            match = pattern.match(self.raw, at)
            if match is not None:
                found.add(match["value"][1:-1])
            at = self.raw.find(name, at + len(name))
        value = found.pop() if len(found) == 1 else None
        return None if value is None or "{" in value else value

    @cached_property
    def constants(self) -> dict[str, str]:
        """Names that this file binds to a string, once."""
        found: dict[str, str] = {}
        twice: set[str] = set()
        for match in _constant(r"[A-Za-z_$][\w$]*").finditer(self.text):
            name, value = match["name"], match["value"][1:-1]
            if name in found and found[name] != value:
                twice.add(name)
            found[name] = value
        return {name: value for name, value in found.items() if name not in twice and "{" not in value}


@lru_cache(maxsize=500)
def _constant(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<name>{name})[ \t]*+(?::[ \t]*+[\w.]++[ \t]*+)?:?=[ \t\n\\]*+(?P<value>{_DOUBLE}|{_SINGLE})"
        r"[ \t]*+(?:as const)?[;,]?[ \t]*+\r?$",
        re.MULTILINE,
    )


def _blank(text: str) -> str:
    """The same number of characters that say nothing, lines kept."""
    return "\n".join([" " * len(line) for line in text.split("\n")])
