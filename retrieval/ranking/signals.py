"""The signals that rank code, one named function each, with what each is worth.

A signal gives every candidate a value 0..1; its weight says how much that adds to the score. A demotion takes a share
of the score away. Words and meaning come from the lanes; the rest is what people who know a code base go by: how the
file is called, what it defines, how much of it is about the question, and that tests, manuals and old copies are
rarely the answer.

`worth` is what NDCG@10 (0.902) loses when the signal alone is left out, on the 28 development repositories (mean over
repositories; `scripts/bench quality --leave-one-out`, November 2026). `examples` is 0 because the indexed folders of
these repositories hold none; `meaning` decides between the chunks of a file, which this measure does not see; `copies`
and `platforms` can only show in the one repository each that has such twins. Holding further hits of a file back
(`rerank.SAME_FILE_DECAY`) is worth .0905.

Weights were set by hand from these figures and kept round: fitting them to the repositories gained .010 on these and
lost .004 on repositories held out (four-fold cross-validation by repository).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sightline.retrieval.ranking.features import Column, Features, folded
from sightline.types import TYPE_KINDS

_EVIDENCE = np.array([1.0, 0.3, 0.2, 0.1, 0.1, 0.0])  # of a file's best chunks: one leads, four more confirm it
_TINY = 1e-12  # instead of dividing by zero
_NAMED_WHOLES = TYPE_KINDS | {"module"}
_EXACT_TYPE, _EXACT, _OTHER_CASE = (
    1.0,
    0.6,
    0.25,
)  # a name asked for: a type, anything else, only the letters' case differs
_SYMBOL_QUERY = 1.5  # a query that is nothing but a name wants its definition
# `pub use a::{{B, C}};`, `export {{ B }} from "a"`, `using a::B;`: statements that make a name of elsewhere one's own.
_REEXPORT = r"(?m)^[ \t]*(?:pub(?:\([a-z]+\))? use|export|using)\b[^;]{{0,1000}}?\b{0}\b[^;]*?(?:;|$)"
_FULL_LINES = 60  # the chunker's maximum: a piece of this length says as much as a piece can


@dataclass(frozen=True, slots=True)
class Signal:
    """A named reason to rank a candidate higher (weight > 0), or to take that share of its score away (weight < 0)."""

    name: str
    value: Callable[[Features], Column]
    weight: float
    worth: float  # NDCG@10 lost without it

    def added(self, features: Features, total: Column) -> Column:
        """What the signal adds to the score so far."""
        values = self.value(features)
        if self.weight > 0:
            return self.weight * values
        return self.weight * np.where(features.only_definition, 0.0, values) * total


def words(features: Features) -> Column:
    """BM25 of the chunk."""
    return features.bm25


def meaning(features: Features) -> Column:
    """Cosine similarity of the chunk."""
    return features.cosine


def object_meaning(features: Features) -> Column:
    """Cosine similarity of the object that the chunk defines: its name, signature and documentation."""
    return features.object_cosine


def file_words(features: Features) -> Column:
    """BM25 of the file's best chunks together."""
    return evidence(features, features.bm25)


def file_meaning(features: Features) -> Column:
    """Similarity of the file's best chunks together."""
    return evidence(features, features.cosine)


def file_objects(features: Features) -> Column:
    """Similarity of the file's best objects together."""
    return evidence(features, features.object_cosine)


def words_covered(features: Features) -> Column:
    """The share of the query's words, by importance, that the chunk has at all, in any of their forms."""
    return features.coverage


def file_name(features: Features) -> Column:
    """The share of the query's words that the file's name says."""
    return features.of_files([features.wanted.covered(facts.stem) for facts in features.path_facts])


def file_name_asked(features: Features) -> Column:
    """The share of the file's name that the query says: `sessions.py` for "session management"."""
    return features.of_files([features.wanted.covering(facts.stem) for facts in features.path_facts])


def definition(features: Features) -> Column:
    """The chunk defines a symbol that the query names; where nothing does, it passes the name on to other files."""
    out = np.zeros(features.size)
    names, kinds = features.snapshot.objects.column("name"), features.snapshot.objects.column("kind")
    wanted = {folded(symbol): symbol for symbol in features.analysis.symbols}
    for i, position in features.named:
        name = names[position]
        if name in features.analysis.symbols:
            out[i] = max(out[i], _EXACT_TYPE if kinds[position] in _NAMED_WHOLES else _EXACT)
        elif not _other_style(wanted[folded(name)], name):
            out[i] = max(out[i], _OTHER_CASE)
    if features.analysis.kind != "symbol":
        return out
    best = out.max(initial=0.0)
    if best <= _OTHER_CASE:
        out = np.maximum(out, _EXACT_TYPE * passed_on(features, features.analysis.symbols[0]))
    elif features.analysis.names_code:
        out = out / best
    return out * _SYMBOL_QUERY


def passed_on(features: Features, name: str) -> Column:
    """The chunk re-exports a name: the nearest thing to a definition when that lies outside of the index."""
    out = np.zeros(features.size)
    named = [
        i for i, position in enumerate(features.chunk.tolist()) if position in features.retrieved.lanes["chunk"].bm25
    ]
    statement = re.compile(_REEXPORT.format(re.escape(name)))
    for i, chunk in zip(named, features.snapshot.chunks.get(features.chunk[named]), strict=True):
        out[i] = statement.search(chunk.text) is not None
    return out


def substance(features: Features) -> Column:
    """The length of the chunk: fragments of a few lines rarely answer a question."""
    return np.minimum(1.0, (features.end_line - features.start_line + 1) / _FULL_LINES)


def tests(features: Features) -> Column:
    """Test code, unless the query asks for it."""
    return features.of_files([float(facts.is_test) for facts in features.path_facts]) * (
        not features.analysis.wants_tests
    )


def documents(features: Features) -> Column:
    """Prose and data, unless the query asks for them."""
    return features.of_files([float(facts.is_document) for facts in features.path_facts]) * (
        not features.analysis.wants_docs
    )


def examples(features: Features) -> Column:
    """Examples and benchmarks, unless the query asks for them."""
    return features.of_files([float(facts.is_example) for facts in features.path_facts]) * (
        not features.analysis.wants_examples
    )


def copies(features: Features) -> Column:
    """Vendored, compatibility and legacy code, and `v3/` where a `v4/` lies beside it, unless the query asks for it."""
    if features.analysis.wants_copies:
        return np.zeros(features.size)
    newest: dict[str, int] = {}
    for facts in features.path_facts:
        if facts.version is not None:
            newest[facts.version[0]] = max(facts.version[1], newest.get(facts.version[0], 0))
    return features.of_files(
        [
            float(facts.is_copy or (facts.version is not None and facts.version[1] < newest[facts.version[0]]))
            for facts in features.path_facts
        ]
    )


def platforms(features: Features) -> Column:
    """Code for Windows or a rare platform, where most keep the code that is read, unless the query names it."""
    named = set(features.analysis.words)
    return features.of_files(
        [float(bool(facts.platforms) and not facts.platforms & named) for facts in features.path_facts]
    )


SIGNALS: tuple[Signal, ...] = (
    Signal("words", words, 0.1, 0.0025),
    Signal("meaning", meaning, 0.05, -0.0004),
    Signal("object_meaning", object_meaning, 0.1, 0.0029),
    Signal("file_words", file_words, 0.4, 0.0031),
    Signal("file_meaning", file_meaning, 0.6, 0.0083),
    Signal("file_objects", file_objects, 0.5, 0.0086),
    Signal("words_covered", words_covered, 0.2, 0.0018),
    Signal("file_name", file_name, 0.2, 0.0005),
    Signal("file_name_asked", file_name_asked, 0.3, 0.0078),
    Signal("definition", definition, 1.0, 0.0115),
    Signal("substance", substance, 0.15, 0.0006),
    Signal("tests", tests, -0.35, 0.0040),
    Signal("documents", documents, -0.5, 0.0029),
    Signal("examples", examples, -0.3, 0.0000),
    Signal("copies", copies, -0.5, 0.0018),
    Signal("platforms", platforms, -0.25, 0.0038),
)


def most_possible(features: Features) -> float:
    """What all signals together could add to one candidate of this query."""
    named = bool(features.analysis.symbols)
    return sum(s.weight for s in SIGNALS if s.weight > 0 and (named or s.value is not definition))


class Filed(Protocol):
    """Candidates that belong to files: how many there are, the files, and for each candidate its place among them."""

    size: int
    files: npt.NDArray[np.int32]
    file: npt.NDArray[np.intp]


def evidence(features: Filed, values: Column) -> Column:
    """Per candidate: its file's best five values, weighted, as a share of the best file's."""
    order = np.lexsort((-values, features.file))
    files = features.file[order]
    rank = np.arange(features.size) - np.searchsorted(files, files)  # among the candidates of its file
    shares = _EVIDENCE[np.minimum(rank, len(_EVIDENCE) - 1)]
    totals = np.bincount(files, weights=values[order] * shares, minlength=len(features.files))
    shared: Column = (totals / max(totals.max(initial=0.0), _TINY))[features.file]
    return shared


def _other_style(symbol: str, name: str) -> bool:
    """`FromRequest` is a type and `from_request` a function: these two are not one name in different case."""
    return symbol[:1].isupper() and "_" not in symbol and "_" in name
