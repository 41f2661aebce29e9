"""The facts of files given as text, as the resolver reads them."""

from __future__ import annotations

from collections.abc import Mapping

from sightline import languages
from sightline.graph.build.extract import extract
from sightline.graph.build.table import Table
from sightline.languages.encoding import decode
from sightline.languages.facts import Definition, FileFacts


def encoded_facts_of(path: str, text: str) -> bytes:
    """Extract the facts of one file, as they are stored."""
    source = text.encode()
    parsed = languages.parse(path, languages.detect(path, source[:200]), source)
    return extract(parsed, languages.outline(parsed)).facts


def facts_of(path: str, text: str) -> FileFacts:
    """Extract and decode the facts of one file."""
    return decode(path, encoded_facts_of(path, text))


def table_of(files: Mapping[str, str]) -> Table:
    """The symbol table of files given as text."""
    table = Table(1_000_000)
    for path, text in files.items():
        table.add(path, encoded_facts_of(path, text))
    return table


def definition_of(facts: FileFacts, qualified_name: str) -> Definition:
    """The one definition of that name."""
    (found,) = facts.by_qualified_name[qualified_name]
    return found
