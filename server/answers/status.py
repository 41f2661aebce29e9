"""What is indexed, what is not and why: collected once, shown as a table for people or as JSON."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.graph.build.confidence import is_proven
from sightline.visible import visible
from sightline.wire import FileOut

if TYPE_CHECKING:
    from sightline.server.root import Root
    from sightline.store import Snapshot

_MAX_FAILURES = 100  # listed by default; --files lists all
_MAX_SHOWN = 12
_WIDE = 10_000  # columns of something that is no terminal


def collect(root: Root, *, files: bool = False) -> dict[str, Any]:
    """Everything about one root's index, as JSON would show it."""
    from sightline.indexer.files.git import stopped_in
    from sightline.indexer.files.walk import ignored
    from sightline.store import live_writer

    hidden = list(ignored(root.config))  # asks git, so that what stops it is known below
    snapshot = root.snapshot()
    status: dict[str, Any] = {
        "root": str(root.config.root),
        "name": root.name,
        "index_dir": str(root.config.index_dir),
        "state": "none",
        "embedder": {"wanted": root.config.embedder},
        "writer": _writer(root, live_writer(root.config.index_dir)),
        "size_bytes": _size(root.config.index_dir),
        "ignored": dict(Counter(reason for _, reason in hidden).most_common()),
        "git_stopped": stopped_in(root.config.root),
    }
    if snapshot is None:
        return status
    status |= _contents(snapshot)
    status["origin"] = _origin(root, snapshot)
    status["embedder"] |= {"id": snapshot.embedder_id, "dimensions": snapshot.dim}
    if files:
        status["files_list"] = [_file(record) for _, record in sorted(snapshot.files.items())]
        status["ignored_list"] = [{"path": path, "reason": reason} for path, reason in hidden]
    return status


def _origin(root: Root, snapshot: Snapshot) -> dict[str, Any]:
    """How much of the index was analysed for it, and how much was there already."""
    from sightline.indexer.cache.origin import Origin, read_origin

    origin = read_origin(root.config.index_dir)
    if origin.index_id != snapshot.manifest.index_id:
        origin = Origin()  # of an index that was here before
    return {
        "analysed": origin.analysed,
        "from_cache": origin.from_cache,
        "from_base": origin.from_base,
        "base": origin.base,
    }


def _contents(snapshot: Snapshot) -> dict[str, Any]:
    from sightline.indexer.analysis.quarantine import is_quarantined

    records = list(snapshot.files.values())
    indexed = [record for record in records if record.state == "indexed"]
    failed = sorted((r for r in records if r.state == "failed"), key=lambda r: r.path)
    quarantined = sorted((r for r in indexed if is_quarantined(r)), key=lambda r: r.path)
    manifest = snapshot.manifest
    from sightline.languages import LANGUAGES, known_of

    languages = dict(Counter(record.language for record in indexed).most_common())
    return {
        "state": manifest.state,
        "generation": snapshot.generation,
        "last_change": manifest.committed_at,
        "files": {
            "total": len(records),
            "to_come": max(manifest.files_total - len(records), 0) if manifest.state == "indexing" else 0,
            "indexed": len(indexed),
            "skipped": sum(record.state == "skipped" for record in records),
            "failed": len(failed),
            "quarantined": len(quarantined),
            "parse_errors": sum(record.parse_errors for record in indexed),
            "lines": sum(record.lines for record in indexed),
            "bytes": sum(record.size_bytes for record in indexed),
        },
        "languages": languages,
        "known": {language: known_of(language) for language in languages if language in LANGUAGES},
        "skipped": dict(Counter(record.reason for record in records if record.state == "skipped").most_common()),
        "failures": [{"path": record.path, "reason": record.reason} for record in failed[:_MAX_FAILURES]],
        "quarantined": [{"path": record.path, "reason": record.reason} for record in quarantined[:_MAX_FAILURES]],
        "chunks": int(snapshot.chunks.alive.sum()),
        "objects": int(snapshot.objects.alive.sum()),
        "relationships": _relationships(snapshot),
        "given_up": manifest.given_up,
    }


def _relationships(snapshot: Snapshot) -> dict[str, Any]:
    rows = snapshot.relationships
    alive = rows.alive.nonzero()[0].tolist()
    types, resolutions, confidence = (rows.column(name) for name in ("relationship_type", "resolution", "confidence"))
    by_type: dict[str, dict[str, int]] = {}
    for position in alive:
        kind = by_type.setdefault(str(types[position]), {"proven": 0, "possible": 0, "external": 0})
        if resolutions[position] == "external":
            kind["external"] += 1
        elif is_proven(float(confidence[position]), str(resolutions[position])):
            kind["proven"] += 1
        else:
            kind["possible"] += 1
    return {
        "total": len(alive),
        "by_type": dict(sorted(by_type.items())),
        "by_resolution": dict(Counter(str(resolutions[position]) for position in alive).most_common()),
    }


def _writer(root: Root, pid: int | None) -> dict[str, Any]:
    """Who writes the index, and what waits to be written, as far as this process knows."""
    writer: dict[str, Any] = {"pid": pid, "this_process": pid == os.getpid()}
    if root.service is not None:
        state = root.service.status()
        writer |= {"role": state.role, "queued": state.queued, "error": state.error}
        if state.progress is not None:
            writer["progress"] = {"done": state.progress.files_done, "total": state.progress.files_total}
    return writer


def _file(record: Any) -> FileOut:
    return {
        "path": record.path,
        "state": record.state,
        "reason": record.reason,
        "language": record.language,
        "size_bytes": record.size_bytes,
        "lines": record.lines,
        "parse_errors": record.parse_errors,
    }


def _size(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(where) / name).stat().st_size
            except FileNotFoundError:
                continue  # compacted away while we look
    return total


def text(statuses: Sequence[Mapping[str, Any]]) -> str:
    """The statuses as a person reads them."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # Nothing is folded in a pipe, where a path that is broken in two helps nobody.
    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    with console.capture() as capture:
        for status in statuses:
            if "files_list" in status:
                for file in status["files_list"]:
                    why = f"  ({file['reason']})" if file["reason"] else ""
                    line = visible(f"{file['state']:8} {file['path']}{why}")
                    console.print(line, markup=False, highlight=False, soft_wrap=True)
                for entry in status["ignored_list"]:
                    line = visible(f"{'ignored':8} {entry['path']}  ({entry['reason']})")
                    console.print(line, markup=False, highlight=False, soft_wrap=True)
                continue
            title = Text(visible(status["root"]))  # as Text it is not read as markup
            table = Table(title=title, show_header=False, title_justify="left", title_style="bold", box=None)
            table.add_column(style="dim", no_wrap=True)
            table.add_column(overflow="fold")
            for name, value in rows(status):
                table.add_row(name, Text(visible(value)))
            console.print(table)
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))


def rows(status: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines of the table: a name and what there is to say."""
    if status["state"] == "none":
        return [("index", "none yet: run sightline index, or ask something"), ("kept in", status["index_dir"])]
    files, relationships = status["files"], status["relationships"]
    out = [
        ("index", f"{status['state']}, generation {status['generation']}, changed {_ago(status['last_change'])}"),
        (
            "files",
            f"{files['indexed']:,} indexed ({files['lines']:,} lines), {files['skipped']:,} skipped, "
            f"{files['failed']:,} failed" + (f", {files['to_come']:,} to come" if files["to_come"] else ""),
        ),
        ("languages", _counts(status["languages"]) or "none"),
        *_known_rows(status["known"]),
        ("skipped", _counts(status["skipped"]) or "nothing"),
        ("ignored", f"{_counts(status['ignored'])} (sightline status --files)" if status["ignored"] else "nothing"),
        *([("git", _git_text(status["git_stopped"]))] if status["git_stopped"] else []),
        ("parse errors", f"{files['parse_errors']:,} files are indexed although their grammar met errors"),
        ("chunks", f"{status['chunks']:,}"),
        ("objects", f"{status['objects']:,}"),
        ("relationships", f"{relationships['total']:,}"),
    ]
    for kind, counts in relationships["by_type"].items():
        out.append((f"  {kind}", ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)))
    if status["given_up"]:
        out.append(("  given up", _given_up(status["given_up"])))
    out += [
        ("analysis", _origin_text(status["origin"])),
        ("embedder", f"{status['embedder']['id']}, {status['embedder']['dimensions']} dimensions"),
        ("writer", _writer_text(status["writer"])),
        ("kept in", f"{status['index_dir']} ({_bytes(status['size_bytes'])})"),
    ]
    out += _named("failed", status["failures"], files["failed"])
    out += _named("by lines only", status["quarantined"], files["quarantined"])
    return out


def _named(what: str, listed: Sequence[Mapping[str, str]], count: int) -> list[tuple[str, str]]:
    """Files with what is the matter with them, as many as fit."""
    out = [(what, f"{file['path']}: {file['reason']}") for file in listed[:_MAX_SHOWN]]
    if count > _MAX_SHOWN:
        out.append(("", f"… {count - _MAX_SHOWN:,} more: sightline status --files"))
    return out


def _origin_text(origin: Mapping[str, Any]) -> str:
    """Where what is said of the files came from, counted since the index was begun."""
    text = f"{origin['analysed']:,} files analysed, {origin['from_cache']:,} taken from the cache"
    if origin["from_base"]:
        text += f"; began with {origin['from_base']:,} files of {origin['base']}"
    return text


def _git_text(stopped: str) -> str:
    """What it means for the list of files that git was stopped."""
    return f"stopped, since {stopped}; its rules are read without it, and tracked files that they hide are missing"


def _given_up(given_up: Mapping[str, int]) -> str:
    """What resolving left open, and where most of it is."""
    most = max(given_up, key=lambda path: (given_up[path], path))
    return (
        f"{sum(given_up.values()):,} questions that lead back to themselves, in {len(given_up):,} files; most in {most}"
    )


def _writer_text(writer: Mapping[str, Any]) -> str:
    if writer["pid"] is None:
        return "none: nobody watches for changes at the moment"
    return f"process {writer['pid']}" + (f", {writer['queued']:,} changes queued" if writer.get("queued") else "")


_KNOWN = {  # what is known of a language's files, and what that is called
    "resolved": "calls by imports and types",
    "calls": "calls by name",
    "outline": "definitions, sections",
    "text": "text only",
}


def _known_rows(known: Mapping[str, str]) -> list[tuple[str, str]]:
    out = []
    for level, words in _KNOWN.items():
        names = [_installing(name) for name, reached in known.items() if reached == level]
        if names:
            out.append((f"  {level}", f"{words}: {', '.join(names)}"))
    return out


def _installing(language: str) -> str:
    """A language, and how to have it read when its grammar is an extra that is not installed."""
    from sightline.languages import known_of, spec_of

    extra = spec_of(language).extra if known_of(language) == "text" else ""
    return f"{language} (pip install 'sightline[{extra}]' reads it)" if extra else language


def _counts(counts: Mapping[str, int]) -> str:
    shown = [f"{name or 'other'} {count:,}" for name, count in list(counts.items())[:_MAX_SHOWN]]
    rest = sum(list(counts.values())[_MAX_SHOWN:])
    return ", ".join([*shown, *([f"other {rest:,}"] if rest else [])])


def _ago(moment: float) -> str:
    seconds = max(time.time() - moment, 0)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _bytes(size: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1_000 or unit == "GB":
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1_000
    raise AssertionError("unreachable")
