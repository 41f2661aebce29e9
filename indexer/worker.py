"""A worker process: analyses groups of files until its input ends.

It is started as `python -m sightline.indexer.worker` and not by `multiprocessing`, which would run the program that
uses Sightline once more in every worker. It speaks pickles on its standard streams; what anything prints goes to the
standard error output. When the parent ends, however it ends, the input ends too and so does the worker.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import BinaryIO

from sightline.embed import load_embedder
from sightline.indexer.analyse import analyse_group
from sightline.indexer.collector import collect_rarely


def main() -> None:
    """Serve: first the configuration and which embedder to load, then groups, each answered by its entries."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal's processes; the parent ends us
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        serve(requests, answers)
    except (EOFError, BrokenPipeError):  # the parent has ended
        os._exit(0)  # without flushing what nobody reads


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    config, embedder_spec = pickle.load(requests)
    embedder = load_embedder(embedder_spec) if embedder_spec else None
    collect_rarely()
    while True:
        tasks = pickle.load(requests)
        pickle.dump(analyse_group(config, embedder, tasks), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


if __name__ == "__main__":
    main()
