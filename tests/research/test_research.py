"""code_research against real indexes: what is asked is answered, within the budget, with places for every claim."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from sightline.embed import Embedder
from sightline.errors import QueryError
from sightline.retrieval.research import ResearchResult, research
from sightline.store import Snapshot
from sightline.tokens import estimate_tokens
from tests.support.told import names_place

Ask = Callable[..., ResearchResult]
Build = Callable[[Mapping[str, str]], Snapshot]


def edges(result: ResearchResult, *, proven: bool = True) -> set[str]:
    """`source relationship target` of every edge the answer states."""
    return {f"{f.source} {f.kind} {f.target}" for f in result.facts if f.kind != "definition" and f.proven is proven}


def section(result: ResearchResult, title: str) -> str:
    """The text of the section whose title begins so."""
    return "\n".join(line for part in result.sections if part.title.startswith(title) for line in part.lines)


# COD-11


@pytest.mark.req("COD-11")
def test_implementations_of_a_protocol_include_conformances_by_extension(ask: Ask) -> None:
    result = ask("swift", "implementations of AuthProtocol")

    assert result.kind == "implementations"
    assert {"PasswordAuth implements AuthProtocol", "TokenAuth implements AuthProtocol"} <= edges(result)
    assert "Sources/Auth/TokenAuth+AuthProtocol.swift:1" in section(result, "Implementations")


@pytest.mark.req("COD-11")
def test_callers_are_traced_through_the_chain(ask: Ask) -> None:
    result = ask("python", "what calls login()")

    assert result.kind == "callers"
    assert "LoginHandler.post calls AuthService.login" in edges(result)
    assert "main calls LoginHandler.post" in edges(result)
    assert "LoginHandler.post (:8) :9" in section(result, "Callers of")
    assert "    ← main (:12)  shop/web/app.py:14" in section(result, "Callers of")


@pytest.mark.req("COD-11")
def test_the_call_graph_is_traced_from_an_entry_point(ask: Ask) -> None:
    result = ask("python", "trace the call graph from main")

    lines = section(result, "Call chain").splitlines()
    depths = {line.split()[1]: len(line) - len(line.lstrip()) for line in lines}
    assert depths["LoginHandler.post"] < depths["AuthService.login"] < depths["AuthService.verify"]


@pytest.mark.req("COD-11")
def test_dependencies_between_modules_are_mapped_with_the_lines_that_show_them(ask: Ask) -> None:
    result = ask("python", "dependencies between auth and storage")

    assert "shop/auth/ depends on shop/storage/; not the other way round." in result.text
    assert "shop/auth/password.py:3" in result.text


@pytest.mark.req("COD-11")
def test_a_symbol_is_shown_with_its_related_components(ask: Ask) -> None:
    result = ask("python", "components related to PasswordProvider")

    assert {
        "PasswordProvider inherits AuthProvider",
        "RetiredPasswordProvider inherits PasswordProvider",
        "AuthService.__init__ instantiates PasswordProvider",
        "PasswordProvider.check calls UserStore.find",
    } <= edges(result)


# Open questions


class Counting:
    """An embedder that counts what it is asked for."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.queries: list[str] = []
        self.id, self.dim, self.short_dim = embedder.id, embedder.dim, embedder.short_dim

    def encode_documents(self, texts: Sequence[str]) -> Any:
        raise AssertionError("a question embeds no documents")

    def encode_query(self, text: str) -> Any:
        self.queries.append(text)
        return self._embedder.encode_query(text)


@pytest.mark.req("UNI-6")
def test_an_open_question_is_embedded_once_for_search_and_expansion(
    fixture_index: Callable[[str], Snapshot], embedder: Embedder
) -> None:
    counting = Counting(embedder)
    result = research(fixture_index("python"), "where are passwords checked", embedder=counting)

    assert result.kind == "open"
    assert counting.queries == ["where are passwords checked"]
    assert section(result, "In order")


def test_an_open_question_names_files_and_shows_source_and_connections(ask: Ask) -> None:
    result = ask("python", "where are passwords checked")

    assert section(result, "Where").splitlines()[0].startswith("shop/auth/password.py ")
    assert "   13         return user is not None and user.secret == digest(secret)" in result.text
    assert "shop/auth/password.py" in result.paths


def test_without_an_embedder_words_are_enough(fixture_index: Callable[[str], Snapshot]) -> None:
    result = research(fixture_index("python"), "where are passwords checked", embedder=None)

    assert "shop/auth/password.py" in result.paths


def test_a_question_about_nothing_says_so(ask: Ask) -> None:
    assert "Nothing in the index" in ask("python", "???").text


# Names


def test_a_misspelt_name_is_corrected_and_said(ask: Ask) -> None:
    result = ask("python", "implementations of AuthProvidr")

    assert "`AuthProvidr` was read as AuthProvider" in result.text
    assert "TokenProvider inherits AuthProvider" in edges(result)


def test_a_name_that_is_nowhere_is_said_before_search_answers(ask: Ask) -> None:
    result = ask("python", "who calls PaymentGateway.chargeEverything?")

    assert "There is no symbol `PaymentGateway.chargeEverything`" in result.text
    assert result.warnings
    assert result.tokens < 400


def test_of_a_name_with_another_owner_the_symbols_that_have_it_are_named(ask: Ask) -> None:
    result = ask("python", "who calls `Gateway.digest`?")

    assert "There is no symbol `Gateway.digest`" in result.text
    assert "function digest  shop/auth/hashing.py:" in section(result, "Symbols named digest")


def test_symbols_of_one_name_are_answered_for_separately(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "class A:\n    def run(self): pass\n\ndef use_a():\n    A().run()\n",
            "b.py": "class B:\n    def run(self): pass\n\ndef use_b():\n    B().run()\n",
        }
    )
    result = research(snapshot, "what calls run()", embedder=embedder)

    assert {"use_a calls A.run", "use_b calls B.run"} == edges(result)
    assert "A.run" in section(result, "Callers of A.run") or "use_a" in section(result, "Callers of A.run")
    assert "use_b" not in section(result, "Callers of A.run")


def test_a_folder_where_a_symbol_is_asked_for_gives_its_dependents(ask: Ask) -> None:
    assert ask("python", "who uses shop/storage").kind == "dependents"


# Evidence


@pytest.mark.parametrize(
    "question",
    [
        "what calls login()",
        "AuthService",
        "where are passwords checked",
        "impact of changing digest",
        "overview of shop",
    ],
)
def test_every_claim_has_its_place_and_no_source_line_appears_twice(ask: Ask, question: str) -> None:
    result = ask("python", question)

    for fact in result.facts:
        assert names_place(result.text, fact.path, fact.line)
    shown: list[str] = []
    for part in result.sections:
        path = ""
        for line in part.lines:
            if match := re.match(r"(\S+?):\d+", line):
                path = match[1]
            if numbered := re.match(r" {0,4}(\d+) ", line):
                shown.append(f"{path}:{numbered[1]}")
    assert [place for place, count in Counter(shown).items() if count > 1] == []


def test_guesses_are_marked_and_kept_apart(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "class A:\n    def launch(self): pass\n",
            "b.py": "class B:\n    def launch(self): pass\n",
            "use.py": "from a import A\n\ndef sure():\n    A().launch()\n\ndef unsure(thing):\n    thing.launch()\n",
        }
    )
    result = research(snapshot, "callers of A.launch", embedder=embedder)

    assert "sure calls A.launch" in edges(result)
    assert "unsure calls A.launch" in edges(result, proven=False)
    assert "unsure" not in section(result, "Callers of")
    assert re.search(
        r"^~ possible, 0\.\d: unsure calls A\.launch  use\.py:7", section(result, "Possible"), re.MULTILINE
    )


def test_tests_come_after_the_code(ask: Ask) -> None:
    result = ask("python", "who calls digest?")

    assert result.text.index("PasswordProvider.check") < result.text.index("test_digest_is_stable")
    assert "test_digest_is_stable" not in section(result, "Callers of")


def test_calls_of_an_overridden_method_are_listed_as_dynamic_dispatch(ask: Ask) -> None:
    result = ask("python", "callers of TokenProvider.check")

    assert "AuthService.verify" in section(result, "Callers through dynamic dispatch")


def test_lines_come_from_the_reader_where_there_is_one(
    fixture_index: Callable[[str], Snapshot], embedder: Embedder
) -> None:
    def read(path: str, start: int, end: int) -> list[str] | None:
        return [f"{path} as on disk, line {n}" for n in range(start, end + 1)] if path.endswith("hashing.py") else None

    result = research(fixture_index("python"), "what is digest?", embedder=embedder, read_lines=read)

    assert "    4 shop/auth/hashing.py as on disk, line 4" in result.text
    assert "PasswordProvider.check calls digest" in edges(result)


def test_cycles_are_found_with_the_lines_that_close_them(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "one.py": "import two\n\ndef f(): two.g()\n",
            "two.py": "import three\n\ndef g(): three.h()\n",
            "three.py": "import one\n\ndef h(): one.f()\n",
            "apart.py": "import one\n",
        }
    )
    result = research(snapshot, "are there circular imports?", embedder=embedder)

    assert result.kind == "cycles"
    assert {f"{a}.py depends_on {b}.py" for a, b in (("one", "two"), ("two", "three"), ("three", "one"))} == {
        edge for edge in edges(result) if "depends_on" in edge
    }


def test_the_whole_root_is_mapped_folder_by_folder(ask: Ask) -> None:
    result = ask("python", "module dependencies")

    assert {
        "shop/auth/ depends_on shop/storage/",
        "shop/web/ depends_on shop/auth/",
        "shop/web/ depends_on shop/storage/",
    } == edges(result)


def test_an_overview_names_files_central_symbols_and_neighbours(ask: Ask) -> None:
    result = ask("python", "overview of shop/auth")

    assert "[shop/auth/]\n__init__.py" in section(result, "Files of")
    assert "\nhashing.py (13 lines): digest, salted, never_called" in section(result, "Files of")
    assert "class AuthService  shop/auth/service.py:7" in section(result, "Most used")
    assert section(result, "Depends on").startswith("shop/storage/")
    assert section(result, "Used by").startswith("shop/web/")


# Proof


def test_a_negative_answer_lists_what_it_rests_on(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "lonely.py": "def forgotten_step(): pass\n",
            "dynamic.py": 'import lonely\n\ndef go():\n    getattr(lonely, "forgotten_step")()\n',
            "NOTES.md": "# Notes\n\nforgotten_step was once called by cron.\n",
            "broken.py": "def broken(:\n    return forgotten_step(\n",
        }
    )
    result = research(snapshot, "what calls forgotten_step()?", embedder=embedder)

    looked_at = section(result, "Looked at")
    assert "No callers of function forgotten_step (lonely.py:1) could be resolved, but 1 line" in result.text
    assert "4 files indexed, 0 failed, 1 with syntax the parser rejected" in looked_at
    assert "partly parsed: broken.py" in looked_at
    assert "dynamic.py:4" in looked_at
    assert "NOTES.md:3" in looked_at


# Budget and conduct


@pytest.mark.parametrize("question", ["trace the call graph from main", "AuthService", "where are passwords checked"])
def test_the_budget_is_kept_and_what_is_missing_is_listed(ask: Ask, question: str) -> None:
    for budget in (1, 20, 60, 150, 400, 1_000):
        result = ask("python", question, max_tokens=budget)
        assert estimate_tokens(result.text) == result.tokens <= budget
    small = ask("python", question, max_tokens=150)
    assert small.left_out
    assert "Left out" in small.text


def test_depth_limits_the_chain(ask: Ask) -> None:
    assert "main calls LoginHandler.post" not in edges(ask("python", "what calls login()", depth=1))


def test_progress_is_reported_and_a_cancelled_question_stops(ask: Ask) -> None:
    said: list[str] = []
    ask("python", "what calls login()", progress=said.append)

    assert len(said) > 2

    def no_longer_wanted(step: str) -> None:
        raise KeyboardInterrupt(step)

    with pytest.raises(KeyboardInterrupt, match="understanding"):
        ask("python", "what calls login()", progress=no_longer_wanted)


def test_impossible_arguments_are_refused(ask: Ask) -> None:
    with pytest.raises(QueryError):
        ask("python", "x", depth=0)
    with pytest.raises(QueryError):
        ask("python", "x", max_tokens=0)


def test_an_open_question_is_answered_in_less_than_its_budget_unless_more_is_asked_for(
    build: Build, embedder: Embedder
) -> None:
    body = "".join(f"    step_{n} = password_step({n})\n" for n in range(40))
    files = {f"shop/part{n}.py": f"def check_password_{n}(user):\n{body}" for n in range(8)}
    snapshot = build(files)

    usual = research(snapshot, "where are passwords checked", embedder=embedder)
    more = research(snapshot, "where are passwords checked", embedder=embedder, max_tokens=6_000)

    assert usual.tokens < 1_300
    assert usual.text.count("def check_password") == 3
    assert more.text.count("def check_password") == 6
