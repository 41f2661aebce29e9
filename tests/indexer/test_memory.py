"""A ceiling on memory decides how much is held at a time, never what is found."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sightline.config import Config, make_config
from sightline.embed import load_embedder
from sightline.errors import ConfigError
from sightline.indexer import pipeline
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.memory import DEFAULT_MB, MB, MINIMUM_MB, Shares, is_crowded, shares
from tests.support.index_content import content_of, fresh_content
from tests.support.indexes import must_open


def some_files(root: Path) -> None:
    root.mkdir()
    for number in range(12):
        imported = f"from shop{number - 1} import Shop{number - 1}\n\n\n" if number else ""
        base = f"(Shop{number - 1})" if number else ""
        (root / f"shop{number}.py").write_text(
            f"{imported}class Shop{number}{base}:\n    def pay(self):\n        return self.total()\n\n"
            f"    def total{number}(self):\n        return self.pay()\n"
        )


def test_more_memory_is_never_a_smaller_share() -> None:
    ceilings = [shares(memory) for memory in (MINIMUM_MB, DEFAULT_MB, 4_000, 32_000)]
    for field in Shares.__dataclass_fields__:
        values = [getattr(each, field) for each in ceilings]
        assert values == sorted(values) and values[0] > 0, field


def test_an_index_is_the_same_with_room_for_next_to_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, embedder = tmp_path / "root", load_embedder("static")
    some_files(root)
    least = Shares(1, 2, 1, 1, 1, commit_relationships=1, heap_bytes=15_000_000, facts_bytes=1, evaluations=1)
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "shares", lambda _: least)
        patched.setattr(pipeline, "is_crowded", lambda *_: True)
        config = Config(root, tmp_path / "index")
        with open_writer(config, embedder) as writer:
            index_root(config, writer, embedder)
    snapshot = must_open(config.index_dir)
    assert snapshot.manifest.state == "ready"
    assert content_of(snapshot) == fresh_content(root, tmp_path / "fresh", embedder)


def test_many_rows_are_committed_before_much_source_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, config = tmp_path / "root", Config(tmp_path / "root", tmp_path / "index")
    root.mkdir()
    for number in range(6):
        (root / f"registers{number}.h").write_text("".join(f"#define R{number}_{n} {n}\n" for n in range(100)))
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "shares", lambda _: replace(shares(DEFAULT_MB), commit_rows=150))
        with open_writer(config, None) as writer:
            report = index_root(config, writer, None)
    assert report.generation == 3, "after four files, and at the end"


def test_a_ceiling_that_is_too_low_is_refused_and_the_index_stays(tmp_path: Path) -> None:
    root = tmp_path / "root"
    some_files(root)
    environment = {**os.environ, "SIGHTLINE_INDEX_DIR": str(tmp_path / "indexes")}

    def sightline(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "sightline.server", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert sightline("index", str(root), "--memory", str(MINIMUM_MB)).returncode == 0
    refused = sightline("index", str(root), "--memory", "100")
    assert refused.returncode == 2
    assert f"at least {MINIMUM_MB} MB" in refused.stderr
    assert "0 new or changed" in sightline("index", str(root)).stdout


@pytest.mark.parametrize("said", ["much", "-5", "1.5"])
def test_a_ceiling_that_is_no_number_is_refused(said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="SIGHTLINE_MEMORY must be a whole number"):
        make_config(tmp_path, environ={"SIGHTLINE_MEMORY": said})


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is told what a process holds")
def test_processes_are_crowded_when_together_they_hold_more_than_they_may() -> None:
    assert not is_crowded(32_000, [os.getpid()])
    block = bytearray(os.urandom(64 * MB))  # pages that were written to are held
    own = 4_000
    while not is_crowded(own):
        own -= 1
    assert own > 60, "at least the block is held"
    assert not is_crowded(own + 20)
    assert is_crowded(own + 20, [os.getpid()]), "what others hold counts, too"
    assert not is_crowded(own + 20, [2**22 + 1]), "a process that has ended holds nothing"
    assert len(block) == 64 * MB
