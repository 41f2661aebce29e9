"""Trees of callers, callees and subtypes as lines: a file's path once, an edge once with all its sites."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.evidence import Node, Tree
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.said import kind_said, name_said
from sightline.tokens import subwords
from sightline.types import MAX_DEPTH

if TYPE_CHECKING:
    from sightline.retrieval.research.pieces import Draft

_QUOTED_CALLERS = 10  # up to so many callers are shown with the line that calls
_FEW_CALLERS = 4  # up to so many their own callers are, too
_MAX_CHAIN = 30  # callers of callers that are listed; of more only their number
TESTS_SHOWN = 10
FEW_TESTS = 3  # where the question is not about tests
# Guesses below this are of two kinds. By compilers (flask, requests, zod, gin, chi, gson; `scripts/bench graph`):
# calls of a name that several have, 2 of 5 right (Python 1 of 3, TypeScript 1 of 2, Go and Java none judged), functions
# that are stored or handed on, 0 of 6 (TypeScript). In eight other repositories such a call has 2.4 to 3.1 candidates,
# so at most .32 to .42 of these edges can be right; of 30 calls read by hand 26 do mean one of their candidates. The
# line is therefore worth more than the edge: the check by text names it as what may be meant.
_LIKELY = 0.5
_FEW_GUESSES = 3  # unlikely ones are listed up to so many
_QUOTED_CHARS = 100  # of a line that registers
_MAX_SITES = 12  # lines named of one edge
VERBS = {
    "calls": "calls",
    "instantiates": "instantiates",
    "inherits": "extends",
    "implements": "implements",
    "overrides": "overrides",
    "uses_type": "uses type",
    "imports": "imports",
    "decorates": "decorates",
    "tests": "tests",
    "registers": "registers",
}
Write = Callable[["Draft", Node, int, str], Line]


def location(path: str, lines: Sequence[int], here: str = "") -> str:
    """`path:12, :15`; where the path stands above, only the lines."""
    shown = [f":{line}" for line in lines[:_MAX_SITES]]
    more = f" and {len(lines) - _MAX_SITES} more" if len(lines) > _MAX_SITES else ""
    return ("" if path == here else path) + ", ".join(shown) + more


def sited(draft: Draft, fact: Fact, here: str = "") -> tuple[Fact, str]:
    """A fact with all its sites, and where they are."""
    whole = draft.sites.complete(fact)
    return whole, location(whole.path, whole.sites, here)


# One line


def caller_text(draft: Draft, node: Node, depth: int, here: str = "") -> Line:
    """A caller: who, where it begins, where it calls, and the line that does."""
    fact = node.fact
    assert fact is not None
    fact, where = sited(draft, fact, here)
    verb = "" if fact.kind == "calls" else f" ({VERBS[fact.kind]})"
    site, shown = draft.source.site(fact) if node.hops <= draft.quoting else ("", None)
    again = "  (above)" if node.again and node.hops > 1 else ""
    arrow, through = ("← " if node.hops > 1 else ""), ""
    if node.via:
        steps = " → ".join(f"{step.source} ({step.path}:{step.line})" for step in node.via)
        arrow, through = "⇠ ", f"  calls {fact.target}, overridden by {steps}"
    gap = " " if where.startswith(":") else "  "
    name = f"{_source_name(draft, node, fact)}{_begins(draft, node, fact)}"
    text = f"{'  ' * depth}{arrow}{name}{verb}{gap}{where}{through}{again}"
    return Line(text + (f"  | {site}" if site else ""), (fact, *node.via), shown, rank=node.hops)


def _begins(draft: Draft, node: Node, fact: Fact) -> str:
    """Where a caller is defined: whoever reads on wants its first line, too. A file has none."""
    graph = draft.graph
    known = graph.path(node.position) == fact.path and graph.kinds[node.position] != "module"
    return f" (:{graph.declared(node.position)})" if known else ""


def _source_name(draft: Draft, node: Node, fact: Fact) -> str:
    said = name_said(draft.graph, draft.source, node.position)
    return said if draft.graph.names[node.position] == fact.source else fact.source


def callee_text(draft: Draft, node: Node, depth: int, here: str = "") -> Line:
    """A callee: what, where it is defined, and where it is called."""
    fact = node.fact
    assert fact is not None
    again = "  (above)" if node.again else ""
    if node.dispatched:
        text = f"{'  ' * depth}⇢ may run {fact.source}  {location(fact.path, [fact.line])}{again}"
        return Line(text, (fact,), rank=node.hops)
    fact, where = sited(draft, fact)
    verb = "" if fact.kind == "calls" else f" ({VERBS[fact.kind]})"
    defined = draft.graph.location(node.position)
    at = where.removeprefix(fact.path) if defined.startswith(fact.path + ":") else where
    return Line(f"{'  ' * depth}→ {fact.target}{verb}  {defined}, at {at}{again}", (fact,), rank=node.hops)


def subtype_text(draft: Draft, node: Node, depth: int, here: str = "") -> Line:
    """A subtype or override: what, where, and where that is stated if in another file."""
    fact = node.fact
    assert fact is not None
    graph = draft.graph
    path = graph.path(node.position)
    where = graph.location(node.position).removeprefix(here)
    begins, stated_at = graph.declared(node.position), (fact.path, fact.line)
    if path == fact.path and graph.line(node.position) <= fact.line <= int(graph.objects.end_line[node.position]):
        fact = replace(fact, line=begins)  # its own head says so, which may take several lines
    extra = "" if (path, begins) == (fact.path, fact.line) else _stated(fact, path)
    kind = kind_said(graph, draft.source, node.position)
    name = name_said(graph, draft.source, node.position)
    draft.sites.lines.update({stated_at, (path, begins)})
    return Line(f"{'  ' * depth}{kind} {name}  {where}{extra}", (fact,), rank=node.hops, path=path)


def _stated(fact: Fact, path: str) -> str:
    return f", stated at {location(fact.path, [fact.line], path).strip()}"


def base_text(draft: Draft, node: Node, depth: int, here: str = "") -> Line:
    """A base: how it is one, where it is and where that is stated."""
    fact = node.fact
    assert fact is not None
    where = draft.graph.location(node.position)
    text = f"{'  ' * depth}{VERBS[fact.kind]} {fact.target}  {where}, stated at {fact.path}:{fact.line}"
    return Line(text, (fact,), rank=depth)


def registration_text(draft: Draft, fact: Fact, here: str = "") -> Line:
    """A registration: who keeps or hands on the function, for what, and where."""
    draft.sites.lines.add((fact.path, fact.line))  # other lines of the function may let go of it again
    where = location(fact.path, [fact.line], here)
    label = f" for `{fact.label}`" if fact.label else ""
    quote = draft.source.text(fact.path, fact.line)[:_QUOTED_CHARS]
    return Line(f"⇢ {fact.source}{label}  {where}" + (f"  | {quote}" if quote else ""), (fact,))


def stated(fact: Fact) -> Line:
    """An edge as a sentence with its place."""
    return Line(f"{fact.source} {VERBS[fact.kind]} {fact.target}  {fact.path}:{fact.line}", (fact,))


# Many lines


def shown(draft: Draft, node: Node) -> bool:
    """Is a node code that was asked for: no test, and inside the filter?"""
    path = node.fact.path if node.fact is not None else draft.graph.path(node.position)
    return not is_test_file(path) and draft.scope.code(path)


def tree_lines(draft: Draft, roots: Iterable[Node], write: Write, here: str = "", depth: int = 0) -> list[Line]:
    """A tree as indented lines, tests and what a filter hides left out; a subtype of several bases stands once."""
    lines: list[Line] = []
    stack = [(node, depth) for node in reversed(list(roots))]
    while stack:
        node, level = stack.pop()
        if node.again and write is subtype_text:
            continue
        if shown(draft, node):
            lines.append(write(draft, node, level, here))
            level += 1
        stack.extend((child, level) for child in reversed(node.children) if shown(draft, child))
    return lines


def callers_by_file(draft: Draft, tree: Tree, through: Mapping[str, Tree] = MappingProxyType({})) -> list[Line]:
    """Direct callers with their own callers below them, by file; long chains are only counted. Those `through` another
    declaration stand below its name."""
    direct = [node for node in tree.roots if shown(draft, node)]
    beside = sum(shown(draft, node) for each in through.values() for node in each.roots)
    further = sum(1 for node in tree.walk() if node.hops > 1 and shown(draft, node))
    roots = tree.roots if further <= _MAX_CHAIN else [_alone(node) for node in direct]
    many = len(direct) + beside > _QUOTED_CALLERS
    draft.quoting = 0 if many else 1 if len(direct) + further > _FEW_CALLERS else MAX_DEPTH
    lines = _by(draft, roots, caller_text, _calling_file)
    if further > _MAX_CHAIN:
        lines.append(Line(f"{further} more through the chain: expand_graph direction=in depth=2", rank=2))
    for name, each in through.items():
        found = _by(draft, each.roots, caller_text, _calling_file)
        lines += [Line(f"through {name}:", heading=True)] if found else []
        lines += [replace(line, text=f"  {line.text}") for line in found]
    return lines


def _calling_file(node: Node) -> str:
    return node.fact.path if node.fact is not None else ""


def by_folder(draft: Draft, roots: Sequence[Node], write: Write) -> list[Line]:
    """Trees under the folder of their first node, where several share one."""
    return _by(draft, roots, write, lambda node: draft.graph.path(node.position).rpartition("/")[0] + "/")


def under_folders(lines: Sequence[Line], further: Sequence[Line]) -> list[Line]:
    """Lines that stand under folders, and further ones that say their whole path: these under their folders, too."""
    folders = [line.path.rpartition("/")[0] + "/" for line in further]
    headings = {line.text for line in lines if line.heading}
    within: dict[str, list[Line]] = {}
    for folder, line in zip(folders, further, strict=True):
        number = folders.count(folder)
        shared = folder in headings or (number - 1) * len(folder) > 2 * number  # else a heading saves nothing
        text = "  " + line.text.replace(f"  {folder}", "  ", 1)
        within.setdefault(folder if shared else "", []).append(replace(line, text=text) if shared else line)
    alone = within.pop("", [])
    result: list[Line] = []
    waiting = ""
    for line in lines:
        if waiting and not line.text.startswith(" "):  # the last line below a folder was told
            result += within.pop(waiting, [])
            waiting = ""
        waiting = line.text if line.heading else waiting
        result.append(line)
    result += within.pop(waiting, [])
    for folder, found in within.items():
        result += [Line(folder, heading=True), *found]
    return [*result, *alone]


def _alone(node: Node) -> Node:
    return Node(node.position, node.fact, node.hops, again=node.again, dispatched=node.dispatched, via=node.via)


def _by(draft: Draft, roots: Sequence[Node], write: Write, key: Callable[[Node], str]) -> list[Line]:
    grouped: dict[str, list[Node]] = {}
    for node in roots:
        grouped.setdefault(key(node), []).append(node)
    lines: list[Line] = []
    for where, nodes in grouped.items():
        visible = sum(shown(draft, node) for root in nodes for node in Tree([root], []).walk())
        if visible < 2 or where in ("", "/"):
            lines += tree_lines(draft, nodes, write)
        else:
            lines += [Line(where, heading=True), *tree_lines(draft, nodes, write, where, 1)]
    return lines


def test_lines(
    draft: Draft, trees: Iterable[Tree], name: str, path: str, most: int = TESTS_SHOWN
) -> tuple[list[Line], int]:
    """The most direct tests, each once with all its lines, and how many there are."""
    found: dict[tuple[str, str], dict[Fact, None]] = {}
    for tree in trees:
        for node in tree.walk():
            if node.fact is not None and is_test_file(node.fact.path) and draft.scope.test(node.fact.path):
                found.setdefault((node.fact.path, node.fact.source), {}).setdefault(node.fact)
    words = set(subwords(name)) - {"test"}
    stem = set(subwords(re.split(r"[/.]", path)[-2] if "." in path else path))

    def directness(key: tuple[str, str]) -> tuple[int, float, bool, str, int]:
        file, test = key
        said = set(subwords(test.rpartition(".")[2])) - {"test", "tests", "should"}
        return (
            min(fact.hops for fact in found[key]),
            -len(words & said) / max(len(words | said), 1),
            not stem & set(subwords(file.rpartition("/")[2])),
            file,
            min(fact.line for fact in found[key]),
        )

    chosen = sorted(found, key=directness)[:most]
    near = sum(directness(key)[0] == 1 for key in chosen)
    chosen = chosen[: near + FEW_TESTS] if near else chosen  # of those that only reach it a few
    by_file: dict[str, list[tuple[str, str]]] = {}
    for key in chosen:
        by_file.setdefault(key[0], []).append(key)
    lines: list[Line] = []
    for file, keys in by_file.items():
        if len(keys) > 1:
            lines.append(Line(file, heading=True))
        for key in keys:
            facts = tuple(found[key])
            hops = min(fact.hops for fact in facts)
            where = location(file, sorted({fact.line for fact in facts}), file if len(keys) > 1 else "")
            called = all(fact.kind not in ("inherits", "implements", "overrides") for fact in facts)
            away = f", {hops} calls away" if hops > 1 and called else ""
            indent, gap = ("  ", " ") if len(keys) > 1 else ("", "  ")
            lines.append(Line(f"{indent}{key[1]}{gap}{where}{away}", facts, rank=hops))
    return lines, len(found)


def possible_lines(draft: Draft, facts: Iterable[Fact]) -> tuple[list[Line], int]:
    """Guessed edges worth a line, most likely first, and how many of the unlikely ones were left out."""
    unique = {
        (f.kind, f.source, f.source_path, f.target): f
        for f in facts
        if (draft.scope.test(f.path) if is_test_file(f.path) else draft.scope.code(f.path))
    }
    likely = [f for f in unique.values() if f.confidence >= _LIKELY]
    unlikely = [f for f in unique.values() if f.confidence < _LIKELY]
    chosen = likely + (unlikely if len(unlikely) <= _FEW_GUESSES else [])
    ordered = sorted(chosen, key=lambda f: (is_test_file(f.path), f.hops, -f.confidence, f.path, f.line))
    lines = [
        Line(
            f"~ possible, {f.confidence:.1f}: {f.source} {VERBS[f.kind]} {f.target}  {f.path}:{f.line}"
            f" ({f.resolution.replace('_', ' ')})",
            (f,),
            rank=f.hops,
        )
        for f in ordered
    ]
    return lines, len(unique) - len(chosen)
