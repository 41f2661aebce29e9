"""The PyCG micro-benchmark: small Python programs, each with the call graph that running it would show.

Its graphs name functions `module.Class.method`. A call that creates an object counts there as a call of `__init__`
(an inherited one where the class has none; none at all where nobody defines one), and a decorator as called by
whoever defines the decorated function. Edges to built-ins, lambdas and modules outside the snippet are listed by it
but are no objects of ours; recall is given with and without them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from sightline import languages
from sightline.graph.build.extract import extract
from sightline.graph.build.resolve import Resolver
from sightline.types import Object, Relationship

MINIMUM = 0.5
Edge = tuple[str, str]


def report(snippets: Path, *, examples: int) -> None:
    """Print precision and recall by category."""
    rows: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0, 0])
    for answer in sorted(snippets.glob("*/*/callgraph.json")):
        defined, predicted = predicted_calls(answer.parent)
        truth = {(source, target) for source, targets in json.loads(answer.read_text()).items() for target in targets}
        inside = {edge for edge in truth if edge[0] in defined and edge[1] in defined}
        counts = [len(predicted & truth), len(predicted), len(predicted & inside), len(inside), len(truth), 1]
        for label in (answer.parent.parent.name, "all"):
            rows[label] = [a + b for a, b in zip(rows[label], counts, strict=True)]
        for kind, edges in (("missed", inside - predicted), ("wrong", predicted - truth)):
            for edge in sorted(edges)[:examples]:
                print(f"    {kind} {answer.parent.parent.name}/{answer.parent.name}: {edge[0]} -> {edge[1]}")
    print(f"{'category':16} snippets  precision  recall  recall of all edges")
    for label, (right, said, found, inside_count, truth_count, count) in rows.items():
        print(
            f"{label:16} {count:8}  {right / max(said, 1):9.3f}  {found / max(inside_count, 1):6.3f}  "
            f"{right / max(truth_count, 1):6.3f}   ({right}/{said} right, {found}/{inside_count} found)"
        )


def predicted_calls(folder: Path) -> tuple[set[str], set[Edge]]:
    """The names a snippet defines and the calls that the graph states, in PyCG's words."""
    objects: dict[str, Object] = {}
    facts: dict[str, bytes | None] = {}
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder).as_posix()
        parsed = languages.parse(path, "python", file.read_bytes())
        extracted = extract(parsed, languages.outline(parsed))
        facts[path] = extracted.facts
        objects |= {item.entity_id: item for item in extracted.objects}
    edges = [edge for stated in Resolver().update(facts).values() for edge in stated]
    names = {entity: name_of(item) for entity, item in objects.items()}
    calls: set[Edge] = set()
    for edge in edges:
        if edge.confidence < MINIMUM or not edge.target_id:
            continue
        if edge.relationship_type == "calls":
            calls.add((names[edge.source_id], names[edge.target_id]))
        elif edge.relationship_type == "instantiates":
            created = constructor_of(edge.target_id, objects, edges)
            if created is not None:
                calls.add((names[edge.source_id], names[created]))
        elif edge.relationship_type == "decorates" and objects[edge.source_id].kind != "class":
            parent = objects[edge.target_id].parent_id
            calls.add((names[outer(parent, objects)], names[edge.source_id]))
    return set(names.values()), calls


def name_of(item: Object) -> str:
    module = item.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return module if item.kind == "module" else f"{module}.{item.qualified_name}"


def outer(entity: str, objects: dict[str, Object]) -> str:
    """The function or module whose code runs a class body."""
    while objects[entity].kind == "class":
        entity = objects[entity].parent_id
    return entity


def constructor_of(entity: str, objects: dict[str, Object], edges: list[Relationship]) -> str | None:
    """The `__init__` that creating an object runs: its own, or that of the first base that has one."""
    own = [item.entity_id for item in objects.values() if item.parent_id == entity and item.name == "__init__"]
    if own:
        return own[-1]
    bases = [e.target_id for e in edges if e.relationship_type == "inherits" and e.source_id == entity and e.target_id]
    return next((found for base in bases if (found := constructor_of(base, objects, edges)) is not None), None)
