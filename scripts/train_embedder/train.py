"""Step 4: learn one token table and two token weights (query, document) by contrasting doc comments with code.

Symmetric InfoNCE over batches of one language, most of them runs of the same package, so that the negatives are hard.
views.py draws each record as one of several views. Random initialisation: the model owes nothing to others.

What limits a sum of words is its rare words: half of the vocabulary is met a few times, and what such a word learns is
noise. So while it is trained a word's vector is the sum of its own, held down by how rarely it is met, and of those of
its pieces of four and five letters, which it shares with its relatives (authenticate, authenticator). Afterwards the
sum is written into the table; whoever uses the model knows nothing of it.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from scripts.train_embedder.extract import THIN
from scripts.train_embedder.prepare import Ragged
from scripts.train_embedder.views import Bag, Views

logger = logging.getLogger(__name__)

_PIECE_CHARS = (4, 5)
_MIN_PIECE_WORDS = 3  # words that must share a piece
_OWN_START, _PIECE_START = 0.02, 0.1  # standard deviation of the random vectors
_WARM_UP = 100  # steps
_CHECKPOINT = 200  # steps
_FOLD = 4096  # words per block when the table is written


@dataclass(frozen=True)
class Settings:
    """What was tried, and kept: see MODEL_CARD.md."""

    dim: int = 256
    batch: int = 2048
    epochs: float = 3.0
    learning_rate: float = 0.06  # 0.04 to 0.1 are about equal, 0.02 learns more slowly
    temperature: float = 0.05
    grouped: float = 0.7  # share of a batch that comes in runs of one package
    run: int = 128  # length of such a run
    thin_repeats: int = 2  # thin languages are seen this much more often
    rare: float = 20.0  # a word met so many times has half of its own vector,
    rare_weight: float = 40.0  # and one met so many times half of its weight
    leading: tuple[int, ...] = (64, 160)  # the first dimensions shall work alone (relationships, objects) ...
    leading_weight: float = 0.3  # ... with this share of the loss
    threads: int = 2
    seed: int = 0


class Model(torch.nn.Module):
    """Vectors of words and of pieces of words, with log weights of words for queries and for documents."""

    def __init__(self, vocabulary: list[str], frequency: np.ndarray, settings: Settings) -> None:
        super().__init__()
        pieces = [_pieces(word) for word in vocabulary]
        words_with = Counter(piece for found in pieces for piece in set(found))
        shared = [piece for piece, n in words_with.items() if n >= _MIN_PIECE_WORDS]
        number = {piece: n for n, piece in enumerate(shared)}
        self._pieces = Ragged.of([[number[p] for p in found if p in number] for found in pieces])
        # By all pieces of the word, shared or not: a word unlike any other has little to say.
        self._share = torch.tensor([max(len(found), 1) ** -0.5 for found in pieces])[:, None]
        times = torch.tensor(frequency, dtype=torch.float32)
        self._trust = times / (times + settings.rare)
        self._log_trust = torch.log(times / (times + settings.rare_weight))
        self.own = torch.nn.Parameter(torch.randn(len(vocabulary), settings.dim) * _OWN_START)
        self.piece = torch.nn.Parameter(torch.randn(len(shared), settings.dim) * _PIECE_START)
        rarity = np.log(1e-3 / (1e-3 + frequency / frequency.sum() * 20) + 1e-6)
        start = torch.tensor(np.clip(rarity - rarity.mean(), -4, 4), dtype=torch.float32)
        self.query = torch.nn.Parameter(start.clone())
        self.document = torch.nn.Parameter(start.clone())

    def rows(self, tokens: torch.Tensor) -> torch.Tensor:
        """The vectors of these words."""
        pieces = Ragged(tokens.numpy(), np.arange(len(tokens) + 1)).replaced(self._pieces)
        flat, starts = torch.from_numpy(pieces.flat.astype(np.int64)), torch.from_numpy(pieces.offsets[:-1])
        shared = F.embedding_bag(flat, self.piece, starts, mode="sum")
        return self._trust[tokens][:, None] * self.own[tokens] + self._share[tokens] * shared

    def embed(self, query: Bag, document: Bag, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        asked, held = torch.from_numpy(query[1]), torch.from_numpy(document[1])
        present, place = torch.unique(torch.cat([asked, held]), return_inverse=True)
        rows = self.rows(present)
        query_weights = self.query[asked] + self._log_trust[asked]
        document_weights = self.document[held] + self._log_trust[held]
        return (
            _sum(query, rows, place[: len(asked)], query_weights, n),
            _sum(document, rows, place[len(asked) :], document_weights, n),
        )

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The weights of words in queries and in documents."""
        with torch.no_grad():
            query, document = ((log + self._log_trust).exp().numpy() for log in (self.query, self.document))
        return query, document

    def table(self) -> np.ndarray:
        with torch.no_grad():
            return torch.cat([self.rows(block) for block in torch.arange(len(self.own)).split(_FOLD)]).numpy()


def _pieces(word: str) -> list[str]:
    if " " in word:
        return [piece for part in word.split(" ") for piece in _pieces(part)]
    marked = f"<{word}>"
    return [marked[i : i + n] for n in _PIECE_CHARS for i in range(len(marked) - n + 1)] if len(word) > 2 else []


def _sum(bag: Bag, rows: torch.Tensor, place: torch.Tensor, log_weights: torch.Tensor, n: int) -> torch.Tensor:
    starts = torch.from_numpy(np.searchsorted(bag[0], np.arange(n)))
    weights = torch.exp(log_weights) * torch.from_numpy(bag[2])
    return F.embedding_bag(place, rows, starts, mode="sum", per_sample_weights=weights)


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


def _ahead(views: Views, batches: list[np.ndarray], rng: np.random.Generator) -> Iterator[tuple[int, Bag, Bag]]:
    """Draw batches in a thread beside the optimiser."""
    ready: queue.Queue[tuple[int, Bag, Bag] | None] = queue.Queue(4)

    def run() -> None:
        for batch in batches:
            ready.put((len(batch), *views.draw(batch, rng)))
        ready.put(None)

    threading.Thread(target=run, daemon=True).start()
    while (item := ready.get()) is not None:
        yield item


def train_seeds(work: Path, targets: Sequence[Path], processes: int) -> None:
    """Train a model per target that is not there yet, side by side: a step uses more than one core badly."""
    todo = [(seed, target) for seed, target in enumerate(targets) if not target.exists()]
    together = max(1, min(processes, len(todo)))
    threads = max(1, processes // together)
    tasks = [(work, Settings(seed=seed, threads=threads), target) for seed, target in todo]
    with multiprocessing.get_context("spawn").Pool(together, _log) as pool:
        pool.starmap(train, tasks, chunksize=1)


def _log() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(process)d %(message)s")


def train(work: Path, settings: Settings, out: Path) -> None:
    """Train on <work>/train.npz and write the float model to `out`; goes on from a checkpoint beside it."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(0)
    with np.load(work / "train.npz") as stored:
        data = {key: stored[key] for key in stored.files}
    names = json.loads((work / "languages.json").read_text())
    vocabulary = json.loads((work / "vocabulary.json").read_text())
    model = Model(vocabulary, data["frequency"], settings)
    groups = [
        {"params": [model.own, model.piece], "lr": settings.learning_rate},
        {"params": [model.query, model.document], "lr": settings.learning_rate / 2},
    ]
    optimiser = torch.optim.Adam(groups, betas=(0.9, 0.98), fused=True)
    checkpoint = out.with_suffix(".checkpoint")
    step = _resume(checkpoint, model, optimiser)
    _optimise(data, names, settings, model, optimiser, step, checkpoint)
    query, document = model.weights()
    np.savez(out, table=model.table(), query=query, document=document)
    checkpoint.unlink(missing_ok=True)


def _optimise(
    data: dict[str, np.ndarray],
    names: list[str],
    settings: Settings,
    model: Model,
    optimiser: torch.optim.Adam,
    step: int,
    checkpoint: Path,
) -> None:
    views, rates = Views(data), [settings.learning_rate, settings.learning_rate / 2]
    per_epoch = len(_batches(data, names, settings, np.random.default_rng(0)))
    total = int(per_epoch * settings.epochs)
    logger.info("%d records, %d steps, %d of them done", len(data["language"]), total, step)
    losses: list[float] = []
    started = time.monotonic()
    while step < total:
        epoch, done = divmod(step, per_epoch)
        rng = np.random.default_rng([settings.seed, epoch])
        batches = _batches(data, names, settings, rng)[done:]
        for n, query_bag, document_bag in _ahead(views, batches[: total - step], rng):
            step += 1
            factor = min(1.0, step / _WARM_UP) * max(0.02, 1 - step / total)
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * factor
            query, document = model.embed(query_bag, document_bag, n)
            loss = _contrast(query, document, settings.temperature)
            losses.append(loss.item())
            if settings.leading_weight:
                head = slice(0, settings.leading[step % len(settings.leading)])
                short = _contrast(query[:, head], document[:, head], settings.temperature)
                loss = loss + settings.leading_weight * short
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            if step % 100 == 0:
                seconds = time.monotonic() - started
                logger.info("step %d of %d, loss %.3f, %d s", step, total, np.mean(losses[-100:]), seconds)
            if step % _CHECKPOINT == 0:
                _save(checkpoint, model, optimiser, step)


def _save(checkpoint: Path, model: Model, optimiser: torch.optim.Adam, step: int) -> None:
    partial = checkpoint.with_suffix(".part")
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step}, partial)
    partial.replace(checkpoint)


def _resume(checkpoint: Path, model: Model, optimiser: torch.optim.Adam) -> int:
    if not checkpoint.exists():
        return 0
    state: dict[str, Any] = torch.load(checkpoint, weights_only=True)
    model.load_state_dict(state["model"])
    optimiser.load_state_dict(state["optimiser"])
    return int(state["step"])
