"""code_research against real indexes: what is asked is answered, within the budget, with places for every claim."""

from __future__ import annotations

from collections.abc import Callable

from sightline.retrieval.research import ResearchResult
from sightline.tokens import estimate_tokens

Ask = Callable[..., ResearchResult]


def edges(result: ResearchResult, *, proven: bool = True) -> set[str]:
    """`source relationship target` of every edge the answer states."""
    return {f"{f.source} {f.kind} {f.target}" for f in result.facts if f.kind != "definition" and f.proven is proven}


def test_callers_are_traced_through_the_chain(ask: Ask) -> None:
    result = ask("python", "what calls login()")

    assert result.kind == "callers"
    assert "LoginHandler.post calls AuthService.login" in edges(result)
    assert "main calls LoginHandler.post" in edges(result)
    assert "shop/web/handlers.py:9" in result.text


def test_the_budget_is_kept_and_what_is_missing_is_listed(ask: Ask) -> None:
    for budget in (1, 20, 60, 150, 400):
        result = ask("python", "trace the call graph from main", max_tokens=budget)
        assert estimate_tokens(result.text) == result.tokens <= budget
    assert ask("python", "trace the call graph from main", max_tokens=150).left_out
