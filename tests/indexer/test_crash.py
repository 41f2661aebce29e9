"""kill -9 at any moment, a disk that refuses, a damaged index: the next run gives the index a fresh one would be."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sightline.config import Config
from sightline.embed import load_embedder
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from tests.support.index_content import content_of, fresh_content

_INDEX = """
import resource, signal, sys
from pathlib import Path
from sightline.config import Config
from sightline.embed import load_embedder
from sightline.errors import StoreError
from sightline.indexer.pipeline import Indexer
from sightline.indexer.service import open_writer
limit = int(sys.argv[3])
if limit:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
config, embedder = Config(Path(sys.argv[1]), Path(sys.argv[2]), workers=1), load_embedder("static")
print("go", flush=True)
try:
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
except (StoreError, OSError) as error:
    sys.exit(f"refused: {error}")
"""


def make_root(root: Path, files: int, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(files):
        path = root / f"p{number % 7}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        calls = "".join(f"    f{chance.randrange(files)}()\n" for _ in range(3))
        path.write_text(
            f"from p{number % 7}.m{chance.randrange(files)} import *\n\n\ndef f{number}():\n    x = {seed}\n{calls}"
        )


def index_in_a_process(root: Path, index_dir: Path, limit: int = 0) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _INDEX, str(root), str(index_dir), str(limit)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"go\n"
    return process


def finish_and_compare(root: Path, index_dir: Path) -> None:
    config, embedder = Config(root, index_dir, workers=1), load_embedder("static")
    with open_writer(config, embedder) as writer:
        Indexer(config, writer, embedder).update()
    assert content_of(open_snapshot(index_dir)) == fresh_content(root, index_dir.parent / "fresh", embedder)


def kill_at_random_moments(folder: Path, kills: int, seed: int) -> None:
    chance, root, index_dir = random.Random(seed), folder.resolve() / "root", folder.resolve() / "index"
    killed = 0
    for round_ in range(kills):
        make_root(
            root, 150, seed=round_ // 3
        )  # some rounds begin a full index, some an incremental one, some change nothing
        process = index_in_a_process(root, index_dir)
        # The moment of death is the point of the test; the first is early, so that one dies on any machine.
        time.sleep(chance.random() * 1.5 if round_ else 0.1)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.communicate()
    assert killed > 0
    finish_and_compare(root, index_dir)


def test_an_indexer_killed_at_random_moments_loses_nothing(tmp_path: Path) -> None:
    kill_at_random_moments(tmp_path, kills=4, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_an_indexer_killed_forty_times_loses_nothing(tmp_path: Path, seed: int) -> None:
    kill_at_random_moments(tmp_path, kills=40, seed=seed)


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file size are POSIX")
@pytest.mark.parametrize("limit", [2_000, 40_000])
def test_a_disk_that_refuses_is_a_clear_error_and_the_next_run_completes(tmp_path: Path, limit: int) -> None:
    root, index_dir = tmp_path.resolve() / "root", tmp_path.resolve() / "index"
    make_root(root, 150, seed=0)
    process = index_in_a_process(root, index_dir, limit)
    _, stderr = process.communicate(timeout=100)
    assert process.returncode == 1 and b"refused:" in stderr, stderr[-2_000:]
    assert b"Traceback" not in stderr, stderr[-2_000:]
    finish_and_compare(root, index_dir)
