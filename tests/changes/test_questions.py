"""Which questions are about changes and history, and which are not."""

from __future__ import annotations

import pytest

from sightline.changes.asked import Asked
from sightline.changes.question import AboutChanges, AboutPast, read, settled
from sightline.changes.repository import repository
from tests.changes.conftest import Shop
from tests.support.hostile import git


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What do my changes affect?", Asked()),
        ("what will this change break", Asked()),
        ("which tests should I run?", Asked()),
        ("Which tests should I run for my changes?", Asked()),
        ("what did I change", Asked()),
        ("impact of the uncommitted changes", Asked()),
        ("review the staged changes", Asked(staged=True)),
        ("what changed since main?", Asked(base="main")),
        ("review my branch against origin/develop", Asked(base="origin/develop")),
        ("what changed between v1.0 and v2.0?", Asked(commits="v1.0..v2.0")),
        ("summarize the changes in HEAD~3..HEAD", Asked(commits="HEAD~3..HEAD")),
    ],
)
def test_questions_about_changes_are_understood(question: str, asked: Asked) -> None:
    about = read(question)
    assert isinstance(about, AboutChanges)
    assert about.asked == asked


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("why is Cart.total here?", "commits", "Cart.total"),
        ("When did `tax` change?", "commits", "tax"),
        ("when was the function gross last changed", "commits", "gross"),
        ("commits that touched shop/cart.py", "commits", "shop/cart.py"),
        ("history of Cart", "commits", "Cart"),
        ("what usually changes together with shop/cart.py?", "together", "shop/cart.py"),
    ],
)
def test_questions_about_history_name_their_subject(question: str, kind: str, name: str) -> None:
    about = read(question)
    assert isinstance(about, AboutPast)
    assert (about.kind, about.name) == (kind, name)


@pytest.mark.parametrize(
    "question",
    [
        "what breaks if I change tax?",
        "which tests cover Cart.total?",
        "which tests should I run for Cart.total?",
        "what does the change handler do",
        "how does the review process work",
        "what changed state does the machine keep",
        "when is tax called",
        "",
        "my changes " * 100,
    ],
)
def test_other_questions_are_left_to_the_code(question: str) -> None:
    assert read(question) is None


def test_a_branch_is_compared_with_the_one_it_left(shop: Shop) -> None:
    about = read("review this branch")
    assert isinstance(about, AboutChanges)
    assert settled(about, repository(shop.root)) == Asked()
    git(shop.root, "checkout", "-qb", "topic")
    assert settled(about, repository(shop.root)) == Asked(base="main")
