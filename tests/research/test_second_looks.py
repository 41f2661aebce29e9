"""What an answer says so that nothing is left to look up: the lines that are no call, one signature for all that
override a method, only the files that were asked about, and no more words than that takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.question import readings
from sightline.retrieval.research.scope import scope_of
from sightline.store import Snapshot
from sightline.types import Filters
from tests.research.test_answers import section

Build = Callable[[Mapping[str, str]], Snapshot]

SLABS = {
    "slabs.c": (
        "static void give_back(void *ptr);\n\n"
        "void split(void *ptr) {\n    give_back(ptr);\n}\n\n"
        "// like give_back, for all\n"
        "static void give_back(void *ptr) {\n    *(int *)ptr = 0;\n}\n"
    )
}
ROUTES = {
    "routing.py": (
        "class Base:\n    def matches(self, scope):\n        raise NotImplementedError\n\n\n"
        "class Route(Base):\n    def matches(self, scope):\n        return 1\n\n\n"
        "class Mount(Base):\n    def matches(self, scope):\n        return 2\n\n\n"
        "class Router:\n    def app(self, route: Base, scope):\n        return route.matches(scope)\n"
    )
}


def test_the_few_lines_that_are_no_call_are_named_with_their_places(build: Build, embedder: Embedder) -> None:
    text = research(build(SLABS), "Which functions call `give_back`, with file:line?", embedder=embedder).text

    assert "`rg -w give_back`: all 4 lines of 1 file accounted for" in text
    assert "2 definitions (:1, :8)" in text
    assert "1 in comments or strings (:7)" in text


def test_a_call_that_a_string_holds_is_quoted(build: Build, embedder: Embedder) -> None:
    script = (
        "release() {\n  rm -f lock\n}\n\n"
        "work() {\n  trap \"status=1; release 'slot'; exit 1\" EXIT\n  release slot\n}\n"
    )
    text = research(build({"run.bash": script}), "which functions call `release`?", embedder=embedder).text

    assert "run.bash:6 (in a string)  | trap" in text


def test_a_list_of_a_type_quotes_no_strings(build: Build, embedder: Embedder) -> None:
    code = 'class Sink:\n    pass\n\n\nclass File(Sink):\n    pass\n\n\ndef fail():\n    raise ValueError("no Sink")\n'
    text = research(build({"sink.py": code}), "which classes extend `Sink`?", embedder=embedder).text

    assert "in a string)" not in text


def test_a_changed_override_is_told_with_its_base_and_the_other_overrides(build: Build, embedder: Embedder) -> None:
    question = "If the signature of `Route.matches` changes, which overrides, which base and which callers must change?"
    result = research(build(ROUTES), question, embedder=embedder)
    follow = section(result, "Must follow").splitlines()

    assert follow == ["overridden Base.matches  routing.py:2", "override Mount.matches  routing.py:12"]
    assert "1 caller of what it overrides" in result.text


@pytest.mark.parametrize(
    ("question", "globs"),
    [
        ("which functions call `run` in src/app/Main.hs?", ("src/app/Main.hs",)),
        ("which functions call `run` in Main.hs?", ("**/Main.hs",)),
        ("which classes extend `Sink` in my-http (main source sets, no tests)?", ("my-http/**",)),
        ("which functions call `run` in lib?", ("lib/**",)),
    ],
)
def test_a_file_or_a_folder_without_a_slash_is_where_to_look(question: str, globs: tuple[str, ...]) -> None:
    files = ["src/app/Main.hs", "my-http/src/A.kt", "lib/x.py", "other/lib/y.py"]
    _, scope = scope_of(question, Filters(), files)

    assert scope.filters.file_filter == globs


def test_a_plain_word_is_no_folder() -> None:
    _, scope = scope_of("how are routes stored in memory?", Filters(), ["memory/a.py", "x.py"])

    assert not scope.filters.file_filter


def test_lines_elsewhere_are_only_counted_where_a_folder_was_asked_about(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "lib/a.py": "def fetch():\n    return 1\n\n\ndef one():\n    return fetch()\n",
            "notes/b.xyz": "fetch() is called here\n",
        }
    )
    text = research(snapshot, "which functions in lib/ call `fetch`?", embedder=embedder).text

    assert "(1 of them outside of what was asked about)" in text
    assert "notes/b.xyz" not in text


def test_of_two_names_the_one_that_exists_is_answered_for(build: Build, embedder: Embedder) -> None:
    code = {"m.py": "class Middle:\n    pass\n\n\nclass TracingMiddle(Middle):\n    pass\n"}
    question = "Which classes extend `AsyncMiddle` or `Middle`, with file:line?"
    text = research(build(code), question, embedder=embedder).text

    assert "There is no symbol `AsyncMiddle` in this index." in text
    assert "was read as" not in text
    assert "class TracingMiddle  m.py:5" in text


def test_a_member_of_a_named_type_is_that_member() -> None:
    question = "If the callback `send` of the behaviour `Conn.Adapter` gets another argument, which functions call it?"

    assert [subject.name for subject in readings(question)[0].subjects] == ["Conn.Adapter.send"]


def test_a_quoted_word_is_a_name_although_words_follow(build: Build, embedder: Embedder) -> None:
    question = "Which functions call `windows` in a.py, with file:line of every call?"
    result = research(
        build({"a.py": "def windows(): pass\n\n\ndef go():\n    windows()\n"}), question, embedder=embedder
    )

    assert result.kind == "callers"
    assert "go (:4)" in result.text


def test_callers_of_callers_are_left_out_where_lines_are_asked_for(build: Build, embedder: Embedder) -> None:
    code = {"a.py": "def low(): pass\n\n\ndef mid():\n    low()\n\n\ndef top():\n    mid()\n"}
    text = research(build(code), "Who calls `low`, with file:line?", embedder=embedder).text

    assert "mid (:4)" in text
    assert "top" not in text


def test_the_first_list_needs_no_title_that_the_first_sentence_says(build: Build, embedder: Embedder) -> None:
    code = {"sink.py": "class Sink:\n    pass\n\n\nclass File(Sink):\n    pass\n"}
    text = research(build(code), "which classes extend `Sink`?", embedder=embedder).text

    assert "## Implementations" not in text
    assert "1 direct implementation.\nclass File  sink.py:5" in text


MOVED = {
    "src/ops/resolve.py": "def resolve(ws):\n    return ws\n\n\ndef lock(ws):\n    return resolve(ws)\n",
    "benches/bench.py": "from src.ops.resolve import resolve\n\n\ndef bench():\n    return resolve(1)\n",
}


def test_a_folder_that_is_not_there_is_said_and_what_there_is_of_it_is_asked(build: Build, embedder: Embedder) -> None:
    question = "Which functions in src/cargo call `resolve`, with file:line of every call?"
    result = research(build(MOVED), question, embedder=embedder)

    assert result.kind == "callers"
    assert result.text.startswith("Nothing below src/cargo: asked of src/.\n")
    assert "lock (:5)  src/ops/resolve.py:6" in result.text
    assert "bench (" not in result.text
    assert "1 elsewhere" in result.text


@pytest.mark.parametrize("folder", ["crates/*/src", "`lib/cargo/`", "cargo_ops/deep"])
def test_without_any_of_a_folder_the_whole_root_is_asked(build: Build, embedder: Embedder, folder: str) -> None:
    result = research(build(MOVED), f"Which functions in {folder} call `resolve`?", embedder=embedder)

    assert f"Nothing below {folder.strip('`').rstrip('/')}: asked of the whole root.\n" in result.text
    assert "lock (" in result.text
    assert "bench (" in result.text


def test_dead_code_below_a_folder_that_is_not_there_says_so(build: Build, embedder: Embedder) -> None:
    result = research(build(MOVED), "dead code in src/cargo", embedder=embedder)

    assert result.kind == "unused"
    assert "Nothing below src/cargo: asked of src/." in result.text


def test_what_is_left_out_and_not_there_leaves_nothing_out(build: Build, embedder: Embedder) -> None:
    result = research(build(MOVED), "Which functions call `resolve`, not in src/gen?", embedder=embedder)

    assert "Nothing below src/gen.\n" in result.text
    assert "lock (" in result.text


@pytest.mark.parametrize(
    "question",
    [
        "How is a lock kept in read/write mode?",
        "Where is the charset in `application/json` parsed?",
        "Which code writes objects in .git/objects/?",
        "How are files in src/ops resolved?",
    ],
)
def test_words_with_a_slash_are_no_missing_folders(question: str) -> None:
    _, scope = scope_of(question, Filters(), [*MOVED, "read/a.py"], of_symbols=False)

    assert scope.missing == ()
