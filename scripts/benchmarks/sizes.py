"""How long the answers are: scripts/bench sizes --repos DIR [--only NAME …] [--command COMMAND] [--against FILE]

Each repository gets the same calls through a real server on stdio: every tool, and every kind of question that
`code_research` knows, about symbols that are chosen by a seed among the connected ones. Printed are the median and the
largest number of characters that reach a model: the text, or what structured content is as JSON where a server sends
that, since clients then show it instead. `--command` names another version's command, `--save` keeps the figures in a
file, and `--against` such a file makes a table of before and after. A missing index is made (--index-dir).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from corpus import machine

from sightline.graph.build.tested import is_test_file
from sightline.retrieval.research.evidence import CALLS, SUBTYPES, TYPE_KINDS, Graph
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up

_HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
_OPEN = (
    "where is the configuration read",
    "how are errors reported to the caller",
    "what happens when a connection fails",
    "how is the result written out",
)
_EACH = 3  # symbols of each kind
_ARGUMENT = {"search": "query", "symbol_search": "name", "expand_graph": "start", "code_research": "question"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call, and what kind of question it is."""

    tool: str
    kind: str
    asked: str


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", default="", help="of another version, which finds its own index")
    parser.add_argument("--index-dir", type=Path, default=Path(tempfile.gettempdir()) / "sightline-bench")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    sizes: dict[str, list[int]] = {}
    for folder in sorted(options.repos.iterdir()):
        if folder.is_dir() and (not options.only or folder.name in options.only):
            for call, size in measured(folder, options):
                sizes.setdefault(f"{call.tool} {call.kind}".strip(), []).append(size)
    if options.save:
        options.save.write_text(json.dumps(sizes), encoding="utf-8")
    before: dict[str, list[int]] = json.loads(options.against.read_text("utf-8")) if options.against else {}
    report(sizes, before)


def measured(folder: Path, options: argparse.Namespace) -> Iterator[tuple[Call, int]]:
    """Ask a server of one repository everything; yields what reached the model."""
    app = App.open([folder], index_dir=options.index_dir)
    catch_up(app.roots[0], show=False)
    calls = list(chosen(app, random.Random(options.seed)))
    app.close()
    own = [sys.executable, "-m", "sightline.server"]
    environment = os.environ if options.command else {**os.environ, "SIGHTLINE_INDEX_DIR": str(options.index_dir)}
    command = [*(shlex.split(options.command) or own), "serve", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        ask(server, 0, "initialize", _HELLO)
        for number, call in enumerate(calls, 1):
            arguments = {_ARGUMENT[call.tool]: call.asked}
            answer = ask(server, number, "tools/call", {"name": call.tool, "arguments": arguments})
            structured = answer.get("structuredContent")
            text = "".join(part.get("text", "") for part in answer.get("content", ()))
            yield call, len(json.dumps(structured, ensure_ascii=False, separators=(",", ":")) if structured else text)
        assert server.stdin is not None
        server.stdin.close()


def ask(server: subprocess.Popen[bytes], number: int, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """One request and its answer; notifications in between are passed over."""
    assert server.stdin is not None
    assert server.stdout is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    for line in server.stdout:
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == number:
            result: dict[str, Any] = answer.get("result", {})
            return result
    sys.exit(f"the server ended before it answered {method}")


def chosen(app: App, random_: random.Random) -> Iterator[Call]:
    """Calls of every tool, about connected symbols of the repository."""
    snapshot = app.roots[0].snapshot()
    assert snapshot is not None
    graph = Graph(snapshot)
    functions = _connected(graph, random_, ("function", "method"), CALLS)
    types = _connected(graph, random_, tuple(TYPE_KINDS), SUBTYPES)
    for query in _OPEN:
        yield Call("search", "question", query)
        yield Call("code_research", "open", query)
    for position in functions:
        name = graph.names[position]
        yield Call("search", "identifier", graph.objects.column("name")[position])
        yield Call("symbol_search", "function", name)
        yield Call("expand_graph", "function", name)
        for kind, words in (
            ("callers", "who calls `{}`?"),
            ("uses", "where is `{}` used?"),
            ("impact", "what breaks if I change `{}`?"),
            ("callees", "what does `{}` call?"),
            ("symbol", "explain `{}`"),
        ):
            yield Call("code_research", kind, words.format(name))
        start = _far_caller(graph, position)
        if start is not None:
            yield Call("code_research", "path", f"how does `{graph.names[start]}` reach `{name}`?")
    for position in types:
        yield Call("symbol_search", "type", graph.names[position])
        yield Call("code_research", "implementations", f"which types implement or extend `{graph.names[position]}`?")
    folders = sorted({path.rpartition("/")[0] for path in snapshot.files if path.count("/") == 1})
    for folder in random_.sample(folders, min(1, len(folders))):
        yield Call("code_research", "overview", f"give me an overview of {folder}/")
        yield Call("code_research", "dependencies", f"what does {folder}/ depend on?")


def _connected(graph: Graph, random_: random.Random, kinds: tuple[str, ...], edges: tuple[str, ...]) -> list[int]:
    """Some symbols of these kinds, outside of tests, that three or more others lead to."""
    links = graph.adjacency.target
    types = graph.edges.column("relationship_type")
    rows = np.flatnonzero(graph.edges.alive & (links >= 0) & np.logical_or.reduce([types.mask(kind) for kind in edges]))
    counts = np.bincount(links[rows], minlength=graph.objects.size)
    names = graph.objects.column("qualified_name")
    found = [
        position
        for position in np.flatnonzero(counts >= 3).tolist()
        if graph.kinds[position] in kinds and not is_test_file(graph.path(position)) and names[position].isascii()
    ]
    found.sort(key=lambda position: (graph.path(position), graph.line(position)))
    return random_.sample(found, min(_EACH, len(found)))


def _far_caller(graph: Graph, position: int) -> int | None:
    """A caller three hops away, or as far as there is one."""
    nodes = list(graph.tree([position], "in", CALLS, 3).walk())
    return max(nodes, key=lambda node: node.hops).position if nodes else None


def report(sizes: dict[str, list[int]], before: dict[str, list[int]]) -> None:
    """Print the table."""
    print(f"{machine()}\n")
    then = " before: median / largest |" if before else ""
    print(f"| tool and kind | calls |{then} median / largest |\n|---|---|{'---|' if before else ''}---|")
    for kind in sorted(sizes):
        old = f" {_spread(before[kind])} |" if kind in before else " |" if before else ""
        print(f"| {kind} | {len(sizes[kind])} |{old} {_spread(sizes[kind])} |")
    total = f" {sum(map(sum, before.values())):,} |" if before else ""
    print(f"| characters in all | {sum(map(len, sizes.values()))} |{total} {sum(map(sum, sizes.values())):,} |")


def _spread(found: list[int]) -> str:
    return f"{statistics.median(found):,.0f} / {max(found):,}"


if __name__ == "__main__":
    main()
