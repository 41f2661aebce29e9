"""Training itself, on a toy: needs torch (scripts/train_embedder/requirements.txt), which the product never does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scripts.train_embedder.evaluate import evaluate  # noqa: E402
from scripts.train_embedder.export import export  # noqa: E402
from scripts.train_embedder.prepare import prepare  # noqa: E402
from scripts.train_embedder.train import Settings, train, train_seeds  # noqa: E402

SETTINGS = Settings(dim=32, batch=256, epochs=12, leading=(8, 16), rare=1, rare_weight=1, threads=1)
# What a doc comment says and what its code says have no word in common.
WORDS = {f"say{chr(97 + i)}{chr(97 + j)}": f"code{chr(97 + j)}{chr(97 + i)}" for i in range(9) for j in range(9)}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    (folder / "pairs").mkdir()
    said = list(WORDS)
    rng = np.random.default_rng(0)
    for package in range(60):
        records = []
        for n in range(40):
            chosen = [said[i] for i in rng.choice(len(said), 3, replace=False)]
            records.append({
                "kind": "function", "language": "python", "path": f"p{package}/f{n}.py", "name": f"calls_it_{n}",
                "doc": " ".join(chosen), "rest": "", "calls": ["other_thing"],
                "code": "\n".join(f"    {WORDS[word]}(x)" for word in chosen),
            })  # fmt: skip
        lines = (json.dumps(record) + "\n" for record in records)
        (folder / "pairs" / f"npm+package{package}-1.0.0.tgz.jsonl").write_text("".join(lines))
    prepare(folder)
    train(folder, SETTINGS, folder / "seed-0.npz")
    export(folder, [folder / "seed-0.npz"], "toy", folder / "model")
    return folder


def test_from_random_vectors_it_learns_what_words_mean_where_bm25_cannot(work: Path) -> None:
    report = evaluate(work, [work / "model"], None, None, None)
    learned = report[str(work / "model")]
    assert report["bm25"]["doc → code"]["mean"] < 0.2
    assert learned["doc → code"]["mean"] > 0.6


def test_an_interrupted_training_goes_on_from_its_checkpoint(
    work: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from scripts.train_embedder import train as training

    out = work / "interrupted.npz"
    monkeypatch.setattr(training, "_CHECKPOINT", 20)
    saved = training._save

    def save_and_stop(*arguments: Any) -> None:
        saved(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "_save", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        train(work, SETTINGS, out)
    monkeypatch.setattr(training, "_save", saved)
    with caplog.at_level("INFO"):
        train(work, SETTINGS, out)
    assert "20 of them done" in caplog.text
    assert np.isfinite(np.load(out)["table"]).all()


def test_two_seeds_and_another_model_become_one_that_is_no_worse(work: Path) -> None:
    other = work / "seed-1.npz"
    train(work, replace(SETTINGS, seed=1), other)
    export(work, [work / "seed-0.npz", other], "joined", work / "joined", other=work / "model")
    report = evaluate(work, [work / "model", work / "joined"], None, None, None)
    alone, joined = (report[str(work / name)]["doc → code"]["mean"] for name in ("model", "joined"))
    assert joined > alone - 0.02


def test_seeds_that_are_there_are_not_trained_again(work: Path) -> None:
    before = (work / "seed-0.npz").read_bytes()
    train_seeds(work, [work / "seed-0.npz"], processes=1)
    assert (work / "seed-0.npz").read_bytes() == before
