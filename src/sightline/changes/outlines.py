"""The symbols of texts that are not in the index: older versions of files, and newer ones that nobody indexed yet.

They are parsed where everything is parsed: by the indexer's worker processes with their limits. A worker reads files of
a root, so the texts are laid out in a private folder that goes away with the answer.
"""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import xxhash

from sightline.config import Config
from sightline.graph.build.extract import module_name
from sightline.indexer.analysis.analyse import Task
from sightline.indexer.analysis.workers import Analyser
from sightline.indexer.files.walk import Candidate
from sightline.languages import detect, spec_of
from sightline.languages.facts import entity_id
from sightline.store import Snapshot
from sightline.types import Object

_HEAD_BYTES = 8_192
_MAX_KNOWN = 400  # outlines that are remembered, about 50 KB each
_known: dict[tuple[str, bytes], Outline] = {}  # (path, hash of the text) → outline, oldest first
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Outline:
    """The symbols of one text, the module first, and its lines."""

    path: str
    objects: tuple[Object, ...]
    lines: tuple[str, ...]  # without line ends
    language: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A version of a file."""

    path: str
    data: bytes


def outlines(config: Config, texts: Sequence[Text]) -> list[Outline]:
    """The symbols of texts, in their order; of one that cannot be parsed there are none. The last ones are remembered:
    whoever edits asks again and again about the same old versions."""
    keys = [(text.path, xxhash.xxh3_128_digest(text.data)) for text in texts]
    with _lock:
        known = {key: _known[key] for key in keys if key in _known}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    known |= zip(missing, _parsed(config, list(missing.values())), strict=True)
    with _lock:
        for key in missing:
            _known[key] = known[key]
        while len(_known) > _MAX_KNOWN:
            del _known[next(iter(_known))]
    return [known[key] for key in keys]


def _parsed(config: Config, texts: Sequence[Text]) -> list[Outline]:
    if not texts:
        return []
    with tempfile.TemporaryDirectory(prefix="sightline-changes-") as folder:
        root = Path(folder)
        settings = replace(config, root=root, index_dir=root / ".none", embedder="none")
        tasks = [_laid_out(root, number, text) for number, text in enumerate(texts)]
        usable = [task for task in tasks if task is not None]
        analyser = Analyser(settings, None)
        try:
            entries = {entry.record.path: entry for entry in analyser.run(usable)}
        finally:
            analyser.close()
    found = []
    for text, task in zip(texts, tasks, strict=True):
        entry = entries.get(task.candidate.path) if task is not None else None
        language = entry.record.language if entry is not None else ""
        objects = _renamed(entry.objects, text.path, language) if entry is not None else ()
        found.append(Outline(text.path, objects, lines_of(text.data), language))
    return found


def indexed(snapshot: Snapshot, text: Text) -> Outline | None:
    """The symbols of a text that the index holds; None when it holds another version."""
    record = snapshot.files.get(text.path)
    if record is None or record.state != "indexed" or record.content_hash != xxhash.xxh3_128_hexdigest(text.data):
        return None
    positions = snapshot.objects.positions_of_path(text.path)
    objects = sorted(snapshot.objects.get(positions), key=lambda o: (o.kind != "module", o.start_line, -o.end_line))
    return Outline(text.path, _code(objects, record.language), lines_of(text.data), record.language)


def lines_of(data: bytes) -> tuple[str, ...]:
    """The lines of a text, whatever ends them."""
    text = data.decode("utf-8-sig", "replace").removesuffix("\n")
    return tuple(line.rstrip("\r") for line in text.split("\n"))


def _laid_out(root: Path, number: int, text: Text) -> Task | None:
    """Write a text below the folder, under a name that tells its language as the path does."""
    path = f"{number}/{text.path}"
    place = root / path
    try:
        place.parent.mkdir(parents=True)
        place.write_bytes(text.data)
    except OSError:
        return None  # a name that this system cannot have: there is no such file here either
    language = detect(text.path, text.data[:_HEAD_BYTES])
    return Task(Candidate(path, len(text.data), 0, "", language), "")


def _renamed(objects: Sequence[Object], path: str, language: str) -> tuple[Object, ...]:
    """The objects as those of the file that the text is a version of."""
    ordinals: Counter[tuple[str, str]] = Counter()
    ids: dict[str, str] = {}
    made = []
    for item in objects:
        name = module_name(path, language) if item.kind == "module" else item.qualified_name
        ordinal = ordinals[name, item.kind]
        ordinals[name, item.kind] += 1
        ids[item.entity_id] = entity_id(path, name, item.kind, ordinal)
        short = name.rpartition(".")[2] if item.kind == "module" else item.name
        made.append(replace(item, entity_id=ids[item.entity_id], path=path, qualified_name=name, name=short))
    return _code([replace(item, parent_id=ids.get(item.parent_id, "")) for item in made], language)


def _code(objects: Sequence[Object], language: str) -> tuple[Object, ...]:
    """The symbols, none of prose and data: their sections are no symbols that anything depends on."""
    return () if spec_of(language).document else tuple(objects)
