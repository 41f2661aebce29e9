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
    # Without it one file that cannot be loaded ends the run, and every test would count as failed.
    output, late = _run(folder, [*line, "--continue-on-collection-errors"], timeout_s)
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
    """A panic ends the process of a package with all tests that were to come or that it ran side by side, so each of
    those is run again by itself."""
    module = re.search(r"^module\s+(\S+)", (folder / "go.mod").read_text(), re.MULTILINE)
    assert module is not None
    deadline = time.monotonic() + timeout_s
    output, late = _run(folder, [*command, "-json", "./..."], timeout_s)
    ended = _go_events(output, module[1])
    passed = {name for name, action in ended.items() if action == "pass"}
    failed = {name for name, action in ended.items() if action == "fail"}
    left = _go_tests(folder, command, module[1], timeout_s) - passed - failed
    for package in sorted({name.partition("::")[0] for name in left}):
        names = {name for name in left if name.partition("::")[0] == package}
        alone = _go_alone(folder, command, package, names, deadline)
        passed |= alone
        failed |= names - alone
    late |= time.monotonic() > deadline
    return Outcome(frozenset(passed - failed), frozenset(failed), frozenset(), late)


def _go_alone(folder: Path, command: list[str], package: str, names: set[str], deadline: float) -> set[str]:
    """Those of a package's tests that pass when each has a process of its own; none where it does not compile."""
    passed = set()
    with tempfile.TemporaryDirectory() as scratch:
        binary = Path(scratch) / "tests"
        _run(folder, [*command, "-c", "-o", str(binary), package], deadline - time.monotonic())
        for name in sorted(names) if binary.exists() else ():
            line = [str(binary), "-test.v", f"-test.run=^{name.partition('::')[2]}$"]
            output, _ = _run(folder / package, line, max(deadline - time.monotonic(), 0.1))
            if re.search(r"^(PASS|ok)$", output, re.MULTILINE):
                passed.add(name)
    return passed


def _go_tests(folder: Path, command: list[str], module: str, timeout_s: float) -> set[str]:
    output, _ = _run(folder, [*command, "-json", "-list", "^(Test|Example)", "./..."], timeout_s)
    found = set()
    for event in map(json.loads, filter(lambda line: line.startswith("{"), output.splitlines())):
        name = event.get("Output", "").strip()
        if event["Action"] == "output" and re.fullmatch(r"(Test|Example)\w*", name):
            found.add(f".{event['Package'].removeprefix(module)}::{name}")
    return found


def _go_events(output: str, module: str) -> dict[str, str]:
    """How tests ended; one that was cut off has no end."""
    ended: dict[str, str] = {}
    for event in map(json.loads, filter(lambda line: line.startswith("{"), output.splitlines())):
        if "Test" not in event or "/" in event["Test"]:
            continue
        if event["Action"] in ("pass", "fail", "skip"):
            name = f".{event['Package'].removeprefix(module)}::{event['Test']}"
            ended[name] = "pass" if event["Action"] == "skip" else event["Action"]
    return ended
