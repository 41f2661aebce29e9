"""A small repository, and the installed `sightline` to ask about it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.server.cli.main import run
from tests.support.commands import Done, Run
from tests.support.indexes import write_files
from tests.support.waiting import BOUND_S

FILES = {
    "src/auth/service.py": '''\
"""Who may come in."""

from auth.check import validate_credentials
from auth.sessions import SessionStore


class AuthService:
    """Logs people in and out."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store

    def login(self, user: str, password: str) -> str:
        """Check the password and open a session."""
        if not validate_credentials(user, password):
            raise PermissionError(user)
        return self.store.open(user)

    def logout(self, token: str) -> None:
        """Close the session."""
        self.store.close(token)
''',
    "src/auth/check.py": '''\
"""Passwords."""


def validate_credentials(user: str, password: str) -> bool:
    """Compare the password with the stored hash."""
    return hash_password(password) == load_hash(user)


def hash_password(password: str) -> str:
    return password[::-1]


def load_hash(user: str) -> str:
    return user
''',
    "src/auth/sessions.py": '''\
"""Sessions live in memory."""

import time


class SessionStore:
    """Open sessions by token; expired sessions are removed lazily."""

    def __init__(self) -> None:
        self.sessions: dict[str, float] = {}

    def open(self, user: str) -> str:
        self.sessions[user] = time.time()
        return user

    def close(self, token: str) -> None:
        self.sessions.pop(token, None)

    def remove_expired(self, max_age_s: float) -> None:
        """Drop every session older than max_age_s."""
        limit = time.time() - max_age_s
        self.sessions = {token: at for token, at in self.sessions.items() if at > limit}
''',
    "web/cart.ts": """\
export interface Cart { items: string[] }

/** Adds an item to the shopping cart. */
export function addToCart(cart: Cart, item: string): Cart {
  return { items: [...cart.items, item] };
}
""",
    "README.md": "# Shop\n\nA shop with sessions and a cart.\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a handful of files."""
    root = tmp_path / "shop"
    write_files(root, FILES)
    return root


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Indexes and home in the test's own folder; servers give the data that most tests compare beside the text."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    ours = {"SIGHTLINE_INDEX_DIR": str(tmp_path / "indexes"), "SIGHTLINE_STRUCTURED": "1", "HOME": str(home)}
    return os.environ | ours


@pytest.fixture
def sightline(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run the command in this process (a new one spends seconds on imports) and return what it said."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def run_command(*arguments: str | Path, cwd: Path | None = None) -> Done:
        if cwd is not None:
            monkeypatch.chdir(cwd)
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Done(code, said.out, said.err)

    return run_command


@pytest.fixture
def sightline_process(environment: dict[str, str]) -> Run:
    """Run the command as a process of its own."""

    def run_process(*arguments: str | Path, cwd: Path | None = None) -> Done:
        line = [sys.executable, "-m", "sightline.server", *map(str, arguments)]
        done = subprocess.run(
            line,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
            cwd=cwd,
            timeout=BOUND_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run_process
