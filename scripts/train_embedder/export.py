"""Step 5: float models -> the int8 model folder that ships.

The models of all seeds, and another model when one is given, become one; see blend.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scripts.train_embedder.blend import Vectors, blend

_OTHER_SHARE = 0.65  # of the other model, where one is given; .5 to .7 are about equal
_SMALLEST = 1e-9  # a word without a vector stays without one


def export(work: Path, models: Sequence[Path], model_id: str, out: Path, other: Path | None = None) -> None:
    """Make one model of several float models and of `other` (a model folder), quantise it, write its folder."""
    vocabulary = json.loads((work / "vocabulary.json").read_text())
    with np.load(work / "train.npz") as stored:
        data = {key: stored[key] for key in stored.files}
    parts = [Vectors.of_file(path) for path in models]
    shares = [1 / len(parts)] * len(parts)
    if other is not None:
        parts.append(Vectors.of_folder(other, vocabulary))
        shares = [(1 - _OTHER_SHARE) * each for each in shares] + [_OTHER_SHARE]
    model = blend(parts, shares, data, parts[0].table.shape[1])
    scale = np.maximum(np.abs(model.table).max(axis=1), _SMALLEST) / 127
    quantised = np.clip(np.round(model.table / scale[:, None]), -127, 127).astype(np.int8)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "table.npy", quantised)
    np.save(out / "weights.npy", np.stack([model.document * scale, model.query * scale]).astype(np.float32))
    (out / "vocabulary.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    about = {"id": model_id, "dim": int(quantised.shape[1]), "tokens": len(vocabulary)}
    (out / "model.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
