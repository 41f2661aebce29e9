"""Pictures: where boxes go, and that names of a repository stay text in every format."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from sightline.server.answers import picture
from sightline.server.answers.layout import layered
from sightline.server.answers.picture import Edge, Node, Picture

EVIL = '</text><script>alert(1)</script>"];\nclick n0 "javascript:alert(1)" \u202e `x` <b>&amp;'


def test_arrows_lead_down_and_boxes_of_a_row_do_not_touch() -> None:
    widths = dict.fromkeys("abcde", 50.0)
    placed = layered(widths, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    assert placed["a"].y < placed["b"].y == placed["c"].y < placed["d"].y < placed["e"].y  # e belongs to nobody
    left, right = sorted((placed["b"], placed["c"]), key=lambda box: box.x)
    assert left.x + left.width < right.x


def test_circles_are_placed_too_and_the_same_every_time() -> None:
    arrows = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "c"), ("d", "a")]
    placed = layered(dict.fromkeys("abcd", 50.0), arrows)
    assert len({(box.x, box.y) for box in placed.values()}) == 4
    assert placed == layered(dict.fromkeys("abcd", 50.0), arrows)
    assert placed["d"].y < placed["a"].y


def test_hundreds_of_boxes_in_one_layer_take_several_rows() -> None:
    placed = layered(dict.fromkeys(range(300), 60.0), [(0, number) for number in range(1, 300)])
    assert max(box.x + box.width for box in placed.values()) < 1_300
    assert len({(box.x, box.y) for box in placed.values()}) == 300


def test_a_neighbourhood_is_read_from_left_to_right() -> None:
    placed = layered(dict.fromkeys(range(30), 60.0), [(number, 0) for number in range(1, 30)], across=True)
    assert all(placed[number].x + placed[number].width < placed[0].x for number in range(1, 30))
    assert len({box.y for box in placed.values()}) >= 29


def test_a_long_arrow_goes_round_the_boxes_between_and_stays_in_the_picture() -> None:
    nodes = [Node(key, key) for key in "abcd"]
    edges = [Edge("a", "b"), Edge("b", "c"), Edge("c", "d"), Edge("a", "d"), Edge("d", "a")]
    drawn = Picture("round", nodes, edges)
    boxes = picture.place(drawn)
    ways = picture.ways(drawn, boxes)
    for ends in (("a", "d"), ("d", "a")):
        points = [ways[ends].at(part / 50) for part in range(51)]
        for key in "bc":
            box = boxes[key]
            assert not any(box.x < x < box.x + box.width and box.y < y < box.y + box.height for x, y in points)
    left, right = picture.sides(boxes.values(), ways.values())
    assert left < min(box.x for box in boxes.values())
    assert right > max(box.x + box.width for box in boxes.values())
    start, _, width, _ = (float(n) for n in ElementTree.fromstring(picture.svg(drawn)).get("viewBox", "").split())
    assert start <= left
    assert start + width >= right


@pytest.fixture
def evil() -> Picture:
    nodes = [Node("a", EVIL, EVIL, start=True), Node("b", "plain", cycle=True)]
    return Picture(EVIL, nodes, [Edge("a", "b", EVIL, possible=True), Edge("b", "a", "calls", cycle=True)])


def test_svg_has_names_as_text_only(evil: Picture) -> None:
    drawn = ElementTree.fromstring(picture.svg(evil))
    names = {element.tag.rpartition("}")[2] for element in drawn.iter()}
    assert names <= {"svg", "title", "style", "defs", "marker", "path", "rect", "g", "text"}
    attributes = {name for element in drawn.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)
    assert "\\u202e" in "".join(drawn.itertext())
    dashed = [element for element in drawn.iter() if "possible" in element.get("class", "")]
    assert len(dashed) == 1


def test_mermaid_has_one_line_per_box_and_arrow(evil: Picture) -> None:
    lines = picture.mermaid(evil).splitlines()
    assert len(lines) == 1 + 2 + 2 + 2
    assert lines[2] == '  n1["plain"]:::cycle'
    assert re.fullmatch(r'  n0\["[\w #;./:,-]*"\]:::start', lines[1])
    assert "-.->" in lines[3]


def test_dot_has_names_in_quotes_only(evil: Picture) -> None:
    written = picture.dot(evil)
    without_quoted = re.sub(r'"(?:[^"\\]|\\.)*"', '""', written)
    assert "script" not in without_quoted
    assert "style=dashed" in without_quoted
    assert len(written.splitlines()) == 7
