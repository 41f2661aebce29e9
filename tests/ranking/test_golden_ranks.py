"""The golden ranking set: where the answer stands for every query, held in a file that is reviewed as code.

`pytest tests/ranking --update` rewrites the file.
"""

from __future__ import annotations

import tomllib

import pytest

from sightline.embed import load_embedder
from sightline.retrieval.ranking import rerank
from sightline.retrieval.ranking.signals import SIGNALS
from sightline.retrieval.search import search
from sightline.store import Snapshot
from sightline.types import Hit, Query
from tests.support import paths
from tests.support.indexes import index_folder

FIXTURES = paths.FIXTURES / "ranking"
GOLDEN = FIXTURES / "rank_stats.txt"
LIST = 10

EMBEDDER = load_embedder("static")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return index_folder(FIXTURES / "shop", tmp_path_factory.mktemp("index"), EMBEDDER)


def rank_of(hits: list[Hit], target: str) -> int:
    """The place of the first hit on `path` or `path:qualified name`; 0 when it is not among them."""
    path, _, name = target.partition(":")
    for rank, hit in enumerate(hits, start=1):
        if hit.type != "relationship" and hit.path == path and name in ("", getattr(hit.item, "qualified_name", "")):
            return rank
    return 0


def table(snapshot: Snapshot, without: frozenset[str] = frozenset()) -> tuple[list[str], float]:
    lines, reciprocal = [], []
    for query in tomllib.loads((FIXTURES / "queries.toml").read_text(encoding="utf-8"))["query"]:
        hits = list(search(snapshot, Query(query["text"], limit=LIST), embedder=EMBEDDER, without=without).hits)
        rank = rank_of(hits, query["target"])
        reciprocal.append(1 / rank if rank else 0.0)
        lines.append(f"{rank or '-':>3}  {query['text']}  →  {query['target']}")
    mean = sum(reciprocal) / len(reciprocal)
    return [*lines, "", f"MRR@{LIST} {mean:.3f} over {len(reciprocal)} queries"], mean


def test_ranks_are_those_of_the_golden_file(shop: Snapshot, request: pytest.FixtureRequest) -> None:
    lines, mean = table(shop)
    text = "\n".join(lines) + "\n"
    if request.config.getoption("--update"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert mean > 0.8
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_every_signal_can_be_left_out_by_name(shop: Snapshot) -> None:
    assert len(set(rerank.SIGNAL_NAMES)) == len(SIGNALS) + 1
    for name in rerank.SIGNAL_NAMES:
        lines, _ = table(shop, frozenset({name}))
        assert lines
    hits = search(shop, Query("validate_credentials", explain=True), embedder=EMBEDDER).hits
    assert set(hits[0].why) <= set(rerank.SIGNAL_NAMES)


def test_test_code_stays_behind_unless_it_is_asked_for(shop: Snapshot) -> None:
    plain = search(shop, Query("login with password"), embedder=EMBEDDER).hits
    asked = search(shop, Query("tests of login with password"), embedder=EMBEDDER).hits
    assert not plain[0].path.startswith("tests/")
    assert rank_of(list(asked), "tests/test_login.py") < rank_of(list(plain), "tests/test_login.py") or (
        asked[0].path == "tests/test_login.py"
    )
