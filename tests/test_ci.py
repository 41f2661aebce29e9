"""What CI runs has a browser for the explorer, or says loudly that it has none and goes on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="CI runs a shell script")
TOOLS = ("sh", "dirname", "mktemp", "rm", "tail", "cat", "chmod")


class Machine:
    """A machine with a handful of commands, and a repository whose scripts only say that they ran."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "bin"
        for name in (".ci", "scripts", "bin"):
            (folder / name).mkdir()
        shutil.copy(REPOSITORY / ".ci" / "run", folder / ".ci" / "run")
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        self.command("../scripts/check", "echo checked")
        self.command("../scripts/test", "echo tested")
        self.command("timeout", 'shift; exec "$@"')
        self.command("id", "echo 0")

    def command(self, name: str, does: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)

    def run(self) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": str(self.bin), "TMPDIR": str(self.folder)}
        return subprocess.run(
            [self.folder / ".ci" / "run"], env=environment, capture_output=True, text=True, check=True, timeout=60
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_missing_browser_is_installed_once(machine: Machine) -> None:
    bin_folder, asked = machine.bin, machine.folder / "asked"
    machine.command(
        "apt-get",
        f'echo "$@" >> {asked}\ncase "$*" in *install*) echo noise; echo "#!/bin/sh" > {bin_folder}/chromium;'
        f" chmod +x {bin_folder}/chromium;; esac",
    )
    for _ in range(2):
        ran = machine.run()
        assert (ran.stdout, ran.stderr) == ("checked\ntested\n", "")
    update, install = asked.read_text().splitlines()
    assert update.endswith("update")
    assert install.endswith("chromium")


@pytest.mark.parametrize("why", ["not root", "no apt-get", "apt-get fails"])
def test_without_a_browser_the_tests_run_and_that_is_said(machine: Machine, why: str) -> None:
    if why != "no apt-get":
        machine.command("apt-get", "echo no such package >&2; exit 100")
    if why == "not root":
        machine.command("id", "echo 1000")
    ran = machine.run()
    assert ran.stdout == "checked\ntested\n"
    assert "THERE IS NO CHROMIUM HERE" in ran.stderr
    assert ("no such package" in ran.stderr) == (why == "apt-get fails")
