"""Readers meet half-written files all day: whatever the bytes, a file gives its objects and facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline import languages
from sightline.graph.build.extract import Extracted, extract
from sightline.graph.build.resolve import Resolver
from tests.support.paths import FIXTURES

SAMPLES = sorted((FIXTURES / "languages").iterdir())
CUTS = 12  # per sample, evenly spread


def _extracted(path: str, source: bytes) -> Extracted:
    parsed = languages.parse(path, languages.detect(path, source[:200]), source)
    return extract(parsed, languages.outline(parsed))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.name)
def test_cut_and_shuffled_files_still_give_their_facts(sample: Path) -> None:
    source = sample.read_bytes()
    step = max(len(source) // CUTS, 1)
    for cut in range(0, len(source), step):
        pieces = {
            f"a{sample.suffix}": source[:cut],
            f"b{sample.suffix}": source[cut:],
            f"c{sample.suffix}": source[cut:] + source[:cut],
            f"d{sample.suffix}": source[:cut] + source[cut + step :],
        }
        extracted = {path: _extracted(path, text) for path, text in pieces.items()}
        found = Resolver().update({path: each.facts for path, each in extracted.items()})
        assert set(found) == set(pieces)
        every = {item.entity_id for each in extracted.values() for item in each.objects}
        edges = [edge for edges in found.values() for edge in edges]
        assert {edge.source_id for edge in edges} <= every
        assert {edge.target_id for edge in edges if edge.target_id} <= every
