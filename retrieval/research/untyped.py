"""Calls that no edge names, read off the line: `site.process` where nothing says what `site` is.

Languages without types, arguments without one and what comes out of a table leave a call of which only the name is
known. Two things make one candidate likely all the same: it is the only function of that name, and the receiver is
called like the type that has it (`site` and `Site`, `handler` and `HandlerInterface`). Such a step is told as likely
by its name, never as a call; a function that only says that others must define it leads to those in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.graph.read.spoken import documentation
from sightline.graph.read.symbols import names_of
from sightline.languages import rules_of
from sightline.retrieval.paths import facts_of
from sightline.retrieval.research.evidence import REACHES
from sightline.retrieval.research.relevance import bodies, is_step
from sightline.retrieval.research.wording import is_comment, kind_of
from sightline.tokens import stem, subwords

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_CALL = re.compile(
    r"(?:\?\.|!\.|&\.|\.|->|::|(?<=\w):)\s*(?P<name>[A-Za-z_]\w*[?!]?)(?P<called>\s*[({]|\s*$|\s+(?=[:\w\"'@\[&]))?"
)
_RECEIVER = re.compile(r"(?P<receiver>[@$]{0,2}[A-Za-z_]\w*[?!]?)(?:\([^()]*\)|\[[^\[\]]*\])?\s*$")
_ALONE = re.compile(r"(?<![\w.:>$@])(?P<name>[a-z_]\w{3,}[?!]?)(?=\s*\(|\s*$|\s+[:\w\"'@\[&*])")
_VARIABLE = re.compile(
    r"(?<![\w.>:])(?:self\.|\$this->)?\(?\$?(?P<name>[a-z_]\w{3,})\)?\((?!\s*\))"
)  # a value that is called
_CALLED_VALUES = {"php": "__invoke", "python": "__call__"}  # the method that makes a value one that can be called
_MAX_VALUES = 5  # types of which such a value may be
_STATEMENT = re.compile(r"\s*([A-Z_][A-Z0-9_]{2,});\s*$")  # a macro without arguments
_WITHOUT_BRACKETS = frozenset({"ruby", "elixir", "scala"})  # a call needs none
_MAX_BODY_LINES, _MAX_LINE_CHARS = 200, 240
_IMPORT_LINES = 60  # of a file, in which what it imports is named
_MAX_TARGETS, _FEW_TARGETS = 3, 4  # of one call, and of one with a very telling name: more of them say nothing
_TELLING, _VERY_TELLING = 6, 12  # letters of a name that is enough where only one function has it, or a few
_TO_DEFINE = re.compile(
    r"NotImplemented|\babstract\b|must (?:be )?(?:implement|overrid|defin)|should be (?:implement|overrid)|"
    r"subclass(?:es)? (?:must|should)|fatalError\(",
    re.IGNORECASE,
)
_SHORT_LINES = 8  # of a function that only says so
_MAX_DEFINED = 4  # functions that one leads to which others must define
_ANY_CALL = re.compile(r"(?P<name>[A-Za-z_]\w*[?!]?)(?:\[[^\[\]]*\])?(?=\s*\()")
_BY_REFLECTION = frozenset({"__send__", "public_send", "call_user_func", "call_user_func_array", "getattr"})
_LEAST_SAID = 0.5  # of the words of a called name that the question says
_DEFINING = re.compile(
    r"(?:\b(?:function\*?|def|fn|func|fun|new|class|throw|raise)|[:=]\s*(?:async\s+)?(?:func|function))\s*$"
)
_GENERIC = frozenset(  # words of questions that say nothing of what is called
    "function method call class user order code line file end name get request value result invok".split()  # noqa: SIM905
)
_KEYWORDS = frozenset(
    "return raise yield else unless while until then begin ensure rescue super self nil true false puts print require"  # noqa: SIM905
    " include extend attr private public protected module class function local import from with async await throw"
    " static const case when match where lambda proc loop catch block_given? freeze".split()
)


@dataclass(frozen=True, slots=True)
class Likely:
    """A function that a line may call, by its name."""

    target: int
    line: int


def likely_calls(draft: Draft, position: int) -> list[Likely]:
    """What a function may call that no edge names, in the order of its lines."""
    found: dict[int, Likely] = {}
    for likely in (*_called(draft, position), *_left_to_others(draft, position)):
        found.setdefault(likely.target, likely)
    return list(found.values())


def _called(draft: Draft, position: int) -> Iterator[Likely]:
    graph = draft.graph
    path, first = graph.path(position), graph.line(position)
    record = graph.snapshot.files.get(path)
    if record is None:
        return
    last = min(int(graph.objects.end_line[position]), first + _MAX_BODY_LINES)
    lines = draft.source.lines(path, first, last)
    doc = documentation([text for _, text in lines])
    body = "\n".join(text for _, text in lines)
    known = _resolved(draft, position)
    value = _CALLED_VALUES.get(record.language, "")
    rules = rules_of(record.language)
    common = rules.common_members | rules.builtins
    bare = record.language in _WITHOUT_BRACKETS
    for number, (line, whole) in enumerate(lines):
        text = whole[:_MAX_LINE_CHARS]
        if number in doc or number == 0:
            continue
        for match in (*_CALL.finditer(text), *(_ALONE.finditer(text) if record.language == "ruby" else ())):
            name = match["name"]
            before = _RECEIVER.search(text[: match.start()]) if match.re is _CALL else None
            of = before["receiver"] if before is not None else None
            if match.re is _CALL and of is None:
                continue
            if name in _KEYWORDS or kind_of(text, match) not in ("call", "code"):
                continue
            if (of is None and name in known) or (of is not None and not (bare or "(" in (match["called"] or ""))):
                continue
            sure = name in known or name in common
            yield from (
                Likely(target, line)
                for target in _meant(draft, position, name, of, only_alike=sure)
                if not _is_told(draft, target, known.get(name, set())) and _may_mean(draft, position, of, target)
            )
        macro = _STATEMENT.match(text) if record.language in ("c", "cpp") else None
        if macro is not None and macro[1] not in known:
            yield from (Likely(p, line) for p in _macros(draft, position, macro[1]))
        for match in _VARIABLE.finditer(text) if value else ():
            if match["name"] not in known and kind_of(text, match) in ("call", "code"):
                made = re.search(rf"(?<![\w.]){match['name']}\s*=\s*(?:await\s+)?([A-Z]\w*)\(", body)
                said = made[1] if made is not None else match["name"]
                meant = _values(draft, position, said, value)
                exact = [p for p in meant if _owner_words(draft, p) == {stem(part) for part in subwords(said)}]
                yield from (Likely(target, line) for target in (exact if made is not None else meant))


def _is_told(draft: Draft, target: int, known: set[int]) -> bool:
    """Does an edge lead to a function, or to what it overrides? That it may run instead is told of that one."""
    return target in known or any(base in known for _, base in draft.graph.overridden(target))


def _may_mean(draft: Draft, position: int, receiver: str | None, target: int) -> bool:
    """An example shows how code is used and is not called by it; a package of Go has what lies in its folder."""
    graph = draft.graph
    path, where = graph.path(position), graph.path(target)
    if _is_example(where) and not _is_example(path):
        return False
    if receiver is None or not path.endswith(".go"):
        return True
    head = "\n".join(text for _, text in draft.source.lines(path, 1, _IMPORT_LINES))
    package = re.search(rf"[\"/]{re.escape(receiver)}\"\s*$", head, re.MULTILINE) is not None
    return not package or f"/{where}".rpartition("/")[0].endswith(f"/{receiver}")


def _is_example(path: str) -> bool:
    return facts_of(path.replace("/_", "/").removeprefix("_")).is_example  # Go hides `_examples` from its tools


def _resolved(draft: Draft, position: int) -> dict[str, set[int]]:
    """Names of which an edge says what they are here, and what."""
    graph, names = draft.graph, draft.graph.objects.column("name")
    found: dict[str, set[int]] = {}
    for row, _, far in graph.rows(graph.with_constructors(position), "out", REACHES):
        if graph.is_proven(row):
            found.setdefault(names[far], set()).add(far)
    return found


def _macros(draft: Draft, position: int, name: str) -> Sequence[int]:
    """The macro of a name that stands alone as a statement: in the same file, else the only one."""
    graph = draft.graph
    found = [p for p in names_of(graph.snapshot).by_name.get(name, ()) if graph.kinds[p] == "macro"]
    here = [p for p in found if graph.path(p) == graph.path(position)]
    return here or (found if len(found) == 1 else ())


def _values(draft: Draft, position: int, name: str, method: str) -> Sequence[int]:
    """Methods that run when a value is called which is named like their type: `$handler($request)`."""
    said = {stem(part) for part in subwords(name)[-1:]}
    known = names_of(draft.graph.snapshot)
    if any(is_step(draft.graph, p) for p in known.by_name.get(name, ())):
        return ()  # a function of that name
    found = bodies(draft.graph, [p for p in known.by_name.get(method, ()) if p != position and is_step(draft.graph, p)])
    alike = [p for p in found if said & _owner_words(draft, p)]
    return alike if len(alike) <= _MAX_VALUES else ()


def _meant(draft: Draft, position: int, name: str, receiver: str | None, *, only_alike: bool) -> Sequence[int]:
    """The functions of a name that a call may mean: those of the type that the receiver is called like, else the only
    one of a telling name."""
    graph = draft.graph
    known = names_of(graph.snapshot).by_name.get(name, ())
    found = bodies(graph, [p for p in known if p != position and is_step(graph, p)])
    if not found:
        return ()
    if receiver is None:
        return found if len(found) == 1 and len(name) >= _TELLING and not only_alike else ()
    said = {stem(part) for part in subwords(re.sub(r"[(\[].*", "", receiver))[-1:]}
    alike = [p for p in found if said & _owner_words(draft, p)]
    exact = [p for p in alike if _owner_words(draft, p) == said]
    alike = _highest(draft, exact or alike)
    alike = alike or _highest(draft, [p for p in found if said & _folder_words(draft, p)])
    if alike:
        return alike if len(alike) <= _MAX_TARGETS else ()
    if only_alike or len(name) < (_TELLING if name[-1] not in "?!" else _TELLING - 1):
        return ()
    return found if len(found) <= (_FEW_TARGETS if len(name) >= _VERY_TELLING else 1) else ()


def _owner_words(draft: Draft, position: int) -> set[str]:
    """The words of the type that has a function, or of the file where no type does."""
    graph, names = draft.graph, draft.graph.objects.column("name")
    owners = [p for p in graph.parents(position) if graph.kinds[p] != "module"]
    said = names[owners[0]] if owners else graph.path(position).rpartition("/")[2].partition(".")[0]
    return {stem(word) for word in subwords(said)}


def _folder_words(draft: Draft, position: int) -> set[str]:
    """The words of the file and of the folder that hold a function."""
    *_, folder, file = ("", *draft.graph.path(position).split("/"))
    return {stem(word) for said in (folder, file.partition(".")[0]) for word in subwords(said)}


def _highest(draft: Draft, positions: Sequence[int]) -> list[int]:
    """Without those that override another one of them: these may run instead, which is told of that one."""
    graph = draft.graph
    own = set(positions)
    return [p for p in positions if not any(far in own for _, far in graph.overrides(p, "out"))]


def _left_to_others(draft: Draft, position: int) -> Iterator[Likely]:
    """Functions of the same name, where this one only says that it must be defined elsewhere."""
    graph = draft.graph
    first, last = graph.line(position), int(graph.objects.end_line[position])
    if last - first >= _SHORT_LINES or graph.overrides(position, "in"):
        return
    path = graph.path(position)
    body = "\n".join(text for _, text in draft.source.lines(path, first, last))
    if _TO_DEFINE.search(body):
        name = graph.objects.column("name")[position]
        others = [p for p in names_of(graph.snapshot).by_name.get(name, ()) if p != position and is_step(graph, p)]
        if len(others) <= _MAX_DEFINED:
            yield from (Likely(other, first) for other in others)


def unnamed_calls(draft: Draft, position: int, words: Collection[str], named: Collection[str]) -> dict[int, float]:
    """Lines of a function that call what no step names, each with how much that may be the point: it is called by
    reflection, or by a name that says what is asked."""
    graph = draft.graph
    path, first = graph.path(position), graph.line(position)
    last = min(int(graph.objects.end_line[position]), first + _MAX_BODY_LINES)
    lines = draft.source.lines(path, first, last)
    doc = documentation([text for _, text in lines])
    record = graph.snapshot.files.get(path)
    if record is None:
        return {}
    wanted = set(words) - _GENERIC
    found: dict[int, float] = {}
    for number, (line, whole) in enumerate(lines):
        text = whole[:_MAX_LINE_CHARS]
        if number == 0 or number in doc or is_comment(text):
            continue
        for match in _ANY_CALL.finditer(text):
            name = match["name"]
            if name in named or name in rules_of(record.language).builtins or kind_of(text, match) != "call":
                continue
            if _DEFINING.search(text[: match.start()]) is not None or name in _KEYWORDS:
                continue
            said = {stem(part) for part in subwords(name)}
            worth = len(wanted & said) / len(said) if said else 0.0
            worth = 1.0 if name in _BY_REFLECTION or (name == "send" and record.language == "ruby") else worth
            if worth >= _LEAST_SAID:
                found[line] = max(found.get(line, 0.0), worth)
    return found
