"""Break functions one at a time and write down which tests fail: the truth that `--tests` is measured against.

A function is broken by an error raised where its body begins, so that every test which runs it can notice. The
repository is a copy of its own; it is put back after each mutant.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

from scripts.benchmarks.changes_truth.suites import run_suite

from sightline.config import make_config
from sightline.graph.build.tested import is_test_file
from sightline.indexer.pipeline import index_root
from sightline.indexer.service import open_writer
from sightline.store import open_snapshot
from sightline.types import Object

_ASIDE = re.compile(r"(^|/)(docs?|examples?|benchmarks?|bench|scripts|tests?|_examples|testdata|playground)/")
_THROW = ' if (1) throw new Error("broken on purpose");'
_SUFFIXES = {"pytest": (".py",), "vitest": (".ts", ".tsx"), "go": (".go",)}


def collect(arguments: argparse.Namespace) -> None:
    """Choose functions, break each, run the suite, write what failed."""
    root = Path(arguments.repository).resolve()
    command = arguments.command.split()
    baseline = run_suite(arguments.runner, root, command, arguments.timeout)
    print(f"{root.name}: {len(baseline.passed)} tests pass, {len(baseline.failed)} fail as it is", flush=True)
    chosen = _chosen(root, Path(arguments.home), arguments.runner, arguments.seed, arguments.only)
    found = []
    began = time.monotonic()
    for item in chosen:
        if len(found) >= arguments.count or time.monotonic() - began > arguments.bound:
            break
        place = root / item.path
        text = place.read_text(encoding="utf-8")
        broken = broken_text(text, item, arguments.runner)
        if broken is None:
            continue
        try:
            place.write_text(broken, encoding="utf-8")
            outcome = run_suite(arguments.runner, root, command, arguments.timeout)
        finally:
            place.write_text(text, encoding="utf-8")
        lost = {name for name in baseline.passed if name.partition("::")[0] in outcome.broken}
        failed = (outcome.failed | lost | (baseline.passed - outcome.passed)) - baseline.failed
        if outcome.timed_out:
            continue
        record = {"path": item.path, "name": item.qualified_name, "line": item.start_line, "failed": sorted(failed)}
        found.append(record)
        print(f"{len(found):3} {item.path} {item.qualified_name}: {len(failed)} fail", flush=True)
    result = {"runner": arguments.runner, "tests": sorted(baseline.passed), "mutants": found}
    Path(arguments.output).write_text(json.dumps(result, indent=1))


def _chosen(root: Path, home: Path, runner: str, seed: int, only: str) -> Iterator[Object]:
    """Functions of the sources in a random order that the seed fixes."""
    config = make_config(root, index_dir=home, embedder="none")
    with open_writer(config, None) as writer:
        index_root(config, writer, None)
    snapshot = open_snapshot(config.index_dir)
    assert snapshot is not None
    functions = [
        item
        for item in snapshot.objects.get([p for p in range(snapshot.objects.size) if snapshot.objects.alive[p]])
        if item.kind in ("function", "method", "constructor") and item.path.endswith(_SUFFIXES[runner])
        if not is_test_file(item.path) and not _ASIDE.search(item.path) and item.path.startswith(only)
    ]
    functions.sort(key=lambda item: (item.path, item.start_line, item.qualified_name))
    random.Random(seed).shuffle(functions)
    return iter(functions)


def broken_text(text: str, item: Object, runner: str) -> str | None:
    """The text with the function raising an error at once; None when it has no body that could."""
    return _broken_python(text, item) if runner == "pytest" else _broken_braces(text, item, runner)


def _broken_python(text: str, item: Object) -> str | None:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name != item.name:
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if first != item.start_line:
            continue
        if any("overload" in ast.unparse(decorator) for decorator in node.decorator_list):
            return None
        body = node.body[1:] if isinstance(node.body[0], ast.Expr) and ast.get_docstring(node) else node.body
        if not body or body[0].lineno == node.lineno or ast.unparse(body[0]) in ("...", "pass"):
            return None
        lines = text.split("\n")
        at = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", ()))]) - 1
        indent = re.match(r"\s*", lines[at])
        assert indent is not None
        lines.insert(at, f"{indent[0]}raise RuntimeError('broken on purpose')")
        return "\n".join(lines)
    return None


def _broken_braces(text: str, item: Object, runner: str) -> str | None:
    """After the first brace that ends a line of the definition's head."""
    lines = text.split("\n")
    # Behind a condition, so that for the compiler what follows can still be reached.
    statement = '\nif len("x") > 0 { panic("broken on purpose") }' if runner == "go" else _THROW
    for number in range(item.start_line - 1, min(item.end_line - 1, item.start_line + 14)):
        if lines[number].rstrip().endswith("{"):
            lines[number] += statement
            return "\n".join(lines)
    return None
