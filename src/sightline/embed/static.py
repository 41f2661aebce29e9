"""The default embedder: a static code-retrieval model that ships in the package and needs nothing but numpy.

A text is cut into identifiers, each identifier into words (camelCase, snake_case, digits), each word into tokens of the
vocabulary (greedy longest match when the word itself is unknown), with one more token for a known pair of adjacent
words ("file name"); a query is read as one identifier. Its vector is the sum of its tokens' vectors, each weighted by
the square root of its count and a learned weight (one for documents, one for queries), L2-normalised.
scripts/train_embedder made the model; MODEL_CARD.md there says from what and how good it is.

Speed comes from two places: an identifier is cut up once and remembered, and a block of texts becomes one small dense
matrix product over the tokens that occur in the block.

The same text gets the same bytes on every machine, whatever it shares a block with: the product is one of whole
numbers that single precision holds exactly, so no order in which a processor adds them up can make a difference.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sightline.embed.identity import MODEL_DIR, id_of
from sightline.errors import EmbedderError
from sightline.tokens import SUBWORD

_IDENTIFIER = re.compile(r"\w+")
_MAX_TOKEN_CHARS = 24  # the longest word of the vocabulary
_MAX_PIECES = 6  # an unknown word is noise (a hash, base64) once it falls into more pieces than this
_SINGLE_CHARS = 36  # ids below this are a-z0-9: they carry meaning alone, not as fragments of an unknown word
_BLOCK = 32  # texts per matrix product; 16-64 are equally fast, larger blocks multiply more zeros
_SHORT_DIM = 64  # leading dimensions kept for relationships; the store keeps more for objects
_MAX_IDENTIFIERS = 200_000  # remembered identifiers (about 25 MB); a larger repository starts the memory afresh

# Weights become whole numbers that add up to at most 2**16 for a text, and half a unit more for each of its tokens
# where they are rounded up. Times a byte of the table no sum of any of them reaches 2**24, up to which single precision
# is exact. Rounding costs far less than storing a vector in bytes does: chunks of django keep a cosine of 0.9999987 or
# more to what they were, whole files of thousands of lines 0.99998.
_WEIGHTS_SUM_BITS = 16
_FIXED_POINT_BITS = 40  # to add the weights up exactly; the smallest is 2e-6, the largest sum of a file about 100

_TO_SPACE = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


class _Identifiers(dict[str, int]):
    """Identifier -> number; `tokens` of number i are pieces[starts[i]:starts[i + 1]]. Grows as identifiers are met."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._lock = threading.Lock()
        self._used = 0
        self.starts = np.zeros(4096, np.int64)
        self.pieces = np.zeros(8192, np.int64)

    def __missing__(self, identifier: str) -> int:
        tokens = self.cut(identifier)
        with self._lock:
            known = self.get(identifier)
            if known is not None:
                return known
            number, end = len(self), self._used + len(tokens)
            if number + 2 > len(self.starts):
                self.starts = np.concatenate([self.starts, np.zeros_like(self.starts)])
            if end > len(self.pieces):
                self.pieces = np.concatenate([self.pieces, np.zeros(max(len(self.pieces), len(tokens)), np.int64)])
            self.pieces[self._used : end] = tokens
            self.starts[number + 1] = end
            self._used = end
            self[identifier] = number  # last: a number that can be looked up always has its tokens
            return number

    def cut(self, identifier: str) -> list[int]:
        """Return the tokens of its words, then those of its pairs of adjacent words."""
        parts = [word.lower() for word in SUBWORD.findall(identifier)]
        tokens = [token for word in parts for token in self._cut(word)]
        pairs = (f"{first} {second}" for first, second in pairwise(parts))
        return tokens + [token for pair in pairs if (token := self._vocabulary.get(pair)) is not None]

    def _cut(self, word: str) -> list[int]:
        """Cut a lower-case word into tokens, the longest known prefix first."""
        vocabulary = self._vocabulary
        whole = vocabulary.get(word)
        if whole is not None:
            return [whole]
        found: list[int] = []
        start, end = 0, len(word)
        while start < end:
            for stop in range(min(end, start + _MAX_TOKEN_CHARS), start, -1):
                token = vocabulary.get(word[start:stop])
                if token is not None:
                    found.append(token)
                    start = stop
                    break
            else:
                start += 1
        keep_single = len(found) <= 2
        return [token for token in found if keep_single or token >= _SINGLE_CHARS][:_MAX_PIECES]

    def tokens(self, identifiers: list[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the tokens of all identifiers in order, and how many each of them has."""
        numbers = np.fromiter(map(self.__getitem__, identifiers), np.int64, len(identifiers))
        starts, pieces = self.starts, self.pieces
        first = starts[numbers]
        counts = starts[numbers + 1] - first
        ends = np.cumsum(counts)
        positions = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + counts, counts)
        return pieces[positions], counts


class StaticEmbedder:
    """Sum of token vectors; see the module docstring."""

    def __init__(
        self,
        model_id: str,
        vocabulary: Sequence[str],
        table: npt.NDArray[np.int8],
        document_weights: npt.NDArray[np.float32],
        query_weights: npt.NDArray[np.float32],
    ) -> None:
        self._id = id_of(model_id)
        self._table = table
        self._document_weights = document_weights
        self._query_weights = query_weights
        self._vocabulary = {word: i for i, word in enumerate(vocabulary)}
        self._identifiers = _Identifiers(self._vocabulary)

    @classmethod
    def load(cls, folder: Path = MODEL_DIR) -> StaticEmbedder:
        """Open a model folder: model.json, vocabulary.txt, table.npy (memory-mapped), weights.npy."""
        try:
            about = json.loads((folder / "model.json").read_text("utf-8"))
            vocabulary = (folder / "vocabulary.txt").read_text("utf-8").split("\n")
            table = np.load(folder / "table.npy", mmap_mode="r")
            weights = np.load(folder / "weights.npy")
        except (OSError, ValueError) as error:
            raise EmbedderError(
                f"the static model in {folder} cannot be read: {error}", hint="reinstall sightline"
            ) from error
        if table.shape != (len(vocabulary), about["dim"]) or weights.shape != (2, len(vocabulary)):
            raise EmbedderError(f"the static model in {folder} is inconsistent", hint="reinstall sightline")
        return cls(about["id"], vocabulary, table, weights[0], weights[1])

    @property
    def id(self) -> str:
        return self._id

    @property
    def dim(self) -> int:
        return int(self._table.shape[1])

    @property
    def short_dim(self) -> int:
        # The dimensions are ordered by how much they tell (scripts/train_embedder): these carry most of a product.
        return min(_SHORT_DIM, self.dim)

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _BLOCK):
            block = texts[start : start + _BLOCK]
            vectors[start : start + len(block)] = self._encode(block, self._document_weights)
        return vectors

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        # As one identifier: "open the file name" and `openFileName` shall hold the same pair of words.
        joined = "_".join(_IDENTIFIER.findall(text))
        vector: npt.NDArray[np.float32] = self._encode([joined], self._query_weights)[0]
        return vector

    def _encode(self, texts: Sequence[str], weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        identifiers: list[str] = []
        ends: list[int] = []
        for text in texts:
            # ASCII, nearly all code: translate + split runs at twice the speed of the equivalent regex.
            identifiers += text.translate(_TO_SPACE).split() if text.isascii() else _IDENTIFIER.findall(text)
            ends.append(len(identifiers))
        memory = self._identifiers
        tokens, counts = memory.tokens(identifiers)
        if len(memory) > _MAX_IDENTIFIERS:
            self._identifiers = _Identifiers(self._vocabulary)
        if not len(tokens):
            return np.zeros((len(texts), self.dim), np.float32)
        rows = np.repeat(np.repeat(np.arange(len(texts)), np.diff(ends, prepend=0)), counts)
        present, column = np.unique(tokens, return_inverse=True)
        cells = np.bincount(rows * len(present) + column, minlength=len(texts) * len(present))
        matrix = np.sqrt(cells, dtype=np.float32).reshape(len(texts), len(present))
        matrix *= weights[present]
        vectors: npt.NDArray[np.float32] = _whole(matrix) @ self._table[present].astype(np.float32)
        numbers = vectors.astype(np.int64)
        lengths = np.sqrt(np.einsum("ij,ij->i", numbers, numbers)).astype(np.float32)[:, None]
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors


def _whole(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Weights as whole numbers, each row by a power of two of its own: its length is normalised afterwards."""
    sums = np.ldexp(weights, _FIXED_POINT_BITS).astype(np.int64).sum(axis=1)
    _, bits = np.frexp(sums.astype(np.float64))
    scaled: npt.NDArray[np.float32] = np.ldexp(weights, (_WEIGHTS_SUM_BITS + _FIXED_POINT_BITS - bits)[:, None])
    whole: npt.NDArray[np.float32] = np.rint(scaled)
    return whole
