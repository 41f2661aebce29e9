"""Step 1: fetch packages by name from PyPI, npm and Debian through their ordinary clients.

Archives land in `<work>/archives/<registry>/` and are never unpacked on disk. A `.done` list per registry makes the
step resumable: a name is asked for once, whether it was found or not. Nothing fetched here is ever committed or
redistributed; the model only keeps statistics of it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

logger = logging.getLogger(__name__)

PACKAGES_FILE = Path(__file__).with_name("packages.json")
_BATCH = 40  # names per client call: one resolver start-up for many packages, few lost when one name is unknown
_CALL_TIMEOUT_S = 900
_BINARY_SUITE = "bookworm"
_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def download_all(work: Path, only: Sequence[str] = ()) -> None:
    """Fetch every package of packages.json that is not there yet."""
    names = json.loads(PACKAGES_FILE.read_text())
    archives = work / "archives"
    if not only or "npm" in only:
        _fetch(archives / "npm", names["npm"], _npm)
    if not only or "pypi" in only:
        _fetch(archives / "pypi", names["pypi"], _pip)
    if not only or "debian" in only:
        apt = _Apt(work / "apt", suites=sorted({*names["debian_source"], "trixie"}))
        apt.update()
        for suite, sources in names["debian_source"].items():
            tried = dict.fromkeys([suite, *names["debian_source"], "trixie"])  # a file may have left one suite's pool
            _fetch(archives / f"debian-{suite}", sources, lambda folder, batch, s=tried: apt.source(folder, batch, s))
        patterns = re.compile("|".join(f"(?:{p})" for p in names["debian_binary_patterns"]))
        binaries = sorted(name for name in apt.package_names() if patterns.fullmatch(name))
        _fetch(archives / "debian-binary", binaries, apt.binary)


def _fetch(folder: Path, names: Iterable[str], call: Callable[[Path, Sequence[str]], bool]) -> None:
    """Run `call` over batches of names; a failing batch is retried name by name, a failing name is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    done_file = folder.parent / f"{folder.name}.done"
    done = set(done_file.read_text().split("\n")) if done_file.exists() else set()
    todo = [name for name in names if name not in done]
    with done_file.open("a") as record:
        for start in range(0, len(todo), _BATCH):
            batch = todo[start : start + _BATCH]
            if not call(folder, batch):
                for name in batch:
                    if not call(folder, [name]):
                        logger.warning("%s: %s is not available", folder.name, name)
            record.write("\n".join(batch) + "\n")
            record.flush()
            logger.info("%s: %d of %d", folder.name, start + len(batch), len(todo))


def _run(command: Sequence[str], cwd: Path, env: dict[str, str] | None = None) -> bool:
    try:
        result = subprocess.run(
            command, cwd=cwd, env=os.environ | (env or {}), capture_output=True, timeout=_CALL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        logger.warning("timed out: %s", " ".join(command)[:200])
        return False
    return result.returncode == 0


def _npm(folder: Path, batch: Sequence[str]) -> bool:
    return _run(["npm", "pack", "--silent", *batch], folder)


def _pip(folder: Path, batch: Sequence[str]) -> bool:
    # Wheels only: an sdist would run its own build code, and wheels carry the Python sources anyway.
    return _run(["pip", "download", "-q", "--no-deps", "--only-binary", ":all:", *batch], folder)


def _debian_mirror() -> str:
    """The mirror this machine is set up with."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    if not found:
        raise SystemExit("apt-get knows no Debian mirror here: run `apt-get update` on a Debian machine first")
    return found[0]


class _Apt:
    """apt-get with its own state folder, so that neither root rights nor the system's package lists are touched."""

    def __init__(self, home: Path, suites: Sequence[str]) -> None:
        self._env = {"APT_CONFIG": str(home / "apt.conf")}
        self._home = home
        for part in ("lists/partial", "cache/archives/partial"):
            (home / part).mkdir(parents=True, exist_ok=True)
        mirror = _debian_mirror()
        lines = [f"deb [signed-by={_KEYRING}] {mirror} {_BINARY_SUITE} main"]
        lines += [f"deb-src [signed-by={_KEYRING}] {mirror} {suite} main" for suite in suites]
        (home / "sources.list").write_text("\n".join(lines) + "\n")
        (home / "apt.conf").write_text(
            f'Dir::State::Lists "{home}/lists";\nDir::Cache "{home}/cache";\n'
            f'Dir::Etc::SourceList "{home}/sources.list";\n'
            'Dir::Etc::SourceParts "/dev/null";\nAPT::Sandbox::User "root";\nAcquire::Retries "3";\n'
        )

    def update(self) -> None:
        if not _run(["apt-get", "-q", "update"], self._home, self._env):
            raise SystemExit("apt-get update failed: Debian's archive is not reachable")

    def package_names(self) -> list[str]:
        command = ["apt-cache", "pkgnames"]
        out = subprocess.run(command, env=os.environ | self._env, capture_output=True, text=True, check=True)
        return out.stdout.split()

    def binary(self, folder: Path, batch: Sequence[str]) -> bool:
        return _run(["apt-get", "-q", "download", *batch], folder, self._env)

    def source(self, folder: Path, batch: Sequence[str], suites: Iterable[str]) -> bool:
        command = ["apt-get", "-q", "source", "--download-only", "--tar-only"]
        return any(_run([*command, *(f"{n}/{suite}" for n in batch)], folder, self._env) for suite in suites)
