"""Whatever the bytes, in whatever language: a file is analysed, or quarantined, and this process lives on.

`scripts/soak tests/security -s` goes through every grammar, with SIGHTLINE_FUZZ inputs of no meaning and
SIGHTLINE_FUZZ_PROGRAMS that are nearly programs each, and prints what it met.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.quarantine import REASONS
from sightline.indexer.analysis.workers import Analyser
from sightline.indexer.files.walk import Candidate
from sightline.types import FileEntry
from tests.support.killers import GRAMMARS, path_of, rubbish, shapes
from tests.support.mutations import nearly_right

FEW_BYTES = 3_000  # at which everything is quick, whatever grows faster than it should
MANY_BYTES = 100_000
INPUTS = int(os.environ.get("SIGHTLINE_FUZZ", "10000"))
PROGRAMS = int(os.environ.get("SIGHTLINE_FUZZ_PROGRAMS", "4000"))
BATCH = 500


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


def fuzz(analyser: Analyser, folder: Path, language: str, inputs: Sequence[bytes]) -> Counter[str]:
    """Have every input analysed as a file of a language: why which of them were quarantined."""
    met: Counter[str] = Counter()
    for start in range(0, len(inputs), BATCH):
        files = {path_of(language, f"r{n}"): content for n, content in enumerate(inputs[start : start + BATCH])}
        entries = analysed(analyser, folder, files)
        assert {entry.record.path for entry in entries} == set(files)
        assert {entry.record.state for entry in entries} <= {"indexed", "skipped"}
        met.update(entry.record.reason for entry in entries if entry.record.reason in REASONS)
    return met


@pytest.mark.parametrize("language", GRAMMARS)
def test_what_is_nearly_a_program_is_analysed(analyser: Analyser, tmp_path: Path, language: str) -> None:
    met = fuzz(analyser, tmp_path, language, [nearly_right(language, seed) for seed in range(20)])
    assert sum(met.values()) <= 1, met  # bash crashes at some characters, whatever stands around them


@pytest.mark.slow
@pytest.mark.parametrize("language", GRAMMARS)
def test_rubbish_of_any_kind_kills_nobody(
    analyser: Analyser, tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    met = fuzz(analyser, tmp_path, language, [rubbish(seed) for seed in range(INPUTS)])
    with capsys.disabled():
        sys.stderr.write(f"{language:11} {INPUTS:,} inputs of no meaning: {dict(met) or 'nothing'}\n")


@pytest.mark.slow
@pytest.mark.parametrize("language", GRAMMARS)
def test_thousands_of_near_programs_kill_nobody(
    analyser: Analyser, tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    met = fuzz(analyser, tmp_path, language, [nearly_right(language, 1_000 + seed) for seed in range(PROGRAMS)])
    with capsys.disabled():
        sys.stderr.write(f"{language:11} {PROGRAMS:,} near programs: {dict(met) or 'nothing'}\n")
