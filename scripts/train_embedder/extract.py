"""Step 2: archives -> training records, with the project's own language layer.

A record is one definition: language, package, path, qualified name, its doc comment as a sentence (may be empty), the
rest of the doc, its code without the doc, the names it calls. Inner comments with the lines they introduce are records
of kind "comment"; linked.py adds README sentences and test names as further queries of a definition. One JSON-lines
file per archive; an archive that has its file is not read again.
"""

from __future__ import annotations

import io
import json
import logging
import multiprocessing
import random
import re
import signal
import subprocess
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from scripts.train_embedder.hygiene import Hygiene
from scripts.train_embedder.linked import Package
from scripts.train_embedder.prose import strip_comment, summarise
from tree_sitter import Query, QueryCursor

from sightline.languages import detect, outline, parse, spec_of
from sightline.languages.grammar import language_of
from sightline.languages.outline import Defined, last_line

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ParsedFile

logger = logging.getLogger(__name__)

# Languages the registries hold little of: everything is taken, undocumented definitions and inner comments too.
THIN = frozenset({"swift", "kotlin", "csharp", "scala", "lua", "elixir", "bash", "zig", "dart", "typescript", "tsx"})
_UNDOCUMENTED_SHARE = 0.04  # of the other languages' undocumented definitions, for the name -> body view
_COMMENTS_SHARE = 0.1  # of the other languages' files, for inner comments
_MAX_BYTES = {"typescript": 3_000_000, "tsx": 1_000_000} | dict.fromkeys(
    ("swift", "kotlin", "csharp", "scala", "lua", "elixir", "bash", "zig", "dart"), 16_000_000
)  # per archive and language, so that no package dominates; others:
_MAX_BYTES_OTHERS = 3_000_000
_MAX_TEST_BYTES = 300_000  # per archive and language
_MAX_PROSE_BYTES = 300_000  # per archive
_MAX_RECORDS = 4_000  # per archive and language: no package dominates
_MAX_FILE_BYTES = 400_000
_MIN_FILE_BYTES = 300
_ARCHIVE_SECONDS = 240
_MAX_CODE_LINES = 45
_MAX_CODE_CHARS = 3_000
_MAX_LINE_CHARS = 200
_MIN_CODE_LINES = 3
_MAX_BLOCK_LINES = 16
_MAX_CALLS = 12

_TESTS = re.compile(
    r"(^|/)(tests?|testing|__tests__|specs?)/|_test\.\w+$|(^|/)test_[^/]*$|Tests?\.\w+$|\.(?:test|spec)\.\w+$",
    re.IGNORECASE,
)
_PROSE = re.compile(r"(^|/)(?:readme[^/]*|METADATA|[^/]*\.(?:md|rst))$", re.IGNORECASE)
_SKIP = re.compile(
    r"(^|/)(testdata|fixtures?|vendor|vendored|_vendor|third[-_]?party|3rdparty|"
    r"node_modules|external|extern|deps|bundled|generated|gen|locales?|i18n|migrations|examples?|samples?|benchmarks?|min|umd|"
    r"amd)/|\.min\.js$|\.d\.ts$|\.pb\.go$|_pb2\.py$|\.bundle\.|zz_generated|\.g\.dart$|changelog|changes\.|history\.|news\.",
    re.IGNORECASE,
)
_NATIVE = re.compile(
    r"(?:capacitor|cordova|expo|react-native|rn-|sentry|stripe)"
)  # npm packages with Swift and Kotlin inside
_CALL = re.compile(r"\b([A-Za-z_]\w{3,})\s*\(")
_NOT_CALLS = frozenset(
    [
        "while",
        "switch",
        "return",
        "catch",
        "function",
        "sizeof",
        "typeof",
        "assert",
        "defined",
        "foreach",
        "using",
        "elif",
        "unless",
    ]
)


_hygiene: Hygiene


def extract_all(work: Path, benchmark: Path | None, processes: int) -> None:
    """Extract every archive that has no records yet."""
    pairs = work / "pairs"
    pairs.mkdir(parents=True, exist_ok=True)
    archives = [p for p in (work / "archives").rglob("*") if p.is_file() and _is_archive(p)]
    todo = [p for p in archives if not _target(pairs, p).exists()]
    # Whoever stops early has a fair sample of everything, and most of the thin languages.
    random.Random(0).shuffle(todo)
    thin = [p for p in todo if p.parent.name in ("debian-sid", "debian-trixie") or _NATIVE.match(p.name)]
    others = [p for p in todo if p not in set(thin)]
    todo = [p for pair in zip_longest(thin, others) for p in pair if p is not None]
    total = 0
    # An archive that brings down its process must not take the run with it: one task per archive, restarted workers.
    with multiprocessing.get_context("spawn").Pool(processes, _start, (benchmark,), maxtasksperchild=200) as pool:
        for n, count in enumerate(pool.imap_unordered(_extract_archive, [(pairs, p) for p in todo]), 1):
            total += count
            if n % 200 == 0:
                logger.info("extracted %d of %d archives, %d records", n, len(todo), total)
    logger.info("extracted %d archives, %d records", len(todo), total)


def _start(benchmark: Path | None) -> None:
    global _hygiene
    _hygiene = Hygiene(benchmark)


def _is_archive(path: Path) -> bool:
    return (
        path.name.endswith((".whl", ".tgz", ".deb", ".tar.gz", ".tar.xz", ".tar.bz2"))
        and ".debian.tar" not in path.name
    )


def _target(pairs: Path, archive: Path) -> Path:
    return pairs / f"{archive.parent.name}+{archive.name}.jsonl"


def package_of(archive: Path) -> str:
    """The package's name, from how each registry names its archives."""
    name = archive.name.lower()
    if name.endswith(".whl"):
        return name.partition("-")[0].replace("_", "-")
    if name.endswith(".tgz"):
        return re.sub(r"-v?\d[^-]*(?:-[a-z]+[\d.]*)?\.tgz$", "", name)
    return name.partition("_")[0]


def _on_alarm(*_: object) -> None:
    raise TimeoutError


def _extract_archive(task: tuple[Path, Path]) -> int:
    pairs, archive = task
    package = package_of(archive)
    records: list[dict[str, Any]] = []
    linked = Package()
    counts: Counter[str] = Counter()
    read: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _on_alarm)
    signal.alarm(_ARCHIVE_SECONDS)
    try:
        if not _hygiene.bans_path(package):
            for path, data in _files(archive, read):
                language = detect(path)
                if _PROSE.search(path):
                    linked.read_prose(data.decode("utf-8", "replace"))
                elif _TESTS.search(path):
                    for test in _records(package, path, language, data, tests=True):
                        linked.read_test(test)
                elif counts[language] < 3 * _MAX_RECORDS:
                    found = _chosen(package, path, language, data, linked)
                    counts[language] += len(found)
                    records += found
            records += linked.records()
    except TimeoutError:
        logger.warning("%s: out of time, %d records kept", archive.name, len(records))
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError) as error:
        logger.warning("%s: unreadable (%s)", archive.name, error)
    finally:
        signal.alarm(0)
    random.Random(package).shuffle(records)
    kept: Counter[str] = Counter()
    target = _target(pairs, archive)
    partial = target.with_suffix(".part")
    with partial.open("w") as out:
        for record in records:
            kept[record["language"]] += 1
            if kept[record["language"]] <= _MAX_RECORDS:
                out.write(json.dumps(record, ensure_ascii=False) + "\n")
    partial.replace(target)
    return sum(kept.values())


def _files(archive: Path, read: Counter[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the source files of an archive without unpacking it on disk."""

    def wanted(path: str, size: int) -> bool:
        if not _MIN_FILE_BYTES < size < _MAX_FILE_BYTES or _SKIP.search(path) or _hygiene.bans_path(path):
            return False
        language = detect(path)
        if _PROSE.search(path):
            read["prose"] += size
            return read["prose"] <= _MAX_PROSE_BYTES
        if spec_of(language).document or not spec_of(language).definitions:
            return False
        if _TESTS.search(path):
            read["test " + language] += size
            return read["test " + language] <= _MAX_TEST_BYTES
        read[language] += size
        return read[language] <= _MAX_BYTES.get(language, _MAX_BYTES_OTHERS)

    if archive.name.endswith(".whl"):
        with zipfile.ZipFile(archive) as wheel:
            for entry in wheel.infolist():
                if wanted(entry.filename, entry.file_size):
                    yield entry.filename, wheel.read(entry)
        return
    if archive.name.endswith(".deb"):
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(archive)], capture_output=True, check=False)
        source: dict[str, Any] = {"fileobj": io.BytesIO(unpacked.stdout)}
    else:
        source = {"name": archive}
    with tarfile.open(**source) as stream:
        for member in stream:
            path = member.name.removeprefix("./").partition("/")[2]
            if member.isfile() and wanted(path, member.size):
                content = stream.extractfile(member)
                if content is not None:
                    yield path, content.read()


def _chosen(package: str, path: str, language: str, data: bytes, linked: Package) -> list[dict[str, Any]]:
    """The records to learn from as they are; all definitions go to `linked`."""
    chance = random.Random(f"{package}/{path}")
    chosen: list[dict[str, Any]] = []
    for record in _records(package, path, language, data):
        if record["kind"] != "comment":
            linked.define(record)
        if record["doc"] or language in THIN or chance.random() < _UNDOCUMENTED_SHARE:
            chosen.append(record)
    return chosen


def _records(package: str, path: str, language: str, data: bytes, tests: bool = False) -> Iterator[dict[str, Any]]:
    text = data.decode("utf-8", "replace")
    if len(text) > 150 * (text.count("\n") + 1) or _hygiene.bans_file(text):  # minified, or the benchmark
        return
    chance = random.Random(f"{package}/{path}")
    parsed = parse(path, language, data)
    if parsed.tree is None:  # the language layer gave it up
        return
    definitions = outline(parsed)
    lines = text.split("\n")
    family = {"tsx": "typescript", "jsx": "javascript"}.get(language, language)
    documented_rows: set[int] = set()
    for defined in definitions:
        raw, doc_rows = _raw_doc(parsed, defined)
        documented_rows.update(doc_rows)
        summary = summarise(raw) if raw else None
        code = _code(defined, lines, doc_rows)
        if sum(bool(line.strip()) for line in code) < _MIN_CODE_LINES or _hygiene.bans_definition(code):
            continue
        body = "\n".join(line[:_MAX_LINE_CHARS] for line in code)[:_MAX_CODE_CHARS]
        calls = [c for c in dict.fromkeys(_CALL.findall(body)) if c not in _NOT_CALLS and c != defined.name][
            :_MAX_CALLS
        ]
        yield {
            "kind": defined.kind, "language": family, "package": package, "path": path, "name": defined.qualified_name,
            "doc": summary[0] if summary else "", "rest": summary[1] if summary else "", "code": body, "calls": calls,
        }  # fmt: skip
    if not tests and (language in THIN or chance.random() < _COMMENTS_SHARE):
        yield from _inner_comments(parsed, package, family, documented_rows, lines)


def _raw_doc(parsed: ParsedFile, defined: Defined) -> tuple[list[str], set[int]]:
    """The lines of a definition's doc without comment marks, and the rows (0-based) they stand on."""
    spec = spec_of(parsed.language)
    if spec.doc == "docstring":
        string = _docstring(defined.node)
        if string is None:
            return [], set()
        text = parsed.source[string.start_byte : string.end_byte].decode("utf-8", "replace")
        rows = set(range(string.start_point.row, string.end_point.row + 1))
        return text.lstrip("rRuUbB").strip("\"'").splitlines(), rows
    if spec.doc_of is not None:
        return spec.doc_of(defined.outer).splitlines(), set()
    rows = set()
    texts: list[str] = []
    row, sibling = defined.outer.start_point.row, defined.outer.prev_named_sibling
    while sibling is not None and last_line(sibling) >= row:
        if sibling.type in spec.comments:
            texts.append((sibling.text or b"").decode("utf-8", "replace"))
            rows.update(range(sibling.start_point.row, last_line(sibling)))
        elif sibling.type not in spec.attributes or texts:
            break
        row, sibling = sibling.start_point.row, sibling.prev_named_sibling
    return [line for text in reversed(texts) for line in strip_comment(text)], rows


def _docstring(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    first = next(iter(body.named_children), None) if body is not None else None
    if first is not None and first.type == "expression_statement":
        first = next(iter(first.named_children), None)
    return first if first is not None and first.type == "string" else None


def _code(defined: Defined, lines: list[str], doc_rows: set[int]) -> list[str]:
    rows = (row for row in range(defined.start_line - 1, min(defined.end_line, len(lines))) if row not in doc_rows)
    return [lines[row] for _, row in zip(range(_MAX_CODE_LINES), rows, strict=False)]


def _inner_comments(
    parsed: ParsedFile, package: str, language: str, documented_rows: set[int], lines: list[str]
) -> Iterator[dict[str, Any]]:
    """A comment inside code, with the lines up to the next blank line or comment."""
    assert parsed.tree is not None
    types = " ".join(f"({node_type})" for node_type in spec_of(parsed.language).comments)
    query = Query(language_of(parsed.language), f"[{types}] @comment")
    comments = QueryCursor(query).captures(parsed.tree.root_node).get("comment", [])
    rows = {row for node in comments for row in range(node.start_point.row, last_line(node))} | documented_rows
    by_row = {node.start_point.row: node for node in comments}
    for row, node in sorted(by_row.items()):
        if row in documented_rows or row - 1 in rows or not lines[row][: node.start_point.column].isspace():
            continue  # documentation, the middle of a run, or a comment behind code or at file level
        end = row
        while end in rows:
            end += 1
        stop = end
        while stop < len(lines) and stop - end < _MAX_BLOCK_LINES and lines[stop].strip() and stop not in rows:
            stop += 1
        summary = summarise(strip_comment("\n".join(line.strip() for line in lines[row:end])))
        code = lines[end:stop]
        if summary is not None and len(code) >= _MIN_CODE_LINES and not _hygiene.bans_definition(code):
            yield {
                "kind": "comment", "language": language, "package": package, "path": parsed.path,
                "name": PurePosixPath(parsed.path).stem, "doc": summary[0], "rest": "",
                "code": "\n".join(line[:_MAX_LINE_CHARS] for line in code)[:_MAX_CODE_CHARS], "calls": [],
            }  # fmt: skip
