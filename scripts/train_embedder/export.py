"""Step 5: float model -> the int8 model folder that ships.

Training makes the leading dimensions work alone. A model trained without that can be rotated to its principal axes
instead: dot products stay what they are, and the leading dimensions carry as much of them as any rotation allows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def export(work: Path, models: Sequence[Path], model_id: str, out: Path, rotate: bool = False) -> None:
    """Average float models of one start (different seeds), rotate, quantise, write the model folder."""
    loaded = [np.load(path) for path in models]
    table, query, document = (np.mean([m[key] for m in loaded], axis=0) for key in ("table", "query", "document"))
    vocabulary = json.loads((work / "vocabulary.json").read_text())
    with np.load(work / "train.npz") as data:
        frequency = data["frequency"].astype(np.float64)
    if rotate:
        share = np.minimum(frequency / frequency.max(), 1)[:, None]
        _, axes = np.linalg.eigh((table * (document[:, None] ** 2 * share)).T @ table)
        table = table @ axes[:, ::-1]
    scale = np.abs(table).max(axis=1) / 127
    quantised = np.clip(np.round(table / scale[:, None]), -127, 127).astype(np.int8)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "table.npy", quantised)
    np.save(out / "weights.npy", np.stack([document * scale, query * scale]).astype(np.float32))
    (out / "vocabulary.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    about = {"id": model_id, "dim": int(table.shape[1]), "tokens": len(vocabulary)}
    (out / "model.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
