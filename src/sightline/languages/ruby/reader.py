"""Ruby: constants of the whole root, modules that are mixed in, calls without parentheses."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages import jobs
from sightline.languages.facts import CALL, CLASS_SCOPE, INHERITS, SELF, SELF_TYPE, SUPER
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, children_of, first
from sightline.languages.ruby.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

SPACE = "ruby:"  # constants are global once their file is loaded, and autoloaders load them all
_MIXINS = frozenset({"include", "extend", "prepend"})
_ATTRIBUTES = frozenset({"attr_reader", "attr_accessor"})
# Nodes whose children are values: a lone identifier there may be a call without parentheses.
_VALUES = (
    "body_statement", "block_body", "then", "else", "binary", "unary", "interpolation", "conditional",
    "parenthesized_statements",
)  # fmt: skip


class RubyReader(Reader):
    """Reads one Ruby file."""

    space = SPACE
    names = frozenset({"identifier", "constant"})
    literals: ClassVar[Mapping[str, str]] = {
        "string": "String",
        "symbol": "Symbol",
        "simple_symbol": "Symbol",
        "integer": "Integer",
        "float": "Float",
        "array": "Array",
        "hash": "Hash",
        "regex": "Regexp",
        "true": "TrueClass",
        "false": "FalseClass",
        "nil": "NilClass",
        "lambda": "Proc",
        "string_array": "Array",
        "symbol_array": "Array",
        "heredoc_beginning": "String",
        "binary": "value",
    }
    transparent = frozenset({"parenthesized_statements", "rescue_modifier"})
    self_types = frozenset()
    passing = frozenset({"tap", "dup", "freeze", "clone", "compact", "sort", "reverse", "select", "reject"})
    steps: ClassVar[Mapping[str, str]] = {
        "call": "call",
        "super": "super_call",
        **dict.fromkeys(_VALUES, "bare"),
        **dict.fromkeys(("if", "unless", "if_modifier", "unless_modifier"), "condition"),
        "assignment": "assigned",
        "operator_assignment": "assigned",
        "block": "closure",
        "do_block": "closure",
        "lambda": "closure",
        "rescue": "rescued",
        "return": "returned",
    }

    # Values

    def name(self, text: str) -> int:
        """A bare name; one in camel case is a class or module, and lies outside when the root has none."""
        if text[:1].isupper() and not text.isupper():
            return self.type_name(text)
        return super().name(text)

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`A::B`, `@x`, `a.b`, `x || y`."""
        facts = self.facts
        if kind == "scope_resolution":
            scope = node.child_by_field_name("scope")
            name = self.reading.field(node, "name")
            return facts.attribute(self.value(scope, depth), name) if scope is not None else self.name(name)
        if kind in ("instance_variable", "class_variable"):
            return facts.attribute(facts.expression(SELF), self.reading.text(node))
        if kind == "call":
            return self._call_value(node, depth)
        if kind == "assignment":
            return self.value(node.child_by_field_name("right"), depth)
        return super().compound(node, kind, depth)

    def _call_value(self, node: Node, depth: int) -> int:
        facts = self.facts
        receiver, name = node.child_by_field_name("receiver"), self.reading.field(node, "method")
        if name == "new":
            made = self.value(receiver, depth) if receiver is not None else facts.expression(SELF_TYPE)
            return self.instance(made)
        if name in self.passing and receiver is not None:
            return self.value(receiver, depth)
        callee = self._callee(node, depth)
        return facts.unknown if callee == facts.unknown else facts.expression(CALL, callee)

    def _callee(self, node: Node, depth: int) -> int:
        receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        if method is None or method.type not in ("identifier", "constant"):
            return self.facts.unknown
        name = self.reading.text(method)
        return self.facts.attribute(self.value(receiver, depth), name) if receiver is not None else self.name(name)

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """`class A < B`."""
        clause = node.child_by_field_name("superclass")
        base = first(clause)
        if base is not None:
            self.reading.base(index, self.constant_type(base), INHERITS, self.reading.line(base))

    def constant_type(self, node: Node) -> int:
        """A constant that must be a class or module; one that is not found lies outside."""
        if node.type == "constant":
            return self.type_name(self.reading.text(node))
        return self.value(node)

    def parameters(self, node: Node, index: int) -> None:
        """Parameters have no types; the last value of the body is the result."""
        listed = node.child_by_field_name("parameters")
        for parameter in listed.named_children if listed is not None else ():
            name = self.reading.text(parameter if parameter.type == "identifier" else first(parameter))
            self.reading.parameter(index, name)
            self.unknown_names([name], parameter)
        body = node.child_by_field_name("body")
        last = body
        if body is not None and body.type == "body_statement":
            last = body.named_children[-1] if body.named_child_count else None
        if last is not None and last.type == "identifier" and self.reading.text(last) == "new":
            self.reading.returned(self.instance(self.facts.expression(SELF_TYPE)), self.reading.after(last))
        elif last is not None and last.type in ("call", "identifier", "constant", "instance_variable", "self"):
            self.reading.returned(self.value(last), self.reading.after(last))

    def assigned(self, reading: Reading, node: Node) -> None:
        """`x = v`, `@x = v`; a constant may be a class."""
        if node.id in reading.definitions:
            self.definition(reading, node)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        if right is not None and right.type == "identifier":
            self._bare(right)
        if left.type == "identifier":
            self.facts.bind(reading.scope, reading.text(left), self.value(right), reading.after(node))
        elif left.type in ("instance_variable", "class_variable"):
            scope = reading.class_scope()
            if scope >= 0:
                value = self.value(right)
                self.facts.bind(scope, reading.text(left), value, reading.at(node), evaluated_in=reading.scope)
        elif left.type == "left_assignment_list":
            self.unknown_names([reading.text(c) for c in children_of(left, "identifier")], node)

    def constant(self, node: Node, index: int) -> None:
        """A constant stands for its value; classes made by `Class.new` are types of their own."""
        right = node.child_by_field_name("right")
        if right is not None and right.type in ("constant", "scope_resolution"):
            self.facts.bind(self.reading.scope, self.reading.outlined[index - 1].name, self.value(right))

    def closure(self, reading: Reading, node: Node) -> None:
        """A block's parameters are names of its own."""
        reading.enter_block(node)
        listed = node.child_by_field_name("parameters")
        names = [
            p if p.type == "identifier" else first(p) for p in (listed.named_children if listed is not None else ())
        ]
        self.unknown_names([reading.text(name) for name in names], node)

    def rescued(self, reading: Reading, node: Node) -> None:
        """`rescue E => e`."""
        variable = node.child_by_field_name("variable")
        if variable is not None:
            self.unknown_names([reading.text(first(variable))], node)

    def returned(self, reading: Reading, node: Node) -> None:
        """`return v`."""
        value = first(first(node))
        if value is not None:
            reading.returned(self.value(value), reading.at(node))

    # Sites and imports

    def call(self, reading: Reading, node: Node) -> None:
        """A call; some of them declare something."""
        facts = self.facts
        receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        name = reading.text(method)
        if receiver is None:
            if name in ("require", "require_relative", "load"):
                self._required(node, name)
                return
            around = facts.scopes[reading.scope].kind
            if name in _MIXINS and around == CLASS_SCOPE:
                self._mixed_in(node)
                return
            if name in _ATTRIBUTES and around == CLASS_SCOPE:
                self._attributes(node)
                return
        if receiver is not None and receiver.type == "identifier":
            self._bare(receiver)
        if method is None:
            return
        if name == "new":
            made = self.value(receiver) if receiver is not None else facts.expression(SELF_TYPE)
            if made != facts.unknown:
                facts.site(reading.scope, made, self.argument_count(node), reading.at(method), 1)
            return
        callee = self._callee(node, 0)
        if callee != facts.unknown:
            facts.site(reading.scope, callee, self.argument_count(node), reading.at(method))

    def _arguments(self, node: Node) -> list[Node]:
        listed = node.child_by_field_name("arguments")
        return listed.named_children if listed is not None else []

    def _mixed_in(self, node: Node) -> None:
        scope = self.reading.class_scope()
        for argument in self._arguments(node):
            if argument.type in ("constant", "scope_resolution"):
                definition = self.facts.scopes[scope].definition
                self.reading.base(definition, self.constant_type(argument), INHERITS, self.reading.line(argument))

    def _attributes(self, node: Node) -> None:
        for argument in self._arguments(node):
            name = self.reading.text(argument).lstrip(":")
            value = self.facts.attribute(self.facts.expression(SELF), f"@{name}")
            self.facts.bind(self.reading.scope, name, value, self.reading.at(node))

    def _required(self, node: Node, word: str) -> None:
        arguments = self._arguments(node)
        content = first(arguments[0]) if arguments and arguments[0].type == "string" else None
        if content is not None and content.type == "string_content":
            path = self.reading.text(content)
            self.facts.imported(self.reading.line(node), f"./{path}" if word == "require_relative" else path)

    def super_call(self, reading: Reading, node: Node) -> None:
        """`super`: the method of the same name, further up."""
        function = reading.function_scope()
        if function >= 0:
            name = self.facts.definitions[self.facts.scopes[function].definition].name
            callee = self.facts.attribute(self.facts.expression(SUPER), name)
            self.facts.site(reading.scope, callee, -1, reading.at(node))

    def bare(self, reading: Reading, node: Node) -> None:
        """Lone names among the values of a node: calls, unless the resolver finds a variable of that name."""
        if reading.scope == reading.module_scope:
            return
        for child in node.named_children:
            if child.type == "identifier":
                self._bare(child)

    def condition(self, reading: Reading, node: Node) -> None:
        """`if ready`, `go if ready`."""
        for field in ("condition", "body"):
            part = node.child_by_field_name(field)
            if part is not None and part.type == "identifier":
                self._bare(part)

    def _bare(self, node: Node) -> None:
        if self.reading.text(node) == "new":
            made = self.facts.expression(SELF_TYPE)
            self.facts.site(self.reading.scope, made, 0, self.reading.at(node), 1)
            return
        self.facts.site(self.reading.scope, self.name(self.reading.text(node)), 0, self.reading.at(node))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that `require` names."""
    path = spec if spec.endswith(".rb") else f"{spec}.rb"
    if spec.startswith("./"):
        return relative_file(view, facts.path, path)
    return nearest_file(view, "ruby", facts.path, (f"lib/{path}", path))


def rules(language: str) -> Rules:
    """The rules of Ruby."""
    return Rules(
        family="ruby",
        unique_name=0.6,  # by hand, 2026-11: 10 of 14
        reader=RubyReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        special=SpecialMembers(deferring=jobs.RUBY),
        members_in_scope=True,
        reopens_types=True,
    )
