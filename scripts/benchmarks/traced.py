"""What the truths that a run of tests gives have in common: the form that `scripts/bench graph --truth` reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any


def truth(
    root: Path,
    repo: str,
    named: tuple[str, str],
    files: list[str],
    entities: list[dict[str, Any]],
    sites: list[dict[str, Any]],
    ran: dict[str, set[int]],
) -> dict[str, Any]:
    """The truth of a language by a resolver (`named`); lines without a call that was seen are not judged."""
    language, resolver = named
    return {
        "repo": repo,
        "language": language,
        "resolver": resolver,
        "root": "",
        "files": files,
        "entities": entities,
        "sites": sites,
        "inherits": [],
        "imports": [],
        "refs": [],
        "calls": [],
        "unseen": {
            path: sorted(set(range(1, (root / path).read_bytes().count(b"\n") + 2)) - ran[path]) for path in files
        },
        "stats": {"by_status": dict(Counter(s["status"] for s in sites)), "call_sites": len(sites)},
    }


def around(bodies: list[dict[str, Any]], line: int) -> list[dict[str, Any]]:
    """The functions around a line, the innermost first."""
    found = [entity for entity in bodies if entity["start"] <= line <= entity["end"]]
    return sorted(found, key=lambda entity: entity["end"] - entity["start"])


def site(path: str, line: int, name: str, outer: list[dict[str, Any]]) -> dict[str, Any]:
    """A call that ran, of which no target is known yet."""
    module = {"path": path, "name": "<module>", "line": 1, "start": 0}
    return {
        "path": path,
        "line": line,
        "name": name,
        "caller": outer[0] if outer else module,
        "enclosing": [*outer[1:], module] if outer else [],
        "form": "call",
        "soft": [],
        "targets": [],
        "open": False,  # reached something that is no definition of the files
    }


def settle(sites: list[dict[str, Any]]) -> None:
    """Say of every site what is known of its target."""
    for called in sites:
        unknown = called.pop("open") and not called["targets"]
        called["status"] = "internal" if called["targets"] else "unknown" if unknown else "external"
