"""One indexed folder, and what can be asked of it.

Every question goes through `ask`: take the newest snapshot, answer from it, compare the files of the answer with the
disk, have changed ones indexed on the spot and answer once more. What still differs is reported as stale. A root does
nothing by itself: `lifecycle` says when it is prepared and kept fresh.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sightline.config import Config
from sightline.errors import CorruptIndexError, FormatVersionError, QueryError, StoreError
from sightline.server import freshness as fresh
from sightline.server import heavy, lifecycle
from sightline.server.answers import additions
from sightline.server.answers.answered import Answered, Expanded, Researched, Symbols, shown_in
from sightline.server.embedder import RootEmbedder
from sightline.server.lifecycle import Found
from sightline.server.progress import Call
from sightline.server.snapshots import READ_ATTEMPTS, Snapshots
from sightline.types import Filters, IndexState, IndexStatus, Object, Query, Relationship, SearchResult

if TYPE_CHECKING:
    from sightline.changes.asked import Asked
    from sightline.changes.model import Report
    from sightline.graph.read.symbols import SymbolMatch
    from sightline.indexer.service import IndexService
    from sightline.retrieval.research import ResearchResult
    from sightline.retrieval.research.occurrences import Texts
    from sightline.retrieval.research.source import ReadLines
    from sightline.server.firstlook import Looker
    from sightline.store import Snapshot
    from sightline.types import Vector

    # matches, nearest names, source, names as they are said
    _Found = tuple[list[SymbolMatch], list[str], dict[str, list[str]], dict[str, str]]

_T = TypeVar("_T")


class Root:
    """One indexed folder: its snapshots, its embedder, and the service that keeps it fresh once there is one."""

    has_work_tree = True  # whether there is a disk to compare with, and git to ask

    def __init__(
        self, config: Config, name: str, *, snapshots: Snapshots | None = None, embedder: RootEmbedder | None = None
    ) -> None:
        self.config, self.name = config, name
        self.embedder = embedder or RootEmbedder(config.embedder)
        self.found: Found = lifecycle.UNINDEXED
        self.service: IndexService | None = None
        self._snapshots = snapshots or Snapshots(config, name)
        self._looker: Looker | None = None

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot, None when nothing is indexed yet or what there is cannot be read."""
        return self._snapshots.newest()

    def let_go(self) -> None:
        """Drop the snapshot that is held: its memory and its open files."""
        self._snapshots.let_go()

    def changed(self, snapshot: Snapshot, paths: Iterable[str]) -> list[str]:
        """Those of the files whose content on disk is not what the snapshot holds."""
        return fresh.changed(self.config.root, snapshot.files, paths)

    def lines(self, snapshot: Snapshot) -> ReadLines:
        """What reads source lines for an answer from the snapshot."""
        return fresh.Lines(self.config.root, snapshot.files).read

    def texts(self, snapshot: Snapshot) -> Texts:
        """The whole texts that an answer is checked against."""
        return heavy.texts.DiskTexts(self.config.root, snapshot.files)

    def file_text(self, path: str) -> str:
        """The text of one file; QueryError when it is not one that the indexer would take."""
        from sightline.server.confined import read_confined

        return read_confined(self, path)

    def collected(self) -> dict[str, Any]:
        """Everything that `sightline status` shows of it."""
        return heavy.status.collect(self)

    def looker(self) -> Looker:
        """Who looks into files that are not indexed yet."""
        if self._looker is None:
            self._looker = heavy.firstlook.Looker(self.config)
        return self._looker

    def kept_by_another_version(self) -> StoreError | None:
        """Why there is nothing to read for as long as another process lives: it writes a format that we do not know."""
        unreadable = self._snapshots.unreadable
        pid = heavy.store.live_writer(self.config.index_dir) if isinstance(unreadable, FormatVersionError) else None
        if unreadable is None or pid is None or pid == os.getpid():
            return None
        return StoreError(
            f"{unreadable.message}, and process {pid}, which is of another version, keeps it",
            hint="stop that process or restart it",
        )

    def warnings(self, snapshot: Snapshot | None) -> list[str]:
        """What a response has to mention about this root."""
        found = self.embedder.warnings()
        if (unreadable := self.kept_by_another_version()) is not None:
            found.append(str(unreadable))
        if self.service is not None and (error := self.service.status().error):
            found.append(f"the index is not kept up to date: {error}")
        if self.service is not None and (rebuilt := self.service.status().rebuilt):
            found.append(f"the index is being built anew, and is not complete yet: {rebuilt}")
        return [*found, *(self.embedder.mismatch(snapshot) if snapshot is not None else ())]

    def search(self, query: Query, *, expand: bool = False, call: Call | None = None) -> SearchResult:
        """Hits of a query; with `expand` also what the best objects are related to."""
        call = call or Call()
        indexed: Collection[str] = ()

        def ask(snapshot: Snapshot) -> SearchResult:
            nonlocal indexed
            indexed = snapshot.files.keys()
            found = heavy.search.search(snapshot, query, embedder=self.embedder.fitting(snapshot))
            related = additions.related(snapshot, found, query.vector) if expand else []
            read = self.lines(snapshot)
            hits = additions.completed(snapshot, found.hits, read)
            routes = heavy.routes.shown(snapshot, self.texts(snapshot), query) if not query.offset else []
            return dataclasses.replace(found, hits=hits, related=related, routes=routes)

        result, answered = self.ask(ask, _hit_paths, call)
        if result is None:
            result = SearchResult(query.text, query.mode, query.strategy, [], 0, False, None, answered.status)
        result = dataclasses.replace(
            fresh.mark(result, answered.stale),
            index=answered.status,
            warnings=[*result.warnings, *answered.warnings],
        )
        unfinished = answered.status.state == "indexing" or not answered.status.generation
        first_look = self.service is not None and unfinished and not query.offset
        return self._with_first_look(query, result, indexed, call) if first_look else result

    def _with_first_look(
        self, query: Query, result: SearchResult, indexed: Collection[str], call: Call
    ) -> SearchResult:
        """While a first index is being built, the files it does not have yet are searched as they are on disk."""
        began = time.perf_counter()
        found = self.looker().look(query, indexed, check=call.check)
        if not found.files:
            return result
        hits = sorted([*result.hits, *found.hits], key=lambda hit: -hit.score)[: query.limit]
        looked = set(map(id, found.hits))
        kept = sum(id(hit) not in looked for hit in hits)  # the others are on the next page, which is the index's alone
        more = kept > 0 and (kept < len(result.hits) or result.next_cursor is not None)
        note = (
            f"{found.files:,} files are not indexed yet; {found.files_read:,} of them were searched as they are on "
            "disk, by words only, and their symbols are not known"
        )
        files = heavy.report_files.named(heavy.report_files.of_hits(hits), 0, result.files) if result.files else ()
        return dataclasses.replace(
            result,
            hits=hits,
            files=files,
            total=result.total + len(found.hits),
            truncated=result.truncated or len(hits) < len(result.hits) + len(found.hits),
            next_cursor=heavy.cursor.encode(query, kept) if more else None,
            warnings=[*result.warnings, note],
            timings_ms={**result.timings_ms, "first_look": (time.perf_counter() - began) * 1000},
        )

    def symbols(
        self, name: str, *, kind: str | None, filters: Filters, limit: int, include_members: bool, call: Call
    ) -> Symbols:
        """Objects that a name may mean, with their source; the nearest names when there are none."""

        def ask(snapshot: Snapshot) -> _Found:
            mask = heavy.filters.allowed(snapshot, filters).mask(snapshot.objects, "object")
            found = heavy.symbols.find(
                snapshot, name, kind=kind, allowed=mask, limit=limit, include_members=include_members
            )
            near = [] if found else heavy.symbols.nearest(snapshot, name)
            read = self.lines(snapshot)
            names = additions.names([m.object for m in found], read)
            return found, near, {m.object.entity_id: additions.source_lines(snapshot, m.object) for m in found}, names

        result, answered = self.ask(ask, _match_paths, call)
        found, near, source, names = result or ([], [], {}, {})
        return Symbols(answered.status, answered.stale, answered.warnings, found, near, source, names)

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

        def ask(snapshot: Snapshot) -> Expanded:
            found = heavy.walk.resolve_start(snapshot, start)
            if not found.entity_ids:
                return Expanded(
                    snapshot.status(), frozenset(), [], None, [], list(found.candidates), list(found.nearest)
                )
            vector, warnings = self._context_vector(snapshot, query_context)
            expansion = heavy.walk.expand(
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
            read = self.lines(snapshot)
            sites = additions.sites(snapshot, expansion.edges, read)
            names = additions.names(expansion.nodes, read)
            return Expanded(
                snapshot.status(),
                frozenset(),
                warnings,
                expansion,
                starts,
                sites=sites,
                names=names,
                every_guess=min_confidence is not None,
            )

        result, answered = self.ask(ask, _expanded_paths, call)
        if result is None:
            return Expanded(answered.status, frozenset(), answered.warnings)
        return dataclasses.replace(
            result,
            status=answered.status,
            stale=answered.stale,
            warnings=[*result.warnings, *answered.warnings],
        )

    def research(
        self, question: str, *, depth: int, max_tokens: int, filters: Filters | None = None, call: Call
    ) -> Researched:
        """Answer an architectural question, or one about changes and history."""
        told = heavy.about.answer(self, question, max_tokens=max_tokens, call=call)
        if told is not None:
            return told

        def ask(snapshot: Snapshot) -> ResearchResult:
            return heavy.research.research(
                snapshot,
                question,
                embedder=self.embedder.fitting(snapshot),
                depth=depth,
                max_tokens=max_tokens,
                filters=filters,
                read_lines=self.lines(snapshot),
                texts=self.texts(snapshot),
                progress=call.step,
            )

        result, answered = self.ask(ask, _research_paths, call)
        return Researched(answered.status, answered.stale, answered.warnings, result)

    def standing(self) -> Answered:
        """What an answer would say about the index now, before anything is asked."""
        snapshot = self.snapshot()
        status = self.state(snapshot) if snapshot is not None else self.empty_status()
        return Answered(status, frozenset(), self.warnings(snapshot))

    def changes(self, asked: Asked, call: Call | None = None) -> tuple[Report, Answered]:
        """What a change touches."""

        def ask(snapshot: Snapshot) -> Report:
            return heavy.changes.report(self.config, snapshot, asked)

        result, answered = self.ask(ask, _changed_paths, call or Call())
        if result is None:
            raise QueryError("nothing is indexed yet", hint="ask again in a moment")
        stale = [f"{path} was changed meanwhile" for path in sorted(answered.stale)]
        return dataclasses.replace(result, warnings=(*result.warnings, *stale)), answered

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a query, for a search that goes on to use it (UNI-6); None without an embedder."""
        snapshot = self.snapshot()
        embedder = self.embedder.fitting(snapshot) if snapshot is not None else None
        if embedder is None or not text.strip():
            return None
        vector = embedder.encode_query(text)
        return vector if vector.any() else None

    def _context_vector(self, snapshot: Snapshot, text: str | None) -> tuple[Vector | None, list[str]]:
        if not text or not text.strip():
            return None, []
        embedder = self.embedder.fitting(snapshot)
        if embedder is None:
            return None, ["query_context has no effect without an embedder"]
        return embedder.encode_query(text), []

    def ask(
        self, ask: Callable[[Snapshot], _T], paths: Callable[[_T], Iterable[str]], call: Call
    ) -> tuple[_T | None, Answered]:
        """Answer from the newest snapshot, and once more when a file of the answer had changed."""
        refreshed, failures = False, 0
        while (snapshot := self.snapshot()) is not None:
            call.check()
            try:
                snapshot.check()
                result = ask(snapshot)
                stale = self.changed(snapshot, paths(result))
                snapshot.check()
            except CorruptIndexError as error:  # its tables were rebuilt or pruned under a long query, or are damaged
                failures += 1
                self._snapshots.forget()
                if failures >= READ_ATTEMPTS:
                    self._snapshots.report(error)
                    if self.service is None:
                        raise
                    break
                continue
            if refreshed or not stale or not fresh.refresh(self, stale, snapshot):
                return result, Answered(self.state(snapshot), frozenset(stale), self.warnings(snapshot))
            refreshed = True
        unreadable = self._snapshots.unreadable
        if self.service is None and unreadable is not None:  # nobody is going to mend it
            raise unreadable
        return None, Answered(self.empty_status(), frozenset(), self.warnings(None))

    def state(self, snapshot: Snapshot) -> IndexStatus:
        """The state of a snapshot; before its first commit only the service knows how many files there will be."""
        status = snapshot.status()
        if status.state == "ready" and status.generation == self.found.behind:
            return dataclasses.replace(status, state="stale")
        if status.state == "indexing" and not status.files_total:
            return dataclasses.replace(status, files_total=self.progress()[1])
        return status

    def empty_status(self) -> IndexStatus:
        """The state of an index that has nothing yet."""
        done, total, _ = self.progress()
        if not total and self._looker is not None:
            total = len(self._looker.list_files())
        state: IndexState = "indexing" if self.kept_by_another_version() is None else "stale"
        return IndexStatus(state, 0, done, 0, total)

    def progress(self) -> tuple[int, int, str]:
        """Files done, files in all, and what is going on."""
        progress = self.service.status().progress if self.service is not None else None
        if progress is None:
            return 0, 0, "starting"
        what = "indexing files" if progress.phase == "files" else "resolving relationships"
        return progress.files_done, progress.files_total, what


def _hit_paths(found: SearchResult | None) -> list[str]:
    return fresh.paths_of(found) if found is not None else []


def _match_paths(found: _Found | None) -> list[str]:
    matches = found[0] if found is not None else []
    return list(dict.fromkeys(item.path for match in matches for item in (match.object, *match.members)))


def _changed_paths(found: Report | None) -> list[str]:
    """Changed files that should be in the index as they are on disk."""
    return [file.path for file in found.compared.files if file.on_disk and not file.note] if found is not None else []


def _research_paths(found: ResearchResult | None) -> Sequence[str]:
    return found.paths if found is not None else ()


def _expanded_paths(found: Expanded | None) -> list[str]:
    if found is None:
        return []
    shown: list[Object | Relationship] = [*found.candidates]
    if found.expansion is not None:
        shown += [*found.expansion.nodes, *found.expansion.edges]
    return list(dict.fromkeys(path for item in shown for path in shown_in(item)))
