"""PHP: namespaces, use statements, traits, promoted constructor parameters. Variables keep their dollar sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import ELEMENT, IMPLEMENTS, INHERITS, ITEM, MODULE, SELF, SELF_TYPE, SUPER
from sightline.languages.packages import package_module
from sightline.languages.php.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_PREFIX = "php:"
_NAMES = ("name", "qualified_name", "relative_name")


class PhpReader(Reader):
    """Reads one PHP file."""

    names = frozenset({"name"})
    calls: ClassVar[Mapping[str, str]] = {"function_call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
    }
    transparent = frozenset({"parenthesized_expression", "clone_expression"})
    literals: ClassVar[Mapping[str, str]] = {
        "string": "string",
        "encapsed_string": "string",
        "heredoc": "string",
        "integer": "int",
        "float": "float",
        "boolean": "bool",
        "array_creation_expression": "array",
        "anonymous_function": "Closure",
        "arrow_function": "Closure",
        "binary_expression": "value",
    }
    self_types = frozenset({"self", "static"})
    type_names = frozenset({"name"})
    steps: ClassVar[Mapping[str, str]] = {
        "namespace_definition": "namespace",
        "namespace_use_declaration": "used",
        "use_declaration": "traits",
        "function_call_expression": "call",
        "member_call_expression": "method_call",
        "nullsafe_member_call_expression": "method_call",
        "scoped_call_expression": "method_call",
        "object_creation_expression": "created",
        "property_declaration": "property",
        "assignment_expression": "assigned",
        "foreach_statement": "loop",
        "catch_clause": "caught",
        "anonymous_function": "closure",
        "arrow_function": "closure",
        "return_statement": "returned",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.aliases: dict[str, list[str]] = {}  # first part of a relative name → what a use statement says it is

    def namespace(self, reading: Reading, node: Node) -> None:
        """The namespace of the file; in one that has several, the first counts."""
        name = reading.field(node, "name").replace("\\", ".")
        if self.facts.space == _PREFIX and name:
            self.facts.space = _PREFIX + name

    # Names

    def path(self, text: str) -> int:
        """`\\A\\B`, `Alias\\B` and `B\\C`."""
        facts = self.facts
        parts = [part for part in text.split("\\") if part]
        if text.startswith("\\"):
            full = parts
        elif parts and parts[0] in self.aliases:
            full = [*self.aliases[parts[0]], *parts[1:]]
        else:
            here = facts.space.removeprefix(_PREFIX)
            full = [*(here.split(".") if here else []), *parts]
        if not full:
            return facts.unknown
        return facts.attribute(facts.expression(MODULE, facts.name(".".join(full[:-1]))), full[-1])

    def class_named(self, node: Node | None) -> int:
        """A class as it is written in an expression or a type."""
        if node is None:
            return self.facts.unknown
        text = self.reading.text(node)
        if node.type == "relative_scope":
            return self.facts.expression(SUPER if text == "parent" else SELF_TYPE)
        if node.type in _NAMES:
            return self.path(text) if "\\" in text else self.type_name(text)
        return self.value(node)

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`$x`, `new T`, `a()->b()`, `A::b()`, `$x[0]`."""
        facts = self.facts
        if kind == "variable_name":
            text = self.reading.text(node)
            return facts.expression(SELF) if text == "$this" else facts.expression(0, facts.name(text))
        if kind == "qualified_name":
            return self.path(self.reading.text(node))
        if kind in ("member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"):
            return facts.expression(2, self._method(node, depth))
        if kind == "object_creation_expression":
            return self.instance(self.class_named(child_of(node, *_NAMES)))
        if kind == "subscript_expression":
            return facts.expression(ITEM, self.value(first(node), depth))
        if kind == "assignment_expression":
            return self.value(node.child_by_field_name("right"), depth)
        if kind == "conditional_expression":
            parts = [node.child_by_field_name(name) for name in ("body", "alternative")]
            return facts.union([self.value(part, depth) for part in parts])
        return super().compound(node, kind, depth)

    def _method(self, node: Node, depth: int) -> int:
        scope = node.child_by_field_name("scope")
        holder = node.child_by_field_name("object")
        value = self.class_named(scope) if scope is not None else self.value(holder, depth)
        named = node.child_by_field_name("name")
        if named is None or named.type != "name":
            return self.facts.unknown
        return self.facts.attribute(value, self.reading.text(named))

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`?T`, `A|B`."""
        if kind == "qualified_name":
            return self.path(self.reading.text(node))
        if kind in ("union_type", "intersection_type", "type_list", "disjunctive_normal_form_type"):
            return self.facts.union([self.type(child, depth) for child in node.named_children])
        if kind == "primitive_type":
            text = self.reading.text(node)
            return self.facts.unknown if text == "null" else self.type_name(text)
        return self.type(first(node), depth)

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """`extends`, `implements`."""
        for clause in children_of(node, "base_clause", "class_interface_clause"):
            role = INHERITS if clause.type == "base_clause" else IMPLEMENTS
            for base in children_of(clause, *_NAMES):
                self.reading.base(index, self.class_named(base), role, self.reading.line(base))

    def traits(self, reading: Reading, node: Node) -> None:
        """`use Trait;` inside a class brings the trait's members."""
        scope = reading.class_scope()
        if scope >= 0:
            for base in children_of(node, *_NAMES):
                reading.base(self.facts.scopes[scope].definition, self.class_named(base), INHERITS, reading.line(base))

    def parameters(self, node: Node, index: int) -> None:
        """Parameters; a promoted one is a field as well."""
        listed = node.child_by_field_name("parameters")
        for parameter in listed.named_children if listed is not None else ():
            name, type_ = self.reading.field(parameter, "name"), parameter.child_by_field_name("type")
            if not name:
                continue
            self.parameter(index, name, type_, parameter)
            scope = self.reading.class_scope()
            if parameter.type == "property_promotion_parameter" and scope >= 0 and type_ is not None:
                self._field(scope, name, self.instance(self.type(type_)), parameter, 1)

    def _field(self, scope: int, name: str, value: int, node: Node, flags: int) -> None:
        self.facts.bind(
            scope, name.lstrip("$"), value, self.reading.at(node), flags=flags, evaluated_in=self.reading.scope
        )

    def property(self, reading: Reading, node: Node) -> None:
        """A field with its type."""
        type_ = node.child_by_field_name("type")
        for element in children_of(node, "property_element"):
            name = reading.text(element.child_by_field_name("name") or first(element)).lstrip("$")
            self.declare(name, type_, element.child_by_field_name("default_value"), element)

    def assigned(self, reading: Reading, node: Node) -> None:
        """`$x = v`, `$this->x = v`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        if left.type == "variable_name":
            self.facts.bind(reading.scope, reading.text(left), self.value(right), reading.after(node))
        elif left.type == "member_access_expression" and reading.field(left, "object") == "$this":
            scope = reading.class_scope()
            if scope >= 0:
                self._field(scope, reading.field(left, "name"), self.value(right), node, 0)

    def loop(self, reading: Reading, node: Node) -> None:
        """`foreach ($xs as $k => $x)`."""
        parts = [child for child in node.named_children if child.type != "compound_statement"]
        if len(parts) < 2:
            return
        target = parts[1]
        if target.type == "pair":
            target = target.named_children[-1]
        if target.type == "variable_name":
            value = self.facts.expression(ELEMENT, self.value(parts[0]))
            self.facts.bind(reading.scope, reading.text(target), value, reading.after(target))

    def caught(self, reading: Reading, node: Node) -> None:
        """`catch (T $e)`."""
        self.declare(reading.field(node, "name"), node.child_by_field_name("type"), None, node)

    def closure(self, reading: Reading, node: Node) -> None:
        """An anonymous function's parameters are names of its own."""
        reading.enter_block(node)
        listed = node.child_by_field_name("parameters")
        for parameter in listed.named_children if listed is not None else ():
            self.declare(reading.field(parameter, "name"), parameter.child_by_field_name("type"), None, parameter)

    def returned(self, reading: Reading, node: Node) -> None:
        """What a function gives."""
        reading.returned(self.value(first(node)), reading.at(node))

    # Sites and imports

    def method_call(self, reading: Reading, node: Node) -> None:
        """`$a->b()`, `A::b()`."""
        value, named = self._method(node, 0), node.child_by_field_name("name")
        if value != self.facts.unknown and named is not None:
            self.facts.site(reading.scope, value, self.argument_count(node), reading.at(named))

    def created(self, reading: Reading, node: Node) -> None:
        """`new T()`."""
        written = child_of(node, *_NAMES)
        if written is not None:
            self.facts.site(reading.scope, self.class_named(written), -1, reading.at(written), 1)

    def used(self, reading: Reading, node: Node) -> None:
        """`use A\\B\\C as D;`, `use A\\{B, C};`."""
        body = node.child_by_field_name("body")
        prefix = reading.text(child_of(node, "namespace_name")).split("\\") if body is not None else []
        for clause in children_of(body if body is not None else node, "namespace_use_clause"):
            written = child_of(clause, *_NAMES)
            parts = [*prefix, *[p for p in reading.text(written).split("\\") if p]]
            if not parts:
                continue
            alias = reading.field(clause, "alias") or parts[-1]
            self.aliases[alias] = parts
            space = ".".join(parts[:-1])
            package = self.facts.expression(MODULE, self.facts.name(space))
            self.bind_import(alias, self.facts.attribute(package, parts[-1]), node)
            self.facts.imported(reading.line(clause), space, [parts[-1]])


def read(reading: Reading) -> None:
    """State the facts of a PHP file."""
    reading.facts.space = _PREFIX
    reader = PhpReader(reading)
    reader.read()
    if reading.facts.space != _PREFIX:  # functions of the global namespace are visible everywhere
        reader.star(reading.facts.expression(MODULE, reading.facts.name("")))


def rules(language: str) -> Rules:
    """The rules of PHP."""
    return Rules(
        family="php",
        special=SpecialMembers(called="__invoke"),
        read=read,
        module=package_module(_PREFIX),
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        imports_objects=True,
    )
