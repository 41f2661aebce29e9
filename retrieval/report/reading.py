"""A long text → its parts: what an issue, a failing test's output or a pasted stack trace is made of.

Lines are told apart one by one (fences, prompts, indentation, what code and output look like), and every part keeps the
words of its own: a name in the title says more than the same name in an example. Any text is legal, nothing here
touches the index, and the time is that of the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sightline.retrieval.report.frames import Frame, frames, printed

MAX_REPORT_CHARS = 65_536  # the longest text that is understood; beyond it is cut
_MIN_REPORT_CHARS = 100  # of several lines: shorter ones are questions that happen to be wrapped
_LONG_QUESTION_CHARS = 600  # even of one line
_MAX_TITLE_CHARS = 240
_MAX_ERRORS = 12
_MAX_PATHS = 40
_MAX_NAMES = 200
_TRACE_WORDS = 25  # that may stand around a trace which is the whole question
_WORD = re.compile(r"[^\W\d_]{2,}")

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DETAILS = re.compile(r"</?(?:details|summary|br|p|div|b|i|code|pre|sub|sup|hr|img|a)\b[^>\n]{0,300}>", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```+|~~~+|\{\{\{|\}\}\})")
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.|In ?\[\d*\]:|\$ |irb\(|iex\(\d+\)>|ghci>|julia>|% )")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]{1,60}\*\*:?\s*$|={3,}\s*$|-{3,}\s*$)")
_CHECKBOX = re.compile(r"^\s*[-*] \[[ xX]\]")
_VERSION_LINE = re.compile(
    r"(?:[-*] )?\w[\w. /()-]{0,40}?(?: ?[:=]+ ?| )v?\d+(?:\.\d+)+\S*(?: \([^)]*\))?$"
    r"|(?:INSTALLED VERSIONS|System|Versions?|Environment) ?:?$",
    re.IGNORECASE,
)
_MAX_VERSION_CHARS = 100
_ENVIRONMENT = re.compile(
    r"\b(?:installed versions|show_versions|versions? info|environment|system info|your (?:system|setup|environment))\b"
    r"|^[#*\s]*(?:system|versions?|python dependencies|dependencies|platform)[*:\s]*$",
    re.IGNORECASE,
)
_SETTING = re.compile(r"^[-*]?\s*[\w. ()/-]{1,40}:\s{0,20}\S{0,80}(?: \S{0,60}){0,3}$|^-{3,}$")
_VERSION = re.compile(r"\bv?(\d+\.\d+(?:\.\d+)*(?:[a-z]+\d*)?)\b")
_CODE_LINE = re.compile(
    r"^\s*(?:from\s+[\w.]+\s+import|import\s+[\w.{*\"']+|def\s+\w+|class\s+\w+|@\w+|return\b|if\s.+:\s*$|for\s.+:\s*$"
    r"|else:|try:|with\s.+:\s*$|(?:const|let|var|func|fn|pub|public|private|static|use|package|namespace|#include|val|fun)\s"
    r"|[\w.\[\]\"']+\s*(?:=|\+=|:=)\s*\S|[\w.]+\(.*\)\s*[;,{]?\s*$|[})\]]+[;,]?\s*$|.*[;{}]\s*$|//|/\*)"
)
_ERROR = re.compile(
    r"^\s*(?:E\s+|Caused by:\s*|Exception in thread \S+ |Uncaught |panic: |error(?:\[\w+\])?: |fatal(?: error)?: )?"
    r"(?:(?P<kind>[A-Za-z_][\w.:]*(?:Error|Exception|Warning|Failure|Fault|Panic|Exit|Interrupt|DoesNotExist))(?:\s*\(.*?\))?\s*:\s+(?P<said>.{3,400})"
    r"|(?:panic|error(?:\[\w+\])?|fatal(?: error)?|\*\* \(\w[\w.]*\)|thread '[^']*' panicked at) ?:?\s+"
    r"(?P<other>.{3,400}))$",
    re.IGNORECASE,
)
_URL = re.compile(r"\b(?:https?|ftp|git|ssh)://\S+")
_PATH = re.compile(
    r"(?<![\w/.@-])(?:\.{0,2}/)?(?:[\w.@+-]+/)+[\w@+-]+(?:\.\w{1,8})?(?![\w/])|(?<![\w/.@-])[\w-]+\.(?:py|pyx|pyi|js|jsx|mjs|ts|tsx|go|rs|java|kt|kts|rb|php|cs|c|h|cc|cpp|hpp|cxx|m|mm|swift|scala|ex|exs|hs|zig|lua|dart|sh|sql|vue|svelte)(?![\w/])"
)
_DOTTED = re.compile(r"(?<![\w/.@:])[A-Za-z_]\w*(?:(?:\.|::|#|->)[A-Za-z_]\w*)+")
_MARKED = re.compile(r"``?([^`\n]{1,120})``?")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_CODE_LIKE = re.compile(r"^_+\w|[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Z]{2,}[a-z]", re.ASCII)
_CALLED = re.compile(r"(?<!\w)([^\W\d]\w*)\(")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Names that stand in every other report and say nothing about where it belongs.
_EVERYWHERE = _set(
    "self cls this super None True False null nil true false int str float bool list dict set tuple object print len"
    " range type import from return def class function var let const new foo bar baz qux spam eggs main __main__"
    " __init__ __name__ __file__ args kwargs Exception Error ValueError TypeError KeyError AttributeError IndexError"
    " RuntimeError ImportError AssertionError NotImplementedError Traceback stdin stdout stderr string String"
)


@dataclass(frozen=True, slots=True)
class Report:
    """A long query, understood."""

    title: str
    prose: str
    code: str
    output: str  # what a program printed, traces without their frames included
    frames: tuple[Frame, ...]  # of stack traces, innermost first
    locations: tuple[Frame, ...]  # other lines of files that are named
    paths: tuple[str, ...]  # files and folders that are named, most telling first
    names: Mapping[str, float]  # identifiers as written → how much their place in the text says, most telling first
    qualified: Mapping[str, float]  # dotted names likewise
    errors: tuple[str, ...]  # messages, the innermost error's first
    versions: tuple[str, ...]

    @property
    def is_trace(self) -> bool:
        """Is it a stack trace or a test's output with hardly a word about it? Then its frames are what is asked for."""
        return bool(self.frames) and len(_WORD.findall(f"{self.title} {self.prose}")) <= _TRACE_WORDS


@dataclass(slots=True)
class _Parts:
    title: str = ""
    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    versions: dict[str, None] = field(default_factory=dict)


def is_report(text: str) -> bool:
    """Is this more than a question: an issue, a trace, the output of a test?"""
    stripped = text.strip()
    if "\n" not in stripped:
        return len(stripped) > _LONG_QUESTION_CHARS
    if len(stripped) >= _MIN_REPORT_CHARS:
        return True
    found, _ = frames(stripped.split("\n"))
    return bool(found)


def read(text: str) -> Report:
    """Take a text apart."""
    text = _DETAILS.sub(" ", _COMMENT.sub(" ", text[:MAX_REPORT_CHARS].replace("\0", " ").replace("\r\n", "\n")))
    lines = text.split("\n")
    trace, at = frames(lines)
    parts = _parts(lines, at)
    locations = [location for line in lines for location in printed(line)]
    names, qualified = _names(parts)
    return Report(
        title=parts.title,
        prose="\n".join(parts.prose),
        code="\n".join(parts.code),
        output="\n".join(parts.output),
        frames=tuple(trace),
        locations=tuple(dict.fromkeys(location for location in locations if location not in trace)),
        paths=_paths(parts),
        names=names,
        qualified=qualified,
        errors=tuple(dict.fromkeys(reversed(parts.errors)))[:_MAX_ERRORS],
        versions=tuple(parts.versions),
    )


def _parts(lines: Sequence[str], framed: set[int]) -> _Parts:
    parts = _Parts()
    fenced = ""  # how the block began, "" outside
    in_trace = prompted = environment = False
    for number, line in enumerate(lines):
        if not line.strip():
            in_trace = prompted = False
            continue
        if len(line) <= _MAX_VERSION_CHARS and parts.title:
            environment = _ENVIRONMENT.search(line) is not None or (environment and _SETTING.match(line) is not None)
            if environment:
                parts.versions.update(dict.fromkeys(_VERSION.findall(line)))
                continue
        if number in framed:
            in_trace = True
            continue
        fence = _FENCE.match(line)
        if fence is not None:
            fenced = "" if fenced else fence[0].strip()
            in_trace = prompted = False
            continue
        error = _ERROR.match(line) if len(line) < 500 else None
        if error is not None:
            parts.errors.append((error["said"] or error["other"] or "").strip())
            parts.output.append(line)
        elif (
            not parts.title
            and not fenced
            and not in_trace
            and len(line) <= _MAX_TITLE_CHARS
            and not _HEADING.match(line)
        ):
            parts.title = line.strip()
        elif _CHECKBOX.match(line) or _HEADING.match(line):
            continue
        elif _states_version(line):
            parts.versions.update(dict.fromkeys(_VERSION.findall(line)))
        elif _PROMPT.match(line):
            prompted = True
            parts.code.append(_PROMPT.sub("", line))
        elif in_trace:  # the source line of a frame
            parts.code.append(line)
        elif prompted:
            parts.output.append(line)
        elif fenced or line.startswith(("    ", "\t")):
            (parts.code if _CODE_LINE.match(line) else parts.output).append(line)
        elif _CODE_LINE.match(line) and not _is_prose(line):
            parts.code.append(line)
        else:
            parts.prose.append(line.strip().removeprefix("> "))
            parts.versions.update(dict.fromkeys(_VERSION.findall(line[:500])))
    return parts


def _states_version(line: str) -> bool:
    """`python: 3.8.2 (default)` says what is installed, not what is wrong."""
    return len(line) <= _MAX_VERSION_CHARS and _VERSION_LINE.match(" ".join(line.split())) is not None


def _is_prose(line: str) -> bool:
    """Sentences have plain words side by side; statements have few."""
    words = re.findall(r"(?<![\w.(\"'])[A-Za-z][a-z]+(?= [a-z]+)", line[:300])
    return len(words) >= 5


def _paths(parts: _Parts) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in (parts.title, *parts.prose, *parts.output, *parts.code):
        for match in _PATH.finditer(_URL.sub(" ", text[:1_000])):
            found.setdefault(match[0])
            if len(found) >= _MAX_PATHS:
                return tuple(found)
    return tuple(found)


_TITLE, _SAID, _SHOWN, _PRINTED = 3.0, 1.5, 0.7, 0.4  # what a name is worth by where it stands
_MARK = 1.5  # times more when the writer marked it as code
_REPEATED = 1.5  # at most so much more when it stands in several parts


def _names(parts: _Parts) -> tuple[dict[str, float], dict[str, float]]:
    names: dict[str, float] = {}
    qualified: dict[str, float] = {}
    for worth, plain, texts in (
        (_TITLE, True, (parts.title,)),
        (_SAID, True, parts.prose),
        (_SHOWN, False, parts.code),
        (_PRINTED, False, (*parts.errors, *parts.output)),
    ):
        text = _URL.sub(" ", "\n".join(texts))
        marked = " ".join(_MARKED.findall(text)) if plain else ""
        for name in _DOTTED.findall(text):
            qualified[name] = max(qualified.get(name, 0.0), worth)
        for name in _IDENTIFIER.findall(marked):
            _add(names, name, worth * _MARK)
        called = set(_CALLED.findall(text))
        for name in dict.fromkeys(_IDENTIFIER.findall(text)):
            if not plain or name in called or _CODE_LIKE.search(name) or (name[0].isupper() and not name.islower()):
                _add(names, name, worth)
    return _most_telling(names), _most_telling(qualified)


def _add(names: dict[str, float], name: str, worth: float) -> None:
    if name not in _EVERYWHERE and len(name) > 1:
        known = names.get(name, 0.0)
        names[name] = max(known, worth) if not known else min(max(known, worth) * _REPEATED, known + worth)


def _most_telling(worth: dict[str, float]) -> dict[str, float]:
    return dict(sorted(worth.items(), key=lambda item: -item[1])[:_MAX_NAMES])
