"""A question where something is decided is answered by the line that sets the value which is called like it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.prose import about
from sightline.store import Snapshot
from tests.research.test_chain import section

Build = Callable[[Mapping[str, str]], Snapshot]

PRINTER = {
    "main.py": (
        "import os\n\n\ndef configure(options, terminal):\n    names = options.names\n"
        "    colored_output = options.color == 'always' or (\n"
        "        terminal and not os.environ.get('NO_COLOR')\n    )\n"
        "    return names, colored_output\n"
    ),
    "output.py": (
        "def print_entry(entry, colored_output):\n    if colored_output:\n"
        "        print_colorized_output(entry)\n    else:\n"
        "        print(entry)\n\n\ndef print_colorized_output(entry):\n    print('color of the output', entry)\n"
    ),
}


def test_the_line_that_sets_the_value_is_shown_with_its_function(build: Build, embedder: Embedder) -> None:
    question = "Where is it decided whether the output is coloured?"
    result = research(build(PRINTER), question, embedder=embedder)
    lines = section(result, "Decided at").splitlines()

    assert lines[0] == "main.py:6  configure (:4)"
    assert "options.color == 'always'" in lines[1]
    assert "NO_COLOR" in lines[2]
    assert "## In order" not in result.text


def test_a_value_that_is_set_without_a_condition_is_no_decision(build: Build, embedder: Embedder) -> None:
    files = {"a.py": "def configure(options):\n    colored_output = options.colored\n    return colored_output\n"}
    question = "Where is it decided whether the output is coloured?"

    assert not section(research(build(files), question, embedder=embedder), "Decided at")


def test_british_spelling_is_read_as_code_spells_it() -> None:
    assert about("which behaviour is serialised and coloured") == "which behavior is serialized and colored"
    assert about("the four hours of an hour") == "the four hours of an hour"
