"""Where everything is wired together: roots, their indexes, the embedder, the service that keeps them fresh.

An `App` holds one or several `Root`s. Nothing heavy is imported and nothing is opened until it is needed: `warm_soon`
starts that in the background once the client has had its first answers, a query that comes earlier waits for it. The
command line uses the same objects without the background part: it brings the index up to date, asks, and goes.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.config import Config, make_config
from sightline.errors import (
    ConfigError,
    CorruptIndexError,
    EmbedderError,
    FormatVersionError,
    QueryError,
    SightlineError,
)
from sightline.server import fresh
from sightline.server.schema import API_VERSION, ApiVersion
from sightline.types import Hit, IndexStatus, Query, SearchResult

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.indexer.service import IndexService
    from sightline.store import Snapshot, SnapshotFollower

MAX_REFRESHED_FILES = 20  # files of one answer that are indexed on the spot; more is the watcher's work
REFRESH_S = 0.4  # how long an answer waits for that
FIRST_ANSWER_S = 1.5  # how long a query waits for a first index before it answers from what is there
_STOP_S = 5.0  # for a commit under way
_WARM_DELAY_S = 0.05  # after the tool list went out
_WARM_LATEST_S = 1.0  # when nobody asks for the tool list
_FOLLOW_S = 0.02  # between two looks at the manifest while another process commits
_logger = logging.getLogger(__name__)


class Root:
    """One indexed folder: its snapshots, its embedder, and who keeps it fresh."""

    def __init__(self, config: Config, name: str) -> None:
        self.config, self.name = config, name
        self.service: IndexService | None = None
        self._lock = threading.Lock()
        self._follower: SnapshotFollower | None = None
        self._embedder: Embedder | None = None
        self._embedder_error = ""
        self._embedder_loaded = False
        self._started_at = 0.0

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot, None when nothing is indexed yet or what there is cannot be read."""
        with self._lock:
            if self._follower is None:
                from sightline.store import SnapshotFollower

                self._follower = SnapshotFollower(self.config.index_dir)
        try:
            return self._follower.current()
        except (CorruptIndexError, FormatVersionError) as error:
            _logger.warning("%s: %s", self.name, error)  # the writer rebuilds it; until then there is nothing
            self._follower.forget()
            return None

    def embedder(self) -> Embedder | None:
        """The embedder, loaded once; without it search goes on lexically and says so."""
        with self._lock:
            if not self._embedder_loaded:
                self._embedder_loaded = True
                try:
                    if self.config.embedder != "none":
                        from sightline.embed import load_embedder

                        self._embedder = load_embedder(self.config.embedder)
                except EmbedderError as error:
                    self._embedder_error = f"no semantic search: {error}"
            return self._embedder

    def warnings(self, snapshot: Snapshot | None) -> list[str]:
        """What a response has to mention about this root."""
        found = [self._embedder_error] if self._embedder_error else []
        if snapshot is not None and self._embedder is not None and snapshot.embedder_id != self._embedder.id:
            found.append(f"no semantic search: the index was made with the embedder {snapshot.embedder_id}")
        return found

    def embedder_for(self, snapshot: Snapshot) -> Embedder | None:
        """The embedder, if its vectors are those of the snapshot."""
        embedder = self.embedder()
        return embedder if embedder is not None and embedder.id == snapshot.embedder_id else None

    def search(self, query: Query) -> SearchResult:
        """Search, then make sure that what is shown is what is on disk."""
        from sightline.retrieval.search import search

        for again in (True, False):
            snapshot = self.snapshot()
            if snapshot is None:
                return self._nothing(query)
            result = search(snapshot, query, embedder=self.embedder_for(snapshot))
            stale = fresh.changed(self.config.root, snapshot.files, fresh.paths_of(result.hits))
            if not (stale and again and self.refresh(stale, snapshot.generation)):
                break
        return dataclasses.replace(
            result,
            hits=fresh.mark(result.hits, stale),
            warnings=[*result.warnings, *self.warnings(snapshot)],
        )

    def _nothing(self, query: Query) -> SearchResult:
        status = self.empty_status()
        return SearchResult(query.text, query.mode, query.strategy, [], 0, False, None, status, self.warnings(None))

    def empty_status(self) -> IndexStatus:
        """The state of an index that has nothing yet."""
        done, total, _ = self.progress()
        return IndexStatus("indexing", 0, done, 0, total)

    def refresh(self, paths: Sequence[str], generation: int) -> bool:
        """Have changed files indexed now, by ourselves or by the process that writes; True when something was."""
        from sightline.store import writer_pid

        if len(paths) > MAX_REFRESHED_FILES:
            return False
        if self.service is not None and self.service.refresh(frozenset(paths), timeout_s=REFRESH_S):
            return True
        if writer_pid(self.config.index_dir) in (None, os.getpid()):
            return False
        deadline = time.monotonic() + REFRESH_S
        while time.monotonic() < deadline:
            snapshot = self.snapshot()
            if snapshot is not None and snapshot.generation > generation:
                return True
            time.sleep(_FOLLOW_S)
        return False

    def progress(self) -> tuple[int, int, str]:
        """Files done, files in all, and what is going on."""
        progress = self.service.status().progress if self.service is not None else None
        if progress is None:
            return 0, 0, "starting"
        what = "indexing files" if progress.phase == "files" else "resolving relationships"
        return progress.files_done, progress.files_total, what

    def wait_answerable(self, cancelled: threading.Event) -> None:
        """Give a first index, or the catching up after a start, a moment; then answer from what is there."""
        if self.service is None:
            return
        asked_at = time.monotonic()
        while not cancelled.is_set():
            now = time.monotonic()
            status = self.service.status()
            if status.role == "writer" and self.service.wait_caught_up(0):
                return
            snapshot = self.snapshot()
            if snapshot is not None and (
                now - self._started_at > FIRST_ANSWER_S or (status.role != "writer" and self._other_writer())
            ):
                return
            if now - asked_at > FIRST_ANSWER_S:
                return
            cancelled.wait(_FOLLOW_S)

    def _other_writer(self) -> bool:
        from sightline.store import writer_pid

        return writer_pid(self.config.index_dir) not in (None, os.getpid())

    def start(self) -> None:
        """Keep the index fresh from now on: become the writer, or follow the one there is."""
        from sightline.indexer.service import IndexService

        with self._lock:
            if self.service is not None:
                return
            self._started_at = time.monotonic()
            self.service = IndexService(self.config, self.embedder)
        self.service.start()

    def close(self) -> None:
        """Stop indexing and free the writer lock."""
        if self.service is not None:
            self.service.stop(_STOP_S)


class App:
    """The roots of one process."""

    def __init__(self, roots: Sequence[Root], *, api_version: ApiVersion = API_VERSION) -> None:
        self.roots = list(roots)
        self.api_version = api_version
        self._lock = threading.Lock()
        self._warming: threading.Timer | None = None
        self._warm = False
        self._warm_lock = threading.Lock()
        self._closed = False
        self._closers: list[Callable[[], object]] = []

    @classmethod
    def open(
        cls,
        paths: Sequence[str | Path],
        *,
        index_dir: str | Path | None = None,
        embedder: str | None = None,
        allow_any_root: bool = False,
        api_version: ApiVersion = API_VERSION,
    ) -> App:
        """Check the folders and make their roots; nothing is read or indexed yet."""
        from sightline.indexer.walk import check_root

        folders = list(dict.fromkeys(check_root(path, allow=allow_any_root) for path in paths))
        names = root_names(folders)
        configs = [make_config(folder, index_dir=index_dir, embedder=embedder) for folder in folders]
        for config in configs:
            _check_embedder(config.embedder)
        return cls([Root(config, name) for config, name in zip(configs, names, strict=True)], api_version=api_version)

    def described(self) -> str:
        """The roots in one line."""
        return ", ".join(str(root.config.root) for root in self.roots)

    def choose(self, root: str | None) -> list[Root]:
        """The root of this name or path, or all of them."""
        if not root:
            return self.roots
        for candidate in self.roots:
            if root in (candidate.name, str(candidate.config.root)) or _same_folder(root, candidate.config.root):
                return [candidate]
        raise QueryError(f"unknown root {root[:200]!r}", hint=f"known ones: {', '.join(r.name for r in self.roots)}")

    def search(self, query: Query, *, root: str | None, cursor: str | None, cancelled: threading.Event) -> SearchResult:
        """Search one root, or all of them and fuse by score."""
        from sightline.retrieval import cursor as cursors

        if cursor:
            query = dataclasses.replace(query, offset=cursors.decode(query, cursor))
        roots = self.choose(root)
        if len(roots) == 1:
            result = roots[0].search(query)
            if len(self.roots) == 1:
                return result
            return dataclasses.replace(result, hits=_labelled(result.hits, roots[0].name))
        wide = dataclasses.replace(query, offset=0, limit=min(query.offset + query.limit, 100))
        results = []
        for each in roots:
            if cancelled.is_set():
                raise QueryError("the call was cancelled")
            results.append(each.search(wide))
        return fuse_roots(query, [r.name for r in roots], results)

    def wait_answerable(self, root: str | None, cancelled: threading.Event) -> None:
        """Start what is not started yet, and give a first index a moment."""
        self.warm()
        for each in self.choose(root):
            each.wait_answerable(cancelled)

    def progress(self) -> tuple[int, int, str]:
        """Of the root that is furthest from done."""
        return max((root.progress() for root in self.roots), key=lambda state: state[1] - state[0])

    def warm_soon(self, *, later: bool = False) -> None:
        """Start imports and indexing in the background, a moment from now or when nobody has asked for long."""
        with self._lock:
            if self._closed or self._warm:
                return
            if self._warming is not None:
                if later:
                    return
                self._warming.cancel()
            self._warming = threading.Timer(_WARM_LATEST_S if later else _WARM_DELAY_S, self.warm)
            self._warming.daemon = True
            self._warming.start()

    def warm(self) -> None:
        """Start the service of every root and load what a first query needs; whoever comes second waits."""
        with self._warm_lock:
            if self._closed or self._warm:
                return
            for root in self.roots:
                try:
                    root.start()
                except SightlineError as error:
                    _logger.error("%s: %s", root.name, error)
            import sightline.retrieval.search  # noqa: F401

            self._warm = True

    def on_close(self, closer: Callable[[], object]) -> None:
        """Have something closed together with the app."""
        self._closers.append(closer)

    def close(self) -> None:
        """Stop everything; safe to call twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._warming is not None:
                self._warming.cancel()
        for closer in self._closers:
            closer()
        for root in self.roots:
            root.close()

    def status(self) -> Mapping[str, Any]:
        """Everything `sightline status` shows, for all roots."""
        from sightline.server.status import collect

        return {"api_version": self.api_version, "roots": [collect(root) for root in self.roots]}


def root_names(folders: Sequence[Path]) -> list[str]:
    """A short name for each folder: its own, with as many parents as it takes to tell two apart."""
    names = []
    for folder in folders:
        depth = 1
        while depth < len(folder.parts) and sum(other.parts[-depth:] == folder.parts[-depth:] for other in folders) > 1:
            depth += 1
        names.append("/".join(folder.parts[-depth:]) if folder.name else str(folder))
    return names


def fuse_roots(query: Query, names: Sequence[str], results: Sequence[SearchResult]) -> SearchResult:
    """One list out of the lists of several roots: by score, ties by root, path and line; each hit names its root."""
    from sightline.retrieval import cursor as cursors

    hits: list[Hit] = []
    for name, result in zip(names, results, strict=True):
        hits += _labelled(result.hits, name)
    hits.sort(key=lambda hit: (-hit.score, hit.root, hit.path, hit.start_line, hit.id))
    page = hits[query.offset : query.offset + query.limit]
    total = sum(result.total for result in results)
    truncated = total > query.offset + len(page) and bool(page)
    return SearchResult(
        query=query.text,
        mode=query.mode,
        strategy=query.strategy,
        hits=page,
        total=total,
        truncated=truncated,
        next_cursor=cursors.encode(query, query.offset + len(page)) if truncated else None,
        index=_joint_status([result.index for result in results]),
        warnings=list(dict.fromkeys(warning for result in results for warning in result.warnings)),
        timings_ms={
            f"{name}.{stage}": ms
            for name, result in zip(names, results, strict=True)
            for stage, ms in result.timings_ms.items()
        },
        members={entity: objects for result in results for entity, objects in result.members.items()},
    )


def _check_embedder(name: str) -> None:
    """A misspelt embedder is the person's mistake; one that cannot be loaded is a warning later."""
    if name not in ("static", "none") and not name.startswith("fastembed:"):
        raise ConfigError(f"unknown embedder {name!r}", hint="use static, none, fastembed:MODEL or fastembed:FOLDER")


def _labelled(hits: Sequence[Hit], name: str) -> list[Hit]:
    return [dataclasses.replace(hit, root=name) for hit in hits]


def _joint_status(statuses: Sequence[IndexStatus]) -> IndexStatus:
    order = ("indexing", "stale", "ready")
    worst = min((status.state for status in statuses), key=order.index)
    return IndexStatus(
        state=worst,
        generation=max(status.generation for status in statuses),
        files=sum(status.files for status in statuses),
        files_failed=sum(status.files_failed for status in statuses),
        files_total=sum(status.files_total or status.files for status in statuses),
    )


def _same_folder(given: str, folder: Path) -> bool:
    try:
        return Path(given).expanduser().resolve() == folder
    except (OSError, RuntimeError, ValueError):
        return False
