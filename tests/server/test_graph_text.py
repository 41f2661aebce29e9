"""`expand_graph` as text: the start once, an edge once, with all its sites."""

from __future__ import annotations

from dataclasses import replace

from sightline.graph.read.walk import Cut, Expansion
from sightline.server.answers.answered import Expanded
from sightline.server.answers.graph import graph_text
from tests.support.hits import READY, obj, relationship


def test_an_edge_stands_once_with_its_sites_and_without_the_start_s_name() -> None:
    start = replace(obj(), entity_id="s" * 16, qualified_name="Reader.feed_eof")
    caller = replace(obj(), entity_id="c" * 16, qualified_name="test_feed", path="tests/test_reader.py")
    call = replace(
        relationship(0.99, "import"),
        id="1" * 16,
        source_id=caller.entity_id,
        source_name=caller.qualified_name,
        target_id=start.entity_id,
        target_name=start.qualified_name,
        path=caller.path,
        relationship_type="calls",
        triplet="test_feed calls Reader.feed_eof",
        site_line=3,
    )
    test = replace(call, id="2" * 16, relationship_type="tests", triplet="test_feed tests Reader.feed_eof")
    depths = {start.entity_id: 0, caller.entity_id: 1}
    expansion = Expansion([start, caller], [call, test], depths, Cut())
    answer = Expanded(READY, frozenset(), [], expansion, [start], sites={call.id: (3, 8)})

    text = graph_text("Reader.feed_eof", [("", answer)], max_tokens=1_500)

    assert "called by:\n  test_feed  tests/test_reader.py:3, :8" in text
    assert "tested by" not in text
    assert text.count("Reader.feed_eof") == 1


def test_a_registration_is_told_apart_from_calls_and_with_what_it_is_for() -> None:
    start = replace(obj(), entity_id="s" * 16, qualified_name="Watcher.on_file")
    setup = replace(obj(), entity_id="c" * 16, qualified_name="Watcher.start", path="watch.py")
    call = replace(
        relationship(0.99, "self"),
        id="1" * 16,
        source_id=setup.entity_id,
        source_name=setup.qualified_name,
        target_id=start.entity_id,
        target_name=start.qualified_name,
        path=setup.path,
    )
    kept = replace(call, id="2" * 16, relationship_type="registers", label="change", site_line=7)
    call = replace(call, relationship_type="calls", site_line=3)
    expansion = Expansion([start, setup], [call, kept], {start.entity_id: 0, setup.entity_id: 1}, Cut())

    text = graph_text("on_file", [("", Expanded(READY, frozenset(), [], expansion, [start]))], max_tokens=1_500)

    assert "called by:\n  Watcher.start  watch.py:3" in text
    assert "registered by:\n  Watcher.start  for `change`  watch.py:7" in text
