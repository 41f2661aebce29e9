"""Several models as one: their vectors side by side, brought back to the width of one.

Side by side the scores of the models add up, whatever direction each of them learned things in. Of the joined space
those axes are kept along which a doc comment and its code agree most, over training records of all languages. They come
in that order, so the leading dimensions of the result work alone. A single model is only turned to these axes.

Rare words weigh less in the result: what a word met a few times learned is mostly noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scripts.train_embedder.views import bag_of, tokens_of

_RARE = 20.0  # a word met so many times has half of its weight
_SAMPLE = 4_000  # records of each language that decide on the axes
_BLOCK = 128  # records at a time: few enough that they share most of their words


@dataclass(frozen=True)
class Vectors:
    """A float model: a vector per word, and how much the word weighs in queries and in documents."""

    table: np.ndarray
    query: np.ndarray
    document: np.ndarray

    @classmethod
    def of_file(cls, path: Path) -> Vectors:
        """Read what training wrote."""
        with np.load(path) as stored:
            return cls(stored["table"], stored["query"], stored["document"])

    @classmethod
    def of_folder(cls, folder: Path, vocabulary: Sequence[str]) -> Vectors:
        """Read a model folder, in the order of `vocabulary`; a word it lacks has no vector."""
        words = {word: n for n, word in enumerate((folder / "vocabulary.txt").read_text("utf-8").split("\n"))}
        place = np.array([words.get(word, -1) for word in vocabulary])
        document, query = np.load(folder / "weights.npy")[:, place] * (place >= 0)
        return cls(np.load(folder / "table.npy").astype(np.float32)[place], query, document)

    def symmetric(self) -> tuple[np.ndarray, np.ndarray]:
        """Vectors that carry the mean weight, and how much a word leans to queries (log of the ratio)."""
        mean = np.sqrt(self.query * self.document)
        known = mean > 0
        lean = np.zeros(len(mean))
        lean[known] = np.log(self.query[known] / self.document[known]) / 2
        return self.table * mean[:, None], lean


def blend(models: Sequence[Vectors], shares: Sequence[float], data: dict[str, np.ndarray], dim: int) -> Vectors:
    """Join models of the vocabulary of `data` (train.npz); a word that some of them lack is left to the others."""
    frequency = data["frequency"]
    joined = _side_by_side(models, shares, np.sqrt(frequency))
    trust = (frequency / (frequency + _RARE)).astype(np.float32)
    joined = Vectors(joined.table, joined.query * trust, joined.document * trust)
    agreement = _agreement(joined, data)
    _, axes = np.linalg.eigh(agreement + agreement.T)
    return Vectors(joined.table @ axes[:, ::-1][:, :dim], joined.query, joined.document)


def _side_by_side(models: Sequence[Vectors], shares: Sequence[float], telling: np.ndarray) -> Vectors:
    """`telling`: how much each word counts when the models are brought to one scale."""
    parts, leans, weights = [], [], []
    for model, share in zip(models, shares, strict=True):
        vectors, lean = model.symmetric()
        size = np.sqrt((telling * (vectors**2).sum(axis=1)).sum() / telling.sum())
        parts.append(vectors / size)
        leans.append(lean)
        weights.append(share * (np.abs(vectors).max(axis=1) > 0))
    weight = np.stack(weights)
    weight = weight / np.maximum(weight.sum(axis=0), 1e-9)
    table = np.concatenate([np.sqrt(w)[:, None] * part for w, part in zip(weight, parts, strict=True)], axis=1)
    lean = (weight * np.stack(leans)).sum(axis=0)
    query, document = np.exp(lean).astype(np.float32), np.exp(-lean).astype(np.float32)
    return Vectors(table.astype(np.float32), query, document)


def _agreement(model: Vectors, data: dict[str, np.ndarray]) -> np.ndarray:
    """The sum over sampled records of the outer product of the doc comment's vector and the code's."""
    rng = np.random.default_rng(0)
    documented = rng.permutation(np.flatnonzero(np.diff(data["doc_offsets"])))
    languages = data["language"][documented]
    chosen = np.concatenate([documented[languages == n][:_SAMPLE] for n in np.unique(languages)])
    total = np.zeros((model.table.shape[1],) * 2)
    for records in np.split(chosen, range(_BLOCK, len(chosen), _BLOCK)):
        asked = _texts(data, ("doc", "doc_pairs"), records, model.table, model.query)
        held = _texts(data, ("code",), records, model.table, model.document)
        total += asked.T @ held
    return total


def _texts(
    data: dict[str, np.ndarray], fields: Sequence[str], records: np.ndarray, table: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The vectors of what these fields say together, of length 1 (or 0 when they say nothing)."""
    row, token, count = bag_of([tokens_of(data, field, records) for field in fields], len(table))
    present, column = np.unique(token, return_inverse=True)
    cells = np.zeros((len(records), len(present)), np.float32)
    cells[row, column] = count * weights[token]
    vectors = cells @ table[present]
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
