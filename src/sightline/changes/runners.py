"""How each test runner names a test: the id that it takes on its command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sightline.graph.build.tested import is_test_file, is_test_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from sightline.types import Object

RUNNERS = ("pytest", "vitest", "jest", "go", "cargo", "junit", "rspec", "files")
COMMANDS = {  # how the ids of a runner are used, for the reader
    "pytest": "pytest",
    "vitest": "npx vitest run",
    "jest": "npx jest",
    "go": "go test",
    "cargo": "cargo test",
    "junit": "mvn test -Dtest=, gradle test --tests",
    "rspec": "rspec",
    "files": "",
}
_SCRIPTS = frozenset({"javascript", "typescript", "tsx", "jsx"})
_JVM = frozenset({"java", "kotlin", "scala"})
BY_FILE = frozenset({"vitest", "jest", "rspec", "files"})  # their tests are blocks without a name of their own
_VITEST_CONFIG = re.compile(r"(^|/)(vitest\.(config|workspace)\.[cm]?[jt]s|vite\.config\.[cm]?[jt]s)$")
_JEST_CONFIG = re.compile(r"(^|/)jest\.config\.[cm]?[jt]s(on)?$")
_JAVA_TEST = re.compile(r"test|should|when|given", re.IGNORECASE)
_RUST_TESTS = re.compile(r"(^|\.)tests?(\.|$)")


@dataclass(frozen=True, slots=True)
class Runners:
    """Which runner a root uses, where the language leaves a choice."""

    script: str = "vitest"

    def of(self, language: str, path: str) -> str:
        """The runner of a test file."""
        if language in _SCRIPTS:
            return self.script
        if language in _JVM:
            return "junit"
        if language == "ruby":
            return "rspec" if path.endswith("_spec.rb") else "files"
        return {"python": "pytest", "go": "go", "rust": "cargo"}.get(language, "files")


def runners_of(paths: Collection[str], read: str = "") -> Runners:
    """Decide by the files of a root and the text of its `package.json`."""
    if "vitest" in read or any("vite" in path and _VITEST_CONFIG.search(path) for path in paths):
        return Runners("vitest")
    if '"jest"' in read or any("jest" in path and _JEST_CONFIG.search(path) for path in paths):
        return Runners("jest")
    return Runners("vitest")


def is_test(item: Object) -> bool:
    """Whether a symbol is a test that a runner finds by its name."""
    if item.kind not in ("function", "method"):
        return False
    if item.language == "python":
        return item.name.startswith("test") and is_test_file(item.path)
    if item.language == "go":
        return item.path.endswith("_test.go") and re.match(r"Test|Example|Fuzz", item.name) is not None
    if item.language == "rust":
        return is_test_file(item.path) or _RUST_TESTS.search(item.qualified_name) is not None
    if item.language in _JVM:
        return is_test_file(item.path)
    return is_test_file(item.path) and is_test_name(item.name, item.kind)


def id_of(item: Object, runner: str) -> str:
    """A test, or a whole file where `item` is its module, as the runner takes it."""
    if item.kind == "module" or runner in BY_FILE:
        return _file_id(item.path, runner)
    if runner == "pytest":
        return "::".join((item.path, *item.qualified_name.split(".")))
    if runner == "go":
        return f"{_package(item.path)}::{item.name}"
    if runner == "cargo":
        return "::".join(_rust_module(item.path) + item.qualified_name.split("."))
    owner, _, name = item.qualified_name.rpartition(".")
    named = _java_class(item.path, owner)
    # Only an annotation says which method of a class is a test; where the name does not, the class is run.
    return f"{named}#{name}" if _JAVA_TEST.match(name) else named


def arguments(ids: list[str], runner: str) -> list[str]:
    """What to put behind the runner's command: for Go one line per package, else the ids themselves."""
    if runner != "go":
        return ids
    packages: dict[str, list[str]] = {}
    for test in ids:
        package, _, name = test.partition("::")
        packages.setdefault(package, []).extend([name] if name else [])
    return [f"{package} -run '^({'|'.join(names)})$'" if names else package for package, names in packages.items()]


def _file_id(path: str, runner: str) -> str:
    if runner == "go":
        return _package(path)
    if runner == "cargo":
        return "::".join(_rust_module(path)) or path
    if runner == "junit":
        return _java_class(path, PurePosixPath(path).stem)
    return path


def _package(path: str) -> str:
    folder = path.rpartition("/")[0]
    return f"./{folder}" if folder else "."


def _rust_module(path: str) -> list[str]:
    """The path of modules that cargo writes before a test's name; a file below `tests/` is a crate of its own."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if "src" in parts:
        parts = parts[len(parts) - parts[::-1].index("src") :]
    else:
        parts = []
    return [part for part in parts if part not in ("lib", "main", "mod")]


def _java_class(path: str, owner: str) -> str:
    """The class with its package, which is the folder below the source root."""
    match = re.search(r"(?:^|/)src/\w+/(?:java|kotlin|scala)/(?P<package>.+)/[^/]+$", path)
    package = match["package"].replace("/", ".") + "." if match is not None else ""
    return package + (owner or PurePosixPath(path).stem)
