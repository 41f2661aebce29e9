"""Begin training from a model folder instead of random vectors.

The old model knows each word by a vector of its own. Here its frequent words teach the pieces of words first; a rare
word then starts between its own old vector and what its pieces say, and a new word starts from its pieces alone.
"""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import torch
from scripts.train_embedder.train import Model

logger = logging.getLogger(__name__)

_LENGTH = 3.0  # of a word's vector, as long as training from random vectors makes them
_DOUBT = 60.0  # a word met so many times starts half way between its own vector and its pieces
_FIT_STEPS = 25
_FIT_RATE = 0.09
_SMALL = 2e-3  # what the length of the pieces costs
_NEW_WORD = 0.6  # weight of a new word, in medians of the old ones
_NEW_PAIR = 0.25  # weight of a new pair of words: its words are counted already


def start_from(model: Model, vocabulary: list[str], folder: Path) -> None:
    """Set the parameters of `model` so that it is the smoothed model of `folder`."""
    words = (folder / "vocabulary.txt").read_text("utf-8").split("\n")
    old = {word: n for n, word in enumerate(words)}
    known = torch.tensor([word in old for word in vocabulary])
    place = np.array([old.get(word, 0) for word in vocabulary])
    table = torch.from_numpy(np.load(folder / "table.npy").astype(np.float32)[place])
    document, query = np.load(folder / "weights.npy")[:, place]
    size = table.norm(dim=1, keepdim=True).clamp_min(1e-6) / _LENGTH
    target = table / size * known[:, None]
    _teach_pieces(model, target, known)
    new = torch.tensor([_NEW_PAIR if " " in word else _NEW_WORD for word in vocabulary])
    every = torch.arange(len(vocabulary))
    with torch.no_grad():
        model.own.zero_()
        said = torch.cat([model.rows(block) for block in every.split(4096)])
        trust = model.trust
        certain = model.times / (model.times + _DOUBT)
        own = torch.where(known, certain / trust, torch.zeros(()))[:, None] * (target - said)
        model.own.copy_(own)
        for log_weights, old_weights in ((model.query, query), (model.document, document)):
            effective = torch.from_numpy(old_weights) * size[:, 0]
            effective = torch.where(known, effective, effective[known].median() * new * trust)
            log_weights.copy_(torch.log(effective.clamp_min(1e-6)) - model.log_trust)
    logger.info("%d of %d words come from %s", int(known.sum()), len(vocabulary), folder.name)


def _teach_pieces(model: Model, target: torch.Tensor, known: torch.Tensor) -> None:
    """Fit the pieces to the known words, the frequent ones above all."""
    taught = torch.nonzero(known)[:, 0]
    weight = model.trust[taught][:, None]
    with torch.no_grad():
        model.own.zero_()
        model.piece.zero_()
    optimiser = torch.optim.Adam([model.piece], lr=_FIT_RATE)
    for step in range(_FIT_STEPS):
        missed = ((target[taught] - model.rows(taught)) ** 2).sum(dim=1, keepdim=True)
        loss = (weight * missed).sum() / weight.sum() + _SMALL * (model.piece**2).sum() / len(taught)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 8 == 0:
            logger.info("pieces: step %d, missed %.3f of %.1f", step, loss.item(), _LENGTH**2)
