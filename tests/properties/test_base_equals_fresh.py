"""An index that began with that of another root, and then took in what differs, equals a fresh one."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sightline.config import Config
from sightline.embed import Embedder
from sightline.indexer.cache.origin import read_origin
from sightline.indexer.pipeline import Indexer, index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from tests.properties.test_incremental_equals_fresh import apply, operations
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import write_files

# What stays in both, so that they are alike enough for one to begin with the other.
COMMON = {f"common/m{number}.py": f"def f{number}():\n    return f{number + 1}()\n" for number in range(40)}
EDITS = st.lists(operations(), min_size=0, max_size=6)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]


Edits = list[tuple[str, ...]]


def check(first: Edits, second: Edits, later: Edits, e: Embedder) -> None:
    """Index a root, copy it, edit the copy, index that with the first as its base; then go on editing it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        one, two = home / "one", home / "two"
        write_files(one, COMMON)
        for operation in first:
            apply(one, operation)
        base = Config(one, home / "indexes" / "one", cache_bytes=10_000_000)
        with open_writer(base, e) as writer:
            index_root(base, writer, e)
        before = content_of(open_snapshot(base.index_dir))
        shutil.copytree(one, two)
        for operation in second:
            apply(two, operation)
        config = Config(two, home / "indexes" / "two", cache_bytes=10_000_000)
        with open_writer(config, e) as writer:
            indexer = Indexer(config, writer, e)
            indexer.update()
            assert read_origin(config.index_dir).base == "one"
            assert content_of(open_snapshot(config.index_dir)) == fresh_content(two, home / "fresh", e)
            for operation in later:
                apply(two, operation)
            indexer.update()
            writer.tidy(force=True)
            indexer.close()
        assert content_of(open_snapshot(config.index_dir)) == fresh_content(two, home / "later", e)
        assert content_of(open_snapshot(base.index_dir)) == before, "the other index is not touched"


@settings(
    max_examples=6, deadline=None, suppress_health_check=QUIET, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
@given(first=EDITS, second=EDITS, later=EDITS)
def test_an_index_that_began_with_another_equals_a_fresh_one(
    first: Edits, second: Edits, later: Edits, embedder: Embedder
) -> None:
    check(first, second, later, embedder)


@pytest.mark.slow
@pytest.mark.timeout(7_200)
@settings(max_examples=200, deadline=None, suppress_health_check=QUIET)
@given(first=EDITS, second=EDITS, later=EDITS)
def test_over_hundreds_of_edit_sequences_too(first: Edits, second: Edits, later: Edits, embedder: Embedder) -> None:
    check(first, second, later, embedder)
