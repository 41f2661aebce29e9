"""Steps that are no call: a stored callback, an event, a name looked up at run time.

Where the calls of one end stop, its bodies are read for what calls something that no edge names: the items of a field
(`this._listeners.forEach(…)`), a field itself (`self.callback()`), an event by its name (`emit("change")`), reflection.
A function that a body registers has an edge, and is no matter of this module.
For a field and an event the places that hand something over are looked for: who stores into the field and who calls
that, who registers for the event. What is handed over there is where the way goes on; so is a function that a body
hands on by its name. All of it is read off lines, so it is told as what it is, with every line it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.graph.read.spoken import documentation
from sightline.graph.read.symbols import names_of
from sightline.graph.read.walk import object_at
from sightline.retrieval.research.evidence import CALLS, REGISTERS
from sightline.retrieval.research.occurrences import occurrences
from sightline.retrieval.research.relevance import bodies
from sightline.retrieval.research.wording import kind_of, word
from sightline.types import TYPE_KINDS

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_MAX_BODY_LINES = 300  # of one function that is read
_LOOP_LINES = 5  # below the head of a loop, in which its variable may be called
_HANDED_LINES = 6  # from where something is registered, in which what is handed over stands
_MAX_READ = 60  # functions whose bodies are read for names that they hand on
_MAX_LINE_CHARS = 300  # of a line that is looked at: the patterns are tried at every word of it
_MAX_EVENTS = 6  # event names that are looked up in text
_SELF = r"(?:\bthis|\bself|\$this|@)\s*(?:\?\.|\.|->|::)?\s*"
_HANDED = re.compile(
    r"(?:(?<!\bif )(?<!\bif)(?<!\bwhile )(?<!\bwhile)(?<!\bswitch )\(|[,:\[]|(?<![=!<>])=)\s*&?"  # no condition
    r"(?:(?:this|self|\$this|Self|@\w+)(?:\.|->|::))?(?P<name>[A-Za-z_]\w{2,})\s*(?=[,)\];]|$)"
)
_OF_LAMBDA = re.compile(r"[^()]*\)\s*(?:async\s*)?(?:=>|->|\{)")  # the names before that are its own
_APPLIED = (".hs", ".lhs")  # files of languages that hand a function on as any other word
_BARE = re.compile(r"(?<![\w.'])(?P<name>[a-z_]\w{2,})(?![\w'])")
_EACH = re.compile(rf"{_SELF}(?P<field>\w+)\s*[?!]?\s*\.\s*(?:forEach|for_each|each|values|iter)\b")
_LOOP = re.compile(
    rf"\bfor(?:each)?\b.*?(?:\$?(?P<var>\w+)\s+(?:of|in)|\bin)\s.*?{_SELF}(?P<field>\w+)"
    rf"|\bforeach\s*\(\s*{_SELF}(?P<field2>\w+)\s+as\s+(?:\$\w+\s*=>\s*)?\$(?P<var2>\w+)"
    rf"|\bfor\s*\([\w<>\[\]., ]*\s(?P<var3>\w+)\s*:\s*{_SELF}(?P<field3>\w+)"
)
_FIELD = re.compile(rf"{_SELF}(?P<field>\w+)\s*\)?\s*[?!]?\.?(?:invoke|call|run|apply|accept|\(\s*)?\(")
_EVENT = re.compile(
    r"\b(?:emit|dispatch|dispatchEvent|fire|trigger|publish|notify|broadcast|send)\w*\s*\(\s*(?:new\s+\w*Event\()?"
    r"(?P<quote>['\"`:])(?P<event>[\w.:/-]+)"
)
_REFLECTED = re.compile(
    r"\bgetattr\(|\bClass\.forName\(|\.getMethod\(|\.getDeclaredMethod\(|\bcall_user_func|\bimport_module\(|\bpublic_send\b"
    r"|\b[Rr]eflect\.\w|\bconstantize\b|\bperformSelector|NSClassFromString|\bapply\(__MODULE__"
)
# A field that is called, or of which a method is (`c->read(c)`, `mx.handler.ServeHTTP(w, r)`): what it holds is stored
# somewhere as the name of a function.
_HELD = re.compile(r"(?<=[\w)\]])(?:->|\.)(?P<field>[A-Za-z_]\w*)\s*\)?\s*(?:\(|\.\s*[A-Z]\w*\()")
_HOLDING = frozenset({".c", ".h", ".cc", ".cpp", ".go", ".py", ".zig"})  # languages in which that is how it is done
_SET = r"(?<![\w$]){field}\s*(?:=(?![=>])|:(?![:=]))\s*(?P<value>[^;]*)"
_VALUE = re.compile(r"(?<![\w.>])(?:&\s*)?(?P<owner>\w+(?:\.|->|::))?(?P<name>[A-Za-z_]\w{2,})(?P<called>\s*\()?")
_MAX_HELD = 40  # fields that are looked up in text
_MAX_SETTERS = 8  # functions that one field may hold: more of them say nothing
_STORING = re.compile(
    r"\.(?:push|add|append|insert|unshift|set|put|extend|<<|push_back|emplace_back)\b|<<|\+=|\]\s*=(?!=)|=(?![=>])"
)
_LISTENING = re.compile(
    r"\b(?:on|once|addListener|addEventListener|prependListener|subscribe|listen|listens|connect|register|handle|bind|hook|"
    r"add_action|add_filter|receiver|observe)\w*\s*[(\s]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Indirect:
    """A place where a function calls what no edge names."""

    caller: int
    line: int
    what: str  # in words: "what is stored in `_onRerun`"
    field: str = ""
    event: str = ""
    held: bool = False  # the field is called, so what it holds is a function or an object that can be


@dataclass(frozen=True, slots=True)
class Handed:
    """A place that hands something over, and what may be meant."""

    step: Indirect
    path: str
    line: int
    by: int | None  # the object that hands over
    stored: tuple[str, int] | None  # where it is stored
    targets: tuple[tuple[int, int], ...]  # objects that may be called, each with the line that says it


@dataclass(frozen=True, slots=True)
class Bridge:
    """An indirect step from one function to another, with the lines it rests on."""

    caller: int
    target: int
    what: str
    said: tuple[tuple[str, str, int], ...]  # words, path, line
    held: bool = False  # by a field that is called: the line that stores it names it
    others: tuple[int, ...] = ()  # what the field may hold beside


def bridges(draft: Draft, positions: Sequence[int]) -> list[Bridge]:
    """Where the way may go on from functions by a step that is no call."""
    graph = draft.graph
    found: list[Bridge] = []
    handed_all = handed_over(draft, indirect_steps(draft, positions))
    held: dict[Indirect, dict[int, None]] = {}
    for handed in handed_all:
        held.setdefault(handed.step, {}).update(dict.fromkeys(target for target, _ in handed.targets))
    for handed in handed_all:
        step = handed.step
        by = f" by {graph.names[handed.by]}" if handed.by is not None and graph.kinds[handed.by] != "module" else ""
        said = [(f"⇢ calls {step.what}", graph.path(step.caller), step.line)]
        said += [("  stored", *handed.stored)] if handed.stored is not None else []
        said.append((f"  {'stored' if step.held else 'handed over'}{by}", handed.path, handed.line))
        others = tuple(held[step]) if step.held else ()
        found += [Bridge(step.caller, t, step.what, tuple(said), step.held, others) for t, _ in handed.targets]
    for position in dict.fromkeys(positions[:_MAX_READ]):
        edges = {far for _, _, far in graph.rows([position], "out", REGISTERS)}  # these are walked like calls
        for target, line in _handed_on(draft, position):
            if target in edges:
                continue
            what = f"{graph.names[target]} handed on by its name"
            said = [(f"⇢ hands on {graph.names[target]}", graph.path(position), line)]
            found.append(Bridge(position, target, what, tuple(said)))
    return found


def _handed_on(draft: Draft, position: int) -> Iterator[tuple[int, int]]:
    """Functions of the same file, or the only ones of their name, that a body gives away without calling them."""
    graph, known = draft.graph, names_of(draft.graph.snapshot).by_name
    path, first = graph.path(position), graph.line(position)
    last = min(int(graph.objects.end_line[position]), first + _MAX_BODY_LINES)
    lines = draft.source.lines(path, first, last)
    doc = documentation([text for _, text in lines])
    body = "\n".join(text for _, text in lines)
    for number, (line, whole) in enumerate(lines[1:], 1):
        text = whole[:_MAX_LINE_CHARS]
        for match in (_BARE if path.endswith(_APPLIED) else _HANDED).finditer(text):
            if number in doc or kind_of(text, match) in ("comment", "string", "import"):
                continue
            if not path.endswith(_APPLIED) and (_is_bound(body, match["name"]) or _OF_LAMBDA.match(text, match.end())):
                continue
            named = [p for p in known.get(match["name"], ()) if graph.kinds[p] in ("method", "function")]
            for target in named:
                here = graph.path(target) == path
                if target == position or (_is_local(draft, target) and not _sees(draft, position, target)):
                    continue
                if here or len(named) == 1:
                    yield target, line


def _is_bound(body: str, name: str) -> bool:
    """Is a name that of a parameter, a variable or an argument of the function itself, and so no function's?"""
    own = re.escape(name)
    head = re.search(r"[^(]*\(([^;]*?)\)\s*(?:async\*?\s*)?(?:->|=>|:|\{|$|\n)", body)
    if head is not None and re.search(rf"(?<![\w.]){own}(?!\w)", head[1]):
        return True
    return (
        re.search(
            rf"(?<![\w.])(?:(?:let|const|var|val|local|my|for|as|auto|mut|fn|def|func|function)\s+[\w*&$,\s]*?\$?{own}(?!\w)"
            rf"|\$?{own}\s*(?::\s*[\w.\[\]<>| ]+\s*)?(?::=|=(?![=>]))|{own}\s*:\s*[A-Z][\w.\[\]]*\s*[,)=])",
            body,
        )
        is not None
    )


def _is_local(draft: Draft, position: int) -> bool:
    """Is a function known only inside another one?"""
    graph = draft.graph
    return any(graph.kinds[parent] in ("function", "method", "constructor") for parent in graph.parents(position))


def _sees(draft: Draft, position: int, target: int) -> bool:
    """Does a function know one that is defined inside another: is it that one, or inside of it, too?"""
    around = set(draft.graph.parents(target))
    while position not in around:
        above = draft.graph.parents(position)
        if not above:
            return False
        position = above[0]
    return True


def indirect_steps(draft: Draft, positions: Sequence[int]) -> list[Indirect]:
    """Where functions call what no edge names."""
    found: list[Indirect] = []
    for position in dict.fromkeys(positions):
        found += _of(draft, position)
    return found


def _of(draft: Draft, position: int) -> Iterator[Indirect]:
    graph = draft.graph
    first, last = graph.line(position), int(graph.objects.end_line[position])
    lines = draft.source.lines(graph.path(position), first, min(last, first + _MAX_BODY_LINES))
    known = names_of(graph.snapshot).by_name
    told: set[str] = set()
    for number, (line, whole) in enumerate(lines):
        text = whole[:_MAX_LINE_CHARS]
        below = "\n".join(other[:_MAX_LINE_CHARS] for _, other in lines[number + 1 : number + 1 + _LOOP_LINES])
        step = _step(position, line, text, below, known)
        if step is not None and step.what not in told:
            told.add(step.what)
            yield step
        for held in _held(draft, position, line, text):
            if held.field not in told:
                told.add(held.field)
                yield held


def _held(draft: Draft, position: int, line: int, text: str) -> Iterator[Indirect]:
    """Fields that a line calls, or methods of them that the root does not define."""
    graph = draft.graph
    path = graph.path(position)
    if path[path.rfind(".") :] not in _HOLDING:
        return
    known = names_of(graph.snapshot).by_name
    for match in _HELD.finditer(text):
        own = [p for p in known.get(match["field"], ()) if graph.kinds[p] in ("method", "function")]
        mine = [p for p in own if set(graph.parents(p)) & set(graph.parents(position))]
        if not mine and kind_of(text, match) not in ("comment", "string"):
            what = f"what is stored in `{match['field']}`"
            yield Indirect(position, line, what, field=match["field"], held=True)


def _step(position: int, line: int, text: str, below: str, known: object) -> Indirect | None:
    each, loop = _EACH.search(text), _LOOP.search(text)
    field = each["field"] if each is not None else ""
    if loop is not None and not field:
        variable = loop["var"] or loop["var2"] or loop["var3"]
        if variable and re.search(rf"\b{variable}\s*(?:\?\.|\.(?:call|invoke|run|accept)\s*)?\(", below):
            field = loop["field"] or loop["field2"] or loop["field3"]
    if field:
        return Indirect(position, line, f"what is stored in `{field}`", field=field)
    for match in _FIELD.finditer(text):
        if match["field"] not in known and kind_of(text, match) not in ("comment", "string"):  # type: ignore[operator]
            return Indirect(position, line, f"what is stored in `{match['field']}`", field=match["field"])
    event = _EVENT.search(text)
    if event is not None and kind_of(text, event) != "comment":
        return Indirect(position, line, f"who listens for `{event['event']}`", event=event["event"])
    if _REFLECTED.search(text):
        return Indirect(position, line, "something by its name at run time")
    return None


def handed_over(draft: Draft, steps: Sequence[Indirect]) -> list[Handed]:
    """Who hands over what these steps call."""
    found: list[Handed] = []
    events: set[str] = set()
    held: set[tuple[str, str]] = set()
    for step in steps:
        if step.held:
            here = (step.field, _folder(draft, step.caller))
            if len(held) < _MAX_HELD and here not in held:
                held.add(here)
                found += _holders(draft, step)
        elif step.field:
            found += _stored(draft, step)
        elif step.event and len(events) < _MAX_EVENTS and step.event not in events:
            events.add(step.event)
            found += _listeners(draft, step)
    return found


def _stored(draft: Draft, step: Indirect) -> Iterator[Handed]:
    """Whoever calls what stores into a field hands something over."""
    graph = draft.graph
    path, pattern = graph.path(step.caller), word(step.field)
    for line, text in draft.source.lines(path, 1, graph.snapshot.files[path].lines):
        match = pattern.search(text)
        if match is None or not _STORING.match(text[match.end() :].lstrip("?!")) or kind_of(text, match) == "comment":
            continue
        storing = object_at(graph.snapshot, path, line)
        if (
            storing is None
            or storing == step.caller
            or graph.kinds[storing] not in ("method", "function", "constructor")
        ):
            continue
        for row, _, caller in graph.rows(graph.with_constructors(storing), "in", CALLS):
            site = int(graph.edges.start_line[row])
            where = graph.edges.path(row)
            if not is_test_file(where) and caller != storing:
                said = tuple(found for found in _said(draft, caller, where, site) if found[0] != storing)
                yield Handed(step, where, site, caller, (path, line), said)


def _folder(draft: Draft, position: int) -> str:
    return draft.graph.path(position).rpartition("/")[0]


def _holders(draft: Draft, step: Indirect) -> list[Handed]:
    """Lines that set a field to functions, by their names."""
    graph = draft.graph
    form = re.compile(_SET.format(field=re.escape(step.field)))
    rows = [(row, far) for row, _, far in graph.rows([step.caller], "out", CALLS) if graph.is_proven(row)]
    resolved = {graph.names[far] for row, far in rows if int(graph.edges.start_line[row]) == step.line}
    ending = graph.path(step.caller)[graph.path(step.caller).rfind(".") :]
    found: list[Handed] = []
    owners = set(graph.parents(step.caller))
    for file in occurrences(graph.snapshot, draft.texts, step.field).files:
        path = file.text.path
        alike = path.endswith(ending) or (ending == ".c" and path.endswith(".h"))
        if is_test_file(path) or file.text.reason or not alike:
            continue
        for number, line in enumerate(file.lines):
            text = file.line(number)[:_MAX_LINE_CHARS]
            match = form.search(text)
            if match is None or kind_of(text, match) in ("comment", "string"):
                continue
            by = object_at(graph.snapshot, path, line)
            targets = [p for p in _functions_said(draft, match["value"], path, by) if graph.names[p] not in resolved]
            if targets:  # beside those that an edge leads to
                found.append(Handed(step, path, line, by, None, tuple((target, line) for target in targets)))
    typed = any(graph.kinds[owner] in TYPE_KINDS for owner in owners)
    mine = [h for h in found if h.by is not None and owners & set(graph.parents(h.by))]
    near = [h for h in found if h.path == graph.path(step.caller)]
    chosen = mine if typed else near or found  # another type's field of the name holds something else
    return chosen if len({target for h in chosen for target, _ in h.targets}) <= _MAX_SETTERS else []


def _functions_said(draft: Draft, value: str, path: str, by: int | None) -> list[int]:
    """The functions that a value says without calling them; of a function that it calls what that gives back."""
    graph = draft.graph
    known = names_of(graph.snapshot).by_name
    around = set(graph.parents(by)) if by is not None else set()
    found: list[int] = []
    for match in _VALUE.finditer(value):
        named = [p for p in known.get(match["name"], ()) if graph.kinds[p] in ("method", "function")]
        own = [p for p in named if around & set(graph.parents(p)) and match["owner"]]
        here = own or [p for p in named if graph.path(p) == path and not _is_local(draft, p)]
        meant = here or (named if len(named) == 1 else [])
        if match["called"]:
            found += [p for f in meant for p in _given_back(draft, f)]
        elif match["owner"] or not any(graph.kinds[parent] in TYPE_KINDS for p in meant for parent in graph.parents(p)):
            found += meant
    return bodies(graph, list(dict.fromkeys(found)))  # no prototypes


def _given_back(draft: Draft, maker: int) -> list[int]:
    """What a function makes that can be called: a function inside that it returns, objects of types it names."""
    graph, names = draft.graph, draft.graph.objects.column("name")
    path, first, last = graph.path(maker), graph.line(maker), int(draft.graph.objects.end_line[maker])
    body = "\n".join(text for _, text in draft.source.lines(path, first, min(last, first + _MAX_BODY_LINES)))
    returned = set(re.findall(r"\breturn\s+(\w+)\s*$", body, re.MULTILINE))
    inner = [m for m in graph.members(maker) if names[m] in returned and graph.kinds[m] in ("function", "method")]
    if inner or not path.endswith(".py"):
        return inner
    known = names_of(graph.snapshot).by_name
    types = [name for name in dict.fromkeys(re.findall(r"\b[A-Z]\w+", body)) if name in known]
    types += [name.capitalize() for name in dict.fromkeys(re.findall(r"\bself\.([a-z]\w*)", body))]
    found = [p for name in dict.fromkeys(types) for p in known.get(name, ()) if graph.kinds[p] in TYPE_KINDS]
    return bodies(graph, [m for p in found for m in graph.members(p) if names[m] == "__call__" and m != maker])


def _listeners(draft: Draft, step: Indirect) -> Iterator[Handed]:
    """Lines that register for an event by its name."""
    graph = draft.graph
    for file in occurrences(graph.snapshot, draft.texts, step.event).files:
        path = file.text.path
        if is_test_file(path) or file.text.reason:
            continue
        for number, line in enumerate(file.lines):
            text = file.line(number)[:_MAX_LINE_CHARS]
            match = re.search(rf"['\"`:]{re.escape(step.event)}\b", text)
            if match is not None and _LISTENING.search(text[: match.start() + 1]):
                by = object_at(graph.snapshot, path, line)
                yield Handed(step, path, line, by, None, _said(draft, by, path, line))


def _said(draft: Draft, by: int | None, path: str, line: int) -> tuple[tuple[int, int], ...]:
    """What a registration hands over: functions called in the lines after it, or said by name."""
    graph = draft.graph
    found: dict[int, int] = {}
    if by is not None:
        last = _closed(draft, path, line)
        for row, _, far in graph.rows([by], "out", CALLS):
            site = int(graph.edges.start_line[row])
            if graph.edges.path(row) == path and line <= site <= last:
                found.setdefault(far, site)
    known = names_of(graph.snapshot).by_name
    for number, text in draft.source.lines(path, line, line + 1):
        for name in re.findall(r"\w{3,}", text[:_MAX_LINE_CHARS]):
            here = [p for p in known.get(name, ()) if graph.path(p) == path or len(known[name]) == 1]
            for position in here:
                if graph.kinds[position] in ("method", "function"):
                    found.setdefault(position, number)
    return tuple(found.items())


def _closed(draft: Draft, path: str, line: int) -> int:
    """The line on which the brackets of a registration are closed, or the last one that is looked at."""
    depth = 0
    for number, text in draft.source.lines(path, line, line + _HANDED_LINES):
        depth += sum(text.count(mark) for mark in "([{") - sum(text.count(mark) for mark in ")]}")
        if depth <= 0:
            return number
    return line + _HANDED_LINES
