"""The place of a symbol in an answer is the line that declares it, not an annotation above."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.wording import declared_at
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]

SHAPES = {
    "Shape.java": "interface Shape {\n    int area(int scale);\n}\n",
    "Square.java": (
        "class Square implements Shape {\n    @Override\n    @Deprecated\n"
        "    public int area(int scale) {\n        return scale;\n    }\n\n"
        "    @Override\n    public String toString() {\n        return label(area(2));\n    }\n\n"
        "    private String label(int size) {\n        return size + area(1);\n    }\n}\n"
    ),
}


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("public int area() {", 1),
        ("@Override\npublic int area() {", 2),
        ("@Override public int area() {", 1),
        ('@Named(\n    value = "area()",\n    other = {1, 2})\n// why\nint area() {', 5),
        ('#[cfg(feature = "x")]\n#[inline]\npub fn area(&self) -> u32 {', 3),
        ('[HttpGet("{id}")]\npublic int Area(int id)', 2),
        ("@area.setter\ndef area(self, value):", 2),
        ("@interface Area : NSObject", 1),
        ("static int\narea(void)", 1),
        ("@Override", 1),
    ],
)
def test_annotations_attributes_and_decorators_declare_nothing(head: str, line: int) -> None:
    assert declared_at(enumerate(head.split("\n"), 1), 1) == line


def test_overrides_are_placed_where_they_are_declared(build: Build, embedder: Embedder) -> None:
    snapshot = build(SHAPES)
    changed = research(snapshot, "what breaks if `Shape.area` changes?", embedder=embedder)
    implementing = research(snapshot, "which classes implement `Shape`?", embedder=embedder)

    assert "override Square.area  Square.java:4" in changed.text
    assert [f.line for f in changed.facts if f.kind == "overrides"] == [4]
    assert "area :4" in implementing.text


def test_callers_and_what_is_called_are_placed_where_they_are_declared(build: Build, embedder: Embedder) -> None:
    snapshot = build(SHAPES)

    callers = research(snapshot, "which methods call `Square.area`?", embedder=embedder).text
    assert "method Square.area (Square.java:4)" in callers
    assert "Square.toString (:9)" in callers
    callees = research(snapshot, "what does `Square.label` call?", embedder=embedder).text
    assert "→ Square.area  Square.java:4" in callees
