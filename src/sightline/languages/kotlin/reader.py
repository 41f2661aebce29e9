"""Kotlin: packages, objects, extension functions, delegation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import CONFORMS, ELEMENT, INHERITS, ITEM, LITERAL, MODULE
from sightline.languages.kotlin.library import BUILTINS, COMMON_MEMBERS, EXTERNAL_BASES
from sightline.languages.packages import package_module, split_path
from sightline.languages.reader import Reader, child_of, children_of, count, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_PREFIX = "jvm:"  # shared with Java
_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")


class KotlinReader(Reader):
    """Reads one Kotlin file."""

    space = _PREFIX
    names = frozenset({"identifier"})
    calls: ClassVar[Mapping[str, str]] = {"call_expression": ""}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"navigation_expression": ("", "-1")}
    transparent = frozenset(
        {"parenthesized_expression", "unary_expression", "elvis_expression", "annotated_expression"}
    )
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "String",
        "multiline_string_literal": "String",
        "number_literal": "Int",
        "float_literal": "Double",
        "character_literal": "Char",
        "boolean_literal": "Boolean",
        "lambda_literal": "Function",
        "anonymous_function": "Function",
        "callable_reference": "Function",
        "collection_literal": "Array",
        "range_expression": "Range",
    }
    passing = frozenset({"apply", "also", "takeIf", "takeUnless", "toList", "filter", "sortedBy", "reversed", "orEmpty",
                         "filterNotNull", "asSequence", "asIterable", "toMutableList", "copy"})  # fmt: skip
    self_types = frozenset()
    steps: ClassVar[Mapping[str, str]] = {
        "package_header": "package",
        "import": "imported",
        "call_expression": "call",
        "property_declaration": "property",
        "for_statement": "loop",
        "lambda_literal": "closure",
        "anonymous_function": "block",
        "catch_block": "block",
        "object_literal": "anonymous",
    }

    handed_patterns = (
        "(value_argument (callable_reference) @x)",
        '(value_argument (navigation_expression "::") @x)',
        "(assignment (callable_reference) @x)",
    )
    handed_in: ClassVar[Mapping[str, str]] = {"value_argument": "", "value_arguments": "()", "assignment": "left"}

    def handed(self, reading: Reading, node: Node) -> None:
        """`::f`, `this::f`: a function by its name."""
        named = first(node) if node.type == "callable_reference" else node
        value, label = self.value(named), self.kept_under(node)
        if label is not None and value != self.facts.unknown:
            self.facts.register(reading.scope, value, reading.at(node), label)

    def package(self, reading: Reading, node: Node) -> None:
        """The namespace of the file."""
        self.facts.space = _PREFIX + reading.text(child_of(node, "qualified_identifier", "identifier")).replace(" ", "")

    # Values and types

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`x as T`, `x[0]`, `if (a) b else c`."""
        if kind == "as_expression":
            return self.instance(self.type(node.child_by_field_name("right"), depth))
        if kind == "index_expression":
            return self.facts.expression(ITEM, self.value(first(node), depth))
        if kind == "this_expression" and node.named_child_count:
            return self.facts.expression(LITERAL, self.facts.name("this"))  # this@Outer: not guessed by name
        return super().compound(node, kind, depth)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A.B<C>`, `T?`."""
        if kind == "user_type":
            parts = [self.reading.text(part) for part in children_of(node, "identifier")]
            arguments = child_of(node, "type_arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            package, inside = split_path(parts) if len(parts) > 1 else ([], parts)
            outer = self.type_name(".".join(inside)) if inside else self.facts.unknown
            if package and inside:
                outer = self.facts.expression(MODULE, self.facts.name(".".join(package)))
                for part in inside:
                    outer = self.facts.attribute(outer, part)
            return self.generic(outer, parts[-1] if parts else "", given)
        if kind in ("nullable_type", "type_projection", "parenthesized_type", "non_nullable_type"):
            return self.type(child_of(node, *_TYPES), depth)
        return self.facts.unknown

    def argument_count(self, node: Node) -> int:
        """Arguments in parentheses and a trailing lambda."""
        arguments = child_of(node, "value_arguments")
        given = count(arguments) if arguments is not None else 0
        return given + len(children_of(node, "annotated_lambda"))

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """A base with parentheses is a class, the others are interfaces."""
        kind = self.reading.outlined[index - 1].kind
        listed = child_of(node, "delegation_specifiers")
        for specifier in children_of(listed, "delegation_specifier") if listed is not None else ():
            base = first(specifier)
            if base is None:
                continue
            written = base if base.type == "user_type" else child_of(base, "user_type")
            role = INHERITS if base.type == "constructor_invocation" or kind == "interface" else CONFORMS
            self.reading.base(index, self.type(written), role, self.reading.line(base))

    def open_type(self, node: Node, index: int) -> None:
        """A class; the parameters of its constructor are its fields."""
        super().open_type(node, index)
        self._type_parameters(node)
        constructor = child_of(node, "primary_constructor")
        listed = child_of(constructor, "class_parameters") if constructor is not None else None
        for parameter in children_of(listed, "class_parameter") if listed is not None else ():
            self.declare(
                self.reading.text(child_of(parameter, "identifier")), child_of(parameter, *_TYPES), None, parameter
            )

    def _type_parameters(self, node: Node) -> None:
        listed = child_of(node, "type_parameters")
        for parameter in children_of(listed, "type_parameter") if listed is not None else ():
            bound = child_of(parameter, *_TYPES)
            if bound is not None:
                name = self.reading.text(child_of(parameter, "identifier"))
                self.facts.bind(self.reading.scope, name, self.type(bound), self.reading.at(parameter))

    def open_function(self, node: Node, index: int) -> None:
        """A function; an extension function is a member of its receiver."""
        defined = self.reading.outlined[index - 1]
        if defined.owner:
            receiver = self._receiver(node)
            self.extension(node, defined.owner, self.type(receiver))
        super().open_function(node, index)
        self._type_parameters(node)
        body = child_of(node, "function_body")
        value = first(body) if body is not None else None
        if value is not None and value.type != "block":
            self.reading.returned(self.value(value), self.reading.at(value))

    def _receiver(self, node: Node) -> Node | None:
        return child_of(node, *_TYPES)

    def results(self, node: Node, index: int) -> None:
        """The type behind the parameters."""
        behind = False
        for child in node.named_children:
            if child.type == "function_value_parameters":
                behind = True
            elif behind and child.type in _TYPES:
                self.declare_result(index, child)
                return

    def parameters(self, node: Node, index: int) -> None:
        """`name: Type`."""
        listed = child_of(node, "function_value_parameters")
        for parameter in children_of(listed, "parameter") if listed is not None else ():
            name = self.reading.text(child_of(parameter, "identifier"))
            self.parameter(index, name, child_of(parameter, *_TYPES), parameter)

    def property(self, reading: Reading, node: Node) -> None:
        """`val x: T = v`."""
        variable = child_of(node, "variable_declaration")
        if variable is None:
            return
        value = node.named_child(node.named_child_count - 1)
        given = value if value is not None and value.id != variable.id else None
        if given is not None and given.type in ("getter", "setter", "property_delegate", "modifiers"):
            given = None
        self.declare(reading.text(child_of(variable, "identifier")), child_of(variable, *_TYPES), given, node)

    def alias(self, node: Node, index: int) -> None:
        """`typealias A = B`."""
        types = children_of(node, *_TYPES)
        if types:
            self.reading.result(index, self.type(types[-1]))

    def anonymous(self, reading: Reading, node: Node) -> None:
        """`object : T { … }`."""
        hidden = reading.enter_hidden_class(node, f"object@{reading.line(node)}")
        listed = child_of(node, "delegation_specifiers")
        for specifier in children_of(listed, "delegation_specifier") if listed is not None else ():
            base = first(specifier)
            written = base if base is None or base.type == "user_type" else child_of(base, "user_type")
            if written is not None:
                reading.base(hidden, self.type(written), CONFORMS, reading.line(written))

    def loop(self, reading: Reading, node: Node) -> None:
        """`for (x in xs)`."""
        variable = child_of(node, "variable_declaration")
        values = [c for c in node.named_children if variable is not None and c.start_byte > variable.end_byte]
        if variable is not None and values:
            element = self.facts.expression(ELEMENT, self.value(values[0]))
            self.facts.bind(
                reading.scope, reading.text(child_of(variable, "identifier")), element, reading.after(values[0])
            )

    def closure(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters are names of its own."""
        reading.enter_block(node)
        listed = child_of(node, "lambda_parameters")
        for parameter in children_of(listed, "variable_declaration") if listed is not None else ():
            self.declare(reading.text(child_of(parameter, "identifier")), child_of(parameter, *_TYPES), None, parameter)

    # Imports

    def imported(self, reading: Reading, node: Node) -> None:
        """`import a.b.C`, `import a.b.C as D`, `import a.b.*`."""
        path = child_of(node, "qualified_identifier", "identifier")
        parts = reading.text(path).replace(" ", "").split(".")
        names = children_of(node, "identifier")
        alias = reading.text(names[-1]) if path is not None and names and names[-1].id != path.id else ""
        facts = self.facts
        if reading.text(node).rstrip("; \n").endswith("*"):
            package, inside = split_path([*parts, "*"])
        else:
            package, inside = split_path(parts)
        value = facts.expression(MODULE, facts.name(".".join(package)))
        for part in inside:
            if part != "*":
                value = facts.attribute(value, part)
        if inside[-1:] == ["*"]:
            self.star(value)
        else:
            self.bind_import(alias or parts[-1], value, node)
        facts.imported(reading.line(node), ".".join(package), [n for n in inside[:1] if n != "*"])


def rules(language: str) -> Rules:
    """The rules of Kotlin."""
    return Rules(
        family="jvm",
        read=KotlinReader.state,
        module=package_module(_PREFIX),
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        imports_objects=True,
        external_bases=EXTERNAL_BASES,
        untyped=frozenset({"Any"}),
        constructors=("constructor",),
    )
