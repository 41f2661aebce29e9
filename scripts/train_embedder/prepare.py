"""Step 3: records -> vocabulary, token arrays to train on, and held-out questions.

Whole packages are held out, by a hash of their name, so that no near-copy of a question's answer was trained on. The
vocabulary is the most frequent words (by number of records) of the training records alone, and the most frequent pairs
of adjacent words that both doc comments and identifiers use ("file name": `fileName`).
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

from sightline.embed.static import _IDENTIFIER, _Identifiers
from sightline.tokens import SUBWORD, words

logger = logging.getLogger(__name__)

VOCABULARY = 68_000  # x 256 int8 = 17.4 MB: the wheel holds the model within 20 MB
PAIRS = 8_000  # of these are pairs of words
_MAX_WORD_CHARS = 24
_MAX_DIGITS = 4
_SINGLE = "abcdefghijklmnopqrstuvwxyz0123456789"  # the first 36 tokens, see sightline.embed.static
FIELDS = {"doc": 50, "rest": 60, "code": 240, "name": 6, "path": 10, "callee": 2}  # identifiers kept of each
_CAPS = {"python": 330_000, "go": 230_000, "c": 150_000, "cpp": 150_000}  # records, so that no language dominates
_CAP = 200_000  # of any other
_HELD_OUT = 25  # one package in so many; of thin languages one in _HELD_OUT_THIN, or too few questions would remain
_HELD_OUT_THIN = 8
_QUESTIONS = 1_000  # per language
_QUESTIONS_PER_PACKAGE = 120
_MIN_QUESTIONS = 150
_MIN_PAIR = 5  # doc comments and pieces of code that must hold a pair of words
_QUESTION_KEYS = ("doc", "code", "name", "calls", "path", "package")
_PREFIXES = re.compile(r"^(python3-|python-|librust-|rust-|node-|ruby-|php-|golang-|lua-|haskell-)")
_SUFFIXES = re.compile(r"(-dev|-java)$")
_NEVER_HELD = frozenset({"elixir-lang", "mono", "kotlin", "scala", "swiftlang"})  # the one large source of a language


def prepare(work: Path) -> None:
    """Write <work>/train.npz, vocabulary.json and questions.json."""
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
        record["callee"] = random.Random(record["name"]).choice(record["calls"]) if record["calls"] else ""
        for field, limit in FIELDS.items():
            identifiers = _IDENTIFIER.findall(record[field][:2_500])[:limit]
            found = [numbers.setdefault(identifier, len(numbers)) for identifier in identifiers]
            flat[field].extend(found)
            lengths[field].append(len(found))
    if not languages:
        raise SystemExit(f"{work / 'pairs'} holds no records to train on: the steps download and extract come first")
    logger.info(
        "%d records: %s", len(languages), {f"{k[0]}{'' if k[1] else ' (name)'}": n for k, n in kept.most_common()}
    )
    _write_questions(work, questions)
    _write_arrays(work, list(numbers), flat, lengths, languages, np.array(package_numbers, np.int32))


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
    identifiers: list[str],
    flat: dict[str, array[int]],
    lengths: dict[str, array[int]],
    languages: list[str],
    package_numbers: np.ndarray,
) -> None:
    fields = {
        f: Ragged(
            np.frombuffer(flat[f], np.int32),
            np.concatenate([[0], np.cumsum(np.frombuffer(lengths[f], np.int32), dtype=np.int64)]),
        )
        for f in FIELDS
    }
    numbers: dict[str, int] = {}
    cut = [[numbers.setdefault(w.lower(), len(numbers)) for w in SUBWORD.findall(name)] for name in identifiers]
    provisional = list(numbers)
    words_of = Ragged.of(cut)
    frequency = np.zeros(len(provisional), np.int64)
    for field in ("doc", "code"):
        frequency += _records_with(fields[field].replaced(words_of), len(provisional))
    vocabulary = list(_SINGLE)
    known = set(vocabulary)
    for n in np.argsort(-frequency, kind="stable"):
        word = provisional[n]
        if len(vocabulary) >= VOCABULARY - PAIRS:
            break
        if word not in known and len(word) <= _MAX_WORD_CHARS and not (word.isdigit() and len(word) > _MAX_DIGITS):
            vocabulary.append(word)
    logger.info("%d distinct words; the rarest of the vocabulary is in %d records", len(provisional), frequency[n])
    pairs = _frequent_pairs(fields, words_of, len(provisional), VOCABULARY - len(vocabulary))
    times = dict(zip(provisional, frequency.tolist(), strict=True))
    counts = [max(times.get(word, 1), 1) for word in vocabulary] + list(pairs.values())
    first_pair = len(vocabulary)
    vocabulary += [" ".join(provisional[w] for w in divmod(pair, len(provisional))) for pair in pairs]
    (work / "vocabulary.json").write_text(json.dumps(vocabulary))

    tokens_of = _Identifiers({word: i for i, word in enumerate(vocabulary)})
    pieces = Ragged.of([tokens_of.cut(name) for name in identifiers])
    out: dict[str, np.ndarray] = {}
    alone = Ragged.of([[t for t in tokens_of.cut(name) if t < first_pair] for name in identifiers])
    for field, value in fields.items():
        tokens = value.replaced(alone if field == "doc" else pieces)
        out[field], out[f"{field}_offsets"] = tokens.flat, tokens.offsets
    across = _pairs_in(fields["doc"], words_of, len(provisional), np.array(list(pairs), np.int64))
    out["doc_pairs"], out["doc_pairs_offsets"] = across.flat + first_pair, across.offsets
    names = sorted(set(languages))
    index = {name: i for i, name in enumerate(names)}
    out["language"] = np.array([index[name] for name in languages], np.int8)
    out["package"] = package_numbers
    out["frequency"] = np.array(counts, np.int64)
    out["calls_token"] = np.array([vocabulary.index("calls")])
    np.savez(work / "train.npz", **out)
    (work / "languages.json").write_text(json.dumps(names))


class Ragged:
    """Rows of numbers of different lengths: row i is flat[offsets[i]:offsets[i + 1]]."""

    def __init__(self, flat: np.ndarray, offsets: np.ndarray) -> None:
        self.flat, self.offsets = flat, offsets

    @classmethod
    def of(cls, rows: list[list[int]]) -> Ragged:
        flat = np.fromiter((n for row in rows for n in row), np.int32)
        return cls(flat, np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]))

    def replaced(self, by: Ragged) -> Ragged:
        """Put row n of `by` in the place of each number n."""
        counts = np.diff(by.offsets)[self.flat]
        ends = np.cumsum(counts)
        position = np.arange(counts.sum()) + np.repeat(by.offsets[:-1][self.flat] - ends + counts, counts)
        return Ragged(by.flat[position], np.concatenate([[0], ends])[self.offsets])

    def rows(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def _records_with(values: Ragged, size: int) -> np.ndarray:
    """In how many rows each number stands."""
    return np.bincount(np.unique(values.rows() * size + values.flat) % size, minlength=size)


def _adjacent(values: Ragged, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Row and key (first * size + second) of every two neighbours."""
    rows = values.rows()
    flat = values.flat.astype(np.int64)
    same = rows[1:] == rows[:-1]
    return rows[1:][same], (flat[:-1] * size + flat[1:])[same]


def _frequent_pairs(fields: dict[str, Ragged], words_of: Ragged, size: int, wanted: int) -> dict[int, int]:
    """Return the pairs (as keys) that stand in most doc comments and in most code as parts of one identifier."""
    if wanted <= 0:
        return {}
    row, key = _adjacent(fields["doc"].replaced(words_of), size)
    said, row_of = np.unique(key, return_inverse=True)
    in_docs = np.bincount(np.unique(row * len(said) + row_of) % len(said), minlength=len(said))
    said, in_docs = said[in_docs >= _MIN_PAIR], in_docs[in_docs >= _MIN_PAIR]
    within, key = _adjacent(words_of, size)
    place = np.minimum(np.searchsorted(said, key), len(said) - 1)
    hit = said[place] == key
    by_identifier = np.argsort(within[hit], kind="stable")
    within, place = within[hit][by_identifier], place[hit][by_identifier]
    held = Ragged(place, np.searchsorted(within, np.arange(len(words_of.offsets))))
    in_code = _records_with(fields["code"].replaced(held), len(said))
    both = np.minimum(in_docs, in_code)
    best = np.argsort(-both, kind="stable")[:wanted]
    return {int(said[n]): int(in_docs[n] + in_code[n]) for n in best if both[n] >= _MIN_PAIR}


def _pairs_in(docs: Ragged, words_of: Ragged, size: int, pairs: np.ndarray) -> Ragged:
    """The pairs (numbers into `pairs`) of any two words in a row: a query is read as if it were one identifier."""
    order = np.argsort(pairs)
    row, key = _adjacent(docs.replaced(words_of), size)
    if not len(pairs):
        return Ragged(np.zeros(0, np.int64), np.zeros(len(docs.offsets), np.int64))
    place = np.minimum(np.searchsorted(pairs[order], key), len(pairs) - 1)
    hit = pairs[order][place] == key
    return Ragged(order[place[hit]], np.searchsorted(row[hit], np.arange(len(docs.offsets))))
