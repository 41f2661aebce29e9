"""Step 6: how good a model is, for several models in one run.

Questions: the doc sentence of a held-out definition must find its code among those of its language (MRR@10), the words
of its name must find its code without them, its doc must find the sentence "name calls other"; with BM25 beside it.
Benchmark: files of annotated repositories ranked by their best 40-line piece (mean NDCG@10 over repositories); binary
gain, a target counts where its file is.
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sightline.embed.static import StaticEmbedder
from sightline.tokens import words

logger = logging.getLogger(__name__)

Ranks = Callable[[list[str], list[str]], list[int]]  # queries, documents -> rank of each query's own document

_CUTOFF = 10
_PIECE_LINES = 40
_K1, _B = 1.2, 0.75
_MAX_FILE_BYTES = 1_000_000
_CODE = frozenset(
    [
        ".py",
        ".js",
        ".mjs",
        ".cjs",
        ".jsx",
        ".ts",
        ".tsx",
        ".go",
        ".rs",
        ".java",
        ".kt",
        ".kts",
        ".c",
        ".h",
        ".cc",
        ".cpp",
        ".hpp",
        ".cs",
        ".php",
        ".rb",
        ".swift",
        ".scala",
        ".ex",
        ".exs",
        ".hs",
        ".lua",
        ".sh",
        ".bash",
        ".bats",
        ".zig",
        ".dart",
    ]
)


def evaluate(
    work: Path, models: Sequence[Path], benchmark: Path | None, annotations: Path | None, repos: Path | None
) -> dict[str, Any]:
    """Return {model folder: {view: figures, benchmark: figures}}; BM25 answers the questions too."""
    report: dict[str, Any] = {"bm25": {n: _averaged(_by_language(work, _bm25_ranks, v)) for n, v in VIEWS.items()}}
    for folder in models:
        embedder = StaticEmbedder.load(folder)
        entry: dict[str, Any] = {"id": embedder.id}
        entry |= {name: _averaged(_by_language(work, _ranks_of(embedder), view)) for name, view in VIEWS.items()}
        short = _averaged(_by_language(work, _ranks_of(embedder, embedder.short_dim)))
        entry[f"doc → code, first {embedder.short_dim} dimensions"] = short["mean"]
        if benchmark is not None and annotations is not None and repos is not None:
            entry["benchmark"] = _averaged(_benchmark(embedder, benchmark, annotations, repos))
        report[str(folder)] = entry
    return report


def _averaged(values: dict[str, float]) -> dict[str, float]:
    if not values:
        return {}
    return {"mean": round(float(np.mean(list(values.values()))), 4), **{k: round(v, 3) for k, v in values.items()}}


View = Callable[[dict[str, Any]], tuple[str, str] | None]


def _doc_to_code(record: dict[str, Any]) -> tuple[str, str] | None:
    return record["doc"], record["code"]


def _name_to_code(record: dict[str, Any]) -> tuple[str, str] | None:
    """The name as a person would type it, and the code with every word of the name taken out."""
    name = words(record["name"].rpartition(".")[2])
    left = [word for word in words(record["code"]) if word not in set(name)]
    return (" ".join(name), " ".join(left)) if len(name) > 1 and len(left) > 9 else None


def _doc_to_relationship(record: dict[str, Any]) -> tuple[str, str] | None:
    return (record["doc"], f"{record['name']} calls {record['calls'][0]}") if record["calls"] else None


VIEWS: dict[str, View] = {
    "doc → code": _doc_to_code,
    "name → code": _name_to_code,
    "doc → triplet": _doc_to_relationship,
}


def _by_language(work: Path, ranks: Ranks, view: View = _doc_to_code) -> dict[str, float]:
    result: dict[str, float] = {}
    for language, pool in json.loads((work / "questions.json").read_text()).items():
        pairs = [pair for record in pool if (pair := view(record)) is not None]
        if not pairs:  # no definition of this language has what the view needs
            continue
        found = ranks([query for query, _ in pairs], [document for _, document in pairs])
        result[language] = float(np.mean([1 / r if r <= _CUTOFF else 0 for r in found]))
    return result


def _ranks_of(embedder: StaticEmbedder, leading: int | None = None) -> Ranks:
    def ranks(queries: list[str], documents: list[str]) -> list[int]:
        rows = embedder.encode_documents(documents)[:, :leading]
        asked = np.stack([embedder.encode_query(query) for query in queries])[:, :leading]
        if leading is not None:
            rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return _rank_of_own(asked @ rows.T)

    return ranks


def _rank_of_own(scores: np.ndarray) -> list[int]:
    """Ties share their places: a method that finds nothing at all shall not look as if it had found everything."""
    own = scores.diagonal()[:, None]
    better, equal = (scores > own).sum(axis=1), (scores == own).sum(axis=1) - 1
    return [int(r) for r in 1 + better + (equal + 1) // 2]


def _bm25_ranks(queries: list[str], documents: list[str]) -> list[int]:
    counts = [Counter(words(document)) for document in documents]
    lengths = np.array([sum(c.values()) for c in counts])
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for n, count in enumerate(counts):
        for word, times in count.items():
            postings[word].append((n, times))
    norm = _K1 * (1 - _B + _B * lengths / lengths.mean())
    scores = np.zeros((len(queries), len(documents)), np.float32)
    for q, query in enumerate(queries):
        for word in words(query):
            found = np.array(postings.get(word, ()), np.int64).reshape(-1, 2)
            idf = math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
            n, times = found.T
            scores[q, n] += idf * times * (_K1 + 1) / (times + norm[n])
    return _rank_of_own(scores)


def _benchmark(embedder: StaticEmbedder, checkouts: Path, annotations: Path, repos: Path) -> dict[str, float]:
    result: dict[str, float] = {}
    for repo in json.loads(repos.read_text()):
        root = checkouts / repo["name"]
        asked = annotations / f"{repo['name']}.json"
        if not root.is_dir() or not asked.is_file():
            logger.warning("%s: no checkout or no annotations", repo["name"])
            continue
        paths, texts = _pieces(root, repo.get("benchmark_root") or "")
        vectors = embedder.encode_documents(texts)
        scores = []
        for entry in json.loads(asked.read_text()):
            order = np.argsort(-(vectors @ embedder.encode_query(entry["query"])), kind="stable")
            files = list(dict.fromkeys(paths[i] for i in order))[:_CUTOFF]
            targets = entry.get("relevant", []) + entry.get("secondary", [])
            scores.append(_ndcg(files, [t if isinstance(t, str) else t["path"] for t in targets]))
        result[repo["name"]] = float(np.mean(scores))
    return result


def _pieces(root: Path, inside: str) -> tuple[list[str], list[str]]:
    paths: list[str] = []
    texts: list[str] = []
    for path in sorted((root / inside).rglob("*")):
        if path.suffix not in _CODE or not path.is_file() or path.stat().st_size > _MAX_FILE_BYTES:
            continue
        relative = path.relative_to(root).as_posix()
        lines = path.read_text("utf-8", "replace").split("\n")
        for start in range(0, len(lines), _PIECE_LINES):
            paths.append(relative)
            texts.append(relative + "\n" + "\n".join(lines[start : start + _PIECE_LINES]))
    return paths, texts


def _ndcg(files: Sequence[str], targets: Sequence[str]) -> float:
    ranks = {rank for target in targets for rank, file in enumerate(files) if _same_file(file, target)}
    gain = sum(1 / math.log2(rank + 2) for rank in ranks)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(len(targets), _CUTOFF)))


def _same_file(a: str, b: str) -> bool:
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)
