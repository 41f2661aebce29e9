"""Hand-checked facts: what an answer states is true, and what is true is stated (fixtures/research/*.toml)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from sightline.retrieval.research import ResearchResult
from tests.support import paths
from tests.support.told import names_place

FIXTURES = paths.FIXTURES / "research"
COMPARED = {
    "implementations": {"inherits", "implements", "overrides"},
    "dependencies": {"depends_on"},
    "dependents": {"depends_on"},
    "cycles": {"depends_on"},
    "impact": {"calls", "instantiates", "overrides", "imports", "inherits", "implements", "uses_type"},
}
CALLS = {"calls", "instantiates", "overrides"}
REPOSITORIES = sorted(listing.stem for listing in FIXTURES.glob("*.toml"))
QUESTIONS = [
    pytest.param(language, question, id=f"{language}: {question['ask']}")
    for language in REPOSITORIES
    for question in tomllib.loads((FIXTURES / f"{language}.toml").read_text(encoding="utf-8"))["question"]
]


@pytest.mark.req("COD-11")
@pytest.mark.parametrize(("language", "question"), QUESTIONS)
def test_the_answer_states_exactly_what_is_true(
    ask: Callable[..., ResearchResult], language: str, question: dict[str, Any]
) -> None:
    result = ask(language, question["ask"])

    kinds = COMPARED.get(result.kind, CALLS)
    stated = {(f.source, f.kind, f.target) for f in result.facts if f.kind in kinds and f.proven}
    if question.get("any_file"):
        stated = {(a.rpartition("/")[0] + "/", kind, b.rpartition("/")[0] + "/") for a, kind, b in stated}
    guessed = set(question.get("guessed", ()))  # true, but no more than possible to the graph
    assert {" ".join(fact) for fact in stated} == set(question["facts"]) - guessed
    assert guessed <= {f"{f.source} {f.kind} {f.target}" for f in result.facts if not f.proven}
    assert result.kind == question.get("kind", result.kind)
    for fact in result.facts:
        assert names_place(result.text, fact.path, fact.line)
    if question.get("negative"):
        assert "as far as the index can tell" in result.text or "could be resolved, but" in result.text
        assert "files indexed" in result.text
