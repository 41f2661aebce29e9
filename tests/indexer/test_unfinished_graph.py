"""A process that ends while relationships are being resolved leaves the rest to the next one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.graph.build.resolve import Resolve, Resolver, Update
from sightline.indexer import pipeline
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.memory import DEFAULT_MB, shares
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import must_open, write_files


class _EndedError(Exception):
    """The process is gone."""


def test_what_was_left_half_way_is_resolved_by_the_next_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, embedder = tmp_path / "root", load_embedder("static")
    write_files(root, {f"m{n}.py": f"from m{n - 1} import f{n - 1}\n\ndef f{n}():\n    f{n - 1}()\n" for n in range(8)})
    config = Config(root, tmp_path / "index")
    whole = Resolver.updates

    def ends_early(
        self: Resolver, changed: Mapping[str, bytes | None], resolve: Resolve | None = None
    ) -> Iterator[Update]:
        for number, update in enumerate(whole(self, changed, resolve)):
            if number == 3:
                raise _EndedError
            yield update

    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "shares", lambda _: replace(shares(DEFAULT_MB), commit_relationships=1))
        patched.setattr(Resolver, "updates", ends_early)
        with open_writer(config, embedder) as writer, pytest.raises(_EndedError):
            Indexer(config, writer, embedder).update()
    half = must_open(config.index_dir)
    assert half.manifest.state == "indexing"
    assert half.relationships.count
    write_files(root, {"m3.py": "def f3():\n    pass\n"})
    (root / "m5.py").unlink()
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
    done = must_open(config.index_dir)
    assert done.manifest.state == "ready"
    assert content_of(done) == fresh_content(root, tmp_path / "fresh", embedder)
