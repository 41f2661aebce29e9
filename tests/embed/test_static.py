"""The static embedder that ships with the package."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.embed import load_embedder, static_id
from sightline.embed import static as static_module
from sightline.embed.identity import MODEL_DIR
from sightline.embed.static import StaticEmbedder
from sightline.errors import EmbedderError

EMBEDDER = StaticEmbedder.load()


def test_a_paraphrase_finds_the_code_that_never_says_its_words() -> None:
    documents = [
        "def verify_credentials(login, password):\n    account = find_account(login)\n    return check_hash(password)",
        "def render_chart(series, width, height):\n    canvas = Canvas(width, height)\n    canvas.draw(series)",
        "def parse_toml(text):\n    for line in text.splitlines():\n        key, value = line.split('=')",
        "def open_socket(host, port):\n    sock = socket.create_connection((host, port))\n    return sock",
    ]
    scores = EMBEDDER.encode_documents(documents) @ EMBEDDER.encode_query("how are users authenticated")
    assert scores.argmax() == 0


def test_a_relationship_is_found_by_what_it_means() -> None:
    triplets = [
        "PaymentGateway.charge calls retry_with_backoff",
        "Logger.info calls format_record",
        "Router.add_route instantiates Route",
        "Image.resize uses_type PixelFormat",
    ]
    scores = EMBEDDER.encode_documents(triplets) @ EMBEDDER.encode_query("what retries on payment failure")
    assert scores.argmax() == 0


@given(st.lists(st.text(max_size=200), max_size=70))
def test_rows_are_unit_length_or_zero(texts: list[str]) -> None:
    vectors = EMBEDDER.encode_documents(texts)
    assert vectors.shape == (len(texts), EMBEDDER.dim)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-4) | (lengths == 0))


@given(st.text(max_size=300))
def test_any_query_gives_one_vector(text: str) -> None:
    vector = EMBEDDER.encode_query(text)
    assert vector.shape == (EMBEDDER.dim,)
    assert np.isfinite(vector).all()


@pytest.mark.parametrize("text", ["", "   \n\t", "{}();", "\x00"])
def test_a_text_without_any_token_gives_zeros(text: str) -> None:
    assert not EMBEDDER.encode_documents([text]).any()
    assert not EMBEDDER.encode_query(text).any()


def test_spelling_of_an_identifier_does_not_matter() -> None:
    vectors = EMBEDDER.encode_documents(["parseHttpResponse", "parse_http_response", "ParseHTTPResponse"])
    assert np.allclose(vectors @ vectors.T, 1, atol=1e-5)
    apart = EMBEDDER.encode_documents(["parse http response"])[0]  # words apart: without their pairs
    assert vectors[0] @ apart > 0.9


def test_ascii_and_unicode_texts_are_cut_alike() -> None:
    vectors = EMBEDDER.encode_documents(["read_file2(path, _mode) -> Bytes", "read_file2(path, _mode) → Bytes"])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_an_unknown_word_is_cut_into_known_ones() -> None:
    document = EMBEDDER.encode_documents(["httpserverconnectionpool"])[0]
    assert document @ EMBEDDER.encode_query("http server connection pool") > 0.3


def test_a_pair_of_words_is_one_more_token_in_an_identifier_and_in_a_query() -> None:
    vocabulary = ["file", "name", "the", "file name"]
    table = np.eye(4, dtype=np.int8) * 127
    weights = np.ones(4, np.float32)
    embedder = StaticEmbedder("pairs", vocabulary, table, weights, weights)
    pair = np.array([1, 1, 0, 1], np.float32) / np.sqrt(np.float32(3))
    assert np.allclose(embedder.encode_documents(["fileName", "file_name"]), pair)
    assert np.allclose(embedder.encode_query("file name"), pair)
    assert embedder.encode_query("file the name")[3] == 0
    assert embedder.encode_documents(["name.file"])[0][3] == 0


def test_forgetting_identifiers_changes_no_vector(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"def handler_{i}(request): return render_{i % 7}(request.user)" for i in range(200)]
    expected = EMBEDDER.encode_documents(texts)
    monkeypatch.setattr(static_module, "_MAX_IDENTIFIERS", 10)
    np.testing.assert_array_equal(StaticEmbedder.load().encode_documents(texts), expected)


def test_threads_share_one_embedder() -> None:
    embedder = StaticEmbedder.load()
    texts = [f"class Widget{i}: def update_{i}_{j}(self): pass" for i in range(60) for j in range(20)]
    expected = EMBEDDER.encode_documents(texts)
    results: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = {}
    threads = [
        threading.Thread(
            target=lambda n=n: results.__setitem__(n, embedder.encode_documents(texts[:: 1 if n % 2 else -1]))
        )
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, vectors in results.items():
        np.testing.assert_allclose(vectors[:: 1 if n % 2 else -1], expected, atol=1e-5)


def test_the_model_fits_its_budget() -> None:
    assert sum(path.stat().st_size for path in MODEL_DIR.iterdir()) <= 20_000_000


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="cannot be read"):
        StaticEmbedder.load(tmp_path)


def test_load_embedder_knows_static_and_refuses_the_unknown() -> None:
    assert load_embedder("static").id.startswith("static:")
    with pytest.raises(EmbedderError, match="unknown embedder 'word2vec'"):
        load_embedder("word2vec")
    with pytest.raises(EmbedderError, match="unknown embedder 'fastembed:'"):
        load_embedder("fastembed:")


def test_importing_the_embed_layer_loads_no_model_library() -> None:
    heavy = ["fastembed", "tokenizers", "onnxruntime", "scipy"]
    code = f"import sys, sightline.embed; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_id_is_known_without_loading_the_model() -> None:
    assert static_id() == StaticEmbedder.load().id
