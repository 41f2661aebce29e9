"""Draws the training views of a batch of records as bags of tokens.

query: the doc sentence (some words dropped) with its pairs of words, the symbol's name, or "calls other"
document: the code, with path words, with the rest of the doc, without the symbol's name, mixed with a neighbour of the
same file, or only the relationship "name calls other"
"""

from __future__ import annotations

import numpy as np

Bag = tuple[np.ndarray, np.ndarray, np.ndarray]  # row, token, sqrt(count); sorted by row
Tokens = tuple[np.ndarray, np.ndarray]  # row, token

NAME_QUERY = 0.12
NAME_KEPT = 0.25  # of name queries: the body still says the name
NAME_DROPPED = 0.3  # of doc queries
PATH = 0.5
REST = 0.35
MIXED = 0.35
MIXED_KEPT = 0.7  # of the neighbour's tokens
TRIPLETS = 0.06
CALLER_QUERY = 0.3  # of the triplets: asked "calls other" instead of the doc sentence
THINNED = 0.4  # of the doc queries lose a share of their words:
THINNED_SHARE = 0.35


def tokens_of(data: dict[str, np.ndarray], field: str, records: np.ndarray) -> Tokens:
    """The tokens that a field of these records holds; rows are places in `records`."""
    offsets = data[f"{field}_offsets"]
    first = offsets[records]
    n = offsets[records + 1] - first
    ends = np.cumsum(n)
    row = np.repeat(np.arange(len(records)), n)
    return row, data[field][np.arange(n.sum()) + np.repeat(first - ends + n, n)].astype(np.int64)


def bag_of(parts: list[Tokens], vocabulary: int) -> Bag:
    """Count tokens by row."""
    row = np.concatenate([r for r, _ in parts])
    token = np.concatenate([t for _, t in parts])
    cell, count = np.unique(row * vocabulary + token, return_counts=True)
    return cell // vocabulary, cell % vocabulary, np.sqrt(count).astype(np.float32)


class Views:
    """Draws batches from the arrays that prepare.py wrote."""

    def __init__(self, data: dict[str, np.ndarray]) -> None:
        self._data = data
        self._vocabulary = len(data["frequency"])
        self._neighbour = self._neighbours()

    def _neighbours(self) -> np.ndarray:
        """For each record another one of the same file, or -1. Records of a file share package and path words."""
        offsets, tokens = self._data["path_offsets"], self._data["path"].astype(np.int64)
        n = len(offsets) - 1
        row = np.repeat(np.arange(n), np.diff(offsets))
        place = np.arange(len(row)) - np.repeat(offsets[:-1], np.diff(offsets))
        key = np.zeros(n, np.int64)
        np.add.at(key, row, (tokens * 1_000_003 + 1) * (place * 31 + 17) % 2_147_483_647)
        key = key * 65_536 + self._data["package"] % 65_536
        order = np.argsort(key, kind="stable")
        following = np.roll(order, -1)
        neighbour = np.full(n, -1)
        same = key[order] == key[following]
        neighbour[order[same]] = following[same]
        return neighbour

    def _tokens(self, field: str, records: np.ndarray) -> Tokens:
        return tokens_of(self._data, field, records)

    def _bag(self, parts: list[Tokens]) -> Bag:
        return bag_of(parts, self._vocabulary)

    def draw(self, records: np.ndarray, rng: np.random.Generator) -> tuple[Bag, Bag]:
        """Return the query bag and the document bag of a batch."""
        n = len(records)
        doc, pairs, name, code = (self._tokens(field, records) for field in ("doc", "doc_pairs", "name", "code"))
        path, rest, callee = (self._tokens(field, records) for field in ("path", "rest", "callee"))
        documented = _present(doc, n)
        named = ~documented | ((rng.random(n) < NAME_QUERY) & (np.bincount(name[0], minlength=n) >= 2))
        triplets = documented & ~named & _present(callee, n) & (rng.random(n) < TRIPLETS)
        callers = triplets & (rng.random(n) < CALLER_QUERY)
        verb = self._verb(triplets)
        share = np.where(rng.random(n) < THINNED, THINNED_SHARE, 0.0)
        said = ~named & ~callers
        query = [
            _pick(doc, said[doc[0]] & (rng.random(len(doc[0])) >= share[doc[0]])),
            _pick(pairs, said[pairs[0]] & (rng.random(len(pairs[0])) >= share[pairs[0]])),
            _pick(name, named[name[0]]),
            _pick(callee, callers[callee[0]]),
            _pick(verb, callers[verb[0]]),
        ]
        nameless = np.where(named, rng.random(n) >= NAME_KEPT, rng.random(n) < NAME_DROPPED)
        says_name = np.isin(code[0] * self._vocabulary + code[1], name[0] * self._vocabulary + name[1])
        document = [
            _pick(code, ~triplets[code[0]] & ~(nameless[code[0]] & says_name)),
            _pick(path, ((rng.random(n) < PATH) & ~named & ~triplets)[path[0]]),
            _pick(rest, ((rng.random(n) < REST) & ~triplets)[rest[0]]),
            _pick(name, triplets[name[0]]),
            _pick(callee, triplets[callee[0]]),
            verb,
        ]
        mixed = np.flatnonzero((rng.random(n) < MIXED) & (self._neighbour[records] >= 0) & ~named & ~triplets)
        row, token = self._tokens("code", self._neighbour[records[mixed]])
        kept = rng.random(len(row)) < MIXED_KEPT
        document.append((mixed[row[kept]], token[kept]))
        return self._bag(query), self._bag(document)

    def _verb(self, chosen: np.ndarray) -> Tokens:
        rows = np.flatnonzero(chosen)
        return rows, np.full(len(rows), self._data["calls_token"][0], np.int64)


def _present(tokens: Tokens, n: int) -> np.ndarray:
    return np.bincount(tokens[0], minlength=n) > 0


def _pick(tokens: Tokens, keep: np.ndarray) -> Tokens:
    return tokens[0][keep], tokens[1][keep]
