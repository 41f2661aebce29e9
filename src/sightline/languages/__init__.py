"""The languages: which one a file is in, its grammar, what it defines, and what it states for the graph.

`detect` names the language of a path, `parse` gives the tree, `outline` lists the definitions of a parsed file with
their nesting; the chunker and the graph both start from that one list. `rules_of` gives what the graph knows about a
language: its reader, which states the `facts` of a file, and how these are resolved. Everything particular to a
language is in its folder, and `table` lists the folders. This layer looks at one file at a time, never reads files and
knows nothing of chunks or the index.
"""

from __future__ import annotations

from sightline.languages.documentation import module_doc
from sightline.languages.grammar import captured, imports_query, known_of, parse
from sightline.languages.outline import Defined, outline
from sightline.languages.sections import Section, sections
from sightline.languages.spec import Definition, LanguageSpec
from sightline.languages.table import LANGUAGES, detect, family_of, rules_of, spec_of

__all__ = [
    "LANGUAGES",
    "Defined",
    "Definition",
    "LanguageSpec",
    "Section",
    "captured",
    "detect",
    "family_of",
    "imports_query",
    "known_of",
    "module_doc",
    "outline",
    "parse",
    "rules_of",
    "sections",
    "spec_of",
]
