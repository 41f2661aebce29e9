"""Which of several plausible places a query means: definitions, re-exports, old versions, platforms."""

from __future__ import annotations

from typing import Any

from sightline.retrieval.search import search
from sightline.types import Query


def best_path(snapshot: Any, embedder: Any, text: str) -> str:
    hits = search(snapshot, Query(text, types=("chunk", "object")), embedder=embedder).hits
    return hits[0].path


def added(snapshot: Any, embedder: Any, text: str, path: str, signal: str) -> float:
    hits = search(snapshot, Query(text, types=("chunk", "object"), explain=True), embedder=embedder).hits
    return max((hit.why.get(signal, 0.0) for hit in hits if hit.path == path), key=abs)


def test_a_type_and_a_function_whose_names_differ_in_style_are_two_names(build: Any, embedder: Any) -> None:
    snapshot = build(
        {
            "form.py": "class Form:\n    def from_request(self, request):\n        return request.form\n",
            "extract.py": "class FromRequest:\n    pass\n",
        }
    )
    assert best_path(snapshot, embedder, "FromRequest") == "extract.py"
    assert added(snapshot, embedder, "FromRequest", "form.py", "definition") == 0
    assert added(snapshot, embedder, "from_request", "extract.py", "definition") > 0


def test_a_sigil_makes_no_other_name(build: Any, embedder: Any) -> None:
    snapshot = build({"core.ts": "export interface $Schema {\n  parse(): void;\n}\n", "use.ts": "const n = 1;\n"})
    assert added(snapshot, embedder, "Schema", "core.ts", "definition") > 0


def test_where_nothing_defines_a_name_the_file_that_passes_it_on_comes_first(build: Any, embedder: Any) -> None:
    users = {
        f"src/form{n}.rs": f"use crate::extract::FromParts;\n\nimpl FromParts for Form{n} {{\n    fn go() {{}}\n}}\n"
        for n in range(3)
    }
    snapshot = build(users | {"src/extract.rs": "pub mod ws;\n\npub use core::extract::{\n    Body, FromParts,\n};\n"})
    assert best_path(snapshot, embedder, "FromParts") == "src/extract.rs"


def test_an_old_version_stays_behind_unless_it_is_asked_for(build: Any, embedder: Any) -> None:
    code = "class ParseError(Exception):\n    '''What parsing found wrong.'''\n"
    snapshot = build({"v1/errors.py": code, "v2/errors.py": code})
    assert best_path(snapshot, embedder, "parse errors") == "v2/errors.py"
    assert added(snapshot, embedder, "parse errors", "v1/errors.py", "copies") < 0
    assert added(snapshot, embedder, "v1 parse errors", "v1/errors.py", "copies") == 0


def test_code_for_another_platform_stays_behind_unless_it_is_asked_for(build: Any, embedder: Any) -> None:
    code = "int tty_set_mode(int fd, int mode) {\n  return fd + mode;\n}\n"
    snapshot = build({"src/unix/tty.c": code, "src/win/tty.c": code, "src/window.c": "int window_size;\n"})
    assert best_path(snapshot, embedder, "set the mode of a tty") == "src/unix/tty.c"
    assert added(snapshot, embedder, "set the mode of a tty", "src/win/tty.c", "platforms") < 0
    assert added(snapshot, embedder, "set the mode of a tty on windows", "src/win/tty.c", "platforms") == 0
    assert added(snapshot, embedder, "window size", "src/window.c", "platforms") == 0


def test_the_only_definition_of_a_name_comes_first_wherever_it_lies(build: Any, embedder: Any) -> None:
    uses = "\n".join(f"def read_{n}():\n    return get_binary_stdin({n})  # get_binary_stdin" for n in range(6))
    snapshot = build(
        {
            "app/_compat.py": "import sys\n\n\ndef get_binary_stdin(n):\n    return sys.stdin.buffer\n",
            "app/binary_stdin.py": f"from app._compat import get_binary_stdin\n\n\n{uses}\n",
        }
    )
    assert best_path(snapshot, embedder, "get_binary_stdin") == "app/_compat.py"
    assert added(snapshot, embedder, "get_binary_stdin", "app/_compat.py", "definition") > 0
    assert added(snapshot, embedder, "read standard input as bytes", "app/_compat.py", "copies") < 0
