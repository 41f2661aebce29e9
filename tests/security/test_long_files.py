"""Analysing takes time in proportion to the file, whatever is in it: what grew faster took minutes for these."""

from __future__ import annotations

import pytest

from sightline.graph.build.extract import extract
from sightline.indexer.analysis.chunk import chunk
from sightline.languages import captured, imports_query, outline, parse

LONG = {
    "brackets that are never closed": ("c", b"(" * 100_000),
    "assignments in assignments": ("python", b"a=" * 10_000 + b"1\n"),
    "functions in functions": ("javascript", b"x=>" * 20_000 + b"1\n"),
    "a list of functions": ("javascript", b"f(" + b"x=>x,\n" * 16_000 + b")\n"),
    "a list of lambdas": ("java", b"class A { void f() { g(" + b"x->x,\n" * 16_000 + b"1); } }\n"),
    "a long chain of calls": ("dart", b"var x = a" + b".b()\n" * 16_000 + b";\n"),
    "a declaration of many variables": ("typescript", b"let " + b"a=1,\n" * 16_000 + b"b=1;\n"),
    "many headings": ("markdown", b"# a\n" * 50_000),
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("language", "source"), LONG.values(), ids=LONG.keys())
def test_long_files_of_one_construct_are_analysed_in_no_time(language: str, source: bytes) -> None:
    parsed = parse("a", language, source)
    outlined = outline(parsed)
    assert chunk(parsed, outlined)[-1].end_line == source.rstrip().count(b"\n") + 1
    assert extract(parsed, outlined).objects


def test_captured_nodes_come_in_file_order_wherever_they_lie_in_memory() -> None:
    query = imports_query("python")
    assert query is not None
    for count in range(2, 60):
        tree = parse("a.py", "python", b"".join(b"import a%d\n" % number for number in range(count))).tree
        assert tree is not None
        rows = [node.start_point.row for node in captured(query, tree.root_node, "import")]
        assert rows == list(range(count))
