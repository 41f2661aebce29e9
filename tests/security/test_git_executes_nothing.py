"""A repository's own settings make git execute, fetch and wait for nothing; git ends with us, and within its limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sightline.changes.asked import Asked
from sightline.changes.report import report
from sightline.config import Config
from sightline.indexer.files import git as confined_git
from sightline.indexer.files.walk import accepts_all, ignored, walk
from sightline.server.cli.main import run
from tests.support.hostile import git, make_root, running_below
from tests.support.indexes import index_with
from tests.support.waiting import wait_for

SPIN = "*a" * 12 + "/b"  # git tries every way to divide a name among the stars before it sees that no slash follows
SPUN = "a" * 120 + "/c"


@pytest.fixture(autouse=True)
def _git_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_git, "_avoided", {})


def partial_clone_that_misses_a_tree(root: Path) -> Config:
    """An index whose folder `far` is known by its tree alone, and that tree is to be fetched."""
    config = make_root(root, {"near/a.py": "a\n", "far/b.py": "b\n"})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    tree = git(root, "rev-parse", "HEAD:far").strip()
    git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "near")
    (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for name, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.partialclonefilter": "blob:none",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
        "protocol.file.allow": "always",
    }.items():
        git(root, "config", name, value)
    return config


def by_ext(root: Path, command: Path) -> None:
    git(root, "config", "remote.origin.url", f"ext::{command}")


def by_ssh(root: Path, command: Path) -> None:
    git(root, "config", "remote.origin.url", "ssh://host/repository")
    git(root, "config", "core.sshCommand", str(command))


def by_upload_pack(root: Path, command: Path) -> None:
    git(root, "config", "remote.origin.url", str(root))
    git(root, "config", "remote.origin.uploadpack", str(command))


def by_proxy(root: Path, command: Path) -> None:
    git(root, "config", "remote.origin.url", "git://host/repository")
    git(root, "config", "core.gitProxy", str(command))


def by_monitor_hook_pager_and_filter(root: Path, command: Path) -> None:
    hooks = root.parent / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (hooks / hook).symlink_to(command)
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    for name in (
        "core.fsmonitor", "core.pager", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "diff.external", "diff.evil.textconv", "core.editor", "core.askPass", "credential.helper", "core.gitProxy",
        "core.alternateRefsCommand", "gpg.program", "pager.ls-files",
    ):  # fmt: skip
        git(root, "config", name, str(command))
    git(root, "config", "core.hooksPath", str(hooks))
    git(root, "config", "alias.ls-files", f"!{command}")


@pytest.mark.parametrize("attack", [by_ext, by_ssh, by_upload_pack, by_proxy, by_monitor_hook_pager_and_filter])
def test_settings_of_a_repository_execute_nothing(
    tmp_path: Path, attack: Callable[[Path, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = partial_clone_that_misses_a_tree(tmp_path / "root")
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\necho x >> '{tmp_path}/executed'\n")
    command.chmod(0o755)
    attack(config.root, command)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:ssh:file:git")  # what the user has set for their own work
    monkeypatch.setenv("GIT_SSH_COMMAND", str(command))
    found = {candidate.path for candidate in walk(config)}
    assert "near/a.py" in found
    assert accepts_all(config, ["near/a.py"])["near/a.py"] is not None
    assert isinstance(list(ignored(config)), list)
    assert not (tmp_path / "executed").exists()


def test_asking_what_changed_executes_nothing(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "def a():\n    pass\n", "b.py": "b = 1\n"})
    git(config.root, "init", "-q")
    git(config.root, "add", ".")
    git(config.root, "commit", "-qm", "first")
    (config.root / "a.py").write_text("def a():\n    return 1\n")
    git(config.root, "commit", "-qam", "second")
    (config.root / "c.py").write_text("c = 1\n")
    git(config.root, "add", "c.py")
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\necho x >> '{tmp_path}/executed'\n")
    command.chmod(0o755)
    by_monitor_hook_pager_and_filter(config.root, command)
    git(config.root, "config", "log.showSignature", "true")
    for place in ("a.py", "b.py"):  # written with the index: only their contents tell that nothing changed
        (config.root / place).write_bytes((config.root / place).read_bytes())
    (config.root / "b.py").write_text("b = 2\n")
    (tmp_path / "executed").unlink(missing_ok=True)  # what preparing the repository ran
    snapshot = index_with(config, None)
    for asked in (Asked(), Asked(staged=True), Asked(base="HEAD~1"), Asked(commits="HEAD~1..HEAD")):
        assert report(config, snapshot, asked).compared.files
    assert not (tmp_path / "executed").exists()


def test_an_included_file_cannot_bring_back_what_is_refused(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a\n"})
    git(config.root, "init", "-q")
    command = tmp_path / "command"
    command.write_text(f"#!/bin/sh\ntouch '{tmp_path}/executed'\n")
    command.chmod(0o755)
    (config.root / "more").write_text(f"[core]\n\tfsmonitor = {command}\n")
    git(config.root, "config", "include.path", "../more")
    git(config.root, "config", "includeIf.gitdir:/.path", "../more")
    assert "a.py" in {candidate.path for candidate in walk(config)}
    assert not (tmp_path / "executed").exists()


def test_a_work_tree_elsewhere_is_not_listed(tmp_path: Path) -> None:
    elsewhere = make_root(tmp_path / "elsewhere", {"a.py": "a\n", "private.py": "p\n"}).root
    config = make_root(tmp_path / "root", {"a.py": "a\n", "sub/c.py": "c\n"})
    git(config.root, "init", "-q")
    git(config.root, "config", "core.worktree", str(elsewhere))
    assert {candidate.path for candidate in walk(config)} == {"a.py", "sub/c.py"}


def test_a_name_that_leads_out_of_the_root_in_gits_own_list_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("o\n")
    config = make_root(tmp_path / "root", {"a.py": "a\n", "xx/outside.py": "x\n"})
    git(config.root, "init", "-q")
    git(config.root, "add", ".")
    index = config.root / ".git" / "index"
    index.write_bytes(index.read_bytes().replace(b"xx/outside.py", b"../outside.py"))
    assert not [candidate for candidate in walk(config) if "outside" in candidate.path and ".." in candidate.path]


def test_a_git_that_the_repository_brings_along_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = make_root(tmp_path / "root", {"a.py": "a\n", "bin/git": f"#!/bin/sh\ntouch '{tmp_path}/executed'\n"})
    git(config.root, "init", "-q")
    (config.root / "bin" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "bin", "", str(config.root / "bin"), os.environ["PATH"]]))
    monkeypatch.chdir(config.root)
    assert "a.py" in {candidate.path for candidate in walk(config)}
    assert not (tmp_path / "executed").exists()


def test_a_rule_that_makes_git_spin_costs_no_more_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(confined_git, "TIMEOUT_S", 1.0)
    config = make_root(
        tmp_path / "root", {".gitignore": f"{SPIN}\nhidden.py\n", "a.py": "a\n", "hidden.py": "h\n", SPUN: "c"}
    )
    git(config.root, "init", "-q")
    began = time.monotonic()
    for _ in range(3):  # only the first one waits
        assert {candidate.path for candidate in walk(config)} == {".gitignore", "a.py", SPUN}
    assert time.monotonic() - began < 60
    assert "git was stopped" in caplog.text
    assert not [command for command in running_below(config.root) if "ls-files" in command]


def test_status_says_that_git_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(confined_git, "TIMEOUT_S", 1.0)
    monkeypatch.setenv("SIGHTLINE_INDEX_DIR", str(tmp_path / "indexes"))
    config = make_root(tmp_path / "root", {"a.py": "a\n", SPUN: "c"})
    git(config.root, "init", "-q")
    assert run(["index", str(config.root)]) == 0
    capsys.readouterr()
    run(["status", str(config.root)])
    assert "git" not in capsys.readouterr().out.replace(str(tmp_path), "")
    (config.root / ".gitignore").write_text(f"{SPIN}\n")
    run(["status", str(config.root)])
    assert "stopped, since it took more than 1 s" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit of processor time ends it")
def test_git_dies_with_the_process_that_asked_it(tmp_path: Path) -> None:
    config = make_root(tmp_path / "root", {".gitignore": f"{SPIN}\n", "a.py": "a\n", SPUN: "c"})
    git(config.root, "init", "-q")
    program = (
        "from sightline.config import make_config\nfrom sightline.indexer.files.walk import walk\n"
        f"walk(make_config({str(config.root)!r}, index_dir={str(tmp_path / 'indexes')!r}, environ={{}}))\n"
    )
    process = subprocess.Popen([sys.executable, "-P", "-c", program])
    try:
        wait_for(lambda: any("ls-files" in command for command in running_below(config.root)), "git to start")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
    wait_for(lambda: not any("ls-files" in command for command in running_below(config.root)), "the end of git")


@pytest.mark.parametrize("name", [".gitignore", "sub/.gitignore", ".git/info/exclude"])
def test_a_pipe_in_place_of_an_ignore_file_holds_nobody_up(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confined_git, "TIMEOUT_S", 1.0)
    config = make_root(tmp_path / "root", {"a.py": "a\n", "sub/b.py": "b\n"})
    git(config.root, "init", "-q")
    (config.root / name).unlink(missing_ok=True)
    os.mkfifo(config.root / name)
    assert {"a.py", "sub/b.py"} <= {candidate.path for candidate in walk(config)}


def test_more_output_than_any_repository_has_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = make_root(tmp_path / "root", {f"{number}.py": "x" for number in range(50)})
    git(config.root, "init", "-q")
    monkeypatch.setattr(confined_git, "OUTPUT_BYTES", 20)
    assert confined_git.run(config.root, "ls-files", "-o") is None
    assert len(walk(config)) == 50
