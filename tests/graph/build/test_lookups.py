"""Who gives and who reads a key: the same answers whether files came at once or one by one, were changed or went."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.graph.build import lookups
from sightline.graph.build.keys import key_hash, packed_keys
from sightline.graph.build.lookups import Givers, Readers, packed_reads
from tests.support.paths import REPOSITORY

_PATHS = st.sampled_from(["a.py", "b.py", "c/d.py", "e.go"])
_KEYS = st.sets(st.sampled_from([0, 1, 2, 2**32, 2**32 + 1, 2**63, 2**64 - 1]))


@settings(deadline=None)
@given(steps=st.lists(st.tuples(_PATHS, _KEYS, st.booleans()), max_size=12), share=st.sampled_from([0, 1, 1_000]))
def test_the_givers_of_a_key_are_those_of_the_last_word_of_every_file(
    steps: list[tuple[str, set[int], bool]], share: int
) -> None:
    usual, lookups._FOLD_SHARE = lookups._FOLD_SHARE, share
    try:
        givers, state = Givers(), dict[str, set[int]]()
        for path, keys, stored in steps:
            known = state.get(path)
            if known is None:
                givers.add(path, packed_keys(keys) if stored else keys)
            else:
                givers.change(path, known - keys, keys - known)
            state[path] = keys
            for key in {key for each in state.values() for key in each} | {7}:
                assert list(givers.of(key)) == sorted(path for path, each in state.items() if key in each)
    finally:
        lookups._FOLD_SHARE = usual


@settings(deadline=None)
@given(steps=st.lists(st.tuples(_PATHS, st.none() | _KEYS), max_size=12), few=st.sampled_from([0, 2, 1_000]))
def test_the_readers_of_a_key_are_those_that_read_it_last(steps: list[tuple[str, set[int] | None]], few: int) -> None:
    usual, lookups._FEW_ROWS = lookups._FEW_ROWS, few
    try:
        readers, state = Readers(), dict[str, set[int]]()
        for path, keys in steps:
            if keys is None:
                readers.drop(path)
                state.pop(path, None)
            else:
                readers.put(path, packed_reads(np.fromiter(keys, np.uint64)))
                readers.put(path, readers.packed(path))  # as it comes back from the store
                state[path] = keys
            for key in (0, 1, 2, 2**63, 2**64 - 1):
                same = {path for path, each in state.items() if any(read % 2**32 == key % 2**32 for read in each)}
                assert readers.of({key}) == same
        assert readers.of(set()) == set()
    finally:
        lookups._FEW_ROWS = usual


def test_a_key_has_the_same_number_in_every_process() -> None:
    assert key_hash(("n", "shop.py", "", "pay")) == 12067879049592018148
    assert key_hash(("f", "\ud800.py")) > 0, "a name that is no text"


_RESOLVED = """
import hashlib
from sightline.graph.build.resolve import Resolver
from tests.support.graphfacts import encoded_facts_of

text = "package shop\\n\\nclass Test { class Inner { def pay = charge }; def charge = 1 }\\n"
files = {f"{number:02}.scala": encoded_facts_of(f"{number:02}.scala", text) for number in range(40)}
print(hashlib.sha256(b"".join(update.lookups.reads for update in Resolver().updates(files))).hexdigest())
"""


def test_what_a_file_read_is_the_same_in_every_process() -> None:
    seen = set()
    for seed in range(4):  # the order of Python's sets of strings
        command = [sys.executable, "-c", _RESOLVED]
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        run = subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, capture_output=True, text=True)
        seen.add(run.stdout)
    assert len(seen) == 1
