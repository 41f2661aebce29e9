"""Where everything is wired together: roots, their indexes, the embedder, the service that keeps them fresh.

An `App` holds one or several `Root`s and their `Life`. Nothing heavy is imported and nothing is opened until it is
needed: `warm_soon` starts that in the background once the client has had its first answers, a query that comes earlier
waits for it. The command line uses the same objects without the background part: it brings the index up to date, asks,
and goes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.config import Config, check_index_dir, make_config
from sightline.errors import ConfigError, QueryError
from sightline.indexer.files.root import check_root
from sightline.server import heavy
from sightline.server.answers.answered import joint_status
from sightline.server.lifecycle import Life
from sightline.server.progress import Call
from sightline.server.root import Root
from sightline.server.tools import INSTRUCTIONS
from sightline.server.usage import UsageLog
from sightline.types import Hit, Query, RankedFile, SearchResult
from sightline.wire import API_VERSION, ApiVersion

if TYPE_CHECKING:
    from sightline.server.ui.shapes import AskedOut

Asked = Callable[[int], Sequence["AskedOut"]]  # so many of the latest questions, the latest first


class App:
    """The roots of one process."""

    def __init__(
        self,
        roots: Sequence[Root],
        *,
        api_version: ApiVersion = API_VERSION,
        structured: bool = False,
        usage: UsageLog | None = None,
    ) -> None:
        self._roots = list(roots)
        self.instructions = INSTRUCTIONS  # what a client's model is told of the server
        self.api_version = api_version
        self.structured = structured  # whether MCP answers carry data beside the text; most clients then drop the text
        self.asked: Asked | None = None  # reads the log of what agents asked, where one is kept
        self.life = Life(self._roots)
        self.usage = usage  # where calls are logged, None when they are not
        if usage is not None:
            self.on_close(usage.close)

    @property
    def roots(self) -> Sequence[Root]:
        """Everything that can be asked."""
        return self._roots

    @classmethod
    def open(
        cls,
        paths: Sequence[str | Path],
        *,
        index_dir: str | Path | None = None,
        embedder: str | None = None,
        allow_any_root: bool = False,
        api_version: ApiVersion = API_VERSION,
        structured: bool = False,
        log_usage: bool = False,
        memory_mb: int | None = None,
        adjust: Callable[[Config], Config] = lambda config: config,
    ) -> App:
        """Check the folders and make their roots; nothing is read or indexed yet."""
        folders = list(dict.fromkeys(check_root(path, allow=allow_any_root) for path in paths))
        names = root_names(folders)
        configs = [
            adjust(make_config(folder, index_dir=index_dir, embedder=embedder, memory_mb=memory_mb))
            for folder in folders
        ]
        for config in configs:
            check_embedder(config.embedder)
            check_index_dir(config.index_dir)
        roots = [Root(config, name) for config, name in zip(configs, names, strict=True)]
        usage = UsageLog(configs[0].index_dir.parent) if log_usage else None
        return cls(roots, api_version=api_version, structured=structured, usage=usage)

    def described(self) -> str:
        """The roots in one line."""
        return ", ".join(str(root.config.root) for root in self.roots)

    def choose(self, root: str | None) -> list[Root]:
        """The root of this name or path, or all of them."""
        if not root:
            return list(self.roots)
        for candidate in self.roots:
            if root in (candidate.name, str(candidate.config.root)) or _same_folder(root, candidate.config.root):
                return [candidate]
        raise QueryError(f"unknown root {root[:200]!r}", hint=f"known ones: {', '.join(r.name for r in self.roots)}")

    def label(self, root: Root) -> str:
        """What hits of this root are labelled with: nothing when it is the only one."""
        return root.name if len(self.roots) > 1 else ""

    def narrowed(self, roots: Sequence[Root], question: str, call: Call) -> tuple[Sequence[Root], str]:
        """The roots that a question about structure is asked of, and what there is to say about the others."""
        return roots, ""

    def knowing(self, roots: Sequence[Root], name: str) -> Sequence[Root]:
        """The roots that are asked for a name."""
        return roots

    def files_named(self, path: str) -> list[tuple[Root, str]]:
        """Where a file of this path may be: a root, and the path inside it."""
        return [(root, path) for root in self.roots]

    def search(
        self,
        query: Query,
        *,
        root: str | None = None,
        cursor: str | None = None,
        expand: bool = False,
        call: Call | None = None,
    ) -> SearchResult:
        """Search one root, or all of them and fuse by score."""
        roots, call = self.choose(root), call or Call()
        if expand and query.vector is None:  # the search and the expansion share one embedding (UNI-6)
            query = dataclasses.replace(query, vector=roots[0].query_vector(query.text))
        if cursor:
            query = dataclasses.replace(query, offset=heavy.cursor.decode(query, cursor))
        if len(roots) == 1:
            result = roots[0].search(query, expand=expand, call=call)
            label = self.label(roots[0])
            return _labelled(result, label) if label else result
        wide = dataclasses.replace(query, offset=0, limit=query.offset + query.limit)
        results = []
        for each in roots:
            call.step(f"searching {each.name}")
            results.append(each.search(wide, expand=expand, call=call))
        return fuse_roots(query, [each.name for each in roots], results)

    def wait_answerable(self, root: str | None, call: Call) -> None:
        """Start what is not started yet, and give a first index a moment."""
        self.life.begin()
        for each in self.choose(root):
            self.life.wait_for(each, call)

    def progress(self) -> tuple[int, int, str]:
        """Of the root that is furthest from done."""
        return max((root.progress() for root in self.roots), key=lambda state: state[1] - state[0])

    def warm_soon(self, *, later: bool = False) -> None:
        """Start imports and indexing in the background, a moment from now or when nobody has asked for long."""
        self.life.due(later=later)

    def on_close(self, closer: Callable[[], object]) -> None:
        """Have something closed together with the app."""
        self.life.on_close(closer)

    def close(self) -> None:
        """Stop everything and let go of the indexes; safe to call twice."""
        self.life.close()
        for root in self.roots:
            root.let_go()

    def status(self) -> Mapping[str, Any]:
        """Everything `sightline status` shows, for all roots."""
        return {"api_version": self.api_version, "roots": [root.collected() for root in self.roots]}


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
    """One list out of the lists of several roots: by score, ties by root and by the root's own order, so that a longer
    list of a root, for a later page, begins as the shorter one did. Each hit names its root."""
    labelled = [_labelled(result, name) for name, result in zip(names, results, strict=True)]
    hits = [hit for result in labelled for hit in result.hits]
    hits.sort(key=lambda hit: (-hit.score, hit.root))  # equal ones of a root stay in order
    page = hits[query.offset : query.offset + query.limit]
    total = sum(result.total for result in results)
    end = query.offset + len(page)
    more = total > end and end <= heavy.cursor.MAX_OFFSET and bool(page)
    at_least = any(result.total_at_least for result in results)
    return SearchResult(
        query=query.text,
        mode=query.mode,
        strategy=query.strategy,
        hits=page,
        total=total,
        total_at_least=at_least,
        truncated=more or at_least,
        next_cursor=heavy.cursor.encode(query, end) if more else None,
        index=joint_status([result.index for result in results]),
        warnings=list(dict.fromkeys(warning for result in results for warning in result.warnings)),
        timings_ms={
            f"{name}.{stage}": ms
            for name, result in zip(names, results, strict=True)
            for stage, ms in result.timings_ms.items()
        },
        related=[edge for result in labelled for edge in result.related],
        routes=[route for result in labelled for route in result.routes],
        files=_fused_files(hits[:end], query.offset, labelled),
    )


def _fused_files(hits: Sequence[Hit], offset: int, labelled: Sequence[SearchResult]) -> Sequence[RankedFile]:
    """The files that a report is likely about out of those of several roots, in the order of their hits."""
    known = [file for result in labelled for file in result.files]
    known.sort(key=lambda file: (-file.score, file.root))
    return heavy.report_files.named(heavy.report_files.of_hits(hits), offset, known) if known else ()


def check_embedder(name: str) -> None:
    """A misspelt embedder is the person's mistake; one that cannot be loaded is a warning later."""
    if name not in ("static", "none") and not name.startswith("fastembed:"):
        raise ConfigError(f"unknown embedder {name!r}", hint="use static, none, fastembed:MODEL or fastembed:FOLDER")


def _labelled(result: SearchResult, name: str) -> SearchResult:
    """A result in which everything names its root: two checkouts of one repository share paths and entity_ids."""
    return dataclasses.replace(
        result,
        hits=[dataclasses.replace(hit, root=name) for hit in result.hits],
        related=[dataclasses.replace(edge, root=name) for edge in result.related],
        routes=[dataclasses.replace(route, root=name) for route in result.routes],
        files=[dataclasses.replace(file, root=name) for file in result.files],
    )


def _same_folder(given: str, folder: Path) -> bool:
    try:
        return Path(given).expanduser().resolve() == folder
    except (OSError, RuntimeError, ValueError):
        return False
