"""Encoded facts in a file are what was put there, whatever came before, and the file goes with whoever made it."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.graph.build import spool
from sightline.graph.build.spool import Spool, sweep

CHANGES = st.lists(st.tuples(st.sampled_from("abcd"), st.none() | st.binary(max_size=40)), max_size=60)


@given(changes=CHANGES, waste=st.sampled_from([0, 30, 1_000_000]), in_file=st.booleans())
def test_facts_are_what_was_put_last(changes: list[tuple[str, bytes | None]], waste: int, in_file: bool) -> None:
    expected: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(spool, "_WASTE", waste)
        facts = Spool(Path(folder) if in_file else None)
        facts.take([("taken", b"at first"), ("a", b"of many")])
        expected |= {"taken": b"at first", "a": b"of many"}
        for path, data in changes:
            if data is None:
                facts.drop(path)
                expected.pop(path, None)
            else:
                facts.put(path, data)
                expected[path] = data
            assert {known: facts[known] for known in facts} == expected
        if facts.name is not None:
            opened = Spool.opened(facts.name, dict(facts.places))
            assert {known: opened[known] for known in opened} == expected
            written = facts.name.stat().st_size
            assert written <= 2 * sum(map(len, expected.values())) + waste + 2 * 40, "what is out of date is not kept"
            del opened
        del facts
        gc.collect()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX")
def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    facts = Spool(tmp_path)
    assert facts.name is not None
    assert facts.name.stat().st_mode & 0o077 == 0


def test_the_file_goes_with_its_spool_and_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    facts = Spool(tmp_path)
    facts.put("a.py", b"facts")
    del facts
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / f"{spool.PREFIX}left").write_bytes(b"left behind")
    (tmp_path / f"{spool.PREFIX}shared").mkdir()
    (tmp_path / f"{spool.PREFIX}shared" / "keys.npy").write_bytes(b"left behind")
    (tmp_path / "manifest.json").write_text("{}")
    sweep(tmp_path)
    assert [left.name for left in tmp_path.iterdir()] == ["manifest.json"]
