"""A text has one vector, to the byte: alone, in any company, on any processor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.embed.static import _WEIGHTS_SUM_BITS, StaticEmbedder, _whole

EMBEDDER = StaticEmbedder.load()
WORDS = [*Path(__file__).read_text("utf-8").split(), "HttpClient", "größe", "0x1f", "request", "close"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=400).map(" ".join) | st.text(max_size=100)

_ENCODE = """
import sys
from pathlib import Path
import numpy as np
from sightline.embed.static import StaticEmbedder
from sightline.store import schema
from sightline.store.embeddings import sketches
lines = Path(sys.argv[1]).read_text("utf-8").splitlines(keepends=True)
texts = ["".join(lines[n % len(lines) : n % len(lines) + n]) for n in range(1, 150)]
embedder = StaticEmbedder.load()
vectors = embedder.encode_documents(texts)
stored = [schema.narrowed(vectors[:, :width]) for width in (64, 160, 256)]
words = sketches(stored[2].astype(np.float32))
queries = [embedder.encode_query(text) for text in texts[:20]]
for array in (vectors, *stored, *words, *queries):
    sys.stdout.buffer.write(array.tobytes())
"""
# What other processors would run: their kernels of the matrix library, and numpy without its wider instructions.
PROCESSORS = [
    {"OPENBLAS_CORETYPE": "Haswell"},
    {"OPENBLAS_CORETYPE": "Nehalem"},
    {"OPENBLAS_CORETYPE": "Prescott"},
    {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4"},
    {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX"},
]


@given(st.lists(TEXTS, min_size=1, max_size=70), st.randoms(use_true_random=False))
def test_a_text_alone_in_a_batch_and_in_any_order_gives_the_same_bytes(texts: list[str], chance: object) -> None:
    together = EMBEDDER.encode_documents(texts)
    order = list(range(len(texts)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    shuffled = EMBEDDER.encode_documents([texts[n] for n in order])
    assert shuffled.tobytes() == together[order].tobytes()
    for text, vector in zip(texts, together, strict=True):
        assert EMBEDDER.encode_documents([text])[0].tobytes() == vector.tobytes()


@given(st.integers(1, 40), st.integers(1, 3_000), st.floats(1e-6, 0.1), st.integers(0, 2**32 - 1))
def test_no_sum_of_weights_leaves_what_single_precision_holds_exactly(
    texts: int, tokens: int, least: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).uniform(least, 0.2, (texts, tokens)).astype(np.float32)
    whole = _whole(weights).astype(np.float64)
    assert (whole == np.rint(whole)).all()
    assert (whole.sum(axis=1) <= 2**_WEIGHTS_SUM_BITS + tokens / 2).all()
    assert (whole.sum(axis=1) * 127 < 2**24).all()
    assert (whole.sum(axis=1) >= 2 ** (_WEIGHTS_SUM_BITS - 1) - tokens / 2).all(), "no precision is given away"


@pytest.fixture(scope="module")
def bytes_here() -> bytes:
    return encoded_elsewhere({})


def encoded_elsewhere(processor: dict[str, str]) -> bytes:
    command = [sys.executable, "-W", "ignore", "-c", _ENCODE, __file__]
    run = subprocess.run(command, env=os.environ | processor, capture_output=True, check=False, timeout=120)
    if b"You cannot disable CPU feature" in run.stderr:
        pytest.skip("this numpy was built for nothing less")
    assert run.returncode == 0, run.stderr[-2_000:]
    return run.stdout


@pytest.mark.parametrize("processor", PROCESSORS, ids=lambda p: " ".join(p.values()))
def test_every_processor_gives_the_same_bytes(processor: dict[str, str], bytes_here: bytes) -> None:
    assert encoded_elsewhere(processor) == bytes_here
