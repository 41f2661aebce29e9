"""Step 4: learn one token table and two token weights (query, document) by contrasting doc comments with code.

Symmetric InfoNCE over batches of one language, most of them runs of the same package, so that the negatives are hard.
A batch draws each record as one of several views, see `Views`. Random initialisation: the model owes nothing to others.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from scripts.train_embedder.extract import THIN

from sightline.embed.static import _Identifiers

logger = logging.getLogger(__name__)

_START_SIZE = 0.12  # root mean square of a row when training goes on from an int8 model

Bag = tuple[np.ndarray, np.ndarray, np.ndarray]  # row, token, sqrt(count); sorted by row


@dataclass(frozen=True)
class Settings:
    """What was tried, and kept: see MODEL_CARD.md."""

    dim: int = 256
    batch: int = 2048
    epochs: float = 3.2
    learning_rate: float = 0.02
    temperature: float = 0.05
    grouped: float = 0.7  # share of a batch that comes in runs of one package
    run: int = 128  # length of such a run
    thin_repeats: int = 2  # thin languages are seen this much more often
    leading: int = 96  # the first dimensions shall work alone (StaticEmbedder.short_dim) ...
    leading_weight: float = 0.0  # ... with this share of the loss; 0: `export` rotates instead
    threads: int = 2
    seed: int = 0


class Views:
    """Draws the training views of a batch of records as bags of tokens.

    query: the doc sentence (some words dropped), or the symbol's name
    document: the code, with path words, with the rest of the doc, without the symbol's name, mixed with a neighbour of
    the same package, or only the relationships "name calls other"
    """

    NAME_QUERY = 0.12
    NAME_KEPT = 0.25  # of name queries: the body still says the name
    NAME_DROPPED = 0.3  # of doc queries
    PATH = 0.5
    REST = 0.35
    MIXED = 0.35
    TRIPLETS = 0.06

    def __init__(self, data: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        self._data = data
        self._rng = rng
        self._vocabulary = len(data["frequency"])
        self._partner = self._neighbours()

    def _neighbours(self) -> np.ndarray:
        """For each record another one of the same file, or -1. Records of a file share package and path words."""
        offsets, tokens = self._data["path_offsets"], self._data["path"].astype(np.int64)
        n = len(offsets) - 1
        row = np.repeat(np.arange(n), np.diff(offsets))
        place = np.arange(len(row)) - np.repeat(offsets[:-1], np.diff(offsets))
        key = np.zeros(n, np.int64)
        np.add.at(key, row, (tokens * 1_000_003 + 1) * (place * 31 + 17) % 2_147_483_647)
        key = key * 65_536 + self._data["package"] % 65_536
        order = np.argsort(key, kind="stable")
        following = np.roll(order, -1)
        partner = np.full(n, -1)
        same = key[order] == key[following]
        partner[order[same]] = following[same]
        return partner

    def _ragged(self, field: str, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        offsets = self._data[f"{field}_offsets"]
        first = offsets[records]
        n = offsets[records + 1] - first
        ends = np.cumsum(n)
        row = np.repeat(np.arange(len(records)), n)
        return row, self._data[field][np.arange(n.sum()) + np.repeat(first - ends + n, n)].astype(np.int64)

    def _bag(self, parts: list[tuple[np.ndarray, np.ndarray]]) -> Bag:
        row = np.concatenate([r for r, _ in parts])
        token = np.concatenate([t for _, t in parts])
        cell, count = np.unique(row * self._vocabulary + token, return_counts=True)
        return cell // self._vocabulary, cell % self._vocabulary, np.sqrt(count).astype(np.float32)

    def draw(self, records: np.ndarray) -> tuple[Bag, Bag]:
        """Return the query bag and the document bag of a batch."""
        rng, n = self._rng, len(records)
        doc, name, code = (self._ragged(field, records) for field in ("doc", "name", "code"))
        path, rest, calls = (self._ragged(field, records) for field in ("path", "rest", "calls"))
        documented = np.bincount(doc[0], minlength=n) > 0
        named = ~documented | ((rng.random(n) < self.NAME_QUERY) & (np.bincount(name[0], minlength=n) >= 2))
        triplets = documented & ~named & (np.bincount(calls[0], minlength=n) > 0) & (rng.random(n) < self.TRIPLETS)
        thinned = np.where(rng.random(n) < 0.4, 0.35, 0.0)
        ask = ~named[doc[0]] & (rng.random(len(doc[0])) >= thinned[doc[0]])
        query = self._bag([_pick(doc, ask), _pick(name, named[name[0]])])

        nameless = np.where(named, rng.random(n) >= self.NAME_KEPT, rng.random(n) < self.NAME_DROPPED)
        says_name = np.isin(code[0] * self._vocabulary + code[1], name[0] * self._vocabulary + name[1])
        parts = [
            _pick(code, ~triplets[code[0]] & ~(nameless[code[0]] & says_name)),
            _pick(path, ((rng.random(n) < self.PATH) & ~named)[path[0]]),
            _pick(rest, ((rng.random(n) < self.REST) & ~triplets)[rest[0]]),
            _pick(name, triplets[name[0]]),
            _pick(calls, triplets[calls[0]] & (rng.random(len(calls[0])) < 0.4)),
        ]
        sentences = np.flatnonzero(triplets)
        parts.append((sentences, np.full(len(sentences), self._data["calls_token"][0], np.int64)))
        mixed = np.flatnonzero((rng.random(n) < self.MIXED) & (self._partner[records] >= 0) & ~named & ~triplets)
        row, token = self._ragged("code", self._partner[records[mixed]])
        keep = rng.random(len(row)) < 0.7
        parts.append((mixed[row[keep]], token[keep]))
        return query, self._bag(parts)


def _pick(bag: tuple[np.ndarray, np.ndarray], keep: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return bag[0][keep], bag[1][keep]


class Model(torch.nn.Module):
    """A table of token vectors with log weights for queries and for documents."""

    def __init__(self, frequency: np.ndarray, dim: int) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(len(frequency), dim) * 0.1)
        rarity = np.log(1e-3 / (1e-3 + frequency / frequency.sum() * 20) + 1e-6)
        start = torch.tensor(np.clip(rarity - rarity.mean(), -4, 4), dtype=torch.float32)
        self.query = torch.nn.Parameter(start.clone())
        self.document = torch.nn.Parameter(start.clone())

    def start_from(self, folder: Path, vocabulary: list[str]) -> None:
        """Take over a model whose words come first in the vocabulary; a new word starts as the sum of its pieces."""
        old = np.load(folder / "table.npy").astype(np.float32)
        document, query = np.load(folder / "weights.npy")
        size = np.sqrt((old**2).mean(axis=1)) / _START_SIZE  # a row's scale and its weight are exchangeable
        table, weights = old / size[:, None], np.stack([query * size, document * size])
        cut = _Identifiers({word: i for i, word in enumerate(vocabulary[: len(old)])})._cut
        pieces = [cut(word) or [0] for word in vocabulary[len(old) :]]
        new = np.stack([(table[p] * weights[1][p][:, None]).sum(axis=0) for p in pieces])
        new *= _START_SIZE / np.sqrt((new**2).mean(axis=1, keepdims=True))
        new_weights = np.stack([[w[p].max() for p in pieces] for w in weights])
        with torch.no_grad():
            self.table.copy_(torch.from_numpy(np.concatenate([table, new])))
            log = torch.from_numpy(np.log(np.concatenate([weights, new_weights], axis=1)))
            self.query.copy_(log[0])
            self.document.copy_(log[1])

    def embed(self, bag: Bag, n: int, log_weights: torch.Tensor) -> torch.Tensor:
        row, token, count = bag
        offsets = torch.from_numpy(np.searchsorted(row, np.arange(n)))
        tokens = torch.from_numpy(token)
        weights = torch.exp(log_weights[tokens]) * torch.from_numpy(count)
        return F.embedding_bag(tokens, self.table, offsets, mode="sum", per_sample_weights=weights)


def _contrast(query: torch.Tensor, document: torch.Tensor, temperature: float) -> torch.Tensor:
    scores = F.normalize(query, dim=1) @ F.normalize(document, dim=1).T / temperature
    target = torch.arange(len(query))
    return (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2


def _batches(
    data: dict[str, np.ndarray], names: list[str], settings: Settings, rng: np.random.Generator
) -> list[np.ndarray]:
    """One epoch: batches of one language, a share of each in runs of one package."""
    batches: list[np.ndarray] = []
    for number, name in enumerate(names):
        records = np.flatnonzero(data["language"] == number)
        for _ in range(settings.thin_repeats if name in THIN else 1):
            rng.shuffle(records)
            grouped, free = np.split(records, [int(len(records) * settings.grouped)])
            place = rng.permutation(data["package"].max() + 1)[data["package"][grouped]]
            grouped = grouped[np.argsort(place, kind="stable")]
            runs = [grouped[i : i + settings.run] for i in range(0, len(grouped), settings.run)]
            rng.shuffle(free)
            ordered = np.concatenate([runs[i] for i in rng.permutation(len(runs))]) if runs else grouped
            for part in (ordered, free):
                cut = [part[i : i + settings.batch] for i in range(0, len(part), settings.batch)]
                batches += [batch for batch in cut if len(batch) >= 128]
    return [batches[i] for i in rng.permutation(len(batches))]


def _ahead(views: Views, batches: list[np.ndarray]) -> Iterator[tuple[int, Bag, Bag]]:
    """Draw batches in a thread beside the optimiser."""
    ready: queue.Queue[tuple[int, Bag, Bag] | None] = queue.Queue(4)

    def run() -> None:
        for batch in batches:
            ready.put((len(batch), *views.draw(batch)))
        ready.put(None)

    threading.Thread(target=run, daemon=True).start()
    while (item := ready.get()) is not None:
        yield item


def train(work: Path, settings: Settings, out: Path, start: Path | None = None) -> None:
    """Train on <work>/train.npz and write the float model to `out`; `start` is a model folder to go on from."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(0)  # one start for all seeds: models of different seeds can be averaged
    rng = np.random.default_rng(settings.seed)
    with np.load(work / "train.npz") as stored:
        data = {key: stored[key] for key in stored.files}
    names = json.loads((work / "languages.json").read_text())
    model, views = Model(data["frequency"], settings.dim), Views(data, rng)
    if start is not None:
        model.start_from(start, json.loads((work / "vocabulary.json").read_text()))
    groups = [
        {"params": [model.table], "lr": settings.learning_rate},
        {"params": [model.query, model.document], "lr": settings.learning_rate / 2},
    ]
    optimiser = torch.optim.Adam(groups, betas=(0.9, 0.98), fused=True)
    rates = [group["lr"] for group in groups]
    total = int(len(_batches(data, names, settings, rng)) * settings.epochs)
    logger.info("%d records, %d steps", len(data["language"]), total)
    step, losses, started = 0, [], time.monotonic()
    while step < total:
        for n, query_bag, document_bag in _ahead(views, _batches(data, names, settings, rng)):
            step += 1
            factor = min(1.0, step / 100) * max(0.02, 1 - step / total)
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * factor
            query = model.embed(query_bag, n, model.query)
            document = model.embed(document_bag, n, model.document)
            loss = _contrast(query, document, settings.temperature)
            if settings.leading_weight:
                head = slice(0, settings.leading)
                loss = loss + settings.leading_weight * _contrast(
                    query[:, head], document[:, head], settings.temperature
                )
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            if step % 100 == 0:
                logger.info(
                    "step %d of %d, loss %.3f, %d s", step, total, np.mean(losses[-100:]), time.monotonic() - started
                )
            if step >= total:
                break
    with torch.no_grad():
        np.savez(out, table=model.table.numpy(), query=model.query.exp().numpy(), document=model.document.exp().numpy())
