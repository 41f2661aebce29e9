"""A parsed file's objects, and its facts for the resolver.

Pure and picklable: the same bytes give the same answer in any process. Nothing here looks at another file; what a name
means is decided by `resolve`, from the facts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import xxhash

from sightline.graph.build.keys import given_keys
from sightline.languages import rules_of
from sightline.languages.encoding import as_decoded, encode
from sightline.languages.facts import Facts, entity_id
from sightline.languages.manifests import read_manifest
from sightline.languages.reading import Reading
from sightline.languages.rules import Visibility, by_modifier
from sightline.types import Object

if TYPE_CHECKING:
    from sightline.languages import Defined
    from sightline.types import ParsedFile


@dataclass(frozen=True, slots=True)
class Extracted:
    """What one file contributes to the graph."""

    objects: list[Object]  # the module first
    facts: bytes
    gives: bytes  # the keys under which other files look it up


def extract(parsed: ParsedFile, outlined: list[Defined]) -> Extracted:
    """List the objects of a file and state its facts."""
    module = module_name(parsed.path, parsed.language)
    facts = Facts(parsed.language, module)
    objects = [_module_object(parsed, module)]
    facts.define(objects[0].name, module, "module", ordinal=0, parent=-1, line=1)
    ordinals: Counter[tuple[str, str]] = Counter()
    by_name: dict[str, Object] = {}
    for defined in outlined:
        ordinal = ordinals[defined.qualified_name, defined.kind]
        ordinals[defined.qualified_name, defined.kind] += 1
        line = defined.node.start_point.row + 1
        facts.define(
            defined.name, defined.qualified_name, defined.kind, ordinal=ordinal, parent=defined.parent + 1, line=line
        )
        made = _object(parsed, defined, ordinal, objects[defined.parent + 1], by_name)
        objects.append(made)
        by_name.setdefault(made.qualified_name, made)
    reading = Reading(parsed, outlined, facts)
    rules = rules_of(parsed.language)
    if rules.reader is not None:
        rules.reader.state(reading)
    facts.drop_sites(rules.builtins, members_hide=rules.members_hide_builtins)
    read_manifest(parsed, facts)
    encoded = encode(facts)
    return Extracted(objects=objects, facts=encoded, gives=given_keys(as_decoded(parsed.path, facts)))


def module_name(path: str, language: str) -> str:
    """The qualified name of a file's module object."""
    pure = PurePosixPath(path)
    stem = pure.name.partition(".")[0] or pure.name
    parts = [*pure.parent.parts, stem]
    if stem == rules_of(language).package_stem and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def _module_object(parsed: ParsedFile, module: str) -> Object:
    entity = entity_id(parsed.path, module, "module", 0)
    lines = parsed.source.count(b"\n") + (0 if parsed.source.endswith(b"\n") or not parsed.source else 1)
    return Object(
        entity_id=entity,
        version_id=_version_id(entity, parsed.source),
        path=parsed.path,
        name=module.rpartition(".")[2],
        qualified_name=module,
        kind="module",
        language=parsed.language,
        start_line=1,
        end_line=max(lines, 1),
        signature="",
        doc="",
        visibility="public",
        parent_id="",
    )


def _object(parsed: ParsedFile, defined: Defined, ordinal: int, nested: Object, by_name: dict[str, Object]) -> Object:
    entity = entity_id(parsed.path, defined.qualified_name, defined.kind, ordinal)
    return Object(
        entity_id=entity,
        version_id=_version_id(entity, parsed.source[defined.outer.start_byte : defined.outer.end_byte]),
        path=parsed.path,
        name=defined.name,
        qualified_name=defined.qualified_name,
        kind=defined.kind,
        language=parsed.language,
        start_line=defined.start_line,
        end_line=defined.end_line,
        signature=defined.signature,
        doc=defined.doc,
        visibility=_visibility(parsed, defined),
        parent_id=_parent(defined, nested, by_name),
    )


def _parent(defined: Defined, nested: Object, by_name: dict[str, Object]) -> str:
    """The enclosing object: by nesting, or the type of the same file that the qualified name says it belongs to."""
    owner = defined.qualified_name.rpartition(".")[0]
    if owner and nested.qualified_name != owner:
        return by_name.get(owner, nested).entity_id
    return nested.entity_id


def _visibility(parsed: ParsedFile, defined: Defined) -> Visibility:
    rule = rules_of(parsed.language).visibility
    if rule is not None:
        return rule(defined)
    return "private" if defined.private else by_modifier(defined.signature, "public")


def _version_id(entity: str, content: bytes) -> str:
    return xxhash.xxh3_64_hexdigest(entity.encode() + b"\0" + content)
