"""One repository: ask which commit it is at, clone it, and have `sightline publish` write its index to the place.

Whatever goes wrong is what the job gives back, never an exception: one bad repository stops none of the others. A
commit that is published already, by this version and model, is not indexed again: so a fleet that was stopped goes on.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import sightline
from sightline.errors import SightlineError
from sightline.indexer.bundles.catalog import Entry, address_of, find_bundle, open_repository, read_entry, write_entry
from sightline.indexer.bundles.places import open_place
from sightline.indexer.fleet.clone import clone, head_of
from sightline.indexer.fleet.mortal import ended_with_us, run_bounded

State = Literal["published", "present", "failed"]
_NO_CACHE = {"SIGHTLINE_CACHE_MB": "0"}  # of analysis: the folder goes with the job


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is given; it may be on another machine."""

    name: str
    address: str
    to: str  # the place of the catalog
    embedder: str  # its name, as the option has it
    embedder_id: str
    version: str  # of Sightline that asks
    timeout_s: float
    scratch: str = ""  # folder for what is thrown away, "" for the machine's own


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    name: str
    state: State
    commit: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of all processes of the job, where the system tells
    files: int = 0
    bytes_written: int = 0  # compressed, to the place
    bytes_index: int = 0
    attempts: int = 1
    reason: str = ""


def run(job: Job) -> Outcome:
    """Do one job."""
    began, worked = time.monotonic(), _children_s()
    try:
        outcome = _done(job)
    except (SightlineError, OSError) as error:
        outcome = Outcome(job.name, "failed", reason=str(error))
    seconds, cpu_seconds = time.monotonic() - began, _children_s() - worked
    return replace(outcome, seconds=round(seconds, 3), cpu_seconds=round(cpu_seconds, 3))


def _done(job: Job) -> Outcome:
    if sightline.__version__ != job.version:
        reason = f"this machine has Sightline {sightline.__version__}, the one that asks {job.version}"
        return Outcome(job.name, "failed", reason=reason)
    commit = head_of(job.address)
    place = open_repository(job.to, job.name)
    found = find_bundle(place, job.name, commit, job.embedder_id)
    state: State = "present"
    written = 0
    if found is None:
        with tempfile.TemporaryDirectory(prefix="job-", dir=job.scratch or None) as scratch:
            checkout = Path(scratch) / "checkout"
            clone(job.address, checkout, job.timeout_s)
            commit, written, reason = _published(job, checkout, Path(scratch))
        if reason:
            return Outcome(job.name, "failed", commit, reason=reason)
        state, found = "published", find_bundle(place, job.name, commit, job.embedder_id)
    if found is None:
        return Outcome(job.name, "failed", commit, reason="what was published cannot be read back")
    _note(job, found)
    return Outcome(job.name, state, commit, files=found.files, bytes_written=written, bytes_index=found.size)


def _published(job: Job, checkout: Path, scratch: Path) -> tuple[str, int, str]:
    """Run the command: the commit, how many bytes were written, and why it failed where it did."""
    to = address_of(job.to, job.name)
    options = ["--to", to, "--embedder", job.embedder, "--index-dir", str(scratch / "indexes"), "--json"]
    command = [sys.executable, "-P", "-m", "sightline.server", "publish", str(checkout), *options]
    environment = {**os.environ, **_NO_CACHE}
    environment.setdefault("SIGHTLINE_WORKERS", "1")  # jobs run side by side, one for each core
    mortal = ended_with_us(os.environ.get("PATH", os.defpath))
    done = run_bounded([*mortal, *command], environment, job.timeout_s, scratch)
    if done.code:
        return "", 0, done.reason.removeprefix("sightline: ")
    said = json.loads(done.output)
    return str(said["commit"]), int(said["bytes_new"]), ""


def _children_s() -> float:
    """Processor seconds of the processes that this one has started and seen end."""
    used = os.times()
    return used.children_user + used.children_system


def _note(job: Job, entry: Entry) -> None:
    catalog = open_place(job.to)
    if read_entry(catalog, job.name) != entry:
        write_entry(catalog, entry)
