"""PHP: namespaces, use statements, traits, promoted constructor parameters, and what comments say of types. Variables
keep their dollar sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CONTAINER,
    DECLARED,
    ELEMENT,
    GENERIC,
    IMPLEMENTS,
    INHERITS,
    ITEM,
    LIMITED,
    MODULE,
    SELF,
    SELF_TYPE,
    SUPER,
)
from sightline.languages.packages import package_module
from sightline.languages.php.docblocks import ARRAY, Documented, Types, documented
from sightline.languages.php.library import BUILTINS, COMMON_MEMBERS, SAME_ARRAY, VALUE_OF_ARRAY
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_PREFIX = "php:"
_NAMES = ("name", "qualified_name", "relative_name")
_NOTHING_SAID = Documented()
_VAGUE = frozenset({"array", "iterable", "mixed", "object"})  # types that a comment says more about
_LEAVING = frozenset({"return_statement", "continue_statement", "break_statement", "throw_expression"})
_ARMS = ("match_conditional_expression", "match_default_expression")
_MAX_BETWEEN = 200  # bytes between a comment and what it is about
_MAX_ELEMENTS = 16  # of an array that are looked at
_MAX_CONDITIONS = 8  # joined by `&&`


class PhpReader(Reader):
    """Reads one PHP file."""

    space = _PREFIX
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
        "anonymous_function": "Closure",
        "arrow_function": "Closure",
        "binary_expression": "value",
    }
    around = frozenset({"compound_statement", "case_statement", "default_statement"})
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
        "if_statement": "condition",
        "else_if_clause": "condition",
        "enum_case": "enum_case",
        "comment": "comment",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        facts = self.facts
        self.said, self.comment_end = _NOTHING_SAID, -1  # by the last comment, and where that ends
        self.types = Types(self.class_called, self._holding, facts.union, facts.unknown)
        self.aliases: dict[str, list[str]] = {}  # first part of a relative name → what a use statement says it is

    def read(self) -> None:
        """State the facts of the file; functions of the global namespace are visible everywhere."""
        super().read()
        if self.facts.space != _PREFIX:
            self.star(self.facts.expression(MODULE, self.facts.name("")))

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

    def class_called(self, text: str) -> int:
        """A class by its name as it is written."""
        return self.path(text) if "\\" in text else self.type_name(text)

    def _holding(self, outer: str, held: int) -> int:
        """An array or another collection of something."""
        facts = self.facts
        return facts.expression(GENERIC, self.class_called(outer), held)

    def class_named(self, node: Node | None) -> int:
        """A class as it is written in an expression or a type."""
        if node is None:
            return self.facts.unknown
        text = self.reading.text(node)
        if node.type == "relative_scope":
            return self.facts.expression(SUPER if text == "parent" else SELF_TYPE)
        if node.type in _NAMES:
            return self.class_called(text)
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
            chosen = "condition" if node.child_by_field_name("body") is None else "body"  # `$a ?: $b`
            parts = [node.child_by_field_name(name) for name in (chosen, "alternative")]
            return facts.union([self.value(part, depth) for part in parts])
        if kind == "binary_expression" and self.reading.field(node, "operator") == "??":
            return facts.union([self.value(node.child_by_field_name(side), depth) for side in ("left", "right")])
        if kind == "match_expression":
            arms = children_of(node.child_by_field_name("body") or node, *_ARMS)
            return facts.union([self.value(arm.child_by_field_name("return_expression"), depth) for arm in arms])
        if kind == "function_call_expression":
            known = self._of_array(node, depth)
            if known is not None:
                return known
        if kind == "array_creation_expression":
            return self._array(node, depth)
        if kind == "scoped_property_access_expression":
            held = self.class_named(node.child_by_field_name("scope"))
            return facts.attribute(held, self.reading.field(node, "name").lstrip("$"))
        if kind == "class_constant_access_expression" and node.named_child_count == 2:
            return facts.attribute(self.class_named(node.named_child(0)), self.reading.text(node.named_child(1)))
        return super().compound(node, kind, depth)

    def _of_array(self, node: Node, depth: int) -> int | None:
        """What functions of arrays give: an array of the same, or one of its values."""
        name = self.reading.field(node, "function").lstrip("\\")
        if name not in SAME_ARRAY and name not in VALUE_OF_ARRAY:
            return None
        given = self.value(first(first(node.child_by_field_name("arguments"))), depth)
        return given if name in SAME_ARRAY else self.facts.expression(ITEM, given)

    def _array(self, node: Node, depth: int) -> int:
        """`[new A, 'b' => new B]`."""
        held = []
        for element in children_of(node, "array_element_initializer")[:_MAX_ELEMENTS]:
            held.append(self.value(element.named_child(element.named_child_count - 1), depth))
        return self._array_of(self.facts.union(held))

    def _array_of(self, held: int) -> int:
        return self.facts.expression(
            CONTAINER, self.facts.name(ARRAY), *(() if held == self.facts.unknown else (held,))
        )

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

    def said_of(self, node: Node) -> Documented:
        """What the comment before a node says."""
        start = node.start_byte
        if self.comment_end < 0 or start - self.comment_end > _MAX_BETWEEN:
            return _NOTHING_SAID
        between = self.reading.source[self.comment_end : start]
        return self.said if not between or between.isspace() else _NOTHING_SAID

    def _is_vague(self, type_: Node | None) -> bool:
        return type_ is None or self.reading.text(type_).lstrip("?").lower() in _VAGUE

    def results(self, node: Node, index: int) -> None:
        """The result, by its type or by the comment."""
        said = self.said_of(node).result
        if said >= 0 and self._is_vague(node.child_by_field_name("return_type")):
            self.reading.result(index, said)
        else:
            super().results(node, index)

    def parameters(self, node: Node, index: int) -> None:
        """Parameters; a promoted one is a field as well."""
        listed, said = node.child_by_field_name("parameters"), self.said_of(node).parameters
        for parameter in listed.named_children if listed is not None else ():
            name, type_ = self.reading.field(parameter, "name"), parameter.child_by_field_name("type")
            if not name:
                continue
            declared = said[name] if name in said and self._is_vague(type_) else self.type(type_)
            self.parameter_of(index, name, declared, parameter)
            scope = self.reading.class_scope()
            if parameter.type == "property_promotion_parameter" and scope >= 0 and declared != self.facts.unknown:
                self._field(scope, name, self.instance(declared), parameter, DECLARED)

    def _field(self, scope: int, name: str, value: int, node: Node, flags: int) -> None:
        self.facts.bind(
            scope, name.lstrip("$"), value, self.reading.at(node), flags=flags, evaluated_in=self.reading.scope
        )

    def property(self, reading: Reading, node: Node) -> None:
        """A field with its type."""
        type_, said = node.child_by_field_name("type"), self.said_of(node).var
        for element in children_of(node, "property_element"):
            name = reading.text(element.child_by_field_name("name") or first(element)).lstrip("$")
            if said >= 0 and self._is_vague(type_):
                self.facts.bind(reading.scope, name, self.instance(said), reading.after(element), flags=DECLARED)
            else:
                self.declare(name, type_, element.child_by_field_name("default_value"), element)

    def assigned(self, reading: Reading, node: Node) -> None:
        """`$x = v`, `$this->x = v`, `self::$x = v`, `$this->x[] = v`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        if left.type == "variable_name":
            said = self.said_of(node).var
            value = self.instance(said) if said >= 0 else self.value(right)
            until = reading.after(reading.inside) if reading.inside is not None else 0
            self.facts.bind(reading.scope, reading.text(left), value, reading.after(node), until=until)
            return
        element = left.type == "subscript_expression"
        held = first(left) if element else left
        scope = reading.class_scope()
        if held is not None and scope >= 0 and self._is_own(held):
            value = self._array_of(self.value(right)) if element else self.value(right)
            self._field(scope, reading.field(held, "name"), value, node, 0)

    def _is_own(self, node: Node) -> bool:
        """Is this a field of the class around?"""
        if node.type == "member_access_expression":
            return self.reading.field(node, "object") == "$this"
        return node.type == "scoped_property_access_expression" and self.reading.field(node, "scope") != "parent"

    def comment(self, reading: Reading, node: Node) -> None:
        """What a comment says belongs to what follows it; `/** @var T $x */` may also stand alone."""
        text = reading.source[node.start_byte : node.end_byte]
        self.comment_end = -1
        if not text.startswith(b"/**") or b"@" not in text:
            return
        self.said, self.comment_end = documented(text.decode("utf-8", "replace"), self.types), node.end_byte
        if self.said.variable:
            self.facts.bind(reading.scope, self.said.variable, self.instance(self.said.var), reading.after(node))

    def enum_case(self, reading: Reading, node: Node) -> None:
        """A case is an instance of its enum."""
        value = self.instance(self.facts.expression(SELF_TYPE))
        self.facts.bind(reading.scope, reading.field(node, "name"), value, reading.at(node))

    def condition(self, reading: Reading, node: Node) -> None:
        """`if ($x instanceof T && …)` narrows $x inside; `if (!$x instanceof T) { return; }` behind."""
        condition, body = first(node.child_by_field_name("condition")), node.child_by_field_name("body")
        if condition is None or body is None:
            return
        if condition.type == "unary_op_expression" and condition.child_count and condition.children[0].type == "!":
            block, inner = node.parent, condition.child_by_field_name("argument")
            while inner is not None and inner.type == "parenthesized_expression":
                inner = first(inner)
            if inner is not None and block is not None and node.type == "if_statement" and self._leaves(body):
                self._narrow(inner, body, block)
            return
        parts = [condition]
        for _ in range(_MAX_CONDITIONS):
            if parts[-1].type != "binary_expression" or reading.field(parts[-1], "operator") not in ("&&", "and"):
                break
            both = parts.pop()
            sides = (both.child_by_field_name("right"), both.child_by_field_name("left"))
            parts += [side for side in sides if side is not None]
        for part in parts:
            self._narrow(part, part, body)

    def _leaves(self, body: Node) -> bool:
        """Does nothing go on behind this block?"""
        last = body.named_children[-1] if body.type == "compound_statement" and body.named_child_count else body
        inner = first(last) if last.type == "expression_statement" else last
        return inner is not None and inner.type in _LEAVING

    def _narrow(self, tested: Node, after: Node, until: Node) -> None:
        reading = self.reading
        if tested.type != "binary_expression" or reading.field(tested, "operator") != "instanceof":
            return
        named, type_ = tested.child_by_field_name("left"), tested.child_by_field_name("right")
        if named is None or type_ is None or named.type != "variable_name" or type_.type not in _NAMES:
            return
        value, start, end = self.instance(self.class_named(type_)), reading.after(after), reading.after(until)
        if value != self.facts.unknown and reading.text(named) != "$this":
            self.facts.bind(reading.scope, reading.text(named), value, start, until=end, flags=LIMITED)

    def loop(self, reading: Reading, node: Node) -> None:
        """`foreach ($xs as $k => $x)`."""
        parts = [child for child in node.named_children if child.type != "compound_statement"]
        if len(parts) < 2:
            return
        target = parts[1]
        if target.type == "pair":
            target = target.named_children[-1]
        if target.type == "variable_name":
            said = self.said_of(node)
            documented = said.var >= 0 and said.variable == reading.text(target)
            value = self.instance(said.var) if documented else self.facts.expression(ELEMENT, self.value(parts[0]))
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
        if value == self.facts.unknown or named is None:
            return
        if _is_reference(node):
            self.facts.register(reading.scope, value, reading.at(named), reading.text(named))
        else:
            self.facts.site(reading.scope, value, self.argument_count(node), reading.at(named))

    def called(self, node: Node, callee: Node) -> None:
        """`f()`; `f(...)` is the function itself."""
        if not _is_reference(node):
            super().called(node, callee)
        elif (value := self.value(callee)) != self.facts.unknown:
            self.facts.register(self.reading.scope, value, self.reading.at(callee), self.reading.text(callee))

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


def _is_reference(call: Node) -> bool:
    """`$this->f(...)`: not a call but the method as a value."""
    arguments = call.child_by_field_name("arguments")
    given = first(arguments)
    return given is not None and given.type == "variadic_placeholder"


def rules(language: str) -> Rules:
    """The rules of PHP."""
    return Rules(
        family="php",
        special=SpecialMembers(called="__invoke"),
        reader=PhpReader,
        module=package_module(_PREFIX),
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        imports_objects=True,
    )
