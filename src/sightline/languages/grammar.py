"""Grammars and queries, loaded when first needed and kept for the life of the process."""

from __future__ import annotations

import logging
import re
import threading
import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from tree_sitter import Language, Parser, Query, QueryCursor

from sightline.languages.table import TEXT, rules_of, spec_of
from sightline.types import ParsedFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Tree

# Lines only; what a file defines, or its titled parts; and who calls what by its name; and that by imports and types.
Known = Literal["text", "outline", "calls", "resolved"]
PARSE_LIMIT_S = 5.0  # a megabyte takes 0.3 s; 8 KB of `> - > - …` took 14 s in error recovery (Rust, 2026-11)
# Nodes deeper than this are opaque: finding a node's parent takes as many steps as it is deep. No file of 39
# repositories is affected (2026-11).
_MAX_DEPTH = 1_000
# The parts of what a grammar could not read lie in one flat row, and asking anything of them takes as long as the row:
# a query over 100 KB of `(` took 8 s. The longest in 39 repositories has 3,822 (2026-11).
_MAX_RUBBLE = 10_000
_START, _END, _DESCENDANTS = attrgetter("start_byte"), attrgetter("end_byte"), attrgetter("descendant_count")
_NODE_TYPE = re.compile(r"\((\w+)")
_logger = logging.getLogger(__name__)
_making = threading.Lock()
_local = threading.local()  # a Parser is not safe to share between threads


@cache
def language_of(name: str) -> Language:
    """Load the grammar of a language of the table."""
    module, _, function = spec_of(name).grammar.partition(":")
    return Language(getattr(import_module(module), function)())


@cache
def has_grammar(name: str) -> bool:
    """Whether a language has a grammar and its wheel is installed: some are extras."""
    grammar = spec_of(name).grammar
    return bool(grammar) and find_spec(grammar.partition(":")[0]) is not None


@cache
def known_of(name: str) -> Known:
    """How much is known of files in a language."""
    spec = spec_of(name)
    if not has_grammar(name):
        return "outline" if spec.headings is not None and name != TEXT else "text"
    rules = rules_of(name)
    if rules.reader is None:
        return "outline"
    return "calls" if rules.by_name else "resolved"


@cache
def _nodes_query(name: str) -> Query:
    """Return a query that captures every node that may define an object, as `def`, and every one that the reader of the
    language watches, as `x`. Most of what a query costs is the way through the tree."""
    definitions = spec_of(name).definitions
    types = " ".join(f"({node_type})" for node_type, definition in definitions.items() if not definition.patterns)
    patterns = [f"[{types}] @def"] if types else []
    for definition in definitions.values():
        patterns.extend(definition.patterns)
    reader, grammar = rules_of(name).reader, language_of(name)
    if reader is not None:
        # Dialects of a language share a reader, and not every one of them has all node types.
        watches = reader.watched(name)
        known = " ".join(f"({t})" for t in sorted(watches.node_types) if grammar.id_for_node_kind(t, True) is not None)
        patterns.append(f"[{known}] @x")
        for pattern in watches.patterns:
            if all(grammar.id_for_node_kind(t, True) is not None for t in _NODE_TYPE.findall(pattern)):
                patterns.append(pattern)
    return Query(grammar, "\n".join(patterns))


def defining(parsed: ParsedFile) -> list[Node]:
    """Return the nodes of a file that may define an object, in file order."""
    return _nodes_of(parsed, "def")


def watched(parsed: ParsedFile) -> list[Node]:
    """Return the nodes of a file that the reader of its language watches, in file order."""
    return _nodes_of(parsed, "x")


def _nodes_of(parsed: ParsedFile, name: str) -> list[Node]:
    """What was captured under a name and not taken yet; whoever asks first pays for both."""
    if parsed.tree is None:
        return []
    if name not in parsed.captured:
        parsed.captured.update({"def": [], "x": []})
        parsed.captured.update(_captures(_nodes_query(parsed.language), parsed.tree.root_node))
    return in_order(parsed.captured.pop(name))


@cache
def imports_query(name: str) -> Query | None:
    """Return a query that captures every node that imports something, as `import`; None where nothing does."""
    spec = spec_of(name)
    types = " ".join(f"({node_type})" for node_type in sorted(spec.imports))
    patterns = ([f"[{types}] @import"] if types else []) + list(spec.import_patterns)
    return Query(language_of(name), "\n".join(patterns)) if patterns else None


@cache
def sections_query(name: str) -> Query:
    """Return a query that captures every node that may be a titled part of a document, as `section`."""
    types = " ".join(f"({node_type})" for node_type in spec_of(name).sections)
    return Query(language_of(name), f"[{types}] @section")


def captured(query: Query, root: Node, name: str, *, depth: int = _MAX_DEPTH) -> list[Node]:
    """Return the nodes that a query captures under a name, in file order, outer before inner."""
    return in_order(_captures(query, root, depth).get(name, []))


def _captures(query: Query, root: Node, depth: int = _MAX_DEPTH) -> dict[str, list[Node]]:
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(depth)
    return cursor.captures(root)


def in_order(nodes: list[Node]) -> list[Node]:
    """Sort nodes, which captures give in the order of a set, by where they begin, outer before inner."""
    # Several sorts by one number each are quicker than one by a tuple. Of two nodes that hold the same text the outer
    # one holds more nodes.
    nodes.sort(key=_DESCENDANTS, reverse=True)
    nodes.sort(key=_END, reverse=True)
    nodes.sort(key=_START)
    return nodes


def parser_for(name: str, limit_s: float = PARSE_LIMIT_S) -> Parser:
    """Return this thread's parser of a language, which gives up after a while."""
    parsers: dict[tuple[str, float], Parser] = _local.__dict__.setdefault("parsers", {})
    key = (name, limit_s)
    if key not in parsers:
        with _making, warnings.catch_warnings():  # the filters are the process's, hence the lock
            # Deprecated for a callback that 0.25 does not take for bytes and that crashes with a reader.
            warnings.simplefilter("ignore", DeprecationWarning)
            parsers[key] = Parser(language_of(name), timeout_micros=int(limit_s * 1_000_000))
    return parsers[key]


def parse(path: str, language: str, source: bytes, *, limit_s: float = PARSE_LIMIT_S) -> ParsedFile:
    """Parse a file; there is no tree without a grammar, and when parsing takes too long or makes nothing of it."""
    if not has_grammar(language):
        return ParsedFile(path=path, language=language, source=source, tree=None, has_errors=False)
    parser = parser_for(language, limit_s)
    try:
        spec = spec_of(language)
        tree = _parsed(parser, source if spec.seen is None else spec.seen(source), spec.mended)
    except ValueError:  # its only cause is the time limit: the parser has a language
        parser.reset()
        _logger.warning("%s: not parsed within %g s, cut by lines instead", path, limit_s)
        return ParsedFile(path=path, language=language, source=source, tree=None, has_errors=True)
    has_errors = tree.root_node.has_error
    usable = tree if not has_errors or not _is_rubble(tree.root_node) else None
    return ParsedFile(path=path, language=language, source=source, tree=usable, has_errors=has_errors)


def _parsed(parser: Parser, source: bytes, mended: Callable[[bytes], bytes] | None) -> Tree:
    """The tree of a source; of the mended one where the grammar finds errors and fewer there."""
    tree = parser.parse(source)
    if mended is None or not tree.root_node.has_error:
        return tree
    readable = mended(source)
    if readable == source or len(readable) != len(source):
        return tree
    other = parser.parse(readable)
    return other if _unread(other.root_node) < _unread(tree.root_node) else tree


def _unread(root: Node) -> int:
    """How many bytes lie in places that could not be read."""
    found, open_ = 0, [root]
    while open_:
        node = open_.pop()
        if node.is_error:
            found += node.end_byte - node.start_byte
        elif node.has_error:
            open_.extend(node.children)
    return found


def _is_rubble(root: Node) -> bool:
    """Whether so much could not be read in one place that the tree says nothing."""
    open_ = [root]
    while open_:
        node = open_.pop()
        if node.is_error and node.child_count > _MAX_RUBBLE:
            return True
        open_.extend(child for child in node.children if child.has_error)
    return False
