"""One indexed folder: its snapshots, its embedder, who keeps it fresh, and what can be asked of it.

Every question goes through `_ask`: take the newest snapshot, answer from it, compare the files of the answer with the
disk, have changed ones indexed on the spot and answer once more. What still differs is reported as stale.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sightline.config import Config
from sightline.errors import CorruptIndexError, EmbedderError, FormatVersionError, StoreError
from sightline.server import freshness as fresh
from sightline.server.answers import additions
from sightline.server.answers.answered import Answered, Expanded, Researched, Symbols
from sightline.server.progress import Call
from sightline.types import Filters, IndexStatus, Query, Relationship, SearchResult

if TYPE_CHECKING:
    from sightline.embed import Embedder
    from sightline.graph.read.symbols import SymbolMatch
    from sightline.indexer.service import IndexService
    from sightline.retrieval.research import ResearchResult
    from sightline.server.firstlook import Looker
    from sightline.store import Snapshot, SnapshotFollower
    from sightline.types import Vector

    _Found = tuple[list[SymbolMatch], list[str], dict[str, list[str]]]  # matches, nearest names, source

MAX_REFRESHED_FILES = 20  # files of one answer that are indexed on the spot; more is the watcher's work
REFRESH_S = 0.8  # of work that an answer waits for; an edit takes a tenth of it
FIRST_ANSWER_S = 1.2  # how long a query waits for a first index before it answers from what is there
BIG_FILES = 500  # an unindexed root with more is not done by then, so nobody waits: files are looked into at once
_INDEX_BIG_AFTER_S = 0.7  # and its indexing begins behind that look, which it would slow down to twice its time
_INDEX_IN_STEP_AFTER_S = 0.5  # nothing is to be done yet, and loading the writer would slow the first answers down
EMBEDDER_WAIT_S = 0.5  # how long a query waits for an embedder that is still being loaded (the built-in one takes 0.03)
_GRAPH_AFTER_S = 1.0  # the first question comes first
STOP_S = 0.6  # for a commit under way: one of a few files ends; a longer one is repaired by whoever writes next
_READ_ATTEMPTS = 2  # the second with everything opened anew
_FOLLOW_S = 0.02  # between two looks at the manifest while another process commits
_TABLES = ("objects", "chunks", "relationships")  # read side by side, the one that takes longest first
_logger = logging.getLogger(__name__)
_T = TypeVar("_T")


class Root:
    """One indexed folder: its snapshots, its embedder, and who keeps it fresh."""

    def __init__(self, config: Config, name: str) -> None:
        self.config, self.name = config, name
        self.service: IndexService | None = None
        self._lock = threading.Lock()
        self._follower: SnapshotFollower | None = None
        self._embedder: Embedder | None = None
        self.embedder_error = ""  # why there is none
        self._embedder_loaded = threading.Event()
        self._embedder_lock = threading.Lock()  # held while it is loaded, which may take long
        self._started_at = 0.0
        self._in_step = False  # whether the index was found to be what is on disk, before anybody wrote it
        self._looker: Looker | None = None
        self._big = False  # and unindexed when this process came
        self._behind = 0  # the generation that was found not to be
        self._unreadable: StoreError | None = None  # why there is no snapshot although there is an index
        self._life = threading.Lock()  # of the service; never held while something is loaded
        self._closed = False

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot, None when nothing is indexed yet or what there is cannot be read."""
        with self._lock:
            if self._follower is None:
                from sightline.store import SnapshotFollower

                self._follower = SnapshotFollower(self.config.index_dir)
        for _ in range(_READ_ATTEMPTS):
            try:
                self._unreadable = None
                return self._follower.current()
            except (CorruptIndexError, FormatVersionError) as error:
                failure = error
                self._follower.forget()
        if isinstance(failure, CorruptIndexError):  # one of another format belongs to another version's writer
            self._damaged(failure)
        self._unreadable = failure
        return None

    def _damaged(self, error: CorruptIndexError) -> None:
        """Tell whoever writes the index that it cannot be read: it is rebuilt, and until then there is nothing."""
        from sightline.store import report_damage

        _logger.info("%s: %s", self.name, error)
        with contextlib.suppress(OSError):  # a read-only index stays as it is
            report_damage(self.config.index_dir, error.message)

    def embedder(self) -> Embedder | None:
        """The embedder, loaded once; without it search goes on lexically and says so."""
        with self._embedder_lock:
            if not self._embedder_loaded.is_set():
                try:
                    if self.config.embedder != "none":
                        from sightline.embed import load_embedder

                        self._embedder = load_embedder(self.config.embedder)
                except EmbedderError as error:
                    self.embedder_error = str(error)
                self._embedder_loaded.set()
            return self._embedder

    def warnings(self, snapshot: Snapshot | None) -> list[str]:
        """What a response has to mention about this root."""
        found = [f"no semantic search: {self.embedder_error}"] if self.embedder_error else []
        if self._embedder_lock.locked():
            found.append("no semantic search yet: the embedder is still being loaded")
        if self.service is not None and (error := self.service.status().error):
            found.append(f"the index is not kept up to date: {error}")
        if self.service is not None and (rebuilt := self.service.status().rebuilt):
            found.append(f"the index is being built anew, and is not complete yet: {rebuilt}")
        if snapshot is not None and self._embedder is not None and snapshot.embedder_id != self._embedder.id:
            found.append(f"no semantic search: the index was made with the embedder {snapshot.embedder_id}")
        return found

    def embedder_for(self, snapshot: Snapshot) -> Embedder | None:
        """The embedder, if its vectors are those of the snapshot."""
        if not self._embedder_loaded.is_set() and self._embedder_lock.locked():
            self._embedder_loaded.wait(EMBEDDER_WAIT_S)
            embedder = self._embedder  # still None: this answer goes by words, and `warnings` says so
        else:
            embedder = self.embedder()
        return embedder if embedder is not None and embedder.id == snapshot.embedder_id else None

    def search(self, query: Query, *, expand: bool = False, call: Call | None = None) -> SearchResult:
        """Hits of a query; with `expand` also what the best objects are related to, in `extra`."""
        from sightline.retrieval.search import search

        call = call or Call()
        indexed: Collection[str] = ()

        def ask(snapshot: Snapshot) -> SearchResult:
            nonlocal indexed
            indexed = snapshot.files.keys()
            found = search(snapshot, query, embedder=self.embedder_for(snapshot))
            related = additions.related(snapshot, found, query.vector) if expand else []
            edges = [hit.item for hit in found.hits if isinstance(hit.item, Relationship)] + related
            return dataclasses.replace(
                found, extra={"related": related, "lines": additions.target_lines(snapshot, edges)}
            )

        result, answered = self._ask(ask, _hit_paths, call)
        if result is None:
            result = SearchResult(query.text, query.mode, query.strategy, [], 0, False, None, answered.status)
        result = dataclasses.replace(
            result,
            hits=fresh.mark(result.hits, answered.stale),
            index=answered.status,
            warnings=[*result.warnings, *answered.warnings],
        )
        first_look = self.service is not None and answered.status.state == "indexing" and not query.offset
        return self._with_first_look(query, result, indexed, call) if first_look else result

    def _with_first_look(
        self, query: Query, result: SearchResult, indexed: Collection[str], call: Call
    ) -> SearchResult:
        """While a first index is being built, the files it does not have yet are searched as they are on disk."""
        from sightline.server.firstlook import Looker

        began = time.perf_counter()
        if self._looker is None:
            self._looker = Looker(self.config)
        found = self._looker.look(query, indexed, check=call.check)
        if not found.files:
            return result
        hits = sorted([*result.hits, *found.hits], key=lambda hit: -hit.score)[: query.limit]
        note = (
            f"{found.files:,} files are not indexed yet; {found.files_read:,} of them were searched as they are on "
            "disk, by words only, and their symbols are not known"
        )
        return dataclasses.replace(
            result,
            hits=hits,
            total=result.total + len(found.hits),
            warnings=[*result.warnings, note],
            timings_ms={**result.timings_ms, "first_look": (time.perf_counter() - began) * 1000},
        )

    def symbols(
        self, name: str, *, kind: str | None, filters: Filters, limit: int, include_members: bool, call: Call
    ) -> Symbols:
        """Objects that a name may mean, with their source; the nearest names when there are none."""
        from sightline.graph.read import symbols
        from sightline.retrieval.filters import allowed

        def ask(snapshot: Snapshot) -> _Found:
            mask = allowed(snapshot, filters).mask(snapshot.objects, "object")
            found = symbols.find(snapshot, name, kind=kind, allowed=mask, limit=limit, include_members=include_members)
            near = [] if found else symbols.nearest(snapshot, name)
            return found, near, {m.object.entity_id: additions.source_lines(snapshot, m.object) for m in found}

        result, answered = self._ask(ask, _match_paths, call)
        found, near, source = result or ([], [], {})
        return Symbols(answered.status, answered.stale, answered.warnings, found, near, source)

    def expand(
        self,
        start: str,
        *,
        direction: str,
        relationship_types: Collection[str] | None,
        depth: int,
        max_nodes: int,
        max_edges: int,
        query_context: str | None,
        min_confidence: float | None,
        call: Call,
    ) -> Expanded:
        """The neighbourhood of a symbol; an ambiguous name gives its candidates instead."""
        from sightline.graph.read import walk

        def ask(snapshot: Snapshot) -> Expanded:
            found = walk.resolve_start(snapshot, start)
            if not found.entity_ids:
                return Expanded(
                    snapshot.status(), frozenset(), [], None, [], list(found.candidates), list(found.nearest)
                )
            vector, warnings = self._context_vector(snapshot, query_context)
            expansion = walk.expand(
                snapshot,
                found.entity_ids,
                direction=direction,  # type: ignore[arg-type]
                relationship_types=relationship_types,
                depth=depth,
                max_nodes=max_nodes,
                max_edges=max_edges,
                min_confidence=min_confidence or 0.0,
                query_vector=vector,
            )
            starts = [node for node in expansion.nodes if expansion.depths[node.entity_id] == 0]
            return Expanded(snapshot.status(), frozenset(), warnings, expansion, starts)

        result, answered = self._ask(ask, _expanded_paths, call)
        if result is None:
            return Expanded(answered.status, frozenset(), answered.warnings)
        return dataclasses.replace(result, stale=answered.stale, warnings=[*result.warnings, *answered.warnings])

    def research(self, question: str, *, depth: int, max_tokens: int, call: Call) -> Researched:
        """Answer an architectural question."""
        from sightline.retrieval.research import research

        def ask(snapshot: Snapshot) -> ResearchResult:
            return research(
                snapshot,
                question,
                embedder=self.embedder_for(snapshot),
                depth=depth,
                max_tokens=max_tokens,
                read_lines=fresh.Lines(self.config.root, snapshot.files).read,
                progress=call.step,
            )

        result, answered = self._ask(ask, _research_paths, call)
        return Researched(answered.status, answered.stale, answered.warnings, result)

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a query, for a search that goes on to use it (UNI-6); None without an embedder."""
        snapshot = self.snapshot()
        embedder = self.embedder_for(snapshot) if snapshot is not None else None
        if embedder is None or not text.strip():
            return None
        vector = embedder.encode_query(text)
        return vector if vector.any() else None

    def _context_vector(self, snapshot: Snapshot, text: str | None) -> tuple[Vector | None, list[str]]:
        if not text or not text.strip():
            return None, []
        embedder = self.embedder_for(snapshot)
        if embedder is None:
            return None, ["query_context has no effect without an embedder"]
        return embedder.encode_query(text), []

    def _ask(
        self, ask: Callable[[Snapshot], _T], paths: Callable[[_T], Iterable[str]], call: Call
    ) -> tuple[_T | None, Answered]:
        """Answer from the newest snapshot, and once more when a file of the answer had changed."""
        refreshed, failures = False, 0
        while (snapshot := self.snapshot()) is not None:
            call.check()
            try:
                snapshot.check()
                result = ask(snapshot)
                stale = fresh.changed(self.config.root, snapshot.files, paths(result))
                snapshot.check()
            except CorruptIndexError as error:  # its tables were rebuilt or pruned under a long query, or are damaged
                failures += 1
                self._forget()
                if failures >= _READ_ATTEMPTS:
                    self._damaged(error)
                    if self.service is None:
                        raise
                    break
                continue
            if refreshed or not stale or not self.refresh(stale, snapshot):
                return result, Answered(self._status(snapshot), frozenset(stale), self.warnings(snapshot))
            refreshed = True
        if self.service is None and self._unreadable is not None:  # nobody is going to mend it
            raise self._unreadable
        return None, Answered(self.empty_status(), frozenset(), self.warnings(None))

    def _status(self, snapshot: Snapshot) -> IndexStatus:
        """The state of a snapshot; before its first commit only the service knows how many files there will be."""
        status = snapshot.status()
        if status.state == "ready" and status.generation == self._behind:
            return dataclasses.replace(status, state="stale")
        if status.state == "indexing" and not status.files_total:
            return dataclasses.replace(status, files_total=self.progress()[1])
        return status

    def _forget(self) -> None:
        if self._follower is not None:
            self._follower.forget()

    def empty_status(self) -> IndexStatus:
        """The state of an index that has nothing yet."""
        done, total, _ = self.progress()
        if not total and self._looker is not None:
            total = len(self._looker.list_files())
        return IndexStatus("indexing", 0, done, 0, total)

    def refresh(self, paths: Sequence[str], seen: Snapshot) -> bool:
        """Have changed files indexed now, by ourselves or by the process that writes; True when something was."""
        from sightline.store import writer_pid

        if len(paths) > MAX_REFRESHED_FILES:
            return False
        building = seen.status().state == "indexing" and self.service is not None and not self.service.wait_caught_up(0)
        if building:  # a first index: it will come to these files, and nobody waits for that
            return False
        if self.service is not None and self.service.refresh(frozenset(paths), timeout_s=REFRESH_S):
            return True
        if writer_pid(self.config.index_dir) in (None, os.getpid()):
            return False
        deadline = time.monotonic() + REFRESH_S
        while time.monotonic() < deadline:
            snapshot = self.snapshot()
            if snapshot is not None and snapshot.generation > seen.generation:
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

    def wait_answerable(self, call: Call) -> None:
        """Give a first index, or the catching up after a start, a moment; then answer from what is there."""
        if self.service is None or self._in_step or self._big:
            return
        while not call.cancelled.is_set():
            now = time.monotonic()
            status = self.service.status()
            if status.role == "writer" and self.service.wait_caught_up(0):
                return
            if now - self._started_at > FIRST_ANSWER_S:
                return  # from what there is: a part of the index, and a look at the files
            if status.role != "writer" and self._other_writer() and self._has_something():
                return
            call.cancelled.wait(_FOLLOW_S)

    def _has_something(self) -> bool:
        """Whether there is anything to answer from; an index that is complete may well be empty."""
        snapshot = self.snapshot()
        return snapshot is not None and (snapshot.status().files > 0 or snapshot.status().state == "ready")

    def _other_writer(self) -> bool:
        from sightline.store import writer_pid

        return writer_pid(self.config.index_dir) not in (None, os.getpid())

    def prepare(self, asked: Callable[[], bool] = lambda: False) -> None:
        """Load what a first answer needs, and see whether the index there is holds what is on disk: then it can be
        answered from at once, while the writer, which takes longer to load, is still on its way. Unless a question is
        `asked` already, one is tried: it loads the rest."""
        self._started_at = time.monotonic()
        threading.Thread(target=self.embedder, name="sightline-embedder", daemon=True).start()
        from sightline.retrieval.pool import pool
        from sightline.retrieval.search import search

        snapshot = self.snapshot()
        if snapshot is None:
            from sightline.server.firstlook import Looker

            self._looker = Looker(self.config)
            self._big = len(self._looker.list_files()) > BIG_FILES
            return
        try:
            tables = [pool().begin(partial(getattr, snapshot, name)) for name in _TABLES]
            plan = pool().begin(partial(self._plan, snapshot))
            for table in tables:
                table.result()
            if not asked():
                search(snapshot, Query("what is read first"), embedder=self.embedder_for(snapshot))
            behind = plan.result()
        except (CorruptIndexError, OSError) as error:
            _logger.warning("%s: %s", self.name, error)  # the writer says more, and repairs what it can
            return
        self._in_step = not behind and snapshot.status().state == "ready"
        self._behind = snapshot.generation if behind else 0
        graph = threading.Timer(_GRAPH_AFTER_S, self._prepare_graph)
        graph.daemon = True
        graph.start()

    def _plan(self, snapshot: Snapshot) -> bool:
        """Whether files differ from what a snapshot holds."""
        from sightline.indexer.pipeline import plan_whole

        return bool(plan_whole(self.config, snapshot.files))

    def _prepare_graph(self) -> None:
        """Make the tables of names and neighbours that a first question about symbols would wait for."""
        from sightline.graph.read import symbols, walk

        snapshot = self.snapshot()
        if snapshot is None or self._closed:
            return
        try:
            found = symbols.find(snapshot, "what is asked first", limit=1, include_members=False)
            if not self._closed:
                walk.expand(snapshot, [match.object.entity_id for match in found], depth=1)
        except (CorruptIndexError, OSError) as error:
            _logger.warning("%s: %s", self.name, error)

    def start(self) -> None:
        """Keep the index fresh from now on: become the writer, or follow the one there is."""
        from sightline.indexer.service import IndexService

        with self._life:
            if self.service is not None or self._closed:
                return
            self._started_at = self._started_at or time.monotonic()
            self.service = IndexService(self.config, self.embedder)
            if not self._big and not self._in_step:
                self.service.start()
                return
            later = threading.Timer(_INDEX_BIG_AFTER_S if self._big else _INDEX_IN_STEP_AFTER_S, self.service.start)
            later.daemon = True
            later.start()

    def stop_soon(self) -> None:
        """Begin nothing new and end what is under way; nobody waits for it here."""
        with self._life:
            self._closed = True
        if self.service is not None:
            self.service.stop_soon()

    def close(self, timeout_s: float = STOP_S) -> None:
        """Stop indexing and free the writer lock."""
        self.stop_soon()
        if self.service is not None:
            self.service.stop(timeout_s)


def _hit_paths(found: SearchResult | None) -> list[str]:
    return fresh.paths_of(found.hits) if found is not None else []


def _match_paths(found: _Found | None) -> list[str]:
    return list(dict.fromkeys(match.object.path for match in found[0])) if found is not None else []


def _research_paths(found: ResearchResult | None) -> Sequence[str]:
    return found.paths if found is not None else ()


def _expanded_paths(found: Expanded | None) -> list[str]:
    if found is None or found.expansion is None:
        return []
    paths = dict.fromkeys(node.path for node in found.expansion.nodes)
    return list(paths | dict.fromkeys(edge.path for edge in found.expansion.edges))
