"""Grammars and queries, loaded when first needed and kept for the life of the process."""

from __future__ import annotations

import threading
from functools import cache
from importlib import import_module

from tree_sitter import Language, Parser, Query

from sightline.languages.table import spec_of
from sightline.types import ParsedFile

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


def parser_for(name: str) -> Parser:
    """Return this thread's parser of a language."""
    parsers: dict[str, Parser] = _local.__dict__.setdefault("parsers", {})
    if name not in parsers:
        parsers[name] = Parser(language_of(name))
    return parsers[name]


def parse(path: str, language: str, source: bytes) -> ParsedFile:
    """Parse a file; a language without a grammar gives a ParsedFile without a tree."""
    if not spec_of(language).grammar:
        return ParsedFile(path=path, language=language, source=source, tree=None, has_errors=False)
    tree = parser_for(language).parse(source)
    return ParsedFile(path=path, language=language, source=source, tree=tree, has_errors=tree.root_node.has_error)
