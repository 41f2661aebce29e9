"""The index of a repository at each of many commits, for the cost of what differs between them.

One work folder a repository is taken from commit to commit in the order of their dates, and one index follows it, as it
would follow a person's checkout. What the index is at a commit is kept as hard links, so that later runs only ask, and
the folder stays, so that a run that was stopped is continued.

Relationships are left out: the list of code that is measured does not depend on them, and resolving them is most of the
time between two commits.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from issues_data import Issue, committed_at, git_dir_of

from sightline.config import Config, make_config
from sightline.embed import Embedder
from sightline.indexer.analysis.workers import Analyser
from sightline.indexer.pipeline import plan_whole
from sightline.indexer.service import open_writer
from sightline.store import Writer

_KEEP_ATTEMPTS = 5


def kept_index(index_dir: Path, issue: Issue) -> Path:
    """Where the index of an issue's commit is kept."""
    return index_dir / "kept" / issue.repo.replace("/", "+") / issue.commit


def index_all(
    issues: Iterable[Issue], mirrors: Path, index_dir: Path, embedder: Embedder, seconds: float = math.inf
) -> None:
    """Index every commit that is not kept yet; stops at the first commit that is done after so many seconds."""
    until = time.monotonic() + seconds
    by_repo: dict[str, dict[str, Issue]] = {}
    for issue in issues:
        if not kept_index(index_dir, issue).is_dir():
            by_repo.setdefault(issue.repo, {})[issue.commit] = issue
    for repo, wanted in sorted(by_repo.items()):
        if time.monotonic() < until:
            _index_repo(repo, list(wanted.values()), mirrors, index_dir, embedder, until)


def _index_repo(
    repo: str, issues: list[Issue], mirrors: Path, index_dir: Path, embedder: Embedder, until: float
) -> None:
    git_dir = git_dir_of(mirrors, repo)
    dated = sorted((committed_at(git_dir, issue.commit), issue.commit, issue) for issue in issues)
    missing = [issue.id for at, _, issue in dated if not at]
    if missing:
        print(f"{repo}: {len(missing)} commits are not in the mirror", flush=True)
    work = index_dir / "work" / repo.replace("/", "+")
    tree = work / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    config = make_config(tree, index_dir=work / "index")
    with open_writer(config, embedder) as writer, closing(Analyser(config, embedder, {})) as analyser:
        for at, commit, issue in dated:
            if at and time.monotonic() < until:
                began = time.perf_counter()
                _check_out(git_dir, commit, tree)
                changed = _update(config, writer, analyser)
                _keep(config.index_dir, kept_index(index_dir, issue))
                print(f"{repo} {commit[:10]}: {changed} files, {time.perf_counter() - began:.1f} s", flush=True)
    if time.monotonic() < until:
        shutil.rmtree(work)


def _update(config: Config, writer: Writer, analyser: Analyser) -> int:
    """Bring chunks and objects in step with the disk; returns how many files differed."""
    todo = plan_whole(config, writer.records())
    for path in todo.gone:
        writer.remove(path)
    for task, entry in zip(todo.tasks, analyser.run(todo.tasks), strict=True):
        if task.known_hash and entry.record.content_hash == task.known_hash:
            writer.touch(entry.record.path, entry.record.mtime_ns)
        else:
            writer.replace(entry)
    writer.commit(state="ready", files_total=len(writer.records()))
    writer.tidy()
    return len(todo.tasks) + len(todo.gone)


def _check_out(git_dir: Path, commit: str, tree: Path) -> None:
    """Make a folder what it is at a commit; files that do not differ stay as they are. A mirror may lack its largest
    files, so these are left out. Nothing is written into the mirror."""
    objects = tree.parent / "objects"
    objects.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "GIT_OBJECT_DIRECTORY": str(objects),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(git_dir / "objects"),
    }

    def git(index: str, *arguments: str, given: str = "") -> str:
        command = ["git", "--git-dir", str(git_dir), "--work-tree", str(tree), *arguments]
        env = {**environment, "GIT_INDEX_FILE": str(tree.parent / index)}
        return subprocess.run(command, env=env, input=given.encode(), check=True, capture_output=True).stdout.decode()

    git("listed-index", "read-tree", commit)
    listed = [line.split("\t", 1) for line in git("listed-index", "ls-files", "-s", "-z").split("\0") if line]
    hashes = [about.split()[1] for about, _ in listed]
    known = git("listed-index", "cat-file", "--batch-check", given="\n".join(hashes)).splitlines()
    missing = [path for (_, path), said in zip(listed, known, strict=True) if said.endswith(" missing")]
    git("listed-index", "update-index", "--force-remove", "-z", "--stdin", given="\0".join(missing))
    whole = git("listed-index", "write-tree", "--missing-ok").strip()
    git("git-index", "read-tree", "--reset", "-u", whole)


def _keep(index: Path, target: Path) -> None:
    """Link what an index is now. Files that no commit needs any more may go while it is read: then it is read again."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half_done = target.with_suffix(".new")
    for attempts_left in reversed(range(_KEEP_ATTEMPTS)):
        shutil.rmtree(half_done, ignore_errors=True)
        try:
            shutil.copytree(index, half_done, copy_function=os.link)
            break
        except shutil.Error as error:
            gone = all(not Path(source).exists() for source, _, _ in error.args[0])
            if not gone or not attempts_left:
                raise
    half_done.rename(target)
