"""The table of languages, and how the language of a file is found.

A language is a folder beside this module: `outline.py` says how its files are recognised and what they define,
`reader.py` how the graph reads and resolves them, `library.py` which names its libraries bring along. A folder without
`reader.py` states nothing beside its objects. Folders are imported when a language of theirs is first needed.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING

from sightline.languages.rules import Rules, no_rules
from sightline.languages.spec import LanguageSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES: Mapping[str, str] = MappingProxyType(
    {  # language → its folder
        "python": "python",
        "javascript": "javascript",
        "jsx": "javascript",
        "typescript": "javascript",
        "tsx": "javascript",
        "vue": "javascript",
        "svelte": "javascript",
        "astro": "javascript",
        "cython": "python",
        "go": "go",
        "rust": "rust",
        "java": "java",
        "c": "c",
        "cpp": "c",
        "csharp": "csharp",
        "ruby": "ruby",
        "php": "php",
        "perl": "perl",
        "swift": "swift",
        "kotlin": "kotlin",
        "scala": "scala",
        "elixir": "elixir",
        "lua": "lua",
        "bash": "bash",
        "zig": "zig",
        "haskell": "haskell",
        "dart": "dart",
        "objc": "objc",
        "julia": "julia",
        "powershell": "powershell",
        "ocaml": "ocaml",
        "ocaml_interface": "ocaml",
        "fsharp": "fsharp",
        "sql": "sql",
        "solidity": "solidity",
        "make": "make",
        "hcl": "configuration",
        "dockerfile": "configuration",
        "nix": "configuration",
        "html": "documents",
        "css": "documents",
        "markdown": "documents",
        "json": "documents",
        "yaml": "documents",
        "toml": "documents",
        "text": "documents",
    }
)
TEXT = "text"  # what a file is in when nothing is known
_SHEBANG = re.compile(rb"^#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?(?:\S*/)?([\w.+-]+)")


@cache
def spec_of(language: str) -> LanguageSpec:
    """Return the spec of a language of the table."""
    specs: tuple[LanguageSpec, ...] = import_module(f"{__package__}.{LANGUAGES[language]}.outline").SPECS
    return next(spec for spec in specs if spec.name == language)


@cache
def rules_of(language: str) -> Rules:
    """The rules of a language; those of a document where it has no reader or another version indexed it."""
    name = f"{__package__}.{LANGUAGES.get(language, LANGUAGES[TEXT])}.reader"
    if find_spec(name) is None:
        return no_rules(language)
    rules: Rules = import_module(name).rules(language)
    return rules


@cache
def family_of(language: str) -> str:
    """The family of a language."""
    return rules_of(language).family


class _Marks:
    """What files of each language are recognised by."""

    def __init__(self) -> None:
        specs = [spec_of(language) for language in LANGUAGES]
        self.extensions = {extension: spec.name for spec in specs for extension in spec.extensions}
        self.filenames = {filename: spec.name for spec in specs for filename in spec.filenames}
        self.claims = [(extension, claim, spec.name) for spec in specs for extension, claim in spec.claims.items()]
        self.shebangs = {shebang: spec.name for spec in specs for shebang in spec.shebangs}


_marks = cache(_Marks)


def is_extension(extension: str) -> bool:
    """Do files of some language end like this? With its dot."""
    return extension in _marks().extensions


def _suffix(name: str) -> str:
    """As PurePosixPath has it, which takes twenty times as long: every file of a root is asked for, several times."""
    dot = name.rfind(".")
    return name[dot:] if 0 < dot < len(name) - 1 else ""


def detect(path: str, head: bytes = b"") -> str:
    """Name the language of a file by file name, extension or its first bytes; "text" when nothing is known."""
    marks = _marks()
    name = path.rpartition("/")[2]
    if name in marks.filenames:
        return marks.filenames[name]
    suffix = _suffix(name)
    for extension, claim, language in marks.claims:
        if suffix == extension and claim(head):
            return language
    for extension in (suffix, suffix.lower()):
        if extension in marks.extensions:
            return marks.extensions[extension]
    if match := _SHEBANG.match(head):
        interpreter = match.group(1).decode("ascii", "replace")
        for candidate in (interpreter, interpreter.rstrip("0123456789.")):
            if candidate in marks.shebangs:
                return marks.shebangs[candidate]
    return TEXT
