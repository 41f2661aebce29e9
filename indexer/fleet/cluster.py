"""Jobs on Ray: a cluster of this machine alone unless another one is named. The only place that knows Ray exists.

The local cluster listens on loopback, with a token that only its own processes have, since whoever reaches a cluster
may run code in it; it has no dashboard and reports nothing to anybody. Ray itself retries nothing: a worker that dies
is one attempt of the repository it was at, and the driver counts these.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import secrets
import shutil
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sightline.errors import ConfigError
from sightline.indexer.fleet import job as jobs
from sightline.indexer.fleet.job import Job, Outcome

_PREFIX = "slf-"
_LONGEST_FOLDER = 40  # characters: Ray puts sockets below it, whose paths the kernel limits to 107
_OBJECTS_BYTES = 80_000_000  # the least that Ray takes; a job and its outcome have a few hundred bytes
_WINDOW = 4  # jobs that wait per core: the cluster is never idle, and the driver holds few
_LOCAL = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's word for: of this machine alone, on loopback, on Linux too
    "RAY_AUTH_MODE": "token",
}
_QUIET = {"RAY_DISABLE_IMPORT_WARNING": "1", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


@contextlib.contextmanager
def cluster(address: str | None, workers: int) -> Iterator[tuple[Any, str]]:
    """Ray, connected, and the folder for what jobs throw away ("" where that is another machine's)."""
    os.environ.update({"RAY_USAGE_STATS_ENABLED": "0", **_QUIET})
    # Ray prints to stdout when a worker dies. Ours is the report, which says so, too.
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        if address is None:
            yield from _local(workers)
            return
        ray = _ray()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        try:
            yield ray, ""
        finally:
            ray.shutdown()


def _local(workers: int) -> Iterator[tuple[Any, str]]:
    os.environ.update({**_LOCAL, "RAY_AUTH_TOKEN": secrets.token_hex(32)})  # read when Ray is imported
    ray = _ray()
    folder = _folder()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="lance is not fork-safe")  # Ray becomes another program at once
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                object_store_memory=_OBJECTS_BYTES,
                _temp_dir=str(folder / "ray"),
            )
        (folder / "jobs").mkdir()
        yield ray, str(folder / "jobs")
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def run_all(
    ray: Any, wanted: Sequence[Job], *, attempts: int, done: Callable[[Outcome], None] = lambda outcome: None
) -> list[Outcome]:
    """Do all jobs, each as often as that takes and at most `attempts` times; the outcomes in the order of the jobs."""
    remote = ray.remote(num_cpus=1, max_retries=0)(jobs.run)
    window = max(8, round(_WINDOW * ray.cluster_resources().get("CPU", 1)))
    waiting = deque((job, 1) for job in wanted)
    running: dict[Any, tuple[Job, int]] = {}
    outcomes: dict[str, Outcome] = {}
    while waiting or running:
        while waiting and len(running) < window:
            job, attempt = waiting.popleft()
            running[remote.remote(job)] = (job, attempt)
        finished, _ = ray.wait(list(running), num_returns=1)
        for reference in finished:
            job, attempt = running.pop(reference)
            outcome = replace(_outcome(ray, reference, job), attempts=attempt)
            if outcome.state == "failed" and attempt < attempts:
                waiting.append((job, attempt + 1))  # behind the others: what was in the way may be gone by then
                continue
            outcomes[job.name] = outcome
            done(outcome)
    return [outcomes[job.name] for job in wanted]


def _outcome(ray: Any, reference: Any, job: Job) -> Outcome:
    try:
        outcome: Outcome = ray.get(reference)
    except ray.exceptions.RayError as error:  # the worker or its machine died, or what it raised is not ours
        why = str(error).strip().partition("\n")[0][:200]
        return Outcome(job.name, "failed", reason=f"its worker died: {type(error).__name__}: {why}")
    return outcome


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ConfigError("a fleet needs Ray", hint="pip install 'sightline[fleet]'") from error


def _folder() -> Path:
    """A folder for this run; those of runs that were killed go."""
    usual = tempfile.gettempdir()
    where = Path(usual if len(usual) <= _LONGEST_FOLDER else "/tmp")
    for left in where.glob(f"{_PREFIX}*"):
        pid = left.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdecimal() and not left.is_symlink() and left.stat().st_uid == os.getuid() and not _lives(int(pid)):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=where))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's
    return True
