"""The signals that rank code, one named function each.

A feature looks at the candidates and gives each a value 0..1.
"""

from __future__ import annotations

import numpy as np

from sightline.retrieval.view import Column, View
from sightline.retrieval.words import name_words

_EVIDENCE = (1.0, 0.3, 0.2, 0.1, 0.1)  # shares of a file's best chunks


def _file_sum(view: View, values: Column) -> Column:
    """Per candidate: its file's best five values, weighted, as a share of the best file's."""
    totals = np.zeros(len(view.files))
    order = np.argsort(-values, kind="stable")
    seen = np.zeros(len(view.files), dtype=np.int64)
    for i in order.tolist():
        file = view.file[i]
        if seen[file] < len(_EVIDENCE):
            totals[file] += values[i] * _EVIDENCE[seen[file]]
            seen[file] += 1
    best = totals.max(initial=0.0)
    return (totals / best if best > 0 else totals)[view.file]


def lexical(view: View) -> Column:
    return view.bm25


def semantic(view: View) -> Column:
    return view.cosine


def object_lexical(view: View) -> Column:
    return view.object_bm25


def object_semantic(view: View) -> Column:
    return view.object_cosine


def file_lexical(view: View) -> Column:
    return _file_sum(view, view.bm25)


def file_semantic(view: View) -> Column:
    return _file_sum(view, view.cosine)


def file_object_lexical(view: View) -> Column:
    return _file_sum(view, view.object_bm25)


def file_object_semantic(view: View) -> Column:
    return _file_sum(view, view.object_cosine)


def stem_words(view: View) -> Column:
    """The query's words in the file's name."""
    return view.of_files([view.wanted.covered(facts.stem) for facts in view.path_facts])


def stem_covered(view: View) -> Column:
    """How much of the file's name the query accounts for."""
    return view.of_files([view.wanted.covering(facts.stem) for facts in view.path_facts])


def stem_match(view: View) -> Column:
    return view.of_files([view.wanted.match(" ".join(facts.stem)) for facts in view.path_facts])


def folder_words(view: View) -> Column:
    return view.of_files([view.wanted.covered(facts.folder) for facts in view.path_facts])


def outer_words(view: View) -> Column:
    return view.of_files([view.wanted.covered(facts.outer) for facts in view.path_facts])


def path_words(view: View) -> Column:
    return view.of_files([view.wanted.covered((*f.stem, *f.folder, *f.outer)) for f in view.path_facts])


def file_names(view: View) -> Column:
    """The best match of any name that the file defines."""
    return view.of_files([max(map(view.name_match, names), default=0.0) for names in view.names_in_file])


def file_vocabulary(view: View) -> Column:
    """The query's words among all names that the file defines."""
    wanted = view.wanted
    return view.of_files(
        [wanted.covered({w for name in names for w in name_words(name)}) for names in view.names_in_file]
    )


def own_name(view: View) -> Column:
    """The best match of any name that the chunk defines."""
    names = view.snapshot.objects.column("name")
    return np.array([max((view.name_match(names[p]) for p in here), default=0.0) for here in view.defined_here])


def own_qualified(view: View) -> Column:
    names = view.snapshot.objects.column("qualified_name")
    return np.array([max((view.name_match(names[p]) for p in here), default=0.0) for here in view.defined_here])


def symbol_words(view: View) -> Column:
    """The query's words in the qualified name of what encloses the chunk."""
    symbols = view.snapshot.chunks.column("symbol")
    return np.array([view.wanted.covered(name_words(symbols[c])) if c >= 0 else 0.0 for c in view.chunk.tolist()])


_TYPE_KINDS = frozenset({"class", "interface", "struct", "enum", "type_alias", "module"})


def _definitions(view: View) -> dict[str, Column]:
    names = view.snapshot.objects.column("name")
    kinds = view.snapshot.objects.column("kind")
    qualified = view.snapshot.objects.column("qualified_name")
    exact = set(view.analysis.symbols)
    lowered = {symbol.replace("_", "").lower() for symbol in exact}
    quals = {q.lower() for q in view.analysis.qualifiers}
    out = {k: np.zeros(view.size) for k in ("exact_type", "exact_other", "other_case", "qualified")}
    if not exact:
        return out
    for i, here in enumerate(view.defined_here):
        for p in here:
            name = names[p]
            if name in exact:
                out["exact_type" if kinds[p] in _TYPE_KINDS else "exact_other"][i] = 1.0
            elif name.replace("_", "").lower() in lowered:
                out["other_case"][i] = 1.0
            else:
                continue
            if quals and quals <= {w.lower() for w in qualified[p].replace("::", ".").split(".")}:
                out["qualified"][i] = 1.0
    return out


def definition(view: View) -> Column:
    d = _definitions(view)
    return np.maximum(np.maximum(d["exact_type"], d["exact_other"]), 0.8 * d["other_case"])


def def_exact_type(view: View) -> Column:
    return _definitions(view)["exact_type"]


def def_exact_other(view: View) -> Column:
    d = _definitions(view)
    return d["exact_other"] * (1 - d["exact_type"])


def def_other_case(view: View) -> Column:
    d = _definitions(view)
    return d["other_case"] * (1 - np.maximum(d["exact_type"], d["exact_other"]))


def def_qualified(view: View) -> Column:
    return _definitions(view)["qualified"]


def stem_is_symbol(view: View) -> Column:
    """The file is named after the symbol."""
    wanted = {s.replace("_", "").replace("-", "").lower() for s in view.analysis.symbols}
    return view.of_files(
        [float(p.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("_", "").replace("-", "").lower() in wanted) for p in view.paths]
    )


def file_definition(view: View) -> Column:
    d = definition(view)
    per = np.zeros(len(view.files))
    np.maximum.at(per, view.file, d)
    return per[view.file]


def superseded(view: View) -> Column:
    import re

    split = [re.fullmatch(r"(.*?)\bv(\d+)/(.*)", p + "/") for p in view.paths]
    newest: dict[str, int] = {}
    for m in split:
        if m:
            newest[m[1]] = max(newest.get(m[1], 0), int(m[2]))
    return view.of_files([float(bool(m) and int(m[2]) < newest[m[1]]) if m else 0.0 for m in split])


def test_file(view: View) -> Column:
    return view.of_files([float(f.is_test) for f in view.path_facts]) * (not view.analysis.wants_tests)


def example_file(view: View) -> Column:
    return view.of_files([float(f.is_example) for f in view.path_facts]) * (not view.analysis.wants_examples)


def copy_file(view: View) -> Column:
    return view.of_files([float(f.is_copy) for f in view.path_facts])


def entry_file(view: View) -> Column:
    return view.of_files([float(f.is_entry) for f in view.path_facts])


def document(view: View) -> Column:
    return view.of_files([float(f.is_document) for f in view.path_facts]) * (not view.analysis.wants_docs)


def chunk_lines(view: View) -> Column:
    return np.minimum(1.0, (view.end_line - view.start_line + 1) / 60)


FEATURES = [
    lexical,
    semantic,
    object_lexical,
    object_semantic,
    file_lexical,
    file_semantic,
    file_object_lexical,
    file_object_semantic,
    stem_words,
    stem_covered,
    stem_match,
    folder_words,
    outer_words,
    path_words,
    file_names,
    file_vocabulary,
    own_name,
    own_qualified,
    symbol_words,
    definition,
    file_definition,
    def_exact_type,
    def_exact_other,
    def_other_case,
    def_qualified,
    stem_is_symbol,
    superseded,
    test_file,
    example_file,
    copy_file,
    entry_file,
    document,
    chunk_lines,
]


from collections.abc import Callable  # noqa: E402
from dataclasses import dataclass  # noqa: E402


@dataclass(frozen=True, slots=True)
class Signal:
    """A feature and its weight."""

    name: str
    feature: Callable[[View], Column]
    weight: float

    def added(self, view: View, total: Column) -> Column:
        return self.weight * self.feature(view)


SIGNALS: tuple[Signal, ...] = tuple(
    Signal(f.__name__, f, w)
    for f, w in [
        (lexical, 0.1),
        (semantic, 0.1),
        (file_lexical, 0.4),
        (file_semantic, 0.6),
        (stem_words, 0.5),
        (own_name, 0.3),
        (file_names, 0.3),
        (definition, 1.0),
        (test_file, -1.0),
        (document, -0.3),
        (example_file, -0.5),
    ]
)


def most_possible(view: View) -> float:
    """What all signals together could add."""
    return sum(signal.weight for signal in SIGNALS if signal.weight > 0)
