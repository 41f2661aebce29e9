"""Whatever is cut from a text is counted in it, and data lists exactly what the text shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.server import tools
from sightline.server.answers.render import budget_chars
from sightline.server.app import App
from sightline.server.cli.catchup import catch_up
from tests.support.indexes import write_files

WARNING = "the model fastembed:nomic-ai/nomic-embed-text-v1.5 is not in the cache and there is no network" * 2
LONG = 200  # lines of a function


@pytest.fixture
def app(tmp_path: Path) -> App:
    """A function that many call, a long one, and an answer that has something to say about the index."""
    callers = {f"m{n}.py": f"from t import target\n\n\ndef caller_{n}():\n    return target()\n" for n in range(40)}
    long = "def long_one():\n" + "".join(f"    x{n} = {n}\n" for n in range(LONG - 1))
    write_files(tmp_path / "root", {"t.py": "def target():\n    return 1\n", "long.py": long, **callers})
    app = App.open([tmp_path / "root"], index_dir=tmp_path / "indexes", embedder="none")
    catch_up(app.roots[0], show=False)
    app.roots[0].embedder.error = WARNING
    return app


@pytest.mark.parametrize("stale", [False, True])
@pytest.mark.parametrize("max_tokens", [200, 300, 600])
@pytest.mark.parametrize("question", ["what calls target?", "where do callers live"])
def test_research_lists_exactly_what_its_text_shows_whatever_the_notes_take(
    app: App, question: str, max_tokens: int, stale: bool
) -> None:
    if stale:
        for path in app.roots[0].config.root.glob("m*.py"):
            path.write_text("\n" + path.read_text())
    answer = tools.call(app, tools.CODE_RESEARCH, {"question": question, "max_tokens": max_tokens})
    assert WARNING[:60] in answer.text and len(answer.text) <= budget_chars(max_tokens)
    data = answer.payload
    assert [line for section in data["sections"] for line in section["lines"] if line not in answer.text] == []
    assert [fact["source"] for fact in data["facts"] if fact["source"] not in answer.text] == []


def test_source_that_is_not_shown_is_counted(app: App) -> None:
    text = tools.call(app, tools.SYMBOL_SEARCH, {"name": "long_one"}).text
    shown = sum(line.lstrip().partition(" ")[0].isdigit() for line in text.split("\n")[1:])
    assert shown < LONG
    assert f"… {LONG - shown} more lines: long.py:1-{LONG}" in text
