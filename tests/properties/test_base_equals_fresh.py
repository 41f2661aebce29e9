"""An index that began with that of another root or with a published one, and then took in what differs, equals a fresh
one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sightline.config import Config
from sightline.embed import Embedder
from sightline.indexer.bundles.places import Folder
from sightline.indexer.bundles.publish import head_of, publish
from sightline.indexer.cache.origin import read_origin
from sightline.indexer.pipeline import Indexer, index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from tests.properties.test_incremental_equals_fresh import apply, operations
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import write_files
from tests.support.repositories import committed

# What stays in both, so that they are alike enough for one to begin with the other.
COMMON = {f"common/m{number}.py": f"def f{number}():\n    return f{number + 1}()\n" for number in range(40)}
EDITS = st.lists(operations(), min_size=0, max_size=6)
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
# Shrinking would index hundreds of roots; the slow runs shrink.
quick = settings(
    max_examples=6, deadline=None, suppress_health_check=QUIET, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
hundreds = settings(max_examples=200, deadline=None, suppress_health_check=QUIET)

Edits = list[tuple[str, ...]]
# Given where the first root is indexed and where the second one shall be: the second one's settings, and how the name
# of what it began with must begin.
Begun = Callable[[Config, Path], tuple[Config, str]]


def beside(base: Config, two: Path) -> tuple[Config, str]:
    """The second root of one user."""
    return Config(two, base.index_dir.parent / "two", cache_bytes=10_000_000), base.index_dir.name


def published(base: Config, two: Path) -> tuple[Config, str]:
    """The same repository on another machine, which has nothing but a source."""
    place = base.root.parent / "place"
    publish(base.index_dir, head_of(base.root), Folder(place))
    return Config(two, base.root.parent / "laptop" / "two", source=str(place)), f"{place} at "


def check(first: Edits, second: Edits, later: Edits, e: Embedder, begun: Begun) -> None:
    """Index a root, copy it, edit the copy, index that with the first as its base; then go on editing it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        one, two = home / "one", home / "two"
        write_files(one, COMMON)
        for operation in first:
            apply(one, operation)
        if begun is published:
            committed(one, {})
        base = Config(one, home / "indexes" / "one", cache_bytes=10_000_000)
        with open_writer(base, e) as writer:
            index_root(base, writer, e)
        before = content_of(open_snapshot(base.index_dir))
        shutil.copytree(one, two)
        for operation in second:
            apply(two, operation)
        config, begins = begun(base, two)
        with open_writer(config, e) as writer:
            indexer = Indexer(config, writer, e)
            indexer.update()
            assert read_origin(config.index_dir).base.startswith(begins)
            assert content_of(open_snapshot(config.index_dir)) == fresh_content(two, home / "fresh", e)
            for operation in later:
                apply(two, operation)
            indexer.update()
            writer.tidy(force=True)
            indexer.close()
        assert content_of(open_snapshot(config.index_dir)) == fresh_content(two, home / "later", e)
        assert content_of(open_snapshot(base.index_dir)) == before, "the other index is not touched"


@quick
@given(first=EDITS, second=EDITS, later=EDITS)
def test_an_index_that_began_with_another_equals_a_fresh_one(
    first: Edits, second: Edits, later: Edits, embedder: Embedder
) -> None:
    check(first, second, later, embedder, beside)


@quick
@given(first=EDITS, second=EDITS, later=EDITS)
def test_an_index_that_began_with_a_published_one_equals_a_fresh_one(
    first: Edits, second: Edits, later: Edits, embedder: Embedder
) -> None:
    check(first, second, later, embedder, published)


@pytest.mark.slow
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("begun", [beside, published])
@hundreds
@given(first=EDITS, second=EDITS, later=EDITS)
def test_over_hundreds_of_edit_sequences_too(
    first: Edits, second: Edits, later: Edits, embedder: Embedder, begun: Begun
) -> None:
    check(first, second, later, embedder, begun)
