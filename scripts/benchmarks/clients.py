"""What reaches the model through real coding agents: characters of tool definitions, instructions and results.

    scripts/bench clients                       # from PATH, or installed by npm into a temporary folder
    scripts/bench clients --only claude --claude /path/to/claude
    scripts/bench clients --structured          # as a server answers programs

Every agent runs against a stand-in for its model's API on loopback that asks for one call of each tool. An agent that
npm does not have, or that cannot be pointed at loopback, is reported as such. `whole` means that the model read exactly
the text that the command line prints.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from real_clients import programs
from real_clients.model import Question, Seen, StandIn

from sightline.server import tools
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up

ROOT = Path(__file__).resolve().parents[2]  # the questions are about this repository
QUESTIONS: Sequence[Question] = (
    ("search", {"query": "where is the writer lock taken", "limit": 3}),
    ("symbol_search", {"name": "Snapshot"}),
    ("expand_graph", {"start": "Root.refresh"}),
    ("code_research", {"question": "what calls Root.refresh?"}),
)


def main() -> int:
    """Measure all agents that there are."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        return _measure_all(options, options.index_dir or Path(folder))


def _measure_all(options: argparse.Namespace, index_dir: Path) -> int:
    expected = _expected(index_dir)
    server = [sys.executable, "-m", "sightline.server", "serve", str(ROOT), "--index-dir", str(index_dir)]
    if options.structured:
        server.append("--structured")
    print(f"Characters that reach the model{', from a server with --structured' if options.structured else ''}")
    print(f"{'client':34} {'definitions':>11} {'instructions':>12} " + " ".join(f"{name:>14}" for name, _ in QUESTIONS))
    print(f"{'(the command line prints)':34} {'':11} {len(tools.INSTRUCTIONS):12,} " + _sizes(expected))
    measured = 0
    for program in programs.PROGRAMS:
        if options.only and program.command not in options.only:
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                name, seen = _measure(program, getattr(options, program.command), Path(folder), server)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                print(f"{program.name}: not measured: {error}")
                continue
        measured += 1
        _report(name, seen, expected)
    return 0 if measured else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index-dir", type=Path, help="where indexes are kept; a temporary folder unless given")
    parser.add_argument("--structured", action="store_true", help="start the server with --structured")
    parser.add_argument("--only", action="append", choices=[program.command for program in programs.PROGRAMS])
    for program in programs.PROGRAMS:
        parser.add_argument(f"--{program.command}", type=Path, help=f"{program.name}, if it is not to be installed")
    return parser.parse_args()


def _expected(index_dir: Path) -> list[str]:
    """What the command line prints for the questions."""
    app = App.open([ROOT], index_dir=index_dir)
    try:
        catch_up(app.roots[0], show=False)
        return [tools.call(app, tools.tool_named(name), arguments).text for name, arguments in QUESTIONS]
    finally:
        app.close()


def _measure(program: programs.Program, given: Path | None, folder: Path, server: Sequence[str]) -> tuple[str, Seen]:
    found = given or _in_path(program.command)
    command = found or programs.install(program, folder)
    (folder / "version").mkdir()
    name = f"{program.name} {programs.version(command, folder / 'version')}"
    with StandIn(QUESTIONS) as model:
        ended = programs.run(program, command, folder / "home", model.url, server, ROOT)
    if not model.seen.definitions:
        why = (
            "it did not end in time"
            if ended.code is None
            else f"it ended with {ended.code}: {ended.said.strip()[-300:]}"
        )
        raise RuntimeError(f"{name} never offered the tools to its model ({len(model.requests)} requests; {why})")
    return name, model.seen


def _in_path(command: str) -> Path | None:
    found = shutil.which(command)
    return Path(found) if found else None


def _report(name: str, seen: Seen, expected: Sequence[str]) -> None:
    definitions = sum(len(_compact(definition)) for definition in seen.definitions.values())
    known = json.dumps(tools.INSTRUCTIONS, ensure_ascii=False)[1:-1] in seen.request
    print(f"{name[:34]:34} {definitions:11,} {len(tools.INSTRUCTIONS) if known else 0:12,} {_sizes(seen.results)}")
    marks = [
        "whole" if shown == text else _difference(shown, text)
        for shown, text in zip(seen.results, expected, strict=False)
    ]
    print(f"{'':34} {'':11} {'':12} " + " ".join(f"{mark:>14}" for mark in marks))


def _difference(shown: str, text: str) -> str:
    if text in shown:
        return f"whole, +{len(shown) - len(text):,}"
    return "JSON" if '"api_version"' in shown else "cut or changed"


def _sizes(texts: Sequence[str]) -> str:
    return " ".join(f"{len(text):14,}" for text in texts)


def _compact(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())
