"""The language layer: which language a file is in, its grammar, and what it defines.

`detect` names the language of a path, `parse` gives the tree, `outline` lists the definitions of a parsed file with
their nesting; the chunker and the graph both start from that one list. Everything particular to a language is data in
`table/`. This layer never reads files and knows nothing of chunks, objects' ids or the index.
"""

from __future__ import annotations

from sightline.languages.documentation import module_doc
from sightline.languages.grammar import captured, imports_query, parse
from sightline.languages.outline import Defined, outline
from sightline.languages.sections import Section, sections
from sightline.languages.spec import Definition, LanguageSpec
from sightline.languages.table import SPECS, detect, spec_of

__all__ = [
    "SPECS",
    "Defined",
    "Definition",
    "LanguageSpec",
    "Section",
    "captured",
    "detect",
    "imports_query",
    "module_doc",
    "outline",
    "parse",
    "sections",
    "spec_of",
]
