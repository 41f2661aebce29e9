"""Run a repository's own tests and say which of them failed: pytest, vitest and go test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_ENV_KEPT = ("PATH", "HOME", "LANG", "GOPATH", "GOCACHE", "GOFLAGS")


@dataclass(frozen=True)
class Outcome:
    """Ids of tests as `sightline changes --tests` writes them; `broken` are files that could not even be loaded."""

    passed: frozenset[str]
    failed: frozenset[str]
    broken: frozenset[str] = frozenset()
    timed_out: bool = False


def run_suite(runner: str, folder: Path, command: list[str], timeout_s: float) -> Outcome:
    """Run the suite once."""
    return {"pytest": _pytest, "vitest": _vitest, "go": _go}[runner](folder, command, timeout_s)


def _run(folder: Path, command: list[str], timeout_s: float) -> tuple[str, bool]:
    environment = {name: os.environ[name] for name in _ENV_KEPT if name in os.environ}
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "CI": "1", "no_proxy": "*"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout_s)
        return output.decode("utf-8", "replace"), False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        return output.decode("utf-8", "replace"), True


def _pytest(folder: Path, command: list[str], timeout_s: float) -> Outcome:
    line = [*command, "-q", "--tb=no", "-rA", "-p", "no:cacheprovider", "--no-header", "-W", "ignore", "--color=no"]
    output, late = _run(folder, line, timeout_s)
    passed, failed, broken = set(), set(), set()
    for status, name in re.findall(r"^(PASSED|FAILED|ERROR) (\S+(?: \S+)*?)(?: - .*)?$", output, re.MULTILINE):
        plain = name.partition("[")[0]
        if "::" not in plain:
            broken.add(plain)
        elif status == "PASSED":
            passed.add(plain)
        else:
            failed.add(plain)
    return Outcome(frozenset(passed - failed), frozenset(failed), frozenset(broken), late)


def _vitest(folder: Path, command: list[str], timeout_s: float) -> Outcome:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        _, late = _run(folder, [*command, "--reporter=json", f"--outputFile={report}"], timeout_s)
        found = json.loads(report.read_text()) if report.exists() else {"testResults": []}
    passed, failed, broken = set(), set(), set()
    for file in found["testResults"]:
        path = os.path.relpath(file["name"], folder)
        states = {test["status"] for test in file["assertionResults"]}
        if not states:
            broken.add(path)
        (failed if "failed" in states else passed).add(path)  # the unit that a runner is given is the file
    return Outcome(frozenset(passed), frozenset(failed | broken), frozenset(), late)


def _go(folder: Path, command: list[str], timeout_s: float) -> Outcome:
    """A panic ends the process of a package with all tests that were to come, so those are run again without it."""
    module = re.search(r"^module\s+(\S+)", (folder / "go.mod").read_text(), re.MULTILINE)
    assert module is not None
    deadline = time.monotonic() + timeout_s
    wanted: set[str] | None = None  # all of them, at first
    passed: set[str] = set()
    failed: set[str] = set()
    while wanted is None or wanted:
        if time.monotonic() > deadline:
            return Outcome(frozenset(passed), frozenset(failed), frozenset(), True)
        chosen = ["-run", f"^({'|'.join(sorted({name.partition('::')[2] for name in wanted}))})$"] if wanted else []
        output, _ = _run(folder, [*command, "-json", *chosen, "./..."], timeout_s)
        ended, started = _go_events(output, module[1])
        unfinished = {name for name in started if name not in ended}
        passed |= {name for name, action in ended.items() if action == "pass"}
        failed |= {name for name, action in ended.items() if action == "fail"} | unfinished
        if wanted is None:
            wanted = _go_tests(folder, command, module[1], timeout_s)
        left = wanted - passed - failed
        if left == wanted:
            failed |= left  # nothing runs any more: it does not even compile
            break
        wanted = left
    return Outcome(frozenset(passed - failed), frozenset(failed))


def _go_tests(folder: Path, command: list[str], module: str, timeout_s: float) -> set[str]:
    output, _ = _run(folder, [*command, "-json", "-list", "^(Test|Example)", "./..."], timeout_s)
    found = set()
    for event in map(json.loads, filter(lambda line: line.startswith("{"), output.splitlines())):
        name = event.get("Output", "").strip()
        if event["Action"] == "output" and re.fullmatch(r"(Test|Example)\w*", name):
            found.add(f".{event['Package'].removeprefix(module)}::{name}")
    return found


def _go_events(output: str, module: str) -> tuple[dict[str, str], set[str]]:
    """How tests ended, and which were begun."""
    ended: dict[str, str] = {}
    started = set()
    for event in map(json.loads, filter(lambda line: line.startswith("{"), output.splitlines())):
        if "Test" not in event or "/" in event["Test"]:
            continue
        name = f".{event['Package'].removeprefix(module)}::{event['Test']}"
        started.add(name)
        if event["Action"] in ("pass", "fail", "skip"):
            ended[name] = "pass" if event["Action"] == "skip" else event["Action"]
    return ended, started
