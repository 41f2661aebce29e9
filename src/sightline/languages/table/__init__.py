"""The table of languages, and how the language of a file is found."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from sightline.languages.spec import LanguageSpec
from sightline.languages.table import (
    c,
    csharp,
    dart,
    documents,
    elixir,
    go,
    haskell,
    java,
    jvm,
    lua,
    php,
    python,
    ruby,
    rust,
    shell,
    sql,
    swift,
    typescript,
    zig,
)

TEXT = documents.TEXT
SPECS: dict[str, LanguageSpec] = {
    spec.name: spec
    for spec in (
        python.PYTHON,
        typescript.JAVASCRIPT,
        typescript.JSX,
        typescript.TYPESCRIPT,
        typescript.TSX,
        go.GO,
        rust.RUST,
        java.JAVA,
        c.C,
        c.CPP,
        csharp.CSHARP,
        ruby.RUBY,
        php.PHP,
        swift.SWIFT,
        jvm.KOTLIN,
        jvm.SCALA,
        elixir.ELIXIR,
        lua.LUA,
        shell.BASH,
        zig.ZIG,
        haskell.HASKELL,
        dart.DART,
        sql.SQL,
        documents.HTML,
        documents.CSS,
        documents.MARKDOWN,
        documents.JSON,
        documents.YAML,
        documents.TOML,
        documents.TEXT,
    )
}

_BY_EXTENSION = {extension: spec.name for spec in SPECS.values() for extension in spec.extensions}
_BY_FILENAME = {filename: spec.name for spec in SPECS.values() for filename in spec.filenames}
_BY_SHEBANG = {shebang: spec.name for spec in SPECS.values() for shebang in spec.shebangs}
_SHEBANG = re.compile(rb"^#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?(?:\S*/)?([\w.+-]+)")


def spec_of(language: str) -> LanguageSpec:
    """Return the spec of a language of the table."""
    return SPECS[language]


def detect(path: str, head: bytes = b"") -> str:
    """Name the language of a file by file name, extension or its first bytes; "text" when nothing is known."""
    name = PurePosixPath(path).name
    if name in _BY_FILENAME:
        return _BY_FILENAME[name]
    suffix = PurePosixPath(path).suffix
    if suffix == ".h" and c.is_cpp_header(head):
        return c.CPP.name
    for extension in (suffix, suffix.lower()):
        if extension in _BY_EXTENSION:
            return _BY_EXTENSION[extension]
    if match := _SHEBANG.match(head):
        interpreter = match.group(1).decode("ascii", "replace")
        for candidate in (interpreter, interpreter.rstrip("0123456789.")):
            if candidate in _BY_SHEBANG:
                return _BY_SHEBANG[candidate]
    return TEXT.name
