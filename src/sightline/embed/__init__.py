"""Text to vectors: one protocol, the static model that ships with the package, and transformers through fastembed.

`load_embedder` is the one entry point; it imports what the chosen embedder needs and nothing else. The index records
`Embedder.id`: vectors of different embedders never meet. This layer never sees files, chunks or the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sightline.embed.identity import static_id
from sightline.errors import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Embedder", "load_embedder", "static_id"]

_FASTEMBED_PREFIX = "fastembed:"


class Embedder(Protocol):
    """Turns documents and queries into vectors of one space; safe to call from several threads."""

    @property
    def id(self) -> str:
        """Name and version of the model; an index written under another id must be rebuilt."""

    @property
    def dim(self) -> int:
        """Length of every vector."""

    @property
    def short_dim(self) -> int:
        """How many leading dimensions are a good vector by themselves; `dim` where the model knows no such thing."""

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one L2-normalised row per text; a row of zeros for a text without any known token."""

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the L2-normalised vector of a query, or zeros when it has no known token."""


def load_embedder(spec: str) -> Embedder:
    """Load the embedder a user named: `static`, or `fastembed:<model name or directory>`."""
    if spec == "static":
        from sightline.embed.static import StaticEmbedder

        return StaticEmbedder.load()
    if spec.startswith(_FASTEMBED_PREFIX) and len(spec) > len(_FASTEMBED_PREFIX):
        from sightline.embed.fastembed import FastembedEmbedder

        return FastembedEmbedder.load(spec.removeprefix(_FASTEMBED_PREFIX))
    raise EmbedderError(
        f"unknown embedder {spec!r}", hint="use static, fastembed:<model name>, fastembed:<directory> or none"
    )
