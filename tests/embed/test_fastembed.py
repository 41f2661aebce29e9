"""Transformers through fastembed, end to end with a tiny ONNX model made here: no network, no download."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sightline.embed import load_embedder
from sightline.errors import EmbedderError

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "user", "login", "password", "chart", "draw", "width"]
DIM = 8


def make_model(directory: Path, seed: int = 0) -> Path:
    """Write a model directory: token ids -> rows of a random table, as a transformer's last hidden state."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    directory.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(directory / "tokenizer.json"))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (directory / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, **special}))
    (directory / "special_tokens_map.json").write_text(json.dumps(special))
    (directory / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    table = np.random.default_rng(seed).normal(size=(len(WORDS), DIM)).astype(np.float32)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", DIM])
    gather = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([gather], "tiny", inputs, [output], [numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, str(directory / "model.onnx"))
    return directory


def test_a_directory_runs_offline_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    embedder = load_embedder(f"fastembed:{make_model(tmp_path / 'tiny')}")
    vectors = embedder.encode_documents(["user login password", "draw chart width"])
    assert embedder.dim == DIM
    assert vectors.shape == (2, DIM)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors @ embedder.encode_query("login user")).argmax() == 0
    assert embedder.encode_documents([]).shape == (0, DIM)


def test_identity_follows_content_not_place(tmp_path: Path) -> None:
    first = load_embedder(f"fastembed:{make_model(tmp_path / 'a' / 'tiny')}")
    moved = load_embedder(f"fastembed:{make_model(tmp_path / 'b' / 'tiny')}")
    other = load_embedder(f"fastembed:{make_model(tmp_path / 'c' / 'tiny', seed=1)}")
    assert first.id == moved.id
    assert first.id != other.id


def test_without_a_network_the_message_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    with pytest.raises(EmbedderError, match=r"cannot be loaded.*fetch it once where there is a network.*static"):
        load_embedder("fastembed:BAAI/bge-small-en-v1.5")


def test_an_unknown_name_lists_known_ones() -> None:
    with pytest.raises(EmbedderError, match=r"fastembed has no model 'no-such-model'.*known ones"):
        load_embedder("fastembed:no-such-model")


def test_a_missing_or_incomplete_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="no model directory"):
        load_embedder(f"fastembed:{tmp_path / 'nowhere'}")
    with pytest.raises(EmbedderError, match=r"has no tokenizer\.json"):
        load_embedder(f"fastembed:{tmp_path}")


def test_a_broken_model_file_is_an_embedder_error(tmp_path: Path) -> None:
    directory = make_model(tmp_path / "tiny")
    (directory / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        load_embedder(f"fastembed:{directory}")
