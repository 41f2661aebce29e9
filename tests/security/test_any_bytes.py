"""Whatever the bytes, in whatever language: a file is analysed, or quarantined, and this process lives on.

`scripts/soak tests/security -s` goes through every grammar, with SIGHTLINE_FUZZ inputs each, and prints what it met.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.quarantine import REASONS
from sightline.indexer.analysis.workers import Analyser
from sightline.indexer.files.walk import Candidate
from sightline.types import FileEntry
from tests.support.killers import GRAMMARS, path_of, rubbish, shapes

FEW_BYTES = 3_000  # at which everything is quick, whatever grows faster than it should
MANY_BYTES = 100_000
INPUTS = int(os.environ.get("SIGHTLINE_FUZZ", "10000"))


@pytest.fixture
def analyser(tmp_path: Path) -> Iterator[Analyser]:
    analyser = Analyser(Config(tmp_path.resolve(), tmp_path / "index", embedder="none", workers=1), None)
    yield analyser
    analyser.close()


def analysed(analyser: Analyser, folder: Path, files: Mapping[str, bytes]) -> list[FileEntry]:
    for path, content in files.items():
        (folder / path).write_bytes(content)
    tasks = [Task(Candidate(path, len(content), 0, "", ""), "") for path, content in files.items()]
    return list(analyser.run(tasks))


@pytest.mark.parametrize("language", GRAMMARS)
def test_one_construct_over_and_over_is_got_over(analyser: Analyser, tmp_path: Path, language: str) -> None:
    files = {path_of(language, f"s{n}"): content for n, content in enumerate(shapes(FEW_BYTES).values())}
    entries = analysed(analyser, tmp_path, files)
    assert {entry.record.state for entry in entries} <= {"indexed", "skipped"}
    assert {entry.record.path for entry in entries} == set(files)
    assert all(entry.chunks for entry in entries if entry.record.state == "indexed"), "its words are found"


@pytest.mark.slow
@pytest.mark.parametrize("language", GRAMMARS)
def test_a_hundred_kilobytes_of_one_construct_end_within_the_limit(
    analyser: Analyser, tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for shape, content in shapes(MANY_BYTES).items():
        began = time.monotonic()
        lines = (
            content if b"\n" in content[:-1] else b"\n".join(content[at : at + 100] for at in range(0, MANY_BYTES, 100))
        )
        (entry,) = analysed(analyser, tmp_path, {path_of(language, "a"): lines})
        with capsys.disabled():
            sys.stderr.write(f"{language:11} {shape:22} {time.monotonic() - began:6.2f} s  {entry.record.reason}\n")
        assert entry.record.state == "indexed"
        assert entry.record.reason in REASONS | {""}


@pytest.mark.slow
@pytest.mark.parametrize("language", GRAMMARS)
def test_rubbish_of_any_kind_kills_nobody(
    analyser: Analyser, tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    met: Counter[str] = Counter()
    for start in range(0, INPUTS, 500):
        files = {path_of(language, f"r{n % 500}"): rubbish(n) for n in range(start, min(start + 500, INPUTS))}
        for entry in analysed(analyser, tmp_path, files):
            assert entry.record.state in ("indexed", "skipped"), entry.record
            if entry.record.reason in REASONS:
                met[entry.record.reason] += 1
    with capsys.disabled():
        sys.stderr.write(f"{language:11} {INPUTS:,} inputs: {dict(met) or 'nothing'}\n")
