"""How many of the tests that really failed does `--tests` name, and how much of the suite does it name for that?

Against the baseline that people use: the tests whose file is named after the changed one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path, PurePosixPath
from typing import Any

from sightline.changes.fixtures import injections
from sightline.changes.reach import Dependents
from sightline.changes.report import TEST_DEPTH
from sightline.changes.runners import runners_of
from sightline.changes.tests import tests_to_run
from sightline.config import make_config
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import Snapshot, open_snapshot


def judge(arguments: argparse.Namespace) -> None:
    """Ask for each function that was broken which tests to run if it changes, and compare with what failed."""
    root = Path(arguments.repository).resolve()
    truth = json.loads(Path(arguments.truth).read_text())
    suite = set(truth["tests"])
    config = make_config(root, index_dir=arguments.home, embedder="none")
    with open_writer(config, None) as writer:
        index_root(config, writer, None)
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    manifest = root / "package.json"
    runners = runners_of(snapshot.files.keys(), manifest.read_text() if manifest.exists() else "")
    files = _files(snapshot, suite)
    rows = []
    for mutant in truth["mutants"]:
        if not mutant["failed"]:
            continue  # nothing noticed: there is nothing to find
        began = time.perf_counter()
        dependents, start = Dependents(snapshot, injections(snapshot)), [_position(snapshot, mutant)]
        walk, reach = dependents.walk(start, depth=TEST_DEPTH), dependents.each(start, depth=TEST_DEPTH)
        tests = tests_to_run(snapshot, walk, reach, runners)
        took = time.perf_counter() - began
        named = {test.id for test in tests.named}
        wide = named | {test.id for test in tests.others}
        rows.append(_row(mutant, suite, files, named & suite, wide & suite, took))
        if arguments.verbose:
            shown = f"{rows[-1]['recall']:.2f} of {len(mutant['failed'])} failing, names {rows[-1]['share']:.2f}"
            missed = sorted(set(mutant["failed"]) - named)[:3]
            print(f"  {mutant['path']} {mutant['name']}: {shown} {missed or ''}")
    _print(root.name, truth, rows)


def _position(snapshot: Snapshot, mutant: dict[str, Any]) -> int:
    objects = snapshot.objects
    for position in objects.positions_of_path(mutant["path"]).tolist():
        place = objects.column("qualified_name")[position], int(objects.start_line[position])
        if place == (mutant["name"], mutant["line"]):
            return int(position)
    raise SystemExit(f"{mutant['path']} is not what it was when the truth was made")


def _files(snapshot: Snapshot, suite: set[str]) -> dict[str, str]:
    """The file of each test; go test names a package, so that there the index tells."""
    found = {test: test.partition("::")[0] for test in suite}
    names, kinds = snapshot.objects.column("name"), snapshot.objects.column("kind")
    for path in snapshot.files:
        if path.endswith("_test.go"):
            folder = path.rpartition("/")[0]
            for position in snapshot.objects.positions_of_path(path).tolist():
                test = f"{f'./{folder}' if folder else '.'}::{names[position]}"
                if kinds[position] == "function" and test in found:
                    found[test] = path
    return found


def _row(
    mutant: dict[str, Any], suite: set[str], files: dict[str, str], named: set[str], wide: set[str], took: float
) -> dict[str, float]:
    failed = set(mutant["failed"])
    by_name = {test for test in suite if _same_name(mutant["path"], files[test])}
    return {
        "recall": len(failed & named) / len(failed),
        "share": len(named) / len(suite),
        "wide_recall": len(failed & wide) / len(failed),
        "wide_share": len(wide) / len(suite),
        "base_recall": len(failed & by_name) / len(failed),
        "base_share": len(by_name) / len(suite),
        "really": len(failed) / len(suite),
        "seconds": took,
    }


def _same_name(path: str, test_file: str) -> bool:
    """`tests/test_app.py` and `app_test.go` are named after `app`."""
    stem = PurePosixPath(path).name.partition(".")[0].strip("_")
    file = PurePosixPath(test_file).name.partition(".")[0]
    return stem in (file.removeprefix("test_"), file.removesuffix("_test"))


def _print(name: str, truth: dict[str, Any], rows: list[dict[str, float]]) -> None:
    def mean(key: str) -> float:
        return statistics.mean(row[key] for row in rows)

    def median(key: str) -> float:
        return statistics.median(row[key] for row in rows)

    print(f"{name}: {len(rows)} of {len(truth['mutants'])} mutants noticed by {len(truth['tests'])} tests")
    print(f"  recall of failing tests: mean {mean('recall'):.3f}, median {median('recall'):.3f}")
    print(f"  share of the suite named: mean {mean('share'):.3f}, median {median('share'):.3f}")
    print(f"  share that really failed: mean {mean('really'):.3f}, median {median('really'):.3f}")
    print(f"  with --all-tests: recall mean {mean('wide_recall'):.3f}, share median {median('wide_share'):.3f}")
    print(f"  same file name: recall mean {mean('base_recall'):.3f}, share median {median('base_share'):.3f}")
    print(f"  seconds: median {median('seconds'):.2f}")
