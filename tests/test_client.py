"""The Python client gives the tools' answers as typed results."""

from __future__ import annotations

import subprocess
import sys
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import sightline
from sightline import Client
from sightline.client import ChunkResult, ObjectResult, RelationshipResult
from sightline.errors import ConfigError, QueryError, RootError, StoreError
from sightline.server.answers.schema import output_schema
from sightline.server.tools import TOOLS
from tests.support.waiting import wait_for

PROJECT = {
    "auth.py": '"""Sessions."""\n\n\nclass Sessions:\n    """Who is logged in."""\n\n    def close(self, user):\n'
    '        """Close the session of a user."""\n        return forget(user)\n\n\n'
    'def forget(user):\n    """Forget a user."""\n    return user\n',
    "pay.py": 'def charge(card):\n    """Charge a card."""\n    return card\n',
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in PROJECT.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def client(project: Path, tmp_path: Path) -> Iterator[Client]:
    with Client(project, index_dir=tmp_path / "index") as opened:
        yield opened


@pytest.mark.req("GRA-7")
@pytest.mark.parametrize("method", ["fts_search", "hybrid_search"])
def test_results_have_version_and_entity_ids(client: Client, method: str) -> None:
    response = getattr(client, method)("close the session of a user")
    found = response.objects[0]
    assert isinstance(found, ObjectResult)
    assert found.qualified_name == "Sessions.close"
    assert found.version_id
    assert found.entity_id
    assert found.version_id != found.entity_id


@pytest.mark.req("GRA-7", "GRA-6")
def test_the_old_names_return_the_same_and_warn(client: Client) -> None:
    found = client.hybrid_search("charge a card").objects[0]
    with pytest.warns(DeprecationWarning, match="version_id"):
        assert found.id == found.version_id  # type: ignore[attr-defined]
    with pytest.warns(DeprecationWarning, match="entity_id"):
        assert found.canonical_id == found.entity_id  # type: ignore[attr-defined]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found.version_id


@pytest.mark.req("GRA-6")
def test_api_version_2_drops_the_old_names(project: Path, tmp_path: Path) -> None:
    with Client(project, index_dir=tmp_path / "index", api_version=2) as client:
        response = client.search("charge a card")
        assert response.api_version == 2
        assert not hasattr(response.objects[0], "id")
        assert not hasattr(response.objects[0], "canonical_id")
        assert "id" not in client.call("search", query="charge a card")["objects"][0]


@pytest.mark.req("GRA-5", "REL-8")
def test_a_reader_of_objects_alone_keeps_working_and_types_are_separate(client: Client) -> None:
    response = client.search("close the session", limit=20)
    assert [obj.name for obj in response.objects if obj.name == "close"]
    assert all(isinstance(chunk, ChunkResult) and chunk.text for chunk in response.chunks)
    assert all(isinstance(edge, RelationshipResult) and edge.triplet for edge in response.relationships)
    assert len(response.hits) == len({(hit.type, hit.id) for hit in response.hits})
    assert {hit.type for hit in response.hits} >= {"object", "relationship"}


@pytest.mark.req("GRA-5")
@pytest.mark.parametrize("api_version", [1, 2])
def test_every_answer_holds_what_is_declared_and_nothing_else(project: Path, tmp_path: Path, api_version: int) -> None:
    asked: dict[str, dict[str, Any]] = {
        "search": {"query": "close the session", "expand": True},
        "symbol_search": {"name": "Sessions"},
        "expand_graph": {"start": "Sessions.close", "query_context": "sessions"},
        "code_research": {"question": "who calls forget"},
    }
    with Client(project, index_dir=tmp_path / "index", api_version=api_version) as client:
        for tool in TOOLS:
            schema = output_schema(tool.output)
            for record in (schema, *schema["$defs"].values()):
                record["additionalProperties"] = False
            jsonschema.validate(client.call(tool.name, **asked[tool.name]), schema)


def test_a_result_has_every_field_of_its_answer(client: Client) -> None:
    answer = client.call("search", query="close the session")
    response = client.search("close the session")
    for name in ("hits", "chunks", "objects", "relationships"):
        for given, found in zip(answer[name], getattr(response, name), strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                plain = {key: value for key, value in given.items() if not isinstance(value, dict)}
                assert {key: getattr(found, key) for key in plain} == plain
    edge, result = answer["relationships"][0], response.relationships[0]
    assert (result.source.name, result.target.line) == (edge["source"]["name"], edge["target"]["line"])


def test_the_mode_is_the_methods_own(client: Client) -> None:
    assert client.fts_search("charge").mode == "bm25"
    assert client.hybrid_search("charge").mode == "hybrid"
    with pytest.raises(QueryError, match="another mode"):
        client.fts_search("charge", mode="vector")


def test_arguments_are_those_of_the_tool_and_unknown_ones_are_refused(client: Client) -> None:
    response = client.search("user", limit=1, file_filter="auth.py")
    assert len(response.hits) == 1
    assert response.next_cursor
    following = client.search("user", limit=1, file_filter="auth.py", cursor=response.next_cursor)
    assert following.hits[0].id != response.hits[0].id
    with pytest.raises(QueryError, match="did you mean `limit`"):
        client.search("user", limt=1)


def test_an_edit_is_seen_without_asking_for_it(client: Client, project: Path) -> None:
    assert client.search("charge a card").hits[0].path == "pay.py"
    (project / "pay.py").write_text('# moved\n\ndef refund(card):\n    """Charge a card back."""\n    return card\n')
    response = client.search("charge a card")
    assert not any(hit.stale for hit in response.hits)
    assert "refund" in {obj.name for obj in response.objects}


def test_impossible_roots_and_versions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RootError):
        Client(tmp_path / "missing")
    with pytest.raises(ConfigError, match="API version"):
        Client(tmp_path, api_version=3)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, sightline; print([m for m in ('lancedb', 'lance', 'mcp', 'numpy') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
    assert set(sightline.__all__) == {"Client", "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        sightline.Nothing  # noqa: B018


def test_a_closed_client_holds_nothing_and_says_that_it_is_closed(project: Path, tmp_path: Path) -> None:
    client = Client(project, index_dir=tmp_path / "indexes")
    with client:
        assert client.search("session").hits
        snapshot = client._app.roots[0].snapshot()
        assert snapshot is not None
        held = weakref.ref(snapshot)
        del snapshot
    wait_for(lambda: held() is None, "a thread of the search to end with its last task")
    if sys.platform == "linux":
        assert str(tmp_path) not in Path("/proc/self/maps").read_text(), "no file of the index is mapped"
    for ask in (client.refresh, lambda: client.search("session"), lambda: client.call("symbol_search", name="x")):
        with pytest.raises(StoreError, match="this client is closed"):
            ask()
    client.close()
