"""A running `sightline ui`, and a small repository to look at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx2

from tests.support.waiting import wait_for
from tests.support.wire import Served

SHOP = {
    "auth/service.py": '''\
"""Who may come in."""

from auth.check import validate_credentials
from store.sessions import SessionStore


class AuthService:
    """Logs people in and out."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store

    def login(self, user: str, password: str) -> str:
        """Check the password and open a session."""
        if not validate_credentials(user, password):
            raise PermissionError(user)
        return self.store.open(user)
''',
    "auth/check.py": '''\
"""Passwords."""


def validate_credentials(user: str, password: str) -> bool:
    """Compare the password with the stored hash."""
    return hash_password(password) == user


def hash_password(password: str) -> str:
    return password[::-1]
''',
    "store/sessions.py": '''\
"""Sessions live in memory."""

from auth.check import hash_password


class SessionStore:
    """Open sessions by token; expired sessions are removed lazily."""

    def open(self, user: str) -> str:
        return hash_password(user)
''',
    "tests/test_service.py": """\
from auth.service import AuthService
from store.sessions import SessionStore


def test_login() -> None:
    assert AuthService(SessionStore()).login("a", "a")
""",
    "README.md": "# Shop\n\nA shop with sessions and a cart.\n",
}


@dataclass(frozen=True)
class Running:
    """Where an explorer is and how one gets in."""

    address: str
    token: str
    served: Served

    def ask(self, view: str, *, token: str | None = None, **question: Any) -> Any:
        """The answer of a view."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        response = httpx2.post(f"{self.address}/api/{view}", json=question, headers=headers, timeout=60)
        assert response.status_code == 200, response.text
        return response.json()


@contextmanager
def explorer(root: Path, folder: Path, *arguments: str) -> Iterator[Running]:
    """`sightline ui` on a root, whose index and home are in this folder; entered when the index is complete."""
    (folder / "home").mkdir(exist_ok=True)
    environment = os.environ | {"SIGHTLINE_INDEX_DIR": str(folder / "indexes"), "HOME": str(folder / "home")}
    with Served(environment, str(root), "--no-open", *arguments, command="ui") as served:
        address = re.compile(r"is at (http://[^/]+)/ui/#token=(\S+)")
        found = wait_for(lambda: address.findall("".join(served.said)), "the address")
        running = Running(found[0][0], unquote(found[0][1]), served)
        wait_for(lambda: running.ask("pulse")["roots"][0]["index"]["state"] == "ready", "the index")
        yield running
