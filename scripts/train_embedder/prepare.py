"""Step 3: records -> vocabulary, token arrays to train on, and held-out questions.

Whole packages are held out, by a hash of their name, so that no near-copy of a question's answer was trained on. The
vocabulary is the most frequent words (by number of records) of the training records alone.
"""

from __future__ import annotations

import hashlib
import json
import logging
import random
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from scripts.train_embedder.download import PACKAGES_FILE
from scripts.train_embedder.extract import THIN, package_of

from sightline.embed.static import _Identifiers
from sightline.tokens import words

logger = logging.getLogger(__name__)

VOCABULARY = 68_000  # x 256 int8 = 17.4 MB: the wheel holds the model within 20 MB
_MAX_WORD_CHARS = 24
_MAX_DIGITS = 4
_SINGLE = "abcdefghijklmnopqrstuvwxyz0123456789"  # the first 36 tokens, see sightline.embed.static
FIELDS = {"doc": 50, "rest": 60, "code": 320, "name": 12, "path": 14, "calls": 40}  # words kept of each
_CAPS = {"python": 250_000, "go": 200_000, "java": 200_000, "c": 150_000, "cpp": 120_000}
_CAP = 200_000
_HELD_OUT = 25  # one package in so many; of thin languages one in _HELD_OUT_THIN, or too few questions would remain
_HELD_OUT_THIN = 8
_QUESTIONS = 1_000  # per language
_QUESTIONS_PER_PACKAGE = 120
_MIN_QUESTIONS = 150
_QUESTION_KEYS = ("doc", "code", "name", "calls", "path", "package")
_PREFIXES = re.compile(r"^(python3-|python-|librust-|rust-|node-|ruby-|php-|golang-|lua-|haskell-)")
_SUFFIXES = re.compile(r"(-dev|-java)$")
_NEVER_HELD = frozenset({"elixir-lang", "mono", "kotlin", "scala", "swiftlang"})  # the one large source of a language


def prepare(work: Path, start: Path | None = None) -> None:
    """Write <work>/train.npz, vocabulary.json and questions.json; the words of model `start` keep their places."""
    questions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    numbers: dict[str, int] = {}
    flat = {field: array("i") for field in FIELDS}
    lengths = {field: array("i") for field in FIELDS}
    kept: Counter[tuple[str, bool]] = Counter()
    languages: list[str] = []
    packages: dict[str, int] = {}
    package_numbers = array("i")
    for record in _unique_records(work / "pairs"):
        language, documented = record["language"], bool(record["doc"])
        if _held_out(record["package"], language):
            if documented and record["kind"] != "comment":
                questions[language].append(record)
            continue
        if not documented and len(words(record["name"])) < 2:
            continue
        # Undocumented definitions teach names only: never more of them than of documented ones.
        limit = _CAPS.get(language, _CAP) if documented else max(3_000, kept[language, True])
        if kept[language, documented] >= limit:
            continue
        kept[language, documented] += 1
        languages.append(language)
        package_numbers.append(packages.setdefault(record["package"], len(packages)))
        record["calls"] = " ".join(record["calls"])
        for field, limit in FIELDS.items():
            found = [numbers.setdefault(word, len(numbers)) for word in words(record[field][:2_500])[:limit]]
            flat[field].extend(found)
            lengths[field].append(len(found))
    logger.info(
        "%d records: %s", len(languages), {f"{k[0]}{'' if k[1] else ' (name)'}": n for k, n in kept.most_common()}
    )
    _write_questions(work, questions)
    _write_arrays(work, list(numbers), flat, lengths, languages, np.array(package_numbers, np.int32), start)


def _unique_records(pairs: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of all packages in random order of packages; no code twice, no doc sentence twice."""
    files = sorted(pairs.glob("*.jsonl"))
    random.Random(0).shuffle(files)
    seen: set[int] = set()
    for path in files:
        package = package_of(Path(path.name.partition("+")[2].removesuffix(".jsonl")))
        with path.open() as lines:
            for line in lines:
                record = json.loads(line) | {"package": package}
                code = xxhash.xxh3_64_intdigest(re.sub(r"\W+", "", record["code"])[:400].encode())
                doc = xxhash.xxh3_64_intdigest(b"doc:" + record["doc"].lower().encode())
                if code in seen or (record["doc"] and doc in seen):
                    continue
                seen.update((code, doc))
                yield record


def _held_out(package: str, language: str) -> bool:
    name = _SUFFIXES.sub("", _PREFIXES.sub("", package))
    if name in _NEVER_HELD:
        return False
    digest = int(hashlib.md5(name.encode(), usedforsecurity=False).hexdigest(), 16)
    return digest % _HELD_OUT == 0 or (language in THIN and package in _added() and digest % _HELD_OUT_THIN == 0)


@cache
def _added() -> frozenset[str]:
    """Packages that the first model was not trained on: only these may be held out beyond its own held-out ones."""
    return frozenset(json.loads(PACKAGES_FILE.read_text())["added"])


def _write_questions(work: Path, questions: dict[str, list[dict[str, Any]]]) -> None:
    chosen: dict[str, list[dict[str, Any]]] = {}
    for language, records in sorted(questions.items()):
        random.Random(2).shuffle(records)
        per_package: Counter[str] = Counter()
        for record in records:
            per_package[record["package"]] += 1
            if per_package[record["package"]] <= _QUESTIONS_PER_PACKAGE and len(chosen.get(language, ())) < _QUESTIONS:
                chosen.setdefault(language, []).append({key: record[key] for key in _QUESTION_KEYS})
        if len(chosen[language]) < _MIN_QUESTIONS:
            logger.warning("%s: only %d held-out questions", language, len(chosen[language]))
            if len(chosen[language]) < _MIN_QUESTIONS // 3:
                del chosen[language]
    logger.info("questions: %s", {language: len(records) for language, records in chosen.items()})
    (work / "questions.json").write_text(json.dumps(chosen))


def _write_arrays(
    work: Path,
    provisional: list[str],
    flat: dict[str, array[int]],
    lengths: dict[str, array[int]],
    languages: list[str],
    package_numbers: np.ndarray,
    start: Path | None,
) -> None:
    arrays = {field: np.frombuffer(values, np.int32) for field, values in flat.items()}
    offsets = {
        f: np.concatenate([[0], np.cumsum(np.frombuffer(n, np.int32), dtype=np.int64)]) for f, n in lengths.items()
    }
    frequency = np.zeros(len(provisional), np.int64)
    for field in ("doc", "code"):
        row = np.repeat(np.arange(len(languages)), np.diff(offsets[field]))
        present = np.unique(row * len(provisional) + arrays[field])
        frequency += np.bincount(present % len(provisional), minlength=len(provisional))
    vocabulary = (start / "vocabulary.txt").read_text("utf-8").split("\n") if start is not None else list(_SINGLE)
    known = set(vocabulary)
    for n in np.argsort(-frequency, kind="stable"):
        word = provisional[n]
        if len(vocabulary) == VOCABULARY:
            break
        if word not in known and len(word) <= _MAX_WORD_CHARS and not (word.isdigit() and len(word) > _MAX_DIGITS):
            vocabulary.append(word)
    logger.info("%d distinct words; the rarest of the vocabulary is in %d records", len(provisional), frequency[n])
    (work / "vocabulary.json").write_text(json.dumps(vocabulary))

    cut = _Identifiers({word: i for i, word in enumerate(vocabulary)})._cut
    pieces = [cut(word) for word in provisional]
    counts = np.array([len(p) for p in pieces])
    starts = np.cumsum(counts) - counts
    table = np.array([token for p in pieces for token in p], np.int32)
    out: dict[str, np.ndarray] = {}
    for field in FIELDS:
        n = counts[arrays[field]]
        ends = np.cumsum(n)
        position = np.arange(n.sum()) + np.repeat(starts[arrays[field]] - ends + n, n)
        out[field] = table[position]
        out[f"{field}_offsets"] = np.concatenate([[0], ends])[offsets[field]]
    names = sorted(set(languages))
    index = {name: i for i, name in enumerate(names)}
    out["language"] = np.array([index[name] for name in languages], np.int8)
    out["package"] = package_numbers
    times = dict(zip(provisional, frequency.tolist(), strict=True))
    out["frequency"] = np.array([times.get(word, 1) for word in vocabulary], np.int64)
    out["calls_token"] = np.array([vocabulary.index("calls")])
    np.savez(work / "train.npz", **out)
    (work / "languages.json").write_text(json.dumps(names))
