"""Train the static embedder: `python -m scripts.train_embedder --work DIR --benchmark DIR`, from the repository root.

Steps, each resumable and each runnable alone with `--step`: download, extract, prepare, train, export, evaluate.
Needs the packages of requirements.txt in this folder, pip, npm and apt-get.
MODEL_CARD.md says how long each took.
"""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

STEPS = ("download", "extract", "prepare", "train", "export", "evaluate")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for archives, records and checkpoints (~40 GB)"
    )
    parser.add_argument("--benchmark", type=Path, help="checkouts to keep out of the training data, by content")
    parser.add_argument("--annotations", type=Path, help="benchmark queries, to evaluate file retrieval too")
    parser.add_argument("--repos", type=Path, help="the benchmark's repos.json: names and folders to index")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--step", choices=STEPS, action="append", help="only this step (may be repeated)")
    parser.add_argument(
        "--compare", type=Path, action="append", default=[], help="another model folder to evaluate too"
    )
    parser.add_argument("--seeds", type=int, default=2, help="models to train from random vectors and to join")
    parser.add_argument("--blend", type=Path, help="another model folder to join with them")
    parser.add_argument("--id", default="codevec-2", help="id of the model; a new model needs a new one")
    parser.add_argument("--out", type=Path, help="model folder to write; default: <work>/model")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    work = args.work.resolve()
    steps = args.step or STEPS
    # Imports stand with their steps: torch is needed by one of them only.
    if "download" in steps:
        from scripts.train_embedder.download import download_all

        download_all(work)
    if "extract" in steps:
        from scripts.train_embedder.extract import extract_all

        extract_all(work, args.benchmark, args.processes)
    if "prepare" in steps:
        from scripts.train_embedder.prepare import prepare

        prepare(work)
    floats = [work / f"seed-{seed}.npz" for seed in range(args.seeds)]
    if "train" in steps:
        from scripts.train_embedder.train import train_seeds

        train_seeds(work, floats, args.processes)
    out = args.out or work / "model"
    if "export" in steps:
        from scripts.train_embedder.export import export

        export(work, floats, args.id, out, args.blend)
    if "evaluate" in steps:
        from scripts.train_embedder.evaluate import evaluate

        report = evaluate(work, [*args.compare, out], args.benchmark, args.annotations, args.repos)
        (work / "report.json").write_text(json.dumps(report, indent=1) + "\n")
        print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
