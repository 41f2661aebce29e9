"""Swift: one namespace for the whole root, conformances in extensions, optionals that stand for what they wrap."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    BY_TARGET,
    CONFORMS,
    CONTAINER,
    DEFINED,
    ELEMENT,
    FILE_PRIVATE,
    FUNCTION_SCOPE,
    INHERITS,
    ITEM,
    PARAMETER,
    PROPERTY,
    STATIC,
)
from sightline.languages.naming import bare, has_word
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules
from sightline.languages.swift.labels import CLOSURE, DEFAULT, by_labels
from sightline.languages.swift.library import COMMON_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

SPACE = "swift:"  # Swift has no imports inside a module; a root counts as one
_TYPES = frozenset(
    {"user_type", "optional_type", "array_type", "dictionary_type", "tuple_type", "function_type", "opaque_type",
     "existential_type", "metatype", "protocol_composition_type"}
)  # fmt: skip
# What an enum may state before its protocols: its raw type.
_RAW_TYPES = frozenset({"String", "Int", "UInt", "UInt8", "UInt16", "UInt32", "Int32", "Int64", "Double", "Character"})


class SwiftReader(Reader):
    """Reads one Swift file."""

    space = SPACE
    names = frozenset({"simple_identifier"})
    calls: ClassVar[Mapping[str, str]] = {"call_expression": ""}
    constructions: ClassVar[Mapping[str, str]] = {"constructor_expression": "constructed_type"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"navigation_expression": ("target", "suffix")}
    transparent = frozenset({"parenthesized_expression", "tuple_expression"})
    literals: ClassVar[Mapping[str, str]] = {
        "line_string_literal": "String",
        "multi_line_string_literal": "String",
        "raw_string_literal": "String",
        "integer_literal": "Int",
        "real_literal": "Double",
        "boolean_literal": "Bool",
        "dictionary_literal": "Dictionary",
        "lambda_literal": "Function",
        "comparison_expression": "Bool",
        "equality_expression": "Bool",
    }
    passing = frozenset({"reversed", "sorted", "filter", "prefix", "suffix", "dropFirst", "dropLast", "shuffled"})
    steps: ClassVar[Mapping[str, str]] = {
        "class_declaration": "type_or_extension",
        "property_declaration": "property",
        "protocol_property_declaration": "property",
        "call_expression": "call",
        "constructor_expression": "construction",
        "import_declaration": "imported",
        "if_statement": "conditions",
        "guard_statement": "conditions",
        "while_statement": "conditions",
        "for_statement": "loop",
        "lambda_literal": "closure",
        "switch_entry": "pattern_names",
        "catch_block": "caught",
    }

    # Types

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A.B<C>`, `T?`, `[T]`, `[K: V]`, `any P`, `some P`."""
        facts = self.facts
        if kind == "user_type":
            parts = children_of(node, "type_identifier")
            name = ".".join(self.reading.text(part) for part in parts)
            arguments = child_of(node, "type_arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            return self.generic(self.type_name(name), name, given) if parts else facts.unknown
        if kind in ("array_type", "dictionary_type"):
            outer = "Array" if kind == "array_type" else "Dictionary"
            return self.generic(self.type_name(outer), outer, [self.type(c, depth) for c in node.named_children])
        if kind == "protocol_composition_type":
            return facts.union([self.type(child, depth) for child in node.named_children])
        if kind in ("optional_type", "opaque_type", "existential_type", "type_annotation", "metatype"):
            return self.type(first(node), depth)
        return facts.unknown

    # Values

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`try x`, `x as? T`, `x!`, `[a, b]`, `x[0]`."""
        facts = self.facts
        if kind in ("try_expression", "await_expression"):
            return self.value(node.child_by_field_name("expr"), depth)
        if kind == "postfix_expression":
            return self.value(node.child_by_field_name("target"), depth)
        if kind == "as_expression":
            return self.instance(self.type(node.child_by_field_name("name"), depth))
        if kind == "array_literal":
            members = facts.union([self.value(child, depth) for child in node.named_children[:8]])
            return facts.expression(CONTAINER, facts.name("Array"), members)
        if kind == "call_expression" and self._is_subscript(node):
            return facts.expression(ITEM, self.value(first(node), depth))
        if kind == "constructor_expression":
            return self.instance(self.type(node.child_by_field_name("constructed_type"), depth))
        if kind == "nil_coalescing_expression":
            return self.value(node.child_by_field_name("value") or first(node), depth)
        if kind == "ternary_expression":
            parts = [node.child_by_field_name(name) for name in ("if_true", "if_false")]
            return facts.union([self.value(part, depth) for part in parts])
        return super().compound(node, kind, depth)

    def member(self, node: Node, depth: int) -> int:
        """`a.b`; `T.self` and `x.self` are what stands before."""
        suffix = node.child_by_field_name("suffix")
        named = suffix.child_by_field_name("suffix") if suffix is not None else None
        value = self.value(node.child_by_field_name("target"), depth)
        if named is None or named.type != "simple_identifier":
            return value if named is not None and self.reading.text(named) == "self" else self.facts.unknown
        return self.facts.attribute(value, self.reading.text(named))

    def _is_subscript(self, node: Node) -> bool:
        suffix = child_of(node, "call_suffix")
        arguments = child_of(suffix, "value_arguments") if suffix is not None else None
        return arguments is not None and self.reading.source[arguments.start_byte : arguments.start_byte + 1] == b"["

    def call(self, reading: Reading, node: Node) -> None:
        """A call; a subscript looks the same to the grammar."""
        if not self._is_subscript(node):
            super().call(reading, node)

    def argument_count(self, node: Node) -> int:
        """The labels of the arguments, see `labels`."""
        suffix = child_of(node, "call_suffix", "constructor_suffix")
        if suffix is None:
            return -1
        labels: list[str] = []
        for child in suffix.named_children:
            if child.type == "lambda_literal":
                labels.append(CLOSURE)
            elif child.type == "value_arguments":
                for argument in children_of(child, "value_argument"):
                    label = argument.child_by_field_name("name")
                    labels.append(self.reading.text(label) if label is not None else "_")
        return -2 - self.facts.name(" ".join(labels))

    # Definitions

    def type_or_extension(self, reading: Reading, node: Node) -> None:
        """A class, struct, enum, actor, or an extension of one."""
        index = reading.definitions.get(node.id)
        if index is not None:
            self._hide(index)
            self.open_type(node, index)
            return
        keyword = node.child_by_field_name("declaration_kind")
        if keyword is None or keyword.type != "extension":
            return
        named = node.child_by_field_name("name")
        name = bare(reading.text(named))
        target = self.type_name(name)
        bases = list(self._inherited(node))
        hidden = self.extension(node, name, target)
        for base in bases:
            reading.base(hidden, self.type(base), CONFORMS, reading.line(base))
        if "." not in name and name:
            # A type outside the root gets its members from here, so its name must lead here.
            self.facts.bind(reading.module_scope, name, self.facts.expression(DEFINED, hidden))

    def _inherited(self, node: Node) -> Iterator[Node]:
        for specifier in children_of(node, "inheritance_specifier"):
            base = specifier.child_by_field_name("inherits_from")
            if base is not None:
                yield from children_of(base, "user_type") if base.type == "protocol_composition_type" else (base,)

    def bases(self, node: Node, index: int) -> None:
        """The first of a class may be its superclass; all others are protocols."""
        kind = self.reading.outlined[index - 1].kind
        for place, base in enumerate(self._inherited(node)):
            if kind == "enum" and self.reading.text(base) in _RAW_TYPES:
                continue
            role = INHERITS if kind == "interface" else BY_TARGET if kind == "class" and not place else CONFORMS
            self.reading.base(index, self.type(base), role, self.reading.line(base))

    def open_type(self, node: Node, index: int) -> None:
        """A type with its type parameters."""
        super().open_type(node, index)
        self._type_parameters(node)

    def _type_parameters(self, node: Node) -> None:
        """`T: P` makes values of type T values of P."""
        parameters = child_of(node, "type_parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            constraint = parameter.child_by_field_name("name")
            if constraint is not None and parameter.type == "type_parameter":
                name = self.reading.text(first(parameter))
                self.facts.bind(self.reading.scope, name, self.type(constraint), self.reading.at(node))

    def open_function(self, node: Node, index: int) -> None:
        """A function, initializer or subscript."""
        self._hide(index)
        if has_word(node, "static") or has_word(node, "class"):
            self.reading.flag(index, STATIC)
        super().open_function(node, index)
        self._type_parameters(node)

    def _hide(self, index: int) -> None:
        defined = self.reading.outlined[index - 1]
        if defined.private and not defined.qualified_name.count("."):
            self.reading.flag(index, FILE_PRIVATE)

    def results(self, node: Node, index: int) -> None:
        """The type behind the arrow."""
        arrow = False
        for child in node.children:
            if child.type == "->":
                arrow = True
            elif arrow and child.is_named:
                self.declare_result(index, child)
                return

    def parameters(self, node: Node, index: int) -> None:
        """`label name: Type`: the last name is the one inside."""
        for parameter in children_of(node, "parameter"):
            names = children_of(parameter, "simple_identifier")
            if not names:
                continue
            label, name = self.reading.text(names[0]), self.reading.text(names[-1])
            behind = parameter.next_sibling
            optional = DEFAULT if behind is not None and behind.type == "=" else ""
            type_ = child_of(parameter, *_TYPES)
            declared = self.type(type_)
            known = type_ is not None and declared != self.facts.unknown
            self.reading.parameter(index, label + optional, declared if known else -1)
            self.declare(name, type_, None, names[-1], PARAMETER)

    def property(self, reading: Reading, node: Node) -> None:
        """`let a: A = …, b = …`; one that computes its value is a method without parentheses."""
        index = reading.definitions.get(node.id)
        if index is not None:
            self._hide(index)
        computed = index is not None and reading.outlined[index - 1].kind == "method"
        name, type_, value = "", None, None
        for child in [*node.named_children, None]:
            if child is None or child.type == "pattern":
                if name and not computed:
                    self.declare(name, type_, value, node)
                name = reading.text(child.child_by_field_name("bound_identifier")) if child is not None else ""
                type_ = value = None
            elif child.type == "type_annotation":
                type_ = child
            elif child.type not in ("modifiers", "value_binding_pattern", "computed_property", "willset_didset_block"):
                value = child
        if computed and index is not None:
            annotation = child_of(node, "type_annotation")
            if annotation is not None:
                self.declare_result(index, annotation)
            reading.flag(index, PROPERTY)
            reading.enter(node, FUNCTION_SCOPE, index)

    def alias(self, node: Node, index: int) -> None:
        """`typealias X = Y`."""
        self._hide(index)
        types = children_of(node, *_TYPES)
        if types:
            type_ = self.type(types[-1])
            if type_ != self.facts.unknown:
                self.reading.result(index, type_)

    # Statements that bind names

    def conditions(self, reading: Reading, node: Node) -> None:
        """`if let a = b, let c = d as? E`: what is bound is no longer optional."""
        name: Node | None = None
        bound = False
        for child in node.children:
            field_is_name = child.type == "simple_identifier" and bound and name is None
            if child.type == "value_binding_pattern":
                bound, name = True, None
            elif field_is_name:
                name = child
            elif child.type == "type_annotation" and name is not None:
                self.declare(reading.text(name), child, None, child)
                bound, name = False, None
            elif child.is_named and name is not None and child.type != "statements":
                if bound:
                    self.facts.bind(reading.scope, reading.text(name), self.value(child), reading.after(child))
                bound, name = False, None
            elif child.type in (",", "{"):
                bound, name = False, None

    def loop(self, reading: Reading, node: Node) -> None:
        """`for item in items`."""
        collection = node.child_by_field_name("collection")
        item = node.child_by_field_name("item")
        name = item.child_by_field_name("bound_identifier") if item is not None else None
        if collection is not None and name is not None:
            value = self.facts.expression(ELEMENT, self.value(collection))
            self.facts.bind(reading.scope, reading.text(name), value, reading.after(collection))

    def closure(self, reading: Reading, node: Node) -> None:
        """A closure's parameters are names of its own."""
        reading.enter_block(node)
        head = node.child_by_field_name("type")
        parameters = child_of(head, "lambda_function_type_parameters") if head is not None else None
        for parameter in children_of(parameters, "lambda_parameter") if parameters is not None else ():
            name = reading.text(parameter.child_by_field_name("name") or first(parameter))
            self.declare(name, child_of(parameter, *_TYPES), None, parameter)

    def pattern_names(self, reading: Reading, node: Node) -> None:
        """`case .some(let x)`: x is nothing of outside."""
        reading.enter_block(node)
        queue = children_of(node, "switch_pattern")
        while queue:
            pattern = queue.pop()
            bound = pattern.child_by_field_name("bound_identifier")
            if bound is not None:
                self.unknown_names([reading.text(bound)], pattern)
            queue.extend(children_of(pattern, "pattern"))

    def caught(self, reading: Reading, node: Node) -> None:
        """`catch { … }` brings `error`."""
        reading.enter_block(node)
        self.unknown_names(["error"], node)

    def imported(self, reading: Reading, node: Node) -> None:
        """`import Foundation`; of a target of the root there is no one file to point at."""
        name = reading.text(child_of(node, "identifier"))
        if name:
            self.facts.imported(reading.line(node), name)


def rules(language: str) -> Rules:
    """The rules of Swift."""
    return Rules(
        family="swift",
        reader=SwiftReader,
        labelled=by_labels,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        untyped=frozenset({"Any"}),
        constructors=("init",),
    )
