"""Files that say what a path or a package name means: tsconfig.json, package.json, go.mod.

They are read whatever language they count as; what they state goes into the notes of the file's facts.
`provides` names become keys of the symbol table, so that a resolver can find the manifest of a package by its name.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.languages.facts import Facts
    from sightline.types import ParsedFile

_CONFIG = re.compile(r"^[jt]sconfig(\.[\w.-]+)?\.json$")
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_GO_MODULE = re.compile(rb"^\s*module\s+(\S+)", re.MULTILINE)
_MAX_EXPORTS = 200  # entries of one package.json; generated ones go into the thousands and name no sources


def read_manifest(parsed: ParsedFile, facts: Facts) -> None:
    """State what a manifest says, when the file is one."""
    name = PurePosixPath(parsed.path).name
    if name == "go.mod":
        match = _GO_MODULE.search(parsed.source)
        if match is not None:
            module = match.group(1).decode("utf-8", "replace").strip('"')
            facts.notes["go"] = module
            facts.notes["provides"] = [f"go:{module}"]
    elif name == "package.json":
        _package(_load(parsed.source), facts)
    elif name == "Cargo.toml":
        _cargo(parsed.source, facts)
    elif _CONFIG.match(name):
        _config(_load(parsed.source), facts)


def _cargo(source: bytes, facts: Facts) -> None:
    """The name of a crate and the file of its library."""
    try:
        found = tomllib.loads(source.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return
    package, library = found.get("package"), found.get("lib")
    names = [part.get("name") for part in (library, package) if isinstance(part, dict)]
    name = next((n for n in names if isinstance(n, str)), None)
    if name is not None:
        facts.notes["provides"] = [f"cargo:{name.replace('-', '_')}"]
    if isinstance(library, dict) and isinstance(library.get("path"), str):
        facts.notes["library"] = library["path"]


def _load(source: bytes) -> dict[str, Any]:
    """JSON as these tools write it, with comments and trailing commas; {} when it is something else."""
    text = _COMMENT.sub(lambda match: match.group(1) or "", source.decode("utf-8-sig", "replace"))
    try:
        found = json.loads(_TRAILING_COMMA.sub(r"\1", text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _package(package: dict[str, Any], facts: Facts) -> None:
    name = package.get("name")
    if not isinstance(name, str) or not name:
        return
    facts.notes["provides"] = [f"npm:{name}"]
    facts.notes["exports"] = dict(list(_exports(package).items())[:_MAX_EXPORTS])


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


def _config(config: dict[str, Any], facts: Facts) -> None:
    options = config.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    paths = options.get("paths")
    if isinstance(paths, dict):
        facts.notes["paths"] = {
            key: [t for t in targets if isinstance(t, str)]
            for key, targets in paths.items()
            if isinstance(targets, list)
        }
    if isinstance(options.get("baseUrl"), str):
        facts.notes["base"] = options["baseUrl"]
    extends = config.get("extends")
    if isinstance(extends, str):
        facts.notes["extends"] = extends
