"""What is never used: three classes, and nothing called unused that somebody may call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import ResearchResult, research
from sightline.retrieval.research.question import readings
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]


def _told(result: ResearchResult, kind: str) -> set[str]:
    return {fact.source for fact in result.facts if fact.kind == kind}


def _asked(
    build: Build, embedder: Embedder, files: Mapping[str, str], question: str = "what is never used?"
) -> ResearchResult:
    result = research(build(files), question, embedder=embedder, max_tokens=8_000)
    assert result.kind == "unused"
    return result


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("what is never used?", []),
        ("unused functions", []),
        ("dead code in src/", ["src/"]),
        ("is there any dead code?", []),
        ("which methods in store/ are never called?", ["store/"]),
        ("what is only used by tests?", []),
        ("functions that nobody calls", []),
    ],
)
def test_dead_code_is_asked_for_in_many_words(question: str, subjects: list[str]) -> None:
    reading = readings(question)[0]
    assert reading.kind == "unused"
    assert [subject.name for subject in reading.subjects] == subjects


@pytest.mark.parametrize(
    "question", ["is foo dead code?", "is Foo.bar unused?", "how does dead code elimination work?"]
)
def test_a_question_about_one_symbol_or_a_topic_is_another_one(question: str) -> None:
    assert readings(question)[0].kind != "unused"


def test_unused_used_by_tests_only_and_unknown_are_told_apart(build: Build, embedder: Embedder) -> None:
    result = _asked(
        build,
        embedder,
        {
            "app.py": "from lib import used, Handler\n\n\ndef main():\n    used()\n    Handler().go()\n",
            "lib.py": (
                "import functools\n\n\ndef used():\n    return helper()\n\n\ndef helper():\n    return 1\n\n\n"
                "def forgotten():\n    return forgotten\n\n\ndef checked_only():\n    return 2\n\n\n"
                "def in_settings():\n    return 3\n\n\n@register\ndef registered():\n    return 4\n\n\n"
                "@functools.lru_cache\ndef cached_for_nobody():\n    return 5\n\n\n"
                "class Handler:\n    def go(self):\n        return getattr(self, 'visit_' + 'x')()\n\n"
                "    def visit_name(self):\n        return 1\n\n    def left_over(self):\n        return 2\n\n"
                "    def __repr__(self):\n        return ''\n\n\n"
                "class Alone:\n    def inner(self):\n        return Alone()\n"
            ),
            "settings.toml": 'hook = "lib.in_settings"\n',
            "tests/test_lib.py": "from lib import checked_only\n\n\ndef test_it():\n    assert checked_only() == 2\n",
        },
    )
    assert _told(result, "unused") == {"forgotten", "cached_for_nobody", "Handler.left_over", "Alone"}
    assert _told(result, "only_tests") == {"checked_only"}
    assert "2 texts" not in result.text
    assert "function in_settings  lib.py:20  said at settings.toml:1" in result.text
    assert "registered" in result.text


def test_public_names_of_a_library_are_unknown(build: Build, embedder: Embedder) -> None:
    result = _asked(
        build,
        embedder,
        {
            "pyproject.toml": '[project]\nname = "lib"\n',
            "lib/__init__.py": "def offered():\n    return 1\n\n\ndef _hidden():\n    return 2\n",
        },
    )
    assert _told(result, "unused") == {"_hidden"}
    assert "Unknown: it is public" in result.text


def test_what_a_place_does_not_hold_is_not_listed(build: Build, embedder: Embedder) -> None:
    files = {"src/a.py": "def lonely_a():\n    pass\n", "other/b.py": "def lonely_b():\n    pass\n"}
    result = _asked(build, embedder, files, "dead code in src/")
    assert _told(result, "unused") == {"lonely_a"}


def test_only_what_was_asked_for_is_listed(build: Build, embedder: Embedder) -> None:
    files = {"a.py": "LEFT = 1\n\n\ndef lonely():\n    pass\n\n\nclass Empty:\n    pass\n"}
    assert _told(_asked(build, embedder, files, "unused classes"), "unused") == {"Empty"}
    assert _told(_asked(build, embedder, files, "unused functions"), "unused") == {"lonely"}


def test_names_pasted_together_and_declared_in_headers_are_unknown(build: Build, embedder: Embedder) -> None:
    result = _asked(
        build,
        embedder,
        {
            "a.h": "int offered(void);\n",
            "b.c": "ATTR(constructor)\nstatic void begin(void) {}\nstatic struct manager { int n; } the_manager;\n"
            "void *p = &the_manager;\n",
            "a.c": '#include "a.h"\n#define NODE(x) x##_node\nstatic int prof_node = 1;\n'
            "int offered(void) { return 1; }\nstatic int idle(void) { return 2; }\n"
            "int main(void) { return NODE(prof); }\n",
        },
    )
    assert _told(result, "unused") == {"idle"}


def test_members_of_objects_and_exported_names_of_a_package_are_unknown(build: Build, embedder: Embedder) -> None:
    result = _asked(
        build,
        embedder,
        {
            "package.json": '{"name": "p", "main": "a.ts"}\n',
            "a.ts": "export function offered() {}\nfunction idle() {}\n"
            "const hooks = { onStart: () => 1 }\nuse(hooks)\n",
        },
    )
    assert _told(result, "unused") == {"idle"}


def test_go_methods_that_may_satisfy_an_interface_and_rows_of_numbers_are_unknown(
    build: Build, embedder: Embedder
) -> None:
    result = _asked(
        build,
        embedder,
        {
            "main.go": "package main\n\nconst (\n\tFirst = iota\n\tSecond\n)\n\ntype parser struct{}\n\n"
            "func (p parser) CanParse() bool { return true }\n\nfunc idle() {}\n\nfunc main() { run(parser{}) }\n",
            "run_spec.go": "package main\n\nfunc run(p parser) { helped() }\n",
            "help.go": "package main\n\nfunc helped() {}\n",
        },
    )
    assert _told(result, "unused") == {"idle"}
    assert _told(result, "only_tests") == set()


def test_members_of_trait_implementations_and_declarations_of_types_are_unknown(
    build: Build, embedder: Embedder
) -> None:
    result = _asked(
        build,
        embedder,
        {
            "src/main.rs": "mod a;\nfn main() { a::run(); }\n",
            "src/a.rs": "pub struct S;\nimpl other::Configuration for S {\n    const PLACE: u8 = 1;\n}\n"
            "impl S {\n    pub(crate) fn idle(&self) {}\n}\npub fn run() { let _ = S; }\n",
            "types.d.ts": "declare module 'x' {\n  interface Extended {}\n}\n",
        },
    )
    assert _told(result, "unused") == {"S.idle"}


def test_settings_that_a_program_looks_for_are_unknown(build: Build, embedder: Embedder) -> None:
    result = _asked(build, embedder, {"docs/conf.py": "html_theme = 'x'\n", "a.py": "LEFT_OVER = 1\n"})
    assert _told(result, "unused") == {"LEFT_OVER"}


def test_the_data_says_which_class_and_where(build: Build, embedder: Embedder) -> None:
    (fact,) = _asked(build, embedder, {"a.py": "def lonely():\n    pass\n"}).facts
    assert (fact.kind, fact.source, fact.path, fact.line, fact.proven) == ("unused", "lonely", "a.py", 1, False)
