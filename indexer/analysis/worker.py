"""A worker process: analyses groups of files, and resolves some, until its input ends.

It is started as `python -m sightline.indexer.analysis.worker` and not by `multiprocessing`, which would run the program
that uses Sightline once more in every worker. It speaks pickles on its standard streams; what anything prints goes to
the standard error output. Before it parses a file it says which, so that the parent knows what it died of. When the
parent ends, however it ends, so does the worker (`limits.py`).

An edit waits for the first worker to start, therefore little is imported here: numpy only where vectors are made.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from sightline.config import Config
from sightline.indexer.analysis.analyse import Task, analyse
from sightline.indexer.analysis.limits import OUT_OF_MEMORY, Allowance, end_with_parent
from sightline.indexer.analysis.quarantine import Suspect
from sightline.indexer.analysis.said import ToResolve
from sightline.indexer.collector import collect_rarely
from sightline.types import FileEntry

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.indexer.analysis.resolving import Resolving
    from sightline.types import Vector

    # What is said in answer to a group: per file what is about to be parsed and then its entry; at the end the vectors
    # of all chunks and objects, file by file, none where another process makes them.
    Vectors = list[tuple[Vector | None, Vector | None]]
    Answer = Suspect | FileEntry | Vectors


def main() -> None:
    """Serve the process whose number is the only argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal's processes; the parent ends us
    end_with_parent(int(sys.argv[1]))
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        serve(requests, answers)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (EOFError, BrokenPipeError):  # the parent has ended
        os._exit(0)  # without flushing what nobody reads


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """First the configuration and which embedder to load, then groups of tasks with what is quarantined, or what is to
    be resolved."""

    def say(answer: Answer | list[Any]) -> None:
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()

    config, embedder_spec = pickle.load(requests)
    embedder = _loaded(embedder_spec)
    embed = _vectors_by(embedder)
    collect_rarely()
    allowance = Allowance()
    resolving: Resolving | None = None
    while True:
        asked = pickle.load(requests)
        if isinstance(asked, ToResolve):
            allowance.lift()
            resolving = resolving or _resolving(embedder)
            say(resolving.answer(asked))
            continue
        tasks, quarantined = asked
        entries = list(_entries(config, tasks, quarantined, allowance, say))
        allowance.renew(sum(entry.record.size_bytes for entry in entries))
        say(embed(entries))
        allowance.rest()


def _entries(
    config: Config,
    tasks: Sequence[Task],
    quarantined: Mapping[Suspect, str],
    allowance: Allowance,
    say: Callable[[Answer], None],
) -> Iterator[FileEntry]:
    for task in tasks:
        allowance.renew(task.candidate.size_bytes)
        entry = analyse(config, task, quarantined=quarantined, parsing=say)
        say(entry)
        yield entry


def _loaded(embedder_spec: str) -> Embedder | None:
    if not embedder_spec:
        return None
    from sightline.embed import load_embedder

    return load_embedder(embedder_spec)


def _resolving(embedder: Embedder | None) -> Resolving:
    from sightline.indexer.analysis.resolving import Resolving

    return Resolving(embedder)


def _vectors_by(embedder: Embedder | None) -> Callable[[Sequence[FileEntry]], Vectors]:
    if embedder is None:
        return lambda _: []
    from sightline.indexer.analysis.vectors import embed_entries

    return lambda entries: [(e.chunk_vectors, e.object_vectors) for e in embed_entries(entries, embedder)]


if __name__ == "__main__":
    main()
