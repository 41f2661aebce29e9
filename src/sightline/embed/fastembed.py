"""Transformer models through fastembed: the opt-in for those who have a model at hand or a network to fetch one.

`fastembed:<model name>` uses fastembed's own catalogue and cache and downloads on first use; `fastembed:<directory>`
runs an ONNX export (model.onnx, tokenizer.json, tokenizer_config.json, config.json) and never touches the network.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import xxhash

from sightline.errors import EmbedderError

_MODEL_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")  # where exporters put the graph
_BATCH = 32  # texts per forward pass: memory grows with it, throughput on a CPU hardly does
_PROBE = "def probe(): pass"  # one forward pass tells the dimension and that the model runs at all
_HASH_BLOCK = 1 << 22
_OFFLINE_HINT = (
    "fetch it once where there is a network, or point to a directory with model.onnx and tokenizer.json "
    "(fastembed:<directory>), or use the static embedder, which needs no download"
)


class FastembedEmbedder:
    """A transformer run by fastembed on the CPU."""

    def __init__(self, model_id: str, model: Any) -> None:
        self._id = f"fastembed:{model_id}"
        self._model = model
        self._lock = threading.Lock()  # one forward pass uses all cores already; two at once only fight for memory
        try:
            self._dim = len(next(iter(model.embed([_PROBE]))))
        except Exception as error:
            raise EmbedderError(f"the model {model_id} does not run: {error}", hint="is it a text model?") from error

    @classmethod
    def load(cls, model: str) -> FastembedEmbedder:
        """Load a model of fastembed's catalogue by name, or an ONNX export by directory."""
        directory = Path(model).expanduser()
        if directory.is_dir():
            return cls._from_directory(directory)
        if directory.is_absolute() or model.startswith((".", "~")):
            raise EmbedderError(f"no model directory at {model}", hint="give the folder that holds model.onnx")
        return cls._from_catalogue(model)

    @classmethod
    def _from_catalogue(cls, name: str) -> FastembedEmbedder:
        from fastembed import TextEmbedding

        known = [str(model["model"]) for model in TextEmbedding.list_supported_models()]
        full_name = next(
            (k for k in known if k.lower() == name.lower() or k.lower().endswith("/" + name.lower())), None
        )
        if full_name is None:
            raise EmbedderError(
                f"fastembed has no model {name!r}", hint=f"known ones are, for instance, {', '.join(sorted(known)[:5])}"
            )
        try:
            return cls(full_name, TextEmbedding(full_name))
        except EmbedderError:
            raise
        except Exception as error:
            raise EmbedderError(f"the model {full_name} cannot be loaded: {error}", hint=_OFFLINE_HINT) from error

    @classmethod
    def _from_directory(cls, directory: Path) -> FastembedEmbedder:
        model_file = next((name for name in _MODEL_FILES if (directory / name).is_file()), None)
        missing = [name for name in ("tokenizer.json",) if not (directory / name).is_file()]
        if model_file is None or missing:
            raise EmbedderError(
                f"{directory} is not a model directory: it has no {missing[0] if missing else _MODEL_FILES[0]}",
                hint="export a model with its tokenizer to ONNX there",
            )
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        # Identity is content: a moved folder keeps its index, another model under the same name does not.
        digest = _content_hash([directory / model_file, directory / "tokenizer.json"])
        name = f"sightline-local/{digest}"
        if not any(model["model"] == name for model in TextEmbedding.list_supported_models()):
            TextEmbedding.add_custom_model(
                model=name,
                pooling=PoolingType.CLS if _pools_first_token(directory) else PoolingType.MEAN,
                normalization=True,
                sources=ModelSource(hf=name),
                dim=1,  # not used by fastembed when running; the probe tells the real one
                model_file=model_file,
            )
        try:
            return cls(f"{directory.name}@{digest}", TextEmbedding(name, specific_model_path=str(directory)))
        except EmbedderError:
            raise
        except Exception as error:
            raise EmbedderError(
                f"the model in {directory} cannot be loaded: {error}",
                hint="needed are model.onnx, tokenizer.json, tokenizer_config.json and config.json",
            ) from error

    @property
    def id(self) -> str:
        return self._id

    @property
    def dim(self) -> int:
        return self._dim

    @property
    def short_dim(self) -> int:
        return self.dim

    def encode_documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._run(self._model.passage_embed, list(texts), batch_size=_BATCH)

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        vector: npt.NDArray[np.float32] = self._run(self._model.query_embed, [text])[0]
        return vector

    def _run(self, embed: Any, texts: list[str], **options: Any) -> npt.NDArray[np.float32]:
        if not texts:
            return np.zeros((0, self._dim), np.float32)
        with self._lock:
            try:
                vectors = np.asarray(list(embed(texts, **options)), np.float32)
            except Exception as error:
                raise EmbedderError(
                    f"the model {self._id} failed: {error}", hint="search goes on without it"
                ) from error
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors


def _content_hash(paths: Iterable[Path]) -> str:
    digest = xxhash.xxh3_64()
    for path in paths:
        with path.open("rb") as stream:
            while block := stream.read(_HASH_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def _pools_first_token(directory: Path) -> bool:
    """Read sentence-transformers' note on pooling; without one, mean pooling is the usual choice."""
    note = directory / "1_Pooling" / "config.json"
    if not note.is_file():
        return False
    return bool(json.loads(note.read_text("utf-8")).get("pooling_mode_cls_token", False))
