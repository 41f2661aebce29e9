"""Scala: packages, traits, companions, givens, extensions. A class and its companion object count as one type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import BY_TARGET, CONFORMS, ELEMENT, IMPLEMENTS, MODULE, SUPER
from sightline.languages.packages import package_module, split_path
from sightline.languages.reader import Reader, child_of, children_of, count, first
from sightline.languages.rules import Rules
from sightline.languages.scala.library import BUILTINS, COMMON_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_PREFIX = "jvm:"
_SELECTOR = re.compile(r"^(\w+|\*)(?:\s*(?:=>|as)\s*(\w+|_))?$")
_IMPORT = re.compile(r"[\w`]+(?:\.[\w`]+)*(?:\.\{[^}]*\}|\.\*)?")


class ScalaReader(Reader):
    """Reads one Scala file."""

    space = _PREFIX
    names = frozenset({"identifier"})
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_expression": ("value", "field")}
    constructions: ClassVar[Mapping[str, str]] = {"instance_expression": ""}
    transparent = frozenset({"parenthesized_expression", "generic_function"})
    literals: ClassVar[Mapping[str, str]] = {
        "string": "String",
        "interpolated_string_expression": "String",
        "integer_literal": "Int",
        "floating_point_literal": "Double",
        "boolean_literal": "Boolean",
        "character_literal": "Char",
        "lambda_expression": "Function",
        "tuple_expression": "Tuple",
    }
    wrappers = frozenset({"Option", "Some", "Future", "IO", "Eval", "Try"})
    passing = frozenset({"get", "getOrElse", "filter", "sortBy", "reverse", "toList", "copy", "orElse", "toSeq"})
    self_types = frozenset()
    steps: ClassVar[Mapping[str, str]] = {
        "package_clause": "package",
        "import_declaration": "imported",
        "call_expression": "call",
        "instance_expression": "construction",
        "infix_expression": "infix",
        "val_definition": "variable",
        "var_definition": "variable",
        "val_declaration": "variable",
        "lambda_expression": "closure",
        "enumerator": "loop",
        "case_clause": "case",
        "extension_definition": "extended",
    }

    def name(self, text: str) -> int:
        """A bare name; `super` is one to the grammar."""
        return self.facts.expression(SUPER) if text == "super" else super().name(text)

    def package(self, reading: Reading, node: Node) -> None:
        """`package a.b` and, below it, `package c`: both are visible."""
        name = reading.text(node.child_by_field_name("name")).replace(" ", "")
        inner = self.facts.space != _PREFIX and node.child_by_field_name("body") is None
        if inner:
            self.star(self.facts.expression(MODULE, self.facts.name(self.facts.space.removeprefix(_PREFIX))))
        elif self.facts.space != _PREFIX:
            return
        self.facts.space = f"{self.facts.space}.{name}" if inner else _PREFIX + name

    # Values and types

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A[B]`, `a.B`, `A with B`."""
        if kind == "generic_type":
            outer = node.child_by_field_name("type")
            arguments = node.child_by_field_name("type_arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            return self.generic(self.type(outer, depth), self.reading.text(outer), given)
        if kind == "stable_type_identifier":
            package, inside = split_path(self.reading.text(node).replace(" ", "").split("."))
            if not package:
                return self.type_name(".".join(inside))
            value = self.facts.expression(MODULE, self.facts.name(".".join(package)))
            for part in inside:
                value = self.facts.attribute(value, part)
            return value
        if kind in ("compound_type", "infix_type"):
            return self.facts.union([self.type(c, depth) for c in node.named_children])
        if kind in ("annotated_type", "lazy_parameter_type", "repeated_parameter_type", "applied_constructor_type"):
            return self.type(first(node), depth)
        return self.facts.unknown

    def argument_count(self, node: Node) -> int:
        """Of the first parameter list; a block is one argument."""
        arguments = node.child_by_field_name("arguments")
        if arguments is None:
            return -1
        return count(arguments) if arguments.type == "arguments" else 1

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """`extends A with B`, `given x: A with B`."""
        clause = node.child_by_field_name("extend")
        place = 0
        for child in clause.named_children if clause is not None else ():
            if child.type != "arguments":
                role = BY_TARGET if not place else CONFORMS
                self.reading.base(index, self.type(child), role, self.reading.line(child))
                place += 1
        if node.type == "given_definition":
            for child in node.children_by_field_name("return_type"):
                if child.is_named:
                    self.reading.base(index, self.type(child), IMPLEMENTS, self.reading.line(child))

    def open_type(self, node: Node, index: int) -> None:
        """A class; the parameters of its constructor are its fields."""
        super().open_type(node, index)
        for listed in node.children_by_field_name("class_parameters"):
            for parameter in children_of(listed, "class_parameter"):
                name = self.reading.field(parameter, "name")
                self.declare(name, parameter.child_by_field_name("type"), None, parameter)

    def parameters(self, node: Node, index: int) -> None:
        """All parameter lists."""
        for listed in node.children_by_field_name("parameters"):
            for parameter in children_of(listed, "parameter"):
                name = self.reading.field(parameter, "name")
                self.parameter(index, name, parameter.child_by_field_name("type"), parameter)
        body = node.child_by_field_name("body")
        if (
            body is not None
            and body.type not in ("block", "indented_block")
            and node.child_by_field_name("return_type") is None
        ):
            self.reading.returned(self.value(body), self.reading.at(body))

    def extended(self, reading: Reading, node: Node) -> None:
        """`extension (s: Session) def end`."""
        listed = node.child_by_field_name("parameters")
        parameter = child_of(listed, "parameter") if listed is not None else None
        type_ = parameter.child_by_field_name("type") if parameter is not None else None
        if parameter is None or type_ is None:
            return
        name = reading.text(type_).partition("[")[0].strip()
        around = self.facts.definitions[reading.definition()].qualified_name if reading.definition() else ""
        self.extension(node, f"{around}.{name}" if around else name, self.type(type_))
        self.declare(reading.field(parameter, "name"), type_, None, parameter)

    def variable(self, reading: Reading, node: Node) -> None:
        """`val x: T = v`."""
        pattern = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        if pattern is not None and pattern.type == "identifier":
            type_, value = node.child_by_field_name("type"), node.child_by_field_name("value")
            self.declare(reading.text(pattern), type_, value, node)

    def closure(self, reading: Reading, node: Node) -> None:
        """A function's parameters are names of its own."""
        reading.enter_block(node)
        listed = node.child_by_field_name("parameters")
        if listed is not None and listed.type == "identifier":
            self.unknown_names([reading.text(listed)], node)
        for binding in listed.named_children if listed is not None else ():
            name = reading.field(binding, "name") or reading.text(binding)
            self.declare(name, binding.child_by_field_name("type"), None, binding)

    def loop(self, reading: Reading, node: Node) -> None:
        """`x <- xs`, `x = v`."""
        parts = node.named_children
        if len(parts) > 1 and parts[0].type == "identifier":
            value = self.value(parts[1])
            if any(child.type == "<-" for child in node.children):
                value = self.facts.expression(ELEMENT, value)
            self.facts.bind(reading.scope, reading.text(parts[0]), value, reading.after(node))

    def case(self, reading: Reading, node: Node) -> None:
        """`case x: T =>`."""
        reading.enter_block(node)
        pattern = node.child_by_field_name("pattern")
        if pattern is None:
            return
        if pattern.type == "typed_pattern":
            name = reading.text(pattern.child_by_field_name("pattern"))
            self.declare(name, pattern.child_by_field_name("type"), None, pattern)
            return
        queue = [pattern]
        while queue:
            inner = queue.pop()
            if inner.type == "identifier" and reading.text(inner)[:1].islower():
                self.unknown_names([reading.text(inner)], inner)
            queue.extend(inner.named_children)

    def infix(self, reading: Reading, node: Node) -> None:
        """`a method b`."""
        operator = node.child_by_field_name("operator")
        name = reading.text(operator)
        if operator is not None and name.isidentifier():
            value = self.facts.attribute(self.value(node.child_by_field_name("left")), name)
            self.facts.site(reading.scope, value, 1, reading.at(operator))

    # Imports

    def imported(self, reading: Reading, node: Node) -> None:
        """`import a.b.{C, D => E, _}`, `import a.b.*`."""
        text = reading.text(node).removeprefix("import").strip()
        for written in _IMPORT.findall(text):
            path, _, selectors = written.partition(".{")
            parts = [p for p in path.strip("`").split(".") if p]
            if selectors:
                chosen = [s.strip() for s in selectors.rstrip("}").split(",")]
            else:
                parts, chosen = parts[:-1], parts[-1:]
            if parts:
                self._import(node, parts, chosen)

    def _import(self, node: Node, parts: list[str], chosen: list[str]) -> None:
        facts = self.facts
        package, inside = split_path([*parts, "*"])
        inside = [part for part in inside if part != "*"]
        value = facts.expression(MODULE, facts.name(".".join(package))) if package else -1
        for part in inside:
            value = facts.attribute(value, part) if value >= 0 else self.type_name(part)
        names: list[str] = []
        for selector in chosen:
            match = _SELECTOR.match(selector)
            if match is None or match[2] == "_" or match[1] == "given":
                continue
            if match[1] in ("_", "*"):
                self.star(value)
            else:
                self.bind_import(match[2] or match[1], facts.attribute(value, match[1]), node)
                names.append(match[1])
        if package:
            facts.imported(self.reading.line(node), ".".join(package), inside[:1] or names)


def rules(language: str) -> Rules:
    """The rules of Scala."""
    return Rules(
        family="jvm",
        reader=ScalaReader,
        module=package_module(_PREFIX, relative=True),
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        imports_objects=True,
        untyped=frozenset({"Any"}),
    )
