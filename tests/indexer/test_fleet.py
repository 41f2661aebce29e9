"""A fleet: what is listed is published, what is bad is named, what was killed is done again, nothing is half there."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from sightline import __version__
from sightline.embed import Embedder
from sightline.errors import BundleError, ConfigError
from sightline.indexer.bundles import catalog
from sightline.indexer.bundles.bundle import description_name
from sightline.indexer.bundles.catalog import Entry
from sightline.indexer.bundles.places import Folder
from sightline.indexer.bundles.pull import lay_out
from sightline.indexer.fleet import clone
from sightline.indexer.fleet import job as jobs
from sightline.indexer.fleet.job import Job
from sightline.indexer.fleet.listing import Listed, read_list
from sightline.server.cli.main import run
from sightline.store import open_snapshot
from tests.support.index_content import content_of, fresh_content
from tests.support.repositories import committed, git
from tests.support.waiting import BOUND_S, wait_for

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked for in /proc")
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")  # as /proc has them
ENTRY = Entry("shop", "a" * 40, "b" * 64, "static:x", 3, 1_000)


def files_of(name: str) -> dict[str, str]:
    return {"a.py": f"from b import {name}\n\n\ndef caller():\n    return {name}()\n", "b.py": f"def {name}(): ...\n"}


def job_for(name: str, address: Path, to: Path, embedder: Embedder) -> Job:
    return Job(name, str(address), str(to), "static", embedder.id, __version__, BOUND_S)


def published_content(to: Path, name: str, folder: Path, embedder: Embedder) -> dict[str, Any]:
    """What the newest bundle of a repository says, by way of the catalog."""
    entry = catalog.read_catalog(Folder(to))[name]
    lay_out(catalog.open_repository(str(to), name), entry.commit, entry.sha256, embedder.id, folder)
    return content_of(open_snapshot(folder))


def test_a_list_has_paths_addresses_and_names(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(
        "# ours\n\nshop\n../api/\n/srv/git/tools.git\nhttps://example.org/team/web.git\n"
        "git@example.org:team/mail.git\nold/api = ssh://git@example.org/api\n"
    )
    assert read_list(tmp_path / "list") == [
        Listed("shop", str(tmp_path / "shop")),
        Listed("api", str(tmp_path.parent / "api")),
        Listed("tools", "/srv/git/tools.git"),
        Listed("web", "https://example.org/team/web.git"),
        Listed("mail", "git@example.org:team/mail.git"),
        Listed("old/api", "ssh://git@example.org/api"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a/x\nb/x\n", "another repository"),
        ("../x = y\n", "cannot be the name"),
        (".git = y\n", "cannot be the name"),
        ("a/blobs = y\n", "cannot be the name"),
        ("ext::sh -c evil\n", "cannot be the name"),
        ("x = http://example.org/x\n", "not used here"),
        ("x = ext://example.org/x\n", "not used here"),
        ("# nothing\n", "lists no repository"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(text)
    with pytest.raises(ConfigError, match=why):
        read_list(tmp_path / "list")


def test_a_job_publishes_a_commit_once(tmp_path: Path, embedder: Embedder) -> None:
    """From a work tree with changes of its own, which stay there, and from a bare repository."""
    source, to = tmp_path / "source", tmp_path / "place"
    commit = committed(source, files_of("alpha"))
    fresh = fresh_content(source, tmp_path / "fresh", embedder)
    (source / "a.py").write_text("def not_committed(): ...\n")
    job = job_for("team/shop", source, to, embedder)
    first = jobs.run(job)
    assert (first.state, first.commit, first.files, first.reason) == ("published", commit, 2, "")
    again = jobs.run(job)
    assert (again.state, again.commit, again.bytes_written) == ("present", commit, 0)
    git(tmp_path, "clone", "-q", "--bare", str(source), str(tmp_path / "bare"))
    assert jobs.run(replace(job, address=str(tmp_path / "bare"))).state == "present"
    catalog.write_catalog(Folder(to))
    assert published_content(to, "team/shop", tmp_path / "laptop", embedder) == fresh
    description = to / "repositories/team/shop" / description_name(commit)
    body = json.loads(description.read_bytes())
    description.write_text(json.dumps({**body, "made_by": "0.0.1"}))
    assert jobs.run(job).state == "published", "what another version has made is made again"
    assert json.loads(description.read_bytes())["made_by"] == __version__


def test_a_job_never_raises(tmp_path: Path, embedder: Embedder) -> None:
    """A repository that is none, one without a commit, one that is damaged, a place that cannot be written."""
    empty, broken, good = tmp_path / "empty", tmp_path / "broken", tmp_path / "good"
    empty.mkdir()
    git(empty, "init", "-q")
    committed(good, {"a.py": "def alpha(): ...\n"})
    poison(broken)
    (tmp_path / "a file").write_text("")
    to = tmp_path / "place"
    for address, place, why in (
        (tmp_path / "nowhere", to, "does not exist|not appear to be a git repository"),
        (empty, to, "it has no commit"),
        (broken, to, "git clone failed"),
        (good, tmp_path / "a file", "cannot be written"),
    ):
        outcome = jobs.run(job_for("x", address, place, embedder))
        assert outcome.state == "failed"
        assert re.search(why, outcome.reason), outcome.reason
    other = replace(job_for("x", good, to, embedder), version="9.9")
    assert "asks 9.9" in jobs.run(other).reason
    assert not to.exists()


def poison(folder: Path) -> None:
    """A repository whose newest commit names files that are not there any more."""
    committed(folder, files_of("poison"))
    blob = git(folder, "rev-parse", "HEAD:a.py")
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()


@pytest.mark.skipif(os.name != "posix", reason="hooks are shell scripts here")
def test_a_clone_runs_nothing_of_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor a hook of the person's own template, which is meant for repositories that they work in."""
    ran = tmp_path / "ran"
    source, template = tmp_path / "source", tmp_path / "template"
    committed(
        source,
        {
            "a.py": "def alpha(): ...\n",
            ".gitattributes": "* filter=evil\n",
            ".gitmodules": f'[submodule "x"]\n\tpath = x\n\turl = ext::touch {ran}\n\tupdate = !touch {ran}\n',
        },
    )
    for hook in (source / ".git/hooks/post-checkout", template / "hooks/post-checkout"):
        hook.parent.mkdir(parents=True, exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
        hook.chmod(0o755)
    for name in ("filter.evil.smudge", "filter.evil.process", "uploadpack.packObjectsHook", "core.fsmonitor"):
        git(source, "config", name, f"touch {ran}")
    (tmp_path / ".gitconfig").write_text(
        f"[init]\n\ttemplateDir = {template}\n[core]\n\thooksPath = {template}/hooks\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    assert clone.head_of(str(source))
    clone.clone(str(source), tmp_path / "checkout", BOUND_S)
    assert (tmp_path / "checkout/a.py").exists()
    assert not ran.exists()
    with pytest.raises(BundleError, match="git ls-remote failed: transport 'ext' not allowed"):
        clone.head_of(f"ext::touch {ran}")
    assert not ran.exists()


def test_a_catalog_has_what_all_who_write_to_it_have_written(tmp_path: Path) -> None:
    """Another one adds an entry in the middle of our writing: whoever is last lists both."""
    place = Folder(tmp_path)

    class Meanwhile(Folder):
        def write(self, name: str, data: bytes) -> None:
            if name == catalog.CATALOG:
                catalog.write_entry(place, replace(ENTRY, name="other"))
            super().write(name, data)

    catalog.write_entry(place, ENTRY)
    catalog.write_catalog(Meanwhile(tmp_path))
    assert sorted(catalog.read_catalog(place)) == ["other", "shop"]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"catalog": 2, "repositories": []}',
        '{"catalog": 1, "repositories": {}}',
        '{"catalog": 1, "repositories": [1]}',
        json.dumps({"catalog": 1, "repositories": [{"name": "x"}]}),
        *(
            json.dumps({"catalog": 1, "repositories": [asdict(entry)]})
            for entry in (
                replace(ENTRY, name="../../x"),
                replace(ENTRY, commit="../a"),
                replace(ENTRY, files=-1),
                replace(ENTRY, size="1"),  # type: ignore[arg-type]
            )
        ),
    ],
)
def test_a_catalog_that_says_what_none_may_say_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / catalog.CATALOG).write_text(text)
    with pytest.raises(BundleError):
        catalog.read_catalog(Folder(tmp_path))


def test_without_ray_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "list").write_text("x\n")
    assert run(["fleet", "index", str(tmp_path / "list"), "--to", str(tmp_path / "place")]) == 2
    assert "sightline[fleet]" in capsys.readouterr().err


@LINUX
def test_a_fleet_that_is_killed_goes_on_and_one_bad_repository_stops_nothing(
    tmp_path: Path, embedder: Embedder
) -> None:
    """The driver is killed while one is at work, and in the second run the worker of that one.

    It is stopped before anything is killed, so that it cannot end in between: each time it is killed at work.
    """
    pytest.importorskip("ray", reason="the extra fleet is not installed")
    names = ["alpha", "beta", "gamma"]
    for name in names:
        committed(tmp_path / name, files_of(name))
    poison(tmp_path / "broken")
    (tmp_path / "list").write_text("\n".join(["broken", *names]))
    to = tmp_path / "place"
    environment = {**os.environ, "HOME": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "sightline.server", "fleet", "index", str(tmp_path / "list")]
    command += ["--to", str(to), "--workers", "2", "--json"]
    fleet = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: bool(publishing(to)), "a job at work")
    assert reachable_from_elsewhere(fleet.pid) == [], "whoever reaches a cluster may run code in it"
    wait_for(lambda: stopped_at_work(to, "gamma"), "the last job at work")
    wait_for(lambda: len(list(to.glob("catalog/*.json"))) > 0, "a first repository")
    fleet.kill()
    fleet.communicate(timeout=BOUND_S)
    assert not (to / catalog.CATALOG).exists()
    wait_for(lambda: not publishing(to), "its jobs to end with it")
    there = {path.stem for path in to.glob("catalog/*.json")}
    assert "gamma" not in there

    fleet = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.kill(wait_for(lambda: stopped_at_work(to, "gamma"), "the job that was killed"), signal.SIGKILL)
    said, complaints = fleet.communicate(timeout=BOUND_S)
    assert fleet.returncode == 1, complaints
    report = {each["name"]: each for each in json.loads(said)["repositories"]}
    assert report.pop("broken")["state"] == "failed"
    assert {name: each["state"] for name, each in report.items() if name in there} == dict.fromkeys(there, "present")
    assert {each["state"] for each in report.values()} <= {"present", "published"}
    assert (report["gamma"]["state"], report["gamma"]["attempts"]) == ("published", 2)
    for name in names:
        fresh = fresh_content(tmp_path / name, tmp_path / f"fresh {name}", embedder)
        assert published_content(to, name, tmp_path / f"laptop {name}", embedder) == fresh


def reachable_from_elsewhere(pid: int) -> list[str]:
    """Addresses other than loopback that a process or one that it started listens on, as the kernel writes them."""
    sockets: set[str] = set()
    for process in descendants(pid):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            for link in list(Path(f"/proc/{process}/fd").iterdir()):
                with contextlib.suppress(OSError):  # it has been closed meanwhile, the others have not
                    sockets.add(str(link.readlink()))
    assert sockets
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            address = local.partition(":")[0]
            if state == "0A" and f"socket:[{inode}]" in sockets and address not in LOOPBACK:
                found.append(local)
    return found


def descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents.setdefault(int(stat.read_text().rpartition(") ")[2].split()[1]), []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def publishing(to: Path, name: str = "") -> dict[int, int]:
    """The processes that run `sightline publish` to this place, of one repository or of all, and who started each."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (
                f"{to}/repositories/{name}".encode() in (line := (folder / "cmdline").read_bytes())
                and b"\0publish\0" in line
            ):
                found[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            continue  # it has ended meanwhile
    return found


def stopped_at_work(to: Path, name: str) -> int | None:
    """The worker whose `publish` of a repository has been stopped, if it is at it."""
    for process in publishing(to, name):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGSTOP)
        if worker := publishing(to, name).get(process):
            return worker
    return None
