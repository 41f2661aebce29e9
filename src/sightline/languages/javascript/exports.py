"""Imports and exports of JavaScript and TypeScript modules, and of CommonJS ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.facts import EXPORTED, IMPORTED, MODULE
from sightline.languages.javascript.expressions import FUNCTIONS
from sightline.languages.javascript.functions import JavaScriptFunctions
from sightline.languages.reader import child_of, first
from sightline.languages.rows import HANDED_ON

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.languages.reading import Reading

_QUOTES = "\"'`"


class JavaScriptExports(JavaScriptFunctions):
    """What a JavaScript or TypeScript file imports and exports."""

    def export_object(self, right: Node, value: int, at: int) -> None:
        """`module.exports = …`: the members of an object literal are exported by name."""
        facts, reading = self.facts, self.reading
        facts.bind(reading.module_scope, "default", value, at, flags=EXPORTED, evaluated_in=reading.scope)
        for member in right.named_children if right.type == "object" else ():
            if member.type == "shorthand_property_identifier":
                name, given = reading.text(member), facts.named(reading.text(member))
            elif member.type == "pair":
                name = reading.field(member, "key").strip(_QUOTES)
                given = self.value(member.child_by_field_name("value"))
            else:
                continue
            facts.bind(reading.module_scope, name, given, at, flags=EXPORTED, evaluated_in=reading.scope)

    def imported(self, reading: Reading, node: Node) -> None:
        """`import a, { b as c } from "d"`, `import * as a from "d"`, `import a = require("d")`."""
        facts = self.facts
        clause = child_of(node, "import_clause", "import_require_clause")
        required = clause is not None and clause.type == "import_require_clause"
        spec = reading.field(clause if clause is not None and required else node, "source").strip(_QUOTES)
        module_ = facts.expression(MODULE, facts.name(spec))
        names: list[str] = []
        for child in clause.named_children if clause is not None else ():
            if child.type == "identifier":
                value = module_ if required else facts.attribute(module_, "default")
                facts.bind(reading.scope, reading.text(child), value, 0, flags=IMPORTED)
                names.extend([] if required else ["default"])
            elif child.type == "namespace_import":
                facts.bind(reading.scope, reading.text(first(child)), module_, 0, flags=IMPORTED)
            elif child.type == "named_imports":
                names.extend(self._named_import(specifier, module_) for specifier in child.named_children)
        facts.imported(reading.line(node), spec, names)

    def _named_import(self, specifier: Node, module_: int) -> str:
        """Bind `name as alias` and return the name."""
        name = self.reading.field(specifier, "name").strip("\"'")
        value = self.facts.attribute(module_, name)
        bound = self.reading.field(specifier, "alias") or name
        self.facts.bind(self.reading.scope, bound, value, 0, flags=IMPORTED)
        return name

    def exported(self, reading: Reading, node: Node) -> None:
        """`export { a as b } from "c"`, `export * from "c"`, `export default …`."""
        facts, source = self.facts, node.child_by_field_name("source")
        spec = reading.text(source).strip(_QUOTES) if source is not None else ""
        module_ = facts.expression(MODULE, facts.name(spec)) if spec else facts.unknown
        names: list[str] = []
        clause = child_of(node, "export_clause", "namespace_export")
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
            facts.bind(reading.scope, reading.text(first(clause)), module_, 0, flags=EXPORTED | IMPORTED)
        elif spec:
            facts.star(reading.scope, module_, HANDED_ON)
        else:
            self._export_default(node)
        if spec:
            facts.imported(reading.line(node), spec, names)

    def _export_default(self, node: Node) -> None:
        if not any(c.type == "default" for c in node.children):
            return
        facts, reading = self.facts, self.reading
        value, declaration = node.child_by_field_name("value"), node.child_by_field_name("declaration")
        if declaration is not None:
            name = reading.field(declaration, "name")
            if name:
                facts.bind(reading.scope, "default", facts.named(name), 0, flags=EXPORTED)
        elif value is not None:
            if value.type in FUNCTIONS or value.type == "class":
                self.bind_later(value, "default", flags=EXPORTED)
            else:
                facts.bind(reading.scope, "default", self.value(value), 0, flags=EXPORTED)
