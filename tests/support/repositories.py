"""Small git repositories with real commits."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support.indexes import write_files

_NOBODY = {
    "GIT_AUTHOR_NAME": "nobody",
    "GIT_AUTHOR_EMAIL": "nobody@localhost",
    "GIT_COMMITTER_NAME": "nobody",
    "GIT_COMMITTER_EMAIL": "nobody@localhost",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder; what it prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **_NOBODY}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def committed(folder: Path, files: Mapping[str, str], message: str = "change") -> str:
    """Write files, commit everything, return the commit; the repository is made when there is none."""
    write_files(folder, files)
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")
