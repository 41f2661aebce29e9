"""Step 5: float models -> the int8 model folder that ships.

Training makes the leading dimensions work alone, so that they may be used without the others as they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

_SMALLEST = 1e-9  # a word without a vector stays without one


def export(work: Path, models: Sequence[Path], model_id: str, out: Path) -> None:
    """Average float models of one start (different seeds), quantise, write the model folder."""
    loaded = [np.load(path) for path in models]
    table, query, document = (np.mean([m[key] for m in loaded], axis=0) for key in ("table", "query", "document"))
    vocabulary = json.loads((work / "vocabulary.json").read_text())
    scale = np.maximum(np.abs(table).max(axis=1), _SMALLEST) / 127
    quantised = np.clip(np.round(table / scale[:, None]), -127, 127).astype(np.int8)
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "table.npy", quantised)
    np.save(out / "weights.npy", np.stack([document * scale, query * scale]).astype(np.float32))
    (out / "vocabulary.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    about = {"id": model_id, "dim": int(table.shape[1]), "tokens": len(vocabulary)}
    (out / "model.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
