"""The keys under which other files look up what a file defines, as the numbers that stand for them.

Which keys there are is told at the top of `table.py`. They are worked out where a file is analysed, so that the process
that has all files decodes none of them for it.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable

import xxhash

from sightline.languages import family_of, rules_of
from sightline.languages.facts import EXTENSION, HIDDEN, IMPORTED, Definition, FileFacts
from sightline.languages.paths import stem_of

Key = tuple[str, ...]


def key_hash(key: Iterable[str]) -> int:
    """The number that stands for a key, the same in every process."""
    return xxhash.xxh3_64_intdigest("\0".join(key).encode("utf-8", "surrogatepass"))


def packed_keys(keys: Iterable[int]) -> bytes:
    """The keys that a file gives, as they are stored: sorted, eight bytes each, the least first."""
    packed = array("Q", sorted(keys))
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def given_keys(facts: FileFacts) -> bytes:
    """The keys that a file gives, packed."""
    return packed_keys(map(key_hash, keys_of(facts)))


def keys_of(facts: FileFacts) -> set[Key]:
    """All keys under which other files may look something of this one up: those that have a fingerprint."""
    family, space, stem = family_of(facts.language), facts.space, stem_of(facts.path, facts.language)
    found: set[Key] = {("f", facts.path), ("p", space), ("s", family, stem), ("*", facts.path)}
    found.update(("w", name) for name in facts.notes.get("provides", ()))
    found.update(("n", space, owner, name) for owner, name in facts.members)
    for definition in facts.definitions:
        found.add(("d", space, definition.qualified_name if definition.index else ""))
        if counts_everywhere(definition):
            found.add(("g", family, definition.name))
        if definition.kind == "method":
            found.add(("l", space, definition.owner))
        if definition.flags & EXTENSION:
            found.add(("e", last_part(definition)))
    found.update(("r", family, facts.names[r.label]) for r in facts.registrations if r.holder >= 0)
    found.update(("t", family, name) for name in at_top_level(facts))
    return found


def counts_everywhere(definition: Definition) -> bool:
    """May a name alone mean this, in any file?"""
    return not definition.flags & HIDDEN and definition.kind not in ("module", "constant") and definition.index > 0


def last_part(extension: Definition) -> str:
    """The simple name of the type that an extension means."""
    return extension.qualified_name.rpartition(".")[2]


def at_top_level(facts: FileFacts) -> list[str]:
    """The names that a file itself defines at its top level, where somebody asks for them."""
    if not rules_of(facts.language).stars_bring_definitions:
        return []
    return [
        name
        for (owner, name), bindings in facts.members.items()
        if not owner and not all(binding.flags & IMPORTED for binding in bindings)
    ]
