"""Questions about folders and files, answered: dependencies, dependents, cycles, overview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.listing import stated
from sightline.retrieval.research.model import Fact, Line
from sightline.retrieval.research.modules import (
    Cycle,
    Dependency,
    crossings_of,
    file_cycles,
    folder_cycles,
    folder_of,
)
from sightline.retrieval.research.names import Area
from sightline.retrieval.research.pieces import (
    ANSWER,
    DEFINITION,
    DISPATCH,
    RELATED,
    TESTS,
    Draft,
    checked,
    count,
    named,
)

_EDGES_SHOWN = 5  # per pair of files at first; the rest is counted
_MAX_FILES, _FEW_FILES = 60, 30  # listed of an overview; the smaller number in an answer of the usual size
_FEW_FOLDERS, _FEW_TEST_FILES = 6, 3
_NAMES_PER_PAIR = 4
_NAMES_PER_FILE, _FEW_NAMES = 8, 5
_MAX_CYCLES = 10
_KEY_SYMBOLS = 12
_WEIGHT_ORDER = ("imports", "inherits", "implements", "instantiates", "calls", "uses_type", "overrides", "decorates")


def dependencies(draft: Draft, a: Area, b: Area | None) -> None:
    """What one place depends on; with a second one, what either needs of the other."""
    crossings = crossings_of(draft.graph.snapshot)
    if b is None:
        found = crossings.out_of(a.files)
        _pairs(draft, f"What {a.label} depends on", found, by="target")
        _outside(draft, a)
        _head(draft, f"{a.label} depends on", found, by="target")
    else:
        there, back = crossings.between(a.files, b.files), crossings.between(b.files, a.files)
        _pairs(draft, f"{a.label} depends on {b.label}", there, by="pair")
        _pairs(draft, f"{b.label} depends on {a.label}", back, by="pair")
        draft.head.append(_both_ways(a, b, there, back))
    checked(draft, negative=True)


def dependents(draft: Draft, area: Area) -> None:
    """What depends on an area."""
    found = crossings_of(draft.graph.snapshot).into(area.files)
    _pairs(draft, f"What depends on {area.label}", found, by="source")
    _head(draft, f"Depends on {area.label}:", found, by="source")
    checked(draft, negative=True)


def _both_ways(a: Area, b: Area, there: list[Dependency], back: list[Dependency]) -> str:
    sure = [any(d.rows and not is_test_file(d.source) for d in side) for side in (there, back)]
    if all(sure):
        return f"{a.label} and {b.label} depend on each other."
    if sure[0]:
        return f"{a.label} depends on {b.label}; not the other way round."
    if sure[1]:
        return f"{b.label} depends on {a.label}; not the other way round."
    if a.files & b.files:
        return f"{a.label} and {b.label} share files; ask about folders that do not contain each other."
    return f"Neither {a.label} nor {b.label} depends on the other, as far as the index can tell."


def _head(draft: Draft, words: str, found: Sequence[Dependency], *, by: str) -> None:
    sure = [d for d in found if d.rows and not is_test_file(d.source)]
    files = {getattr(d, by) for d in sure}
    folders = {folder_of(path) for path in files}
    draft.head.append(
        f"{words} {count(len(files), 'file')} in {count(len(folders), 'folder')}."
        if files
        else f"{words} nothing else here."
    )


def _pairs(draft: Draft, title: str, found: Sequence[Dependency], *, by: str) -> None:
    """Dependencies as lines: folder, pair of files, the edges that say so; guesses and tests in their own sections."""
    production = [d for d in found if d.rows and not is_test_file(d.source)]
    more = "a larger max_tokens, or ask about one of the files"
    draft.add(title, _pair_lines(draft, production, by), ANSWER, more=more)
    guessed = [draft.graph.fact(row) for d in found if not d.rows for row in d.possible[:2]]
    draft.add_possible("Possible dependencies, not proven", guessed, closed=not draft.ample)
    tests = [(d, _ordered(draft, d.rows)) for d in found if d.rows and is_test_file(d.source)]
    in_tests = [Line(_pair_text(d, facts), (_depends(d, facts[0]),)) for d, facts in tests]
    draft.add("In tests", in_tests, TESTS, what="files")


def _pair_lines(draft: Draft, found: Sequence[Dependency], by: str) -> list[Line]:
    """Pairs of files by folder, the folder with the most edges first, each with its first edges."""

    def folder(dependency: Dependency) -> str:
        return folder_of(dependency.source if by == "source" else dependency.target)

    weight = Counter(folder(d) for d in found for _ in d.rows)
    lines: list[Line] = []
    last = ""
    for dependency in sorted(found, key=lambda d: (-weight[folder(d)], folder(d), d.source, d.target)):
        if by != "pair" and len(weight) > 1 and folder(dependency) != last:
            last = folder(dependency)
            lines.append(Line(f"[{last}]", heading=True))
        facts = _ordered(draft, dependency.rows)
        if not draft.ample:
            lines.append(Line(_brief_pair(dependency, facts), (_depends(dependency, facts[0]),)))
            continue
        lines.append(Line(_pair_text(dependency, facts), (_depends(dependency, facts[0]),)))
        for number, fact in enumerate(facts[:_EDGES_SHOWN], 1):
            lines.append(_indented(stated(fact), number))
        if len(facts) > _EDGES_SHOWN:
            lines.append(Line(f"    and {len(facts) - _EDGES_SHOWN} more", rank=1))
    return lines


def _brief_pair(dependency: Dependency, facts: Sequence[Fact]) -> str:
    """One file's need of another in a line: what it uses of it, and where first."""
    itself = dependency.target.rpartition(".")[0].replace("/", ".")  # the module, which the path names already
    names = list(dict.fromkeys(fact.target for fact in facts if fact.target != itself))
    more = f" +{len(names) - _NAMES_PER_PAIR}" if len(names) > _NAMES_PER_PAIR else ""
    said = f": {', '.join(names[:_NAMES_PER_PAIR])}{more}" if names else ""
    return f"{dependency.source}:{facts[0].line} → {dependency.target}{said}"


def _indented(line: Line, rank: int) -> Line:
    return replace(line, text=f"    {line.text}", rank=rank)


def _ordered(draft: Draft, rows: Sequence[int]) -> list[Fact]:
    facts = [draft.graph.fact(row) for row in rows]
    return sorted(facts, key=lambda f: (_WEIGHT_ORDER.index(f.kind), f.line, f.target))


def _pair_text(dependency: Dependency, facts: Sequence[Fact]) -> str:
    counts = Counter(fact.kind.replace("_", " ") for fact in facts)
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"{dependency.source} → {dependency.target}  ({said})  first at {facts[0].path}:{facts[0].line}"


def _depends(dependency: Dependency, first: Fact) -> Fact:
    source, target = dependency.source, dependency.target
    return Fact(
        "depends_on", source, source, target, target, first.path, first.line, first.confidence, first.resolution, True
    )  # fmt: skip


def _outside(draft: Draft, area: Area) -> None:
    """Packages outside the root that a place imports."""
    edges = draft.graph.edges
    imports = edges.column("relationship_type").mask("imports")
    numbers = [n for n, path in enumerate(draft.graph.snapshot.paths) if path in area.files]
    rows = np.flatnonzero(edges.alive & imports & (edges.column("target") == 0) & np.isin(edges.path_index, numbers))
    first: dict[str, str] = {}
    for edge in edges.get(rows[:500]):
        first.setdefault(edge.target_name, f"{edge.path}:{edge.site_line}")
    if draft.ample:
        lines = [Line(f"{name}  {where}") for name, where in sorted(first.items())]
    else:
        lines = [Line(", ".join(sorted(first)))] if first else []
    draft.add("Imports from outside this root", lines, RELATED, what="packages")


def cycles(draft: Draft, area: Area) -> None:
    """Files, and folders, that depend on each other in a circle."""
    snapshot = draft.graph.snapshot
    by_import = file_cycles(snapshot, area.files, imports_only=True)
    by_folder = folder_cycles(snapshot, area.files)
    known = {cycle.component for cycle in by_import}
    by_use = [c for c in file_cycles(snapshot, area.files, imports_only=False) if c.component not in known]
    for title, found, priority in (
        ("Import cycles between files", by_import, ANSWER),
        ("Cycles between folders", by_folder, DEFINITION),
        ("Files that use each other without a cycle of imports", by_use, DISPATCH),
    ):
        lines = [line for cycle in found[:_MAX_CYCLES] for line in _cycle_lines(draft, cycle)]
        draft.add(f"{title} ({len(found)})", lines, priority, more="ask for one folder", what="lines")
    draft.head.append(
        f"{area.label}: {count(len(by_import), 'import cycle')} between files,"
        f" {count(len(by_folder), 'cycle')} between folders, {count(len(by_use), 'group')} of files that use each other"
        " without one (tests left out)."
    )
    checked(draft, negative=True)


def _cycle_lines(draft: Draft, cycle: Cycle) -> list[Line]:
    lines = [
        Line(
            f"{cycle.steps[0][0]}"
            + (
                f"  (one of the cycles among {len(cycle.component)} that all depend on each other)"
                if len(cycle.component) > len(cycle.steps)
                else ""
            )
        )
    ]
    for source, target, row in cycle.steps:
        fact = draft.graph.fact(row)
        depends = Fact(
            "depends_on", source, source, target, target, fact.path, fact.line, fact.confidence, fact.resolution, True
        )
        lines.append(Line(f"  → {target}  {fact.path}:{fact.line} ({fact.kind} {fact.target})", (depends,)))
    return lines


def overview(draft: Draft, area: Area) -> None:
    """Files with what they define, the symbols others use most, and what the place depends on and serves."""
    graph, snapshot = draft.graph, draft.graph.snapshot
    files = sorted(path for path in area.files if not is_test_file(path))
    central = _most_used(draft, set(files))
    lines = [
        Line(f"{named(graph, p)}  {graph.location(p)}  used from {count(number, 'place')}", (graph.definition(p),))
        for p, number in central[:_KEY_SYMBOLS]
    ]
    draft.add(f"Most used symbols of {area.label}", lines, ANSWER, what="symbols")
    listed: list[Line] = []
    shown = sorted(files, key=lambda path: (folder_of(path), path))[: _MAX_FILES * 3 if draft.ample else _FEW_FILES]
    for number, path in enumerate(shown):
        if not number or folder_of(path) != folder_of(shown[number - 1]):
            listed.append(Line(f"[{folder_of(path)}]", heading=True))
        listed.append(_file_line(draft, path))
    if len(shown) < len(files):
        listed.append(Line(f"and {len(files) - len(shown)} more files: ask about one folder, or a larger max_tokens"))
    draft.add(f"Files of {area.label} ({len(files)})", listed, ANSWER, more="ask about one folder", what="files")
    crossings = crossings_of(snapshot)
    for title, found, by in (
        ("Depends on", crossings.out_of(area.files), "target"),
        ("Used by", crossings.into(area.files), "source"),
    ):
        counted: dict[str, list[Dependency]] = {}
        for d in found:
            if d.rows and not is_test_file(d.source):
                counted.setdefault(folder_of(getattr(d, by)), []).append(d)
        lines = []
        for folder, pairs in sorted(counted.items(), key=lambda item: (-sum(len(d.rows) for d in item[1]), item[0])):
            ends = (area.label, folder) if by == "target" else (folder, area.label)
            lines.append(_folder_line(draft, *ends, pairs, shown=folder))
        draft.add(title, lines if draft.ample else lines[:_FEW_FOLDERS], RELATED, what="folders")
    tests = sorted(path for path in area.files if is_test_file(path))
    named_tests = tests[: _MAX_FILES if draft.ample else _FEW_TEST_FILES]
    draft.add("Tests", [Line(path, path=path) for path in named_tests], TESTS, what="files")
    languages = Counter(snapshot.files[path].language for path in files)
    said = ", ".join(f"{count} {name}" for name, count in languages.most_common(6))
    draft.head.append(f"{area.label}: {count(len(files), 'file')} ({said}) and {count(len(tests), 'test file')}.")
    checked(draft, negative=True)


def _folder_line(draft: Draft, source: str, target: str, pairs: Sequence[Dependency], *, shown: str) -> Line:
    """That one folder depends on another, with one place that shows it."""
    first = min((_ordered(draft, d.rows)[0] for d in pairs), key=lambda f: (f.kind != "imports", f.path, f.line))
    fact = Fact("depends_on", source, "", target, "", first.path, first.line, first.confidence, first.resolution, True)
    edges = sum(len(d.rows) for d in pairs)
    text = f"{shown}  {count(len(pairs), 'pair')} of files, {count(edges, 'edge')}, e.g. {first.path}:{first.line}"
    return Line(text, (fact,))


def _file_line(draft: Draft, path: str) -> Line:
    graph = draft.graph
    positions = graph.objects.positions_of_path(path).tolist()
    modules = {int(graph.objects.ids[p]) for p in positions if graph.kinds[p] == "module"}
    parents = graph.objects.column("parent")
    top = [p for p in positions if graph.kinds[p] != "module" and int(parents[p]) in modules]
    visible = [p for p in top if graph.objects.column("visibility")[p] == "public"] or top
    visible = [p for p in visible if graph.kinds[p] != "constant"] or visible
    most = _NAMES_PER_FILE if draft.ample else _FEW_NAMES
    names = ", ".join(graph.names[p] for p in visible[:most])
    more = f" +{len(visible) - most}" if len(visible) > most else ""
    name, record = path.rpartition("/")[2], graph.snapshot.files[path]
    return Line(f"{name} ({record.lines} lines)" + (f": {names}{more}" if names else ""), path=path)


def _most_used(draft: Draft, files: Collection[str]) -> list[tuple[int, int]]:
    """Objects of these files by how many edges lead to them from other files."""
    graph = draft.graph
    counts: Counter[int] = Counter()
    for dependency in crossings_of(graph.snapshot).by_pair.values():
        if dependency.target in files:
            counts.update(int(graph.adjacency.target[row]) for row in dependency.rows)
    found = [(p, n) for p, n in counts.items() if graph.kinds[p] != "module" and graph.path(p) in files]
    return sorted(found, key=lambda item: (-item[1], graph.path(item[0]), graph.line(item[0])))


def module_map(draft: Draft, area: Area) -> None:
    """Every folder and the folders it depends on."""
    counted: dict[tuple[str, str], list[Dependency]] = {}
    for dependency in crossings_of(draft.graph.snapshot).by_pair.values():
        a, b = folder_of(dependency.source), folder_of(dependency.target)
        if a != b and dependency.rows and not is_test_file(dependency.source):
            counted.setdefault((a, b), []).append(dependency)
    lines: list[Line] = []
    last = ""
    for (a, b), pairs in sorted(counted.items()):
        if a != last:
            lines.append(Line(a, heading=True))
        last = a
        lines.append(_folder_line(draft, a, b, pairs, shown=f"  → {b}"))
    draft.add("Folders and what they depend on", lines, ANSWER, more="ask about one folder", what="dependencies")
    draft.head.append(f"{area.label}: {len(counted)} dependencies between folders (tests left out).")
    checked(draft, negative=True)
