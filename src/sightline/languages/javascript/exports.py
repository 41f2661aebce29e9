"""Imports and exports of JavaScript and TypeScript modules, and of CommonJS ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import EXPORTED, IMPORTED, MODULE
from sightline.languages.javascript.expressions import FUNCTIONS, Expressions, first_named
from sightline.languages.reading import Reading

if TYPE_CHECKING:
    from tree_sitter import Node


def export_object(reading: Reading, right: Node, value: int, at: int) -> None:
    """`module.exports = …`: the members of an object literal are exported by name."""
    facts, expressions = reading.facts, Expressions(reading)
    facts.bind(reading.module_scope, "default", value, at, flags=EXPORTED, evaluated_in=reading.scope)
    for member in right.named_children if right.type == "object" else ():
        if member.type == "shorthand_property_identifier":
            name, given = reading.text(member), facts.named(reading.text(member))
        elif member.type == "pair":
            name = reading.field(member, "key").strip("\"'`")
            given = expressions.value(member.child_by_field_name("value"))
        else:
            continue
        facts.bind(reading.module_scope, name, given, at, flags=EXPORTED, evaluated_in=reading.scope)


def import_statement(reading: Reading, node: Node) -> None:
    facts = reading.facts
    source = node.child_by_field_name("source")
    clause = next((c for c in node.named_children if c.type in ("import_clause", "import_require_clause")), None)
    if clause is not None and clause.type == "import_require_clause":
        source = clause.child_by_field_name("source")
    spec = reading.text(source).strip("\"'`")
    module_ = facts.expression(MODULE, facts.name(spec))
    names: list[str] = []

    def bind(name: str, value: int) -> None:
        facts.bind(reading.scope, name, value, 0, flags=IMPORTED)

    for child in clause.named_children if clause is not None else ():
        if child.type == "identifier":
            required = clause is not None and clause.type == "import_require_clause"
            bind(reading.text(child), module_ if required else facts.attribute(module_, "default"))
            names.extend([] if required else ["default"])
        elif child.type == "namespace_import":
            bind(reading.text(first_named(child)), module_)
        elif child.type == "named_imports":
            for specifier in child.named_children:
                name = reading.field(specifier, "name").strip("\"'")
                bind(reading.field(specifier, "alias") or name, facts.attribute(module_, name))
                names.append(name)
    facts.imports.append([reading.line(node), spec, names])


def export_statement(reading: Reading, node: Node) -> None:
    facts, expressions = reading.facts, Expressions(reading)
    source = node.child_by_field_name("source")
    spec = reading.text(source).strip("\"'`") if source is not None else ""
    module_ = facts.expression(MODULE, facts.name(spec)) if spec else facts.unknown
    names: list[str] = []
    clause = next((c for c in node.named_children if c.type in ("export_clause", "namespace_export")), None)
    if clause is not None and clause.type == "export_clause":
        for specifier in clause.named_children:
            name = reading.field(specifier, "name").strip("\"'")
            exported = reading.field(specifier, "alias").strip("\"'") or name
            if spec:
                facts.bind(reading.scope, exported, facts.attribute(module_, name), 0, flags=EXPORTED | IMPORTED)
                names.append(name)
            elif exported != name:
                facts.bind(reading.scope, exported, facts.named(name), 0, flags=EXPORTED)
    elif clause is not None:
        facts.bind(reading.scope, reading.text(first_named(clause)), module_, 0, flags=EXPORTED | IMPORTED)
    elif spec:
        facts.stars.append([reading.scope, module_, 1])
    else:
        _export_default(reading, expressions, node)
    if spec:
        facts.imports.append([reading.line(node), spec, names])


def _export_default(reading: Reading, expressions: Expressions, node: Node) -> None:
    if not any(c.type == "default" for c in node.children):
        return
    facts = reading.facts
    value = node.child_by_field_name("value")
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        name = reading.field(declaration, "name")
        if name:
            facts.bind(reading.scope, "default", facts.named(name), 0, flags=EXPORTED)
    elif value is not None:
        if value.type in FUNCTIONS or value.type == "class":
            reading.pending_bindings.append((value, None, 0, 0, EXPORTED, reading.scope))
        else:
            facts.bind(reading.scope, "default", expressions.value(value), 0, flags=EXPORTED)
