"""A repository that the person listed, cloned to be indexed and thrown away.

Unlike `indexer/files/git.py`, which asks repositories that nobody vouches for, this may use the network and the
person's own credentials and settings: it is what they asked for. Still nothing of a repository is run: its settings are
not cloned, there are no hooks, no submodules, no protocol that starts a program, and nobody is asked for a password.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from sightline.errors import BundleError, ConfigError
from sightline.indexer.files.programs import find_program, trusted_path
from sightline.indexer.fleet.listing import SCHEMES
from sightline.indexer.fleet.mortal import ended_with_us, run_bounded

DEPTH = 200  # commits; the nearest one that was published before is looked for among them
_ASKED_S = 120.0
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "core.symlinks": "true",
    "filter.lfs.smudge": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
    "submodule.recurse": "false",
    "protocol.version": "2",
    "advice.detachedHead": "false",
}
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
}
_HEAD = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64})\tHEAD")


def head_of(address: str) -> str:
    """The commit that a repository has checked out by default; BundleError says why it cannot be told."""
    said = _git(["ls-remote", "--", address, "HEAD"], address, _ASKED_S)
    found = _HEAD.search(said)
    if found is None:
        raise BundleError("it has no commit")
    return found[1].decode()


def clone(address: str, folder: Path, timeout_s: float) -> None:
    """Put the newest commit of a repository into a folder, with some of those before it."""
    options = [f"--depth={DEPTH}", "--single-branch", "--no-tags", "--no-local", "--no-recurse-submodules"]
    _git(["clone", "--quiet", "--template=", *options, "--", address, str(folder)], address, timeout_s)


def _git(arguments: list[str], address: str, timeout_s: float) -> bytes:
    path = trusted_path(Path(address)) if Path(address).is_absolute() else trusted_path(Path(tempfile.gettempdir()))
    git = find_program("git", path)
    if git is None:
        raise ConfigError("there is no git")
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    done = run_bounded(
        [*ended_with_us(path), git, *settings, *arguments], {**inherited, **_ENVIRONMENT, "PATH": path}, timeout_s
    )
    if done.code:
        raise BundleError(f"git {arguments[0]} failed: {done.reason}")
    return done.output
