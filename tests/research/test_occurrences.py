"""Every line that says a name is counted, and put to what accounts for it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.blocks import Blocks
from sightline.retrieval.research.occurrences import Text, holding, lines_saying, occurrences
from sightline.server.texts import DiskTexts
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]


def said(result_text: str) -> str:
    return next(line for line in result_text.split("\n") if re.match(r"`rg -w \w+`: ", line))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("go\ngone\n_go\ngo()\n", (1, 4)),
        ("cargo go\ngo", (1, 2)),
        ("égo\ngoé\n«go»\n", (3,)),
        ("$go x-go\n\ngo go go\n", (1, 3)),
        ("", ()),
    ],
)
def test_lines_are_those_of_grep_w(text: str, lines: tuple[int, ...]) -> None:
    assert lines_saying(Text("a", text.encode()), "go").lines == lines


def test_no_file_that_holds_a_name_is_passed_over(build: Build) -> None:
    snapshot = build(
        {
            "a.py": "def parse_http_url(): pass\n",
            "b.md": "Call `parse_http_url` first.\n",
            "c.py": "x = 1\n",
            "d.weird": "go: parse_http_url\n",
            "e.py": "_ = 1\n",
        }
    )

    assert holding(snapshot, "parse_http_url") == ["a.py", "b.md", "d.weird"]
    assert set(holding(snapshot, "_")) == set(snapshot.files), "a name without a letter has no term: all are read"


def test_what_is_on_disk_counts_and_a_changed_file_is_named(build: Build, embedder: Embedder, tmp_path: Path) -> None:
    snapshot = build({"a.py": "def lonely_step(): pass\n", "b.py": "from a import lonely_step\nlonely_step()\n"})
    (tmp_path / "root" / "b.py").write_text("from a import lonely_step\n\n\nlonely_step()\nlonely_step()\n")
    texts = DiskTexts(tmp_path / "root", snapshot.files)

    found = occurrences(snapshot, texts, "lonely_step")
    result = research(snapshot, "who calls lonely_step", embedder=embedder, texts=texts)

    assert [(file.text.path, file.lines) for file in found.files] == [("a.py", (1,)), ("b.py", (1, 4, 5))]
    assert "4 lines of 2 files" in said(result.text)
    assert "b.py" in result.paths, "so that it is indexed before the answer is given"


def test_a_secret_is_never_read(build: Build, tmp_path: Path) -> None:
    snapshot = build({"a.py": "def lonely_step(): pass\n", ".env": "lonely_step=1\n", "x.csv": "lonely_step\n"})

    found = occurrences(snapshot, DiskTexts(tmp_path / "root", snapshot.files), "lonely_step")

    assert [file.text.path for file in found.files] == ["a.py", "x.csv"]


def test_a_call_on_another_receiver_in_the_same_caller_stays_open(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "class A:\n    def go(self): pass\n\n\nclass B:\n    def go(self): pass\n",
            "use.py": "from a import B\n\n\ndef use(b: B, c):\n    b.go()\n    c.go()\n    b.go()\n",
        }
    )
    result = research(snapshot, "who calls A.go", embedder=embedder)

    assert "2 resolved to namesakes" in said(result.text)
    assert "use.py:6" in result.text


def test_a_call_that_leaves_the_root_is_told_from_one_that_is_not_resolved(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "class Store:\n    def dumps(self): pass\n\n\ndef use(store: Store):\n    store.dumps()\n",
            "b.py": "import json\n\n\ndef other():\n    return json.dumps({})\n",
        }
    )
    result = research(snapshot, "who calls Store.dumps", embedder=embedder)

    assert "1 resolved outside this root" in said(result.text)
    assert "all 3 lines of 2 files accounted for" in said(result.text)


def test_a_subtype_whose_base_seems_to_lie_outside_is_named_and_not_counted_off(
    build: Build, embedder: Embedder
) -> None:
    """`meta` is not here and may have any name, so that the Base of `page.dart` is taken for one of its own."""
    files = {
        "lib/base.dart": "class Base {}\nclass Near extends Base {}\n",
        "lib/page.dart": "import 'other.dart';\nimport 'base.dart';\n\nclass Far extends Base {}\n",
        "lib/other.dart": "export 'package:meta/meta.dart';\n",
    }
    result = research(build(files), "which classes extend Base?", embedder=embedder)
    assert "Near" in result.text
    assert "class Far" in result.text or "lib/page.dart:4 (may be it)" in result.text
    assert "accounted for" not in said(result.text) or "class Far" in result.text


def test_symbols_of_one_name_are_checked_together(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "a.py": "def step(): pass\n\n\ndef one():\n    step()\n",
            "b.py": "def step(): pass\n\n\ndef two():\n    step()\n",
        }
    )
    result = research(snapshot, "who calls step", embedder=embedder)

    assert [section.title for section in result.sections].count("Check by text") == 1
    assert result.text.count("## Callers of step") == 2  # each list under its own title
    assert "all 4 lines of 2 files accounted for: 2 listed above, 2 definitions (a.py:1, b.py:1)." in said(result.text)


@pytest.mark.parametrize(
    ("language", "text", "inside"),
    [
        ("python", 'x = """\nNAME\n"""\n', True),
        ("python", 'x = """a"""\nNAME\n', False),
        ("python", 'x = \'"""\'\nNAME\n', False),
        ("java", "/* a\n NAME\n*/\n", True),
        ("java", "/* a */\nNAME\n", False),
        ("typescript", 'const all = "src/**/*.ts"\nNAME\n', False),
        ("haskell", "{- a\nNAME -}\n", True),
        ("typescript", "const a = `one\n${two} NAME.`\n", True),
        ("typescript", "const a = `one\n${NAME} two.`\n", False),
        ("typescript", "const a = `one`\nNAME()\n", False),
    ],
)
def test_comments_and_strings_over_several_lines_are_seen(language: str, text: str, inside: bool) -> None:
    data = text.encode()

    assert Blocks(data, language).inside(data.index(b"NAME")) is inside


@pytest.mark.parametrize(
    "text",
    [
        "launch();" * 100_000,
        "a" * 300_000 + " launch()\n",
        "for launch in this.launch " * 20_000 + "\n",
        "x = launch\n" * 20_000,
        '"""' * 40_000 + "launch\n",
        "`${launch}` " * 40_000 + "\n",
        "é" + "launché" * 100_000 + "\n",
        "x/* launch */" * 40_000 + "\n",
        "`" + "launch\n" * 10_000 + "`",
    ],
)
def test_no_file_holds_an_answer_up(build: Build, embedder: Embedder, tmp_path: Path, text: str) -> None:
    """What a repository holds is anybody's: the time for a file grows with its size, not with a power of it."""
    files = {
        "a.py": "class A:\n    def launch(self): pass\n\n\ndef use(a: A):\n    a.launch()\n",
        "b.ts": "let launch = 1\n",
    }
    snapshot = build(files)
    for name in ("b.ts", "a.py"):
        (tmp_path / "root" / name).write_text(files[name] + text)
    began = time.monotonic()

    result = research(
        snapshot, "who calls A.launch", embedder=embedder, texts=DiskTexts(tmp_path / "root", snapshot.files)
    )

    assert any(section.title == "Check by text" for section in result.sections)
    assert time.monotonic() - began < 60
