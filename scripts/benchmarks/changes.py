"""Is `sightline changes` right? Measured against suites that really fail, and against commits of the past.

scripts/bench changes mutants REPOSITORY --runner pytest --command "python -m pytest" -o truth.json
scripts/bench changes tests REPOSITORY truth.json
scripts/bench changes history REPOSITORY …
scripts/bench changes speed REPOSITORY
scripts/bench changes reading REPOSITORY
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from scripts.benchmarks.changes_truth import commits, mutants, naming, reading, speed


def main() -> None:
    """Run the part that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(required=True)
    made = parts.add_parser("mutants", help="break functions one at a time and write down which tests fail")
    made.add_argument("repository")
    made.add_argument("--runner", choices=("pytest", "vitest", "go"), required=True)
    made.add_argument("--command", required=True, help="how the suite is run")
    made.add_argument("--count", type=int, default=40)
    made.add_argument("--seed", type=int, default=19)
    made.add_argument("--timeout", type=float, default=120.0, help="seconds for one run of the suite")
    made.add_argument("--bound", type=float, default=1800.0, help="seconds for all of it")
    made.add_argument("--only", default="", help="functions below this folder alone")
    made.add_argument("--home", required=True, help="where the index is kept")
    made.add_argument("-o", "--output", required=True)
    made.set_defaults(run=mutants.collect)
    told = parts.add_parser("tests", help="compare the tests to run with those that really failed")
    told.add_argument("repository")
    told.add_argument("truth")
    told.add_argument("--home", required=True, help="where the index is kept")
    told.add_argument("--verbose", action="store_true")
    told.set_defaults(run=naming.judge)
    past = parts.add_parser("history", help="is the other half of a commit's files among what is named?")
    past.add_argument("repositories", nargs="+", help="work trees of their own: they are checked out again and again")
    past.add_argument("--count", type=int, default=20, help="commits of each")
    past.add_argument("--newest", type=int, default=1_500, help="among how many of the newest")
    past.add_argument("--seed", type=int, default=19)
    past.add_argument("--bound", type=float, default=600.0, help="seconds for each repository")
    past.add_argument("--home", required=True, help="where the index is kept")
    past.set_defaults(run=commits.judge)
    quick = parts.add_parser("speed", help="how long the answer takes on a diff of some files")
    quick.add_argument("repository", help="a work tree of its own: files are edited and put back")
    quick.add_argument("--files", type=int, default=20)
    quick.add_argument("--times", type=int, default=4)
    quick.add_argument("--seed", type=int, default=19)
    quick.add_argument("--home", required=True, help="where the index is kept")
    quick.set_defaults(run=speed.measure)
    read = parts.add_parser("reading", help="how long it takes to read the history, first and when commits have come")
    read.add_argument("repository")
    read.add_argument("--commits", type=int, default=5_000, help="how many of the newest are read")
    read.set_defaults(run=reading.measure)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
