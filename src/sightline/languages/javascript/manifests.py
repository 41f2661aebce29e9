"""What package.json and tsconfig.json say: which files a package and a path stand for."""

from __future__ import annotations

import json
import re
from typing import Any

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_MAX_EXPORTS = 200  # entries of one package.json; generated ones go into the thousands and name no sources


def package_notes(source: bytes) -> dict[str, Any]:
    """The name of a package and the files that its sub-paths stand for."""
    package = _load(source)
    name = package.get("name")
    if not isinstance(name, str) or not name:
        return {}
    return {"provides": [f"npm:{name}"], "exports": dict(list(_exports(package).items())[:_MAX_EXPORTS])}


def config_notes(source: bytes) -> dict[str, Any]:
    """The paths, the base folder and the other config that a config builds on."""
    config, notes = _load(source), dict[str, Any]()
    options = config.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    paths = options.get("paths")
    if isinstance(paths, dict):
        notes["paths"] = {
            key: [t for t in targets if isinstance(t, str)]
            for key, targets in paths.items()
            if isinstance(targets, list)
        }
    if isinstance(options.get("baseUrl"), str):
        notes["base"] = options["baseUrl"]
    extends = config.get("extends")
    if isinstance(extends, str):
        notes["extends"] = extends
    return notes


def _load(source: bytes) -> dict[str, Any]:
    """JSON as these tools write it, with comments and trailing commas; {} when it is something else."""
    text = _COMMENT.sub(lambda match: match.group(1) or "", source.decode("utf-8-sig", "replace"))
    try:
        found = json.loads(_TRAILING_COMMA.sub(r"\1", text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _exports(package: dict[str, Any]) -> dict[str, list[str]]:
    """Sub-path ("" = the package itself) → the files it may stand for, in the order of the conditions."""
    exports = package.get("exports")
    found: dict[str, list[str]] = {}
    if isinstance(exports, str):
        found[""] = [exports]
    elif isinstance(exports, dict):
        if any(key.startswith(".") for key in exports):
            for key, value in exports.items():
                found[key.removeprefix(".").removeprefix("/")] = _strings(value)
        else:
            found[""] = _strings(exports)
    for key in ("source", "types", "typings", "module", "main"):
        if isinstance(package.get(key), str):
            found.setdefault("", []).append(package[key])
    return found


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    return []
