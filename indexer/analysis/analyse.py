"""One file → all that can be said of it alone: read, parse, outline, chunk, extract.

It runs in worker processes only (`workers.py`): a file may well be the end of the process that parses it. The vectors
are added later (`vectors.py`), since they are made many at a time and need more to be imported than all of this.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from sightline.config import Config
from sightline.graph.build.extract import extract
from sightline.indexer.analysis.chunk import chunk
from sightline.indexer.analysis.limits import CLOCK_S
from sightline.indexer.analysis.quarantine import Suspect
from sightline.indexer.files.read import Skipped, Source, read
from sightline.indexer.files.walk import Candidate
from sightline.languages import outline, parse
from sightline.types import FileEntry, FileRecord, ParsedFile

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """A file to analyse and the content hash the index has for it."""

    candidate: Candidate
    known_hash: str


def analyse(
    config: Config,
    task: Task,
    *,
    quarantined: Mapping[Suspect, str],
    parsing: Callable[[Suspect], None] = lambda _: None,
) -> FileEntry:
    """Analyse one file. When its content is what the index has, the entry carries the record alone; when it is
    quarantined, it is cut by lines. `parsing` is told what is about to be parsed: it may be the last one hears."""
    source = read(config, task.candidate)
    if isinstance(source, Skipped):
        return FileEntry(record_of_skipped(task.candidate, source))
    record = record_of(source)
    if source.content_hash == task.known_hash:
        return FileEntry(record)
    suspect = (source.content_hash, source.language)
    parsing(suspect)
    try:
        if reason := quarantined.get(suspect):
            unparsed = ParsedFile(source.path, source.language, source.text, tree=None, has_errors=True)
            return _entry(replace(record, reason=reason), unparsed)
        return _entry(record, parse(source.path, source.language, source.text, limit_s=CLOCK_S))
    except MemoryError:
        raise  # nothing can be relied upon any more: the process ends, and the file is cut by lines in the next one
    except Exception as error:
        logger.exception("%s could not be analysed", source.path)
        return FileEntry(replace(record, state="failed", reason=f"{type(error).__name__}: {error}"[:200]))


def _entry(record: FileRecord, parsed: ParsedFile) -> FileEntry:
    outlined = outline(parsed)
    chunks = chunk(parsed, outlined)
    extracted = extract(parsed, outlined)
    record = replace(record, parse_errors=parsed.has_errors)
    return FileEntry(record, chunks, None, extracted.objects, None, extracted.facts, extracted.gives)


def record_of(source: Source) -> FileRecord:
    """What the index knows of a file that was read and not parsed yet."""
    return FileRecord(
        path=source.path,
        language=source.language,
        size_bytes=source.size_bytes,
        mtime_ns=source.mtime_ns,
        content_hash=source.content_hash,
        state="indexed",
        reason=source.note,
        lines=source.lines,
        parse_errors=False,
    )


def record_of_skipped(candidate: Candidate, skipped: Skipped) -> FileRecord:
    return FileRecord(
        path=candidate.path,
        language=candidate.language,
        size_bytes=candidate.size_bytes,
        mtime_ns=candidate.mtime_ns,
        content_hash=skipped.content_hash,
        state=skipped.state,
        reason=skipped.reason,
        lines=0,
        parse_errors=False,
    )
