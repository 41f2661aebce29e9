"""The response shape: API version 1 as documented, version 2 without the deprecated ids."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from sightline.server.answers.payload import search_payload
from sightline.server.answers.schema import output_schema
from sightline.wire import GraphOut, ResearchOut, SearchResponse, SymbolsOut
from tests.support.hits import chunk, chunk_hit, obj, object_hit, relationship, relationship_hit, result


def payload(api_version: Any = 1) -> dict[str, Any]:
    hits = [
        object_hit(obj(), chunk(), highlights=((4, 10),)),
        relationship_hit(relationship()),
        chunk_hit(chunk("b.py"), stale=True, root="api"),
    ]
    found = result(hits, timings_ms={"retrieve": 1.23456})
    return dict(search_payload(found, api_version=api_version))


@pytest.mark.req("REL-8", "GRA-5")
def test_hits_are_typed_and_full_by_type_beside_the_fused_order() -> None:
    answer = payload()
    assert [(hit["type"], hit["rank"]) for hit in answer["hits"]] == [("object", 1), ("relationship", 2), ("chunk", 3)]
    assert [o["qualified_name"] for o in answer["objects"]] == ["AuthService.login"]
    assert [r["triplet"] for r in answer["relationships"]] == ["AuthService.login calls validate_credentials"]
    assert [c["path"] for c in answer["chunks"]] == ["src/auth.py", "b.py"]
    assert answer["chunks"][0]["entity_id"] == "e" * 16, "the definition of the object hit"
    assert answer["hits"][2]["stale"] is True
    assert answer["hits"][2]["root"] == "api"


@pytest.mark.req("GRA-6")
def test_objects_carry_both_ids_and_the_deprecated_pair_only_in_version_1() -> None:
    first, second = payload(1)["objects"][0], payload(2)["objects"][0]
    assert first["id"] == first["version_id"] == "a" * 16
    assert first["canonical_id"] == first["entity_id"] == "e" * 16
    assert "id" not in second
    assert "canonical_id" not in second
    assert (second["version_id"], second["entity_id"]) == ("a" * 16, "e" * 16)


@pytest.mark.req("UNI-7")
def test_the_response_carries_timings_per_stage() -> None:
    assert payload()["timings_ms"] == {"retrieve": 1.235}


def test_the_answer_is_what_the_output_schema_says() -> None:
    schema = output_schema(SearchResponse)
    for version in (1, 2):
        jsonschema.validate(payload(version), schema)
    broken = payload()
    del broken["index"]["state"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


@pytest.mark.parametrize("model", [SearchResponse, SymbolsOut, GraphOut, ResearchOut])
def test_every_output_schema_is_itself_valid(model: type) -> None:
    jsonschema.Draft202012Validator.check_schema(output_schema(model))
