"""Dart: libraries, mixins, extensions. A chain `a.b(c).d` is a primary and its selectors, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.dart.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.facts import (
    CALL,
    ELEMENT,
    FUNCTION_SCOPE,
    IMPLEMENTS,
    INHERITS,
    ITEM,
    LITERAL,
    NEW_SITE,
    PROPERTY,
    SELF,
    SUPER,
)
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, child_of, children_of, count, first
from sightline.languages.rows import HANDED_ON, OWN, SHARED
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_SELECTORS = frozenset({"selector", "unconditional_assignable_selector", "conditional_assignable_selector"})
_TYPES = ("type_identifier", "function_type", "void_type", "record_type")


class DartReader(Reader):
    """Reads one Dart file."""

    names = frozenset({"identifier"})
    self_types = frozenset()
    wrappers = frozenset({"Future", "FutureOr"})
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "String",
        "decimal_integer_literal": "int",
        "decimal_floating_point_literal": "double",
        "true": "bool",
        "false": "bool",
        "list_literal": "List",
        "set_or_map_literal": "Map",
        "function_expression": "Function",
    }
    steps: ClassVar[Mapping[str, str]] = {
        "import_or_export": "imported",
        "part_directive": "part",
        "part_of_directive": "part",
        "extension_declaration": "extended",
        "selector": "selected",
        "cascade_section": "cascaded",
        "new_expression": "created",
        "const_object_expression": "created",
        "initialized_variable_definition": "variable",
        "initialized_identifier": "field",
        "for_loop_parts": "loop",
        "function_expression": "closure",
        "declaration": "declaration",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self._chains: dict[int, int] = {}  # node id → the value of the chain that ends with it

    # Values and types

    def chain(self, nodes: Sequence[Node], depth: int = 0) -> int:
        """The value of a primary and the selectors behind it."""
        if not nodes or depth > 8:
            return self.facts.unknown
        value = self.value(nodes[0], depth + 1)
        for node in nodes[1:]:
            value = self._select(value, node)
        return value

    def _chain_to(self, last: Node | None) -> int:
        """The value of the chain that ends with a node; most of a long one has been read with what came before."""
        behind: list[Node] = []  # the nodes after the one whose value is known, last first
        value = None
        while last is not None:
            value = self._chains.get(last.id)
            if value is None and last.type not in _SELECTORS and last.type != "cascade_section":
                value = self._chains[last.id] = self.chain([last])
            if value is not None:
                break
            behind.append(last)
            last = last.prev_named_sibling
        if value is None:  # what it begins with could not be read
            value = self.chain(behind[-1:])
            behind = behind[:-1]
        for node in reversed(behind):
            value = self._chains[node.id] = self._select(value, node)
        return value

    def _select(self, value: int, node: Node) -> int:
        facts = self.facts
        inner = first(node) if node.type == "selector" else node
        if inner is None or node.type == "cascade_section":
            return value
        if inner.type == "argument_part":
            return facts.unknown if value == facts.unknown else facts.expression(CALL, value)
        named = child_of(inner, "identifier")
        if inner.type in _SELECTORS and named is not None:
            return facts.attribute(value, self.reading.text(named))
        if inner.type in _SELECTORS and child_of(inner, "index_selector") is not None:
            return facts.expression(ITEM, value)
        return value

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`this`, `super`, `x as T`, `new T()`, `await x`."""
        if kind == "this":
            return self.facts.expression(SELF)
        if kind == "super":
            return self.facts.expression(SUPER)
        if kind == "type_cast_expression":
            cast = child_of(node, "type_cast")
            return self.instance(self.type(child_of(cast, *_TYPES))) if cast is not None else self.facts.unknown
        if kind in ("new_expression", "const_object_expression"):
            return self.instance(self.type(child_of(node, "type_identifier")))
        if kind in ("await_expression", "parenthesized_expression", "unary_expression"):
            return self.chain([c for c in node.named_children if c.type != "await"], depth)
        return super().compound(node, kind, depth)

    def type_in(self, nodes: Sequence[Node]) -> int:
        """A type and its type arguments, side by side."""
        for place, node in enumerate(nodes):
            if node.type == "type_identifier":
                name = self.reading.text(node)
                behind = nodes[place + 1] if place + 1 < len(nodes) else None
                given: list[int] = []
                if behind is not None and behind.type == "type_arguments":
                    given = [self.type_in([c]) for c in behind.named_children if c.type == "type_identifier"]
                return self.generic(self.type_name(name), name, given)
        return self.facts.unknown

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """`extends`, `with`, `implements`, `on`."""
        for clause in (node, *node.named_children):
            role = IMPLEMENTS if clause.type == "interfaces" else INHERITS
            if clause.type in ("superclass", "interfaces", "mixins") or clause.type == "mixin_declaration":
                for base in children_of(clause, "type_identifier"):
                    self.reading.base(index, self.type(base), role, self.reading.line(base))
                mixins = child_of(clause, "mixins")
                for base in children_of(mixins, "type_identifier") if mixins is not None else ():
                    self.reading.base(index, self.type(base), INHERITS, self.reading.line(base))

    def open_function(self, node: Node, index: int) -> None:
        """A signature; its body is its next sibling."""
        reading = self.reading
        defined = reading.outlined[index - 1]
        inner: Node = node
        while inner.type in ("method_signature", "declaration", "local_function_declaration", "lambda_expression"):
            found = next(
                (c for c in inner.named_children if c.type.endswith(("_signature", "lambda_expression"))), None
            )
            if found is None:
                break
            inner = found
        named = inner.child_by_field_name("name")
        before = [c for c in inner.named_children if named is None or c.start_byte < named.start_byte]
        type_ = self.type_in(before) if "constructor" not in inner.type else self.facts.unknown
        if type_ != self.facts.unknown:
            reading.result(index, type_)
        self.use(index, reading.line(node))
        if inner.type == "getter_signature":
            reading.flag(index, PROPERTY)
        reading.enter(node, FUNCTION_SCOPE, index, defined.rest[-1] if defined.rest else None)
        self._parameters(child_of(inner, "formal_parameter_list"), index)

    def _parameters(self, listed: Node | None, index: int) -> None:
        queue = list(listed.named_children) if listed is not None else []
        while queue:
            parameter = queue.pop(0)
            if parameter.type == "optional_formal_parameters":
                queue.extend(parameter.named_children)
            elif parameter.type == "formal_parameter":
                named = parameter.child_by_field_name("name") or child_of(parameter, "identifier")
                name, type_ = self.reading.text(named), self.type_in(parameter.named_children)
                known = type_ != self.facts.unknown
                if index:
                    self.reading.parameter(index, name or "_", type_ if known else -1)
                if name:
                    value = self.instance(type_) if known else self.facts.unknown
                    self.facts.bind(self.reading.scope, name, value, self.reading.at(parameter), flags=8 | known)

    def extended(self, reading: Reading, node: Node) -> None:
        """`extension E on T`."""
        type_ = node.child_by_field_name("class")
        name = reading.text(type_).partition("<")[0]
        self.extension(node, name or "?", self.type(type_))

    def declaration(self, reading: Reading, node: Node) -> None:
        """A constructor or abstract method; fields are read by their names."""
        if node.id in reading.definitions:
            self.definition(reading, node)

    def constant(self, node: Node, index: int) -> None:
        """A constant with its value."""
        name = self.reading.outlined[index - 1].name
        self.facts.bind(self.reading.scope, name, self.chain(node.named_children[1:]), self.reading.after(node))

    def field(self, reading: Reading, node: Node) -> None:
        """`T a = v, b;` in a class: the type stands before the list."""
        listed = node.parent
        around = listed.parent if listed is not None else None
        before = (
            [c for c in around.named_children if listed is not None and c.start_byte < listed.start_byte]
            if around
            else []
        )
        self._bind(node.named_children[:1], self.type_in(before), node.named_children[1:], node)

    def variable(self, reading: Reading, node: Node) -> None:
        """`T a = v` in a function."""
        named = node.child_by_field_name("name")
        before = [c for c in node.named_children if named is not None and c.start_byte < named.start_byte]
        self._bind(
            [named] if named is not None else [], self.type_in(before), node.children_by_field_name("value"), node
        )

    def _bind(self, named: Sequence[Node], type_: int, value: Sequence[Node], node: Node) -> None:
        reading = self.reading
        name = reading.text(named[0]) if named else ""
        if not name:
            return
        if type_ != self.facts.unknown:
            self.use(reading.definition(), reading.line(node), type_)
            self.facts.bind(reading.scope, name, self.instance(type_), reading.after(node), flags=1)
        else:
            self.facts.bind(reading.scope, name, self.chain(value), reading.after(node))

    def loop(self, reading: Reading, node: Node) -> None:
        """`for (final x in xs)`."""
        named = node.child_by_field_name("name")
        values = node.children_by_field_name("value")
        if named is not None and values:
            element = self.facts.expression(ELEMENT, self.chain(values))
            self.facts.bind(reading.scope, reading.text(named), element, reading.after(named))

    def closure(self, reading: Reading, node: Node) -> None:
        """A function's parameters are names of its own."""
        reading.enter_block(node)
        self._parameters(node.child_by_field_name("parameters"), 0)

    # Sites

    def selected(self, reading: Reading, node: Node) -> None:
        """`(…)` behind a chain calls what stands before it."""
        part = first(node)
        if part is None or part.type != "argument_part":
            return
        before = node.prev_named_sibling
        callee = self._chain_to(before)
        if before is not None and callee != self.facts.unknown and self.facts.expressions[callee][0] != LITERAL:
            arguments = child_of(part, "arguments")
            given = count(arguments) if arguments is not None else -1
            self.facts.site(reading.scope, callee, given, reading.at(before))

    def cascaded(self, reading: Reading, node: Node) -> None:
        """`x..f()`."""
        selector = child_of(node, "cascade_selector")
        named = first(selector)
        if named is not None and named.type == "identifier" and child_of(node, "argument_part") is not None:
            callee = self.facts.attribute(self._chain_to(node.prev_named_sibling), reading.text(named))
            self.facts.site(reading.scope, callee, -1, reading.at(named))

    def created(self, reading: Reading, node: Node) -> None:
        """`new T()`."""
        written = child_of(node, "type_identifier")
        if written is not None:
            self.facts.site(reading.scope, self.type(written), -1, reading.at(written), NEW_SITE)

    # Imports

    def imported(self, reading: Reading, node: Node) -> None:
        """`import 'a.dart' as b show c;`, `export 'a.dart';`."""
        library = first(node)
        if library is None:
            return
        written = library
        if library.type == "library_import":
            written = child_of(library, "import_specification") or library
        uri = reading.text(child_of(written, "configurable_uri", "uri")).strip("\"'")
        if not uri:
            return
        module = self.import_module(node, uri)
        alias = child_of(written, "identifier")
        if library.type == "library_export":
            self.star(module, HANDED_ON)
        elif alias is not None:
            self.bind_import(reading.text(alias), module, node)
        else:
            shown = [c for c in children_of(written, "combinator") if reading.text(c).startswith("show")]
            for name in (n for c in shown for n in children_of(c, "identifier")):
                text = reading.text(name)
                self.bind_import(text, self.facts.attribute(module, text), node)
            if not shown:
                self.star(module, OWN)

    def part(self, reading: Reading, node: Node) -> None:
        """A library and its parts see each other."""
        uri = reading.text(child_of(node, "uri")).strip("\"'")
        if uri:
            self.star(self.import_module(node, uri), SHARED)


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that a uri names."""
    if spec.startswith("dart:"):
        return None
    if spec.startswith("package:"):
        package, _, path = spec.removeprefix("package:").partition("/")
        return nearest_file(view, "dart", facts.path, (f"{package}/lib/{path}", f"lib/{path}"))
    return relative_file(view, facts.path, spec)


def rules(language: str) -> Rules:
    """The rules of Dart."""
    return Rules(
        stars_bring_definitions=True,
        family="dart",
        reader=DartReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
    )
