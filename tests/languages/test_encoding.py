"""The stored form of a file's facts, read back from bytes that are not as they were written."""

from __future__ import annotations

import contextlib
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline import languages
from sightline.errors import CorruptIndexError
from sightline.graph.build.extract import extract
from sightline.languages.encoding import decode

SOURCE = b"""import os

class Shop:
    def sell(self, x: int) -> str:
        return os.path.join(str(x), self.sell(1))
"""


def facts_of(source: bytes) -> bytes:
    parsed = languages.parse("shop.py", "python", source)
    return extract(parsed, languages.outline(parsed)).facts


def read_all(data: bytes) -> None:
    facts = decode("shop.py", data)
    assert facts.definitions
    assert facts.expressions is not None
    assert facts.calls is not None


@pytest.mark.parametrize("kept", range(1, len(facts_of(SOURCE)), 7))
def test_facts_that_are_cut_off_are_a_damaged_index(kept: int) -> None:
    with pytest.raises(CorruptIndexError):
        read_all(facts_of(SOURCE)[:kept])


@settings(max_examples=300, deadline=None)
@given(at=st.integers(0, len(facts_of(SOURCE)) - 1), bit=st.integers(0, 7))
def test_a_flipped_bit_is_noticed_or_read_but_never_another_error(at: int, bit: int) -> None:
    data = bytearray(facts_of(SOURCE))
    data[at] ^= 1 << bit
    with contextlib.suppress(CorruptIndexError):
        read_all(bytes(data))


def test_facts_that_would_fill_the_memory_are_refused() -> None:
    whole = facts_of(SOURCE)
    bomb = zlib.compress(b" " * (1 << 29), 9)
    with pytest.raises(CorruptIndexError):
        decode("shop.py", whole[:1] + len(bomb).to_bytes(4, "little") + (0).to_bytes(4, "little") + bomb)
