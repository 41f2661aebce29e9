"""What the tests of attacks share: a root from a table of files, git without the machine's settings, processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sightline.config import Config, make_config
from tests.support.indexes import write_files


def make_root(root: Path, files: Mapping[str, str | bytes]) -> Config:
    """A root with these files, whose index would be beside it."""
    write_files(root, files)
    return make_config(root, index_dir=root.parent / "indexes", environ={})


def git(folder: Path, *arguments: str) -> str:
    """Run git as the attacker prepares a repository."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = {**clean, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, encoding="utf-8"
    ).stdout


def running_below(folder: Path) -> list[str]:
    """The commands of processes that work in a folder (Linux)."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and Path(os.readlink(entry / "cwd")).is_relative_to(folder):  # noqa: PTH115
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue  # it ended meanwhile, or is somebody else's
    return found
