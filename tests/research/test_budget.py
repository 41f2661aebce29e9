"""The budget is kept exactly, whatever there is to say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sightline.retrieval.research.budget import fit
from sightline.retrieval.research.model import Block, Fact, Line
from sightline.tokens import estimate_tokens

_LINES = st.builds(
    Line,
    st.text(st.characters(exclude_characters="\n\r"), max_size=60),
    source=st.one_of(st.none(), st.tuples(st.sampled_from(["a.py", "b.py"]), st.integers(1, 20))),
    heading=st.booleans(),
    rank=st.integers(0, 3),
)
_TITLES = st.sampled_from(["One", "Two", "Three"])
_BLOCKS = st.lists(
    st.builds(Block, _TITLES, st.lists(_LINES, max_size=12), st.integers(0, 5), st.just("ask")), max_size=8
)


@given(st.text(max_size=200), _BLOCKS, st.integers(1, 400))
def test_the_text_never_costs_more_than_the_budget(head: str, blocks: list[Block], budget: int) -> None:
    assert estimate_tokens(fit([head], blocks, budget).text) <= budget


@given(_BLOCKS, st.integers(1, 400))
def test_what_does_not_fit_is_counted(blocks: list[Block], budget: int) -> None:
    # Source lines shown by an earlier block are not missing, so only lines without one are counted here.
    plain = [Block(b.title, [Line(line.text, rank=line.rank) for line in b.lines], b.priority) for b in blocks]
    fitted = fit(["head"], plain, budget)

    shown = sum(len(section.lines) for section in fitted.sections)
    assert shown + sum(left.count for left in fitted.left_out) == sum(len(block.lines) for block in plain)


def test_no_source_line_is_shown_twice() -> None:
    line = Line("    1 import os", source=("a.py", 1))
    fitted = fit(["head"], [Block("One", [line], 0), Block("Two", [line, Line("    2 x", source=("a.py", 2))], 1)], 100)

    assert fitted.text.count("import os") == 1
    assert fitted.left_out == ()


def test_useful_evidence_gets_its_room_first_and_is_shown_in_the_given_order() -> None:
    blocks = [Block("Later", [Line("x" * 50)] * 10, 5, "ask again"), Block("First", [Line("y" * 50)] * 3, 0)]
    fitted = fit(["head"], blocks, 110)

    assert [section.title for section in fitted.sections] == ["Later", "First"]
    assert fitted.text.count("y" * 50) == 3
    assert "Later: " in fitted.text
    assert "ask again" in fitted.text


def test_deep_lines_go_before_direct_ones() -> None:
    lines = [Line(f"direct {n}" + "." * 30, rank=1 + n % 2) for n in range(10)]
    fitted = fit(["head"], [Block("Callers", lines, 0)], 100)

    assert all(f"direct {n}." in fitted.text for n in range(0, 10, 2))


def test_facts_of_lines_that_were_dropped_are_not_claimed() -> None:
    fact = Fact("calls", "a", "a.py", "b", "b.py", "a.py", 1, 1.0, "local", True)
    fitted = fit(["head"], [Block("Callers", [Line("z" * 500, (fact,))], 0)], 50)

    assert fitted.facts == ()
