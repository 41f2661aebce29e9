"""Similar code: a vector search that starts from an entity or a place instead of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.graph.read import walk
from sightline.retrieval.search import search
from sightline.store import Snapshot
from sightline.types import Query

FILES = {
    "text/csv_reader.py": '''
def read_csv_rows(path):
    """Read the rows of a CSV file."""
    with open(path) as file:
        return [line.split(",") for line in file]
''',
    "text/tsv_reader.py": '''
def read_tsv_rows(path):
    """Read the rows of a TSV file."""
    with open(path) as file:
        return [line.split("\\t") for line in file]
''',
    "net/socket_pool.py": '''
class SocketPool:
    """Keeps network connections open."""

    def acquire_connection(self, host, port):
        return self.sockets.pop((host, port))
''',
    "paint/canvas.py": '''
class Canvas:
    """Draws shapes in colours."""

    def fill_rectangle(self, left, top, colour):
        self.pixels[left, top] = colour
''',
}


@pytest.fixture
def snapshot(build: Callable[[Mapping[str, str]], Snapshot]) -> Snapshot:
    return build(FILES)


@pytest.mark.parametrize("types", [("object",), ("chunk",), ("chunk", "object", "relationship")])
def test_code_like_an_entity_is_found_and_the_entity_itself_is_not(
    snapshot: Snapshot, embedder: Embedder, types: tuple[str, ...]
) -> None:
    (entity_id,) = walk.resolve_start(snapshot, "read_csv_rows").entity_ids
    for text in (entity_id, "text/csv_reader.py:4"):
        query = Query(text, mode="vector", types=types, limit=5)  # type: ignore[arg-type]
        hits = search(snapshot, query, embedder=embedder).hits
        others = [hit.path for hit in hits if hit.path != "text/csv_reader.py"]  # its module may be like it, too
        assert others[0] == "text/tsv_reader.py", text
        assert entity_id not in {hit.id for hit in hits}


def test_a_place_that_is_not_there_is_ordinary_text(snapshot: Snapshot, embedder: Embedder) -> None:
    query = Query("no/such/file.py:12", mode="vector")
    assert search(snapshot, query, embedder=embedder).hits
