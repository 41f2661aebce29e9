"""Calls that reach a function without saying its name: through what overrides it, or through a dispatcher."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]

CHANNELS = {
    "main/Invoker.java": "interface Invoker {\n    Invoker fireRead(Object msg);\n}\n",
    "main/Pipeline.java": (
        "interface Pipeline extends Invoker {\n    void close();\n\n"
        "    @Override\n    Pipeline fireRead(Object msg);\n}\n"
    ),
    "main/DefaultPipeline.java": (
        "class DefaultPipeline implements Pipeline {\n"
        "    @Override\n    public Pipeline fireRead(Object msg) {\n        return this;\n    }\n\n"
        "    @Override\n    public void close() {}\n}\n"
    ),
    "main/Channel.java": (
        "class Channel {\n    private Pipeline pipeline;\n\n"
        "    void read(Object msg) {\n        pipeline.fireRead(msg);\n    }\n\n"
        "    void readAll(DefaultPipeline all, Object msg) {\n        all.fireRead(msg);\n    }\n}\n"
    ),
    "other/Proxy.java": (
        "class Proxy {\n    void read(Pipeline pipeline, Object msg) {\n        pipeline.fireRead(msg);\n    }\n}\n"
    ),
    "main/Unrelated.java": (
        "class Unrelated {\n    void fireRead(Object msg) {\n        // nothing to do\n    }\n\n"
        "    void run() {\n        fireRead(null);\n    }\n}\n"
    ),
}


def test_calls_through_what_overrides_a_method_are_told_by_the_declaration_they_name(
    build: Build, embedder: Embedder
) -> None:
    question = "Which methods call `Invoker.fireRead`, with file:line?"
    text = research(build(CHANNELS), question, embedder=embedder).text

    assert "0 proven, 3 through overrides" in text
    assert "through Pipeline:\n  Channel.read (:4)  main/Channel.java:5" in text
    assert "through DefaultPipeline:\n  Channel.readAll (:8)  main/Channel.java:9" in text
    assert "3 listed above" in text
    assert "1 resolved to a namesake (main/Unrelated.java:7)" in text


def test_a_change_of_a_method_reaches_the_callers_of_what_overrides_it(build: Build, embedder: Embedder) -> None:
    question = (
        "If the signature of `Invoker.fireRead` changes, what in main/ overrides it and which methods in main/ call it?"
    )
    result = research(build(CHANNELS), question, embedder=embedder)

    assert result.kind == "impact"
    assert "2 must follow, 2 places directly (2 through overrides)" in result.text
    assert "Channel.read (:4)" in result.text
    assert "Proxy.read" not in result.text
    assert "1 through overrides (other/Proxy.java:3)" in result.text


def test_of_an_override_the_calls_of_its_namesakes_are_none(build: Build, embedder: Embedder) -> None:
    text = research(build(CHANNELS), "who calls `Unrelated.fireRead`?", embedder=embedder).text

    assert "through" not in text.replace("through the chain", "")


def test_tests_of_a_change_are_only_counted_where_some_files_are_asked_about(build: Build, embedder: Embedder) -> None:
    tested = {
        "src/app.py": "def limit(x):\n    return x\n\n\ndef run(x):\n    return limit(x)\n",
        "tests/test_app.py": "from src.app import limit\n\n\ndef test_limit():\n    assert limit(1)\n",
    }
    question = "If the signature of `limit` changes, which functions in src/ call it"
    snapshot = build(tested)

    text = research(snapshot, f"{question}?", embedder=embedder).text
    assert "1 place directly" in text
    assert "2 tests." in text  # its import, too
    assert "test_limit" not in text
    assert "test_limit" in research(snapshot, f"{question}, and which tests?", embedder=embedder).text


def test_tests_of_overrides_do_not_displace_those_of_the_method_itself(build: Build, embedder: Embedder) -> None:
    files = {
        "src/writer.py": (
            "class Writer:\n    def value(self, x):\n        return x\n\n\n"
            "class TreeWriter(Writer):\n    def value(self, x):\n        return [x]\n"
        ),
        "tests/test_writer.py": (
            "from src.writer import TreeWriter, Writer\n\n\n"
            "def test_tree_value():\n    assert TreeWriter().value(1)\n\n\n"
            "def test_plain():\n    assert Writer().value(1)\n"
        ),
    }
    text = research(build(files), "who calls `Writer.value`?", embedder=embedder).text

    assert "1 in tests" in text
    assert "test_plain" in text
    assert "test_tree_value" not in text


def _sources(body: str) -> dict[str, str]:
    return {
        "source.h": (
            "struct source {\n    int (*freshen)(struct source *source, int oid);\n};\n\n"
            f"static inline int source_freshen(struct source *source, int oid)\n{{\n{body}}}\n"
        ),
        "loose.c": (
            '#include "source.h"\n\n'
            "static int loose_freshen(struct source *source, int oid)\n{\n    return oid;\n}\n\n"
            "void loose_new(struct source *loose)\n{\n    loose->freshen = loose_freshen;\n}\n"
        ),
        "packed.c": (
            '#include "source.h"\n\n'
            "static int packed_freshen(struct source *source, int oid)\n{\n    return -oid;\n}\n\n"
            "void packed_new(struct source *packed)\n{\n    packed->freshen = packed_freshen;\n}\n"
        ),
        "odb.c": (
            '#include "source.h"\n\n'
            "int odb_write(struct source *source, int oid)\n{\n    return source_freshen(source, oid);\n}\n"
        ),
    }


def test_behind_a_dispatcher_of_a_field_its_callers_are_told(build: Build, embedder: Embedder) -> None:
    sources = _sources("    return source->freshen(source, oid);\n")
    text = research(build(sources), "Which functions call `loose_freshen`, with file:line?", embedder=embedder).text

    assert "1 through a dispatcher, registered at 1 place" in text
    assert "through source_freshen:\n  odb_write (:3)  odb.c:5" in text


def test_what_does_more_than_to_call_a_field_is_no_dispatcher(build: Build, embedder: Embedder) -> None:
    work = "".join(f"    oid += {number};\n" for number in range(8))
    sources = _sources(f"{work}    return source->freshen(source, oid);\n")
    text = research(build(sources), "Which functions call `loose_freshen`, with file:line?", embedder=embedder).text

    assert "registered at 1 place" in text
    assert "odb_write" not in text
