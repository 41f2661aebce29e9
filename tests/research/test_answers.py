"""What an agent need not look up again: every site, what must follow, the nearest tests, and a check that closes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import ResearchResult, research
from sightline.server.texts import DiskTexts
from sightline.store import Snapshot
from sightline.types import Filters

Build = Callable[[Mapping[str, str]], Snapshot]

STREAMS = {
    "pkg/streams.py": (
        "class Reader:\n    def feed(self): pass\n    def feed_eof(self): pass\n    def fail(self): pass\n\n\n"
        "class EmptyReader(Reader):\n    def feed_eof(self): pass\n"
    ),
    "pkg/parser.py": (
        "from pkg.streams import Reader\n\n\n"
        "class Parser:\n"
        "    def __init__(self, out: Reader):\n        self.out = out\n\n"
        "    def run(self, data):\n"
        "        if not data:\n            self.out.feed_eof()\n            return\n"
        "        # feed_eof() is last\n        self.out.feed_eof()\n\n\n"
        "class Buffer:\n"
        "    def feed(self): pass\n    def feed_eof(self): pass\n    def fail(self): pass\n"
    ),
    "pkg/fast.mojo": "cdef class Fast:\n    def end(self):\n        self.out.feed_eof()\n",
    "tests/test_streams.py": (
        "from pkg.streams import Reader\n\n\n"
        "def test_far():\n    helper()\n\n\ndef helper():\n    Reader().feed_eof()\n\n\n"
        "def test_feed_eof():\n    Reader().feed_eof()\n    Reader().feed_eof()\n"
    ),
}


def section(result: ResearchResult, title: str) -> str:
    return "\n".join(line for part in result.sections if part.title.startswith(title) for line in part.lines)


def test_an_edge_is_listed_once_with_all_its_call_sites(build: Build, embedder: Embedder) -> None:
    result = research(build(STREAMS), "who calls Reader.feed_eof", embedder=embedder)

    assert "Parser.run (:8)  pkg/parser.py:10, :13" in section(result, "Callers of")
    fact = next(fact for fact in result.facts if fact.source == "Parser.run")
    assert fact.sites == (10, 13)


def test_a_namesake_in_the_same_body_is_no_site(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "class A:\n    def go(self): pass\n\n\nclass B:\n    def go(self): pass\n",
            "use.py": "from a import A, B\n\n\ndef use(a: A, b: B):\n    a.go()\n    b.go()\n    a.go()\n",
        }
    )
    result = research(snapshot, "who calls A.go", embedder=embedder)

    assert next(fact for fact in result.facts if fact.source == "use").sites == (5, 7)


def test_a_change_names_first_what_must_follow_and_a_test_once(build: Build, embedder: Embedder) -> None:
    result = research(build(STREAMS), "what breaks if I change Reader.feed_eof?", embedder=embedder)

    assert "override EmptyReader.feed_eof  pkg/streams.py:8" in section(result, "Must follow")
    assert "stand-in Buffer.feed_eof  pkg/parser.py:18" in section(result, "Must follow")
    assert result.text.index("Must follow") < result.text.index("Affected by") < result.text.index("## Tests")
    assert result.text.count("test_feed_eof") == 1
    assert section(result, "Tests").index("test_feed_eof") < section(result, "Tests").index("test_far")


def test_every_occurrence_in_text_is_accounted_for_or_named(build: Build, embedder: Embedder) -> None:
    result = research(build(STREAMS), "who calls Reader.feed_eof", embedder=embedder)

    closing = section(result, "Check by text")
    assert "pkg/fast.mojo:3 (no grammar)" in closing
    assert "1 not resolved" in closing
    assert "1 in comments or strings" in closing
    assert "3 definitions" in closing


def test_nothing_left_over_is_said(build: Build, embedder: Embedder) -> None:
    snapshot = build({"a.py": "def lonely_step(): pass\n\n\ndef use():\n    lonely_step()\n"})
    result = research(snapshot, "who calls lonely_step", embedder=embedder)

    assert "all 2 lines of 1 file accounted for: 1 listed above, 1 definition." in section(result, "Check by text")


def test_files_that_the_index_left_out_are_searched(build: Build, embedder: Embedder, tmp_path: Path) -> None:
    files = {**STREAMS, "big/generated.py": "# @generated\nx = 1\nfeed_eof()\n"}
    snapshot = build(files)
    texts = DiskTexts(tmp_path / "root", snapshot.files)
    result = research(snapshot, "who calls Reader.feed_eof", embedder=embedder, texts=texts)

    assert "big/generated.py:3 (generated)" in section(result, "Check by text")


def test_no_way_says_where_each_end_stops_and_where_a_name_is_handed_on(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "bus.py": "class Bus:\n    def on(self, name, callback):\n        self.callbacks[name] = callback\n",
            "app.py": (
                "from bus import Bus\n\n\ndef start(bus: Bus):\n    prepare(bus)\n\n\n"
                "def prepare(bus: Bus):\n    bus.on('changed', [handlers.rerun])\n"
            ),
            "handlers.py": "def rerun():\n    execute()\n\n\ndef execute(): pass\n",
        }
    )
    result = research(snapshot, "how does start reach execute?", embedder=embedder)

    stops = section(result, "Where each end stops")
    assert "From start: " in stops
    assert "To execute: begins at rerun (handlers.py:1)" in stops
    assert "rerun is said, not called, at app.py:9 in prepare, reached from start" in stops


def test_a_folder_in_the_question_filters_code_and_leaves_only_the_number_of_tests(
    build: Build, embedder: Embedder
) -> None:
    snapshot = build(
        {
            **STREAMS,
            "tools/x.py": "from pkg.streams import Reader\n\n\ndef tool():\n    Reader().feed_eof()\n",
        }
    )
    result = research(snapshot, "Which functions in pkg/ call Reader.feed_eof?", embedder=embedder)

    assert "Parser.run" in result.text
    assert "tool " not in section(result, "Callers of")
    assert "1 elsewhere" in result.text
    assert "2 in tests" in result.text
    assert not section(result, "Tests")
    question = "If Reader.feed_eof changes, which functions in pkg/ call it, and which tests cover it?"
    assert "test_feed_eof" in section(research(snapshot, question, embedder=embedder), "Tests")
    without = research(snapshot, "who calls Reader.feed_eof, not tests", embedder=embedder)
    assert not section(without, "Tests")


def test_filters_hold_for_everything(build: Build, embedder: Embedder) -> None:
    filters = Filters(file_filter=("pkg/**",))
    result = research(build(STREAMS), "who calls Reader.feed_eof", embedder=embedder, filters=filters)

    assert "Parser.run" in section(result, "Callers of")
    assert not section(result, "Tests")


def test_what_is_described_is_found_and_then_asked_about(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "limits.py": "def too_slow(transfer):\n    '''Checks that a transfer is below the low speed limit.'''\n",
            "loop.py": "from limits import too_slow\n\n\ndef step(transfer):\n    return too_slow(transfer)\n",
        }
    )
    question = "Which function checks that a transfer is below the low speed limit, and who calls it?"
    result = research(snapshot, question, embedder=embedder)

    assert "Taken for what is described: too_slow" in result.text
    assert "step" in section(result, "Callers of too_slow")


def test_unlikely_guesses_are_counted_not_listed(build: Build, embedder: Embedder) -> None:
    users = "".join(f"def user_{n}(thing):\n    thing.launch()\n\n\n" for n in range(6))
    snapshot = build(
        {
            "a.py": "class A:\n    def launch(self): pass\n",
            "b.py": "class B:\n    def launch(self): pass\n",
            "use.py": users,
        }
    )
    result = research(snapshot, "callers of A.launch", embedder=embedder)

    assert "~ possible" not in result.text
    closing = section(result, "Check by text") + section(result, "Looked at")
    assert "6 may be it (others have the name too)" in closing
    assert "use.py:2, :6, :10, :14, :18, :22 (may be it)" in closing


def test_kinds_are_those_of_the_language(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "A.kt": (
                "abstract class Dispatcher\n\nobject Default : Dispatcher()\n\nexpect sealed class Other : Dispatcher\n"
            ),
            "lib.rs": (
                "pub struct Handle;\n\nimpl Handle {\n    fn push(&self) {}\n}\n\n"
                "pub trait Schedule {\n    fn schedule(&self);\n}\n\n"
                "impl Schedule for Handle {\n    fn schedule(&self) {\n        self.push();\n    }\n}\n"
            ),
        }
    )
    kotlin = research(snapshot, "subclasses of Dispatcher", embedder=embedder).text
    rust = research(snapshot, "who calls Handle::push", embedder=embedder).text

    assert "object Default" in kotlin
    assert "schedule (impl Schedule for Handle)" in rust


def test_a_prototype_in_a_header_is_not_denied_callers(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "lib/step.h": "int step_once(int n);\n",
            "lib/step.c": '#include "step.h"\n\nint step_once(int n) { return n; }\n',
            "lib/use.c": '#include "step.h"\n\nint use(void) { return step_once(1); }\n',
        }
    )
    result = research(snapshot, "who calls step_once", embedder=embedder)

    assert "No callers" not in result.text
    assert "Looked at" not in result.text
    assert "accounted for" in section(result, "Check by text")


def test_subtypes_that_are_listed_are_so_in_the_check(build: Build, embedder: Embedder) -> None:
    snapshot = build({"a.py": "class Base: pass\n\n\nclass One(Base): pass\n\n\nclass Two(Base): pass\n\n\nx = Base\n"})
    result = research(snapshot, "which classes extend Base?", embedder=embedder)

    assert "2 listed above, 1 definition" in section(result, "Check by text")


def test_tests_of_symbols_of_one_name_are_listed_once(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "class Base:\n    def go(self): pass\n\n\nclass Own(Base):\n    def go(self): pass\n",
            "tests/test_a.py": (
                "from a import Base, Own\n\n\ndef test_go(base: Base, own: Own):\n    base.go()\n    own.go()\n"
            ),
        }
    )
    result = research(snapshot, "who calls go", embedder=embedder)

    assert result.text.count("test_go") == 1


def test_many_lines_that_could_not_be_resolved_are_said_at_once(build: Build, embedder: Embedder) -> None:
    users = "".join(f"def user_{n}(thing):\n    thing.launch()\n\n\n" for n in range(12))
    files = {
        "a.py": "class A:\n    def launch(self): pass\n\n\ndef sure(a: A):\n    a.launch()\n",
        "b.py": "class B:\n    def launch(self): pass\n",
        "use.py": users,
    }
    result = research(build(files), "callers of A.launch", embedder=embedder)

    assert "Beside these 12 lines that say `launch` could not be resolved" in result.text.split("##")[0]


def test_overloads_that_must_follow_are_one_line(build: Build, embedder: Embedder) -> None:
    files = {
        "Base.java": "interface Base {\n  void go();\n  void go(int n);\n}\n",
        "Own.java": "class Own implements Base {\n  public void go() {}\n  public void go(int n) {}\n}\n",
    }
    result = research(build(files), "what breaks if I change Base.go?", embedder=embedder)

    assert section(result, "Must follow") == "override Own.go  Own.java:2, :3"


@pytest.mark.parametrize(
    "question",
    [
        "Which classes below src/ (no tests, no samples) implement Reader, directly or through a parent class?",
        "which classes implement Reader, without tests or samples?",
    ],
)
def test_several_things_may_be_left_out_in_words(build: Build, embedder: Embedder, question: str) -> None:
    files = {
        "src/reader.py": "class Reader:\n    pass\n\n\nclass FileReader(Reader):\n    pass\n",
        "src/samples/one.py": "from src.reader import Reader\n\n\nclass SampleReader(Reader):\n    pass\n",
        "tests/test_reader.py": "from src.reader import Reader\n\n\nclass TestReader(Reader):\n    pass\n",
    }
    result = research(build(files), question, embedder=embedder)
    assert result.kind == "implementations"
    assert "FileReader" in result.text
    assert "SampleReader" not in result.text and "class TestReader" not in result.text


VARIANTS = {
    "loop.h": "void poll_io(int t);\n",
    "linux.c": '#include "loop.h"\n\nvoid poll_io(int t) {\n  t++;\n}\n',
    "kqueue.c": '#include "loop.h"\n\nvoid poll_io(int t) {\n  t--;\n}\n',
    "run.c": (
        '#include "loop.h"\n\nstatic void drain(int n);\n\n'
        "void run(void) {\n  poll_io(1);\n  drain(2);\n}\n\nstatic void drain(int n) {\n  n++;\n}\n"
    ),
}


def test_the_bodies_of_a_c_function_for_several_platforms_are_one_symbol(build: Build, embedder: Embedder) -> None:
    result = research(build(VARIANTS), "who calls poll_io", embedder=embedder)

    assert section(result, "Callers of poll_io") == "run (:5)  run.c:6  | poll_io(1);"
    assert result.text.startswith("Callers of function poll_io (kqueue.c:3; also linux.c:3): 1 proven.")
    assert "No callers" not in result.text
    assert "possible" not in result.text


def test_of_a_prototype_and_its_body_the_body_is_where_a_function_is(build: Build, embedder: Embedder) -> None:
    result = research(build(VARIANTS), "who calls drain", embedder=embedder)

    assert result.text.startswith("Callers of function drain (run.c:10): 1 proven.")


def test_a_second_question_in_the_sentence_is_answered_too(build: Build, embedder: Embedder) -> None:
    files = {
        **STREAMS,
        "pkg/names.py": "def class_by_configured_name(name):\n    return REGISTRY[name.lower()]\n\n\nREGISTRY = {}\n",
    }
    asked = "Which classes extend Reader, and which function turns a configured name into its class?"
    result = research(build(files), asked, embedder=embedder)

    assert "class EmptyReader" in section(result, "Implementations of Reader")
    assert "class_by_configured_name (pkg/names.py:1)" in result.text
    assert "return REGISTRY[name.lower()]" in section(result, "What is described")


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("who calls Reader.feed_eof, and what does Parser.run call?", ("Callers of", "What Parser.run calls")),
        ("which classes extend Reader and who uses it?", ("Implementations of Reader", "Uses of Reader")),
    ],
)
def test_further_parts_that_name_code_are_questions_of_their_own(
    build: Build, embedder: Embedder, question: str, titles: tuple[str, ...]
) -> None:
    result = research(build(STREAMS), question, embedder=embedder)

    assert [title for title in titles if not any(s.title.startswith(title) for s in result.sections)] == []


@pytest.mark.parametrize(
    "question", ["who calls Reader.feed_eof and why", "who calls Reader.feed_eof, and which lines?"]
)
def test_words_that_ask_for_nothing_else_are_no_second_question(
    build: Build, embedder: Embedder, question: str
) -> None:
    result = research(build(STREAMS), question, embedder=embedder)

    assert "by its words" not in result.text
    assert not any(s.title == "What is described" for s in result.sections)


def test_classes_without_a_name_are_implementations(build: Build, embedder: Embedder) -> None:
    files = {
        "src/Factory.java": "interface Factory {\n  void make();\n}\n",
        "src/Named.java": "class Named implements Factory {\n  public void make() {}\n}\n",
        "src/Use.java": (
            "class Use {\n  static final Factory F = new Factory() {\n    public void make() {}\n  };\n"
            "  // new Factory() { }\n  Factory other() {\n    return new Factory() {\n      public void make() {}\n"
            "    };\n  }\n}\n"
        ),
    }
    result = research(build(files), "which classes implement Factory", embedder=embedder)

    assert section(result, "Implementations of Factory").splitlines() == [
        "class Named  src/Named.java:1, make :2",
        "class without a name in Use.F  src/Use.java:2",
        "class without a name in Use.other  src/Use.java:7",
    ]
    assert "has 3 direct implementations" in result.text


def test_several_types_and_what_lies_between_are_understood(build: Build, embedder: Embedder) -> None:
    asked = "Which types below pkg/ conform to Reader or Buffer, directly or through another class?"
    result = research(build(STREAMS), asked, embedder=embedder)

    assert result.kind == "implementations"
    assert {symbol.name for symbol in result.symbols} == {"Reader", "Buffer"}


def test_a_way_goes_on_from_every_overload(build: Build, embedder: Embedder) -> None:
    files = {
        "Json.cs": (
            "class Json {\n"
            "  public object Read(TextReader r, Type t) { return Read(new JsonReader(r), t); }\n"
            "  public object Read(JsonReader r, Type t) { return Inner(r, t); }\n"
            "  object Inner(JsonReader r, Type t) { return null; }\n"
            "}\n"
            "class Convert {\n  public object From(JsonReader r) { return new Json().Read(r, null); }\n}\n"
        ),
    }
    result = research(build(files), "how does Convert.From reach Json.Inner", embedder=embedder)

    assert "No call leads" not in result.text
    assert "Json.Inner" in section(result, "Way")


@pytest.mark.parametrize(
    "question",
    [
        "If the signature of Reader.feed_eof changes, which functions must be changed?",
        "who calls Reader.feed_eof, and who calls these functions?",
    ],
)
def test_what_only_says_more_of_the_same_is_no_second_question(build: Build, embedder: Embedder, question: str) -> None:
    result = research(build(STREAMS), question, embedder=embedder)

    assert "by its words" not in result.text
    assert "Parser.run" in result.text


def test_who_implements_a_hook_is_every_function_of_its_name(build: Build, embedder: Embedder) -> None:
    files = {
        **{f"pkg/p{number}.py": "def on_collect(items):\n    items.sort()\n" for number in range(6)},
        "pkg/plugin.py": "class Plugin:\n    def on_collect(self, items):\n        return items\n",
        "pkg/main.py": "def run(hook, items):\n    hook.on_collect(items=items)\n",
    }
    result = research(build(files), "which functions below pkg/ implement the hook on_collect?", embedder=embedder)

    assert result.text.startswith("7 functions are named on_collect")
    assert len(section(result, "Functions named on_collect").splitlines()) == 7
    assert "pkg/main.py:2" in section(result, "Check by text")


LINTERS = {
    "packages/core/src/queue.py": "def queue_flush(job): pass\n",
    "packages/core/src/render.py": (
        "from packages.core.src.queue import queue_flush\n\n\ndef render():\n    queue_flush(1)\n    queue_flush(2)\n"
    ),
    "packages/dom/tools/make.py": (
        "from packages.core.src.queue import queue_flush\n\n\ndef make():\n    queue_flush(3)\n"
    ),
}


def test_a_pattern_of_folders_in_a_question_says_which_files(build: Build, embedder: Embedder) -> None:
    question = "Which functions in packages/*/src (no tests) call `queue_flush` directly? Every call with file:line."
    result = research(build(LINTERS), question, embedder=embedder)

    assert result.kind == "callers"
    assert "render (:4)  packages/core/src/render.py:5, :6" in section(result, "Callers of")
    assert "make" not in section(result, "Callers of")


HANDLERS = {
    "handler.go": (
        "package web\n\ntype Handler interface {\n\tServe(path string) error\n}\n\n"
        "type Logged struct{}\n\n// Serve logs.\nfunc (l *Logged) Serve(path string) error { return nil }\n"
    ),
    "static.go": "package web\n\ntype Static struct{}\n\nfunc (s Static) Serve(path string) error { return nil }\n",
}


def test_implementations_of_one_method_are_listed_with_where_they_have_it(build: Build, embedder: Embedder) -> None:
    result = research(
        build(HANDLERS), "which types implement Handler? Each with the line of its Serve", embedder=embedder
    )
    listed = section(result, "Implementations of")

    assert "struct Logged  handler.go:7, Serve :10" in listed
    assert "struct Static  static.go:3, Serve :5" in listed
    assert "Overridden members" not in result.text, "said already"


def test_no_way_names_who_calls_what_the_end_overrides(build: Build, embedder: Embedder) -> None:
    files = {
        "queue.py": (
            "class Queue:\n    def put(self, job): pass\n\n\nclass Disk(Queue):\n    def put(self, job): pass\n"
        ),
        "engine.py": "from queue import Queue\n\n\ndef crawl(queue: Queue):\n    queue.put(1)\n",
        "scraper.py": "def scrape():\n    pass\n",
        "tests/test_engine.py": "from engine import crawl\n\n\ndef test_crawl():\n    crawl(None)\n",
    }
    result = research(build(files), "how does scrape reach Disk.put?", embedder=embedder)

    assert result.text.startswith("No way from scrape to Disk.put")
    assert "To Disk.put: begins at crawl (engine.py:4)" in section(result, "Where each end stops")
