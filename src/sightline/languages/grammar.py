"""Grammars and queries, loaded when first needed and kept for the life of the process."""

from __future__ import annotations

import logging
import threading
import warnings
from functools import cache
from importlib import import_module

from tree_sitter import Language, Parser, Query

from sightline.languages.table import spec_of
from sightline.types import ParsedFile

PARSE_LIMIT_S = 5.0  # a megabyte takes 0.3 s; 8 KB of `> - > - …` took 14 s in error recovery (Rust, 2026-11)
_logger = logging.getLogger(__name__)
_making = threading.Lock()
_local = threading.local()  # a Parser is not safe to share between threads


@cache
def language_of(name: str) -> Language:
    """Load the grammar of a language of the table."""
    module, _, function = spec_of(name).grammar.partition(":")
    return Language(getattr(import_module(module), function)())


@cache
def definitions_query(name: str) -> Query:
    """Return a query that captures every node that may define an object, as `def`."""
    definitions = spec_of(name).definitions
    types = " ".join(f"({node_type})" for node_type, definition in definitions.items() if not definition.patterns)
    patterns = [f"[{types}] @def"] if types else []
    for definition in definitions.values():
        patterns.extend(definition.patterns)
    return Query(language_of(name), "\n".join(patterns))


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
    """Parse a file; without a grammar, or when parsing takes too long, the ParsedFile has no tree."""
    if not spec_of(language).grammar:
        return ParsedFile(path=path, language=language, source=source, tree=None, has_errors=False)
    parser = parser_for(language, limit_s)
    try:
        tree = parser.parse(source)
    except ValueError:  # its only cause is the time limit: the parser has a language
        parser.reset()
        _logger.warning("%s: not parsed within %g s, cut by lines instead", path, limit_s)
        return ParsedFile(path=path, language=language, source=source, tree=None, has_errors=True)
    return ParsedFile(path=path, language=language, source=source, tree=tree, has_errors=tree.root_node.has_error)
