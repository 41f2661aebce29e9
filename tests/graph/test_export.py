"""The graph leaves as records and as GraphML that other tools can read."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.graph.read import export
from sightline.store import Snapshot

FILES = {
    "a.py": "import json\nfrom b import Base\n\n\n"
    "class Child(Base):\n    def run(self):\n        return json.loads('<&>')\n",
    "b.py": 'class Base:\n    """Says "a < b" & more."""\n\n    def run(self, x="<\\x00&>"):\n        return x\n',
}
SPACE = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(scope="module")
def snapshot(index_of: Callable[[Mapping[str, str]], Snapshot]) -> Snapshot:
    return index_of(FILES)


def test_every_object_and_relationship_is_one_line(snapshot: Snapshot) -> None:
    lines = list(export.objects_and_relationships(snapshot))
    objects = [line for line in lines if line["type"] == "object"]
    edges = [line for line in lines if line["type"] == "relationship"]
    assert [item["qualified_name"] for item in objects] == ["a", "Child", "Child.run", "b", "Base", "Base.run"]
    assert (len(objects), len(edges)) == (snapshot.objects.count, snapshot.relationships.count)
    assert all(item["id"] == item["version_id"] and item["canonical_id"] == item["entity_id"] for item in objects)


def test_a_relationship_says_where_both_ends_are_defined(snapshot: Snapshot) -> None:
    edges = [line for line in export.objects_and_relationships(snapshot) if line["type"] == "relationship"]
    (inherits,) = [edge for edge in edges if edge["relationship_type"] == "inherits"]
    assert {key: inherits["source"][key] for key in ("name", "qualified_name", "kind", "path", "line")} == {
        "name": "Child", "qualified_name": "Child", "kind": "class", "path": "a.py", "line": 5,
    }  # fmt: skip
    assert (inherits["target"]["name"], inherits["target"]["path"], inherits["target"]["line"]) == ("Base", "b.py", 1)
    assert inherits["site_line"] == 5
    assert 0 < inherits["confidence"] <= 1
    assert inherits["resolution"] == "import"


def test_a_target_outside_the_root_has_a_name_and_no_place(snapshot: Snapshot) -> None:
    edges = [line for line in export.objects_and_relationships(snapshot) if line["type"] == "relationship"]
    outside = [edge["target"] for edge in edges if edge["resolution"] == "external"]
    assert outside
    assert all((end["kind"], end["path"], end["line"], end["entity_id"]) == ("external", "", 0, "") for end in outside)


def test_graphml_is_a_graph_whose_edges_join_nodes_that_are_there(snapshot: Snapshot) -> None:
    document = ElementTree.fromstring("".join(export.graphml(snapshot)))
    nodes = {node.get("id") for node in document.iter(f"{SPACE}node")}
    edges = list(document.iter(f"{SPACE}edge"))
    assert len(nodes) > snapshot.objects.count  # and those outside
    assert len(edges) == snapshot.relationships.count
    assert all(edge.get("source") in nodes and edge.get("target") in nodes for edge in edges)
    keys = {key.get("id") for key in document.iter(f"{SPACE}key")}
    assert {data.get("key") for data in document.iter(f"{SPACE}data")} <= keys


def test_two_exports_are_the_same_bytes(snapshot: Snapshot) -> None:
    assert list(export.graphml(snapshot)) == list(export.graphml(snapshot))


@given(text=st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_makes_valid_xml(text: str) -> None:
    node = ElementTree.fromstring(export._node(text, {"name": text, "signature": text}))
    assert [child.tag for child in node] == ["data", "data"]
