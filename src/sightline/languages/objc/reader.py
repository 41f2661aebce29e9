"""Objective-C: one namespace for the root; messages are calls, an implementation adds to its class."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import CALL, CONFORMS, FUNCTION_SCOPE, INHERITS, OVERLOAD, SUPER
from sightline.languages.objc.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.objc.outline import declared_name
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_SPACE = "objc:"
_MAKERS = frozenset({"alloc", "new", "sharedInstance", "allocWithZone"})
_ANY = frozenset({"id", "instancetype", "void"})


class ObjcReader(Reader):
    """Reads one Objective-C file."""

    space = _SPACE
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_expression": ("argument", "field")}
    transparent = frozenset({"parenthesized_expression", "pointer_expression"})
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "NSString",
        "number_literal": "NSNumber",
        "array_literal": "NSArray",
        "dictionary_literal": "NSDictionary",
    }
    self_names = frozenset({"self"})
    counts_arguments = False
    steps: ClassVar[Mapping[str, str]] = {
        "class_implementation": "implementation",
        "class_interface": "interface",
        "message_expression": "message",
        "call_expression": "call",
        "declaration": "declaration",
        "property_declaration": "property",
        "preproc_include": "included",
    }

    # Values

    def name(self, text: str) -> int:
        """`super` is a name like others in this grammar."""
        return self.facts.expression(SUPER) if text == "super" else super().name(text)

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`[a b]`; `[[A alloc] init…]` is an instance of A."""
        if kind == "message_expression":
            method = self.reading.field(node, "method")
            receiver = self.value(node.child_by_field_name("receiver"), depth)
            if method in _MAKERS:
                return self.instance(receiver)
            if method.startswith("init"):
                return receiver
            return self.facts.expression(CALL, self.facts.attribute(receiver, method))
        if kind == "cast_expression":
            type_ = node.child_by_field_name("type")
            return self.instance(self.type(type_)) if type_ is not None else self.facts.unknown
        return super().compound(node, kind, depth)

    def type_name(self, text: str) -> int:
        """A class; `id` says nothing."""
        return self.facts.unknown if text in _ANY else super().type_name(text)

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """`@interface A : B <P, Q>`."""
        superclass = node.child_by_field_name("superclass")
        if superclass is not None:
            base = self.type_name(self.reading.text(superclass))
            self.reading.base(index, base, INHERITS, self.reading.line(superclass))
        for listed in children_of(node, "parameterized_arguments", "protocol_reference_list"):
            for given in listed.named_children:
                text = self.reading.text(given)
                if text.isidentifier():
                    self.reading.base(index, self.type_name(text), CONFORMS, self.reading.line(given))

    def interface(self, reading: Reading, node: Node) -> None:
        """`@interface A`; `@interface A (Category)` adds to A."""
        if node.id in reading.definitions:
            self.definition(reading, node)
        else:
            self.implementation(reading, node)

    def implementation(self, reading: Reading, node: Node) -> None:
        """`@implementation A`, `@implementation A (Category)`."""
        name = reading.text(child_of(node, "identifier"))
        if name:
            self.extension(node, name, self.type_name(name))

    def open_function(self, node: Node, index: int) -> None:
        """A method or function; what only declares one leads to its body."""
        self.reading.enter(node, FUNCTION_SCOPE, index)
        if node.type == "method_declaration":
            self.reading.flag(index, OVERLOAD)
        self._result(node, index)
        for parameter in children_of(node, "method_parameter"):
            named = parameter.named_children[-1] if parameter.named_child_count else None
            if named is not None and named.type == "identifier":
                self.parameter(index, self.reading.text(named), self._written_type(parameter), parameter)
        declarator = node.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        for parameter in children_of(listed, "parameter_declaration") if listed is not None else ():
            name = self.reading.text(declared_name(parameter.child_by_field_name("declarator")))
            if name:
                self.parameter(index, name, parameter.child_by_field_name("type"), parameter)

    def _written_type(self, node: Node) -> Node | None:
        """The class in `(A *)`."""
        written = child_of(node, "method_type")
        named = child_of(written, "type_name") if written is not None else None
        return first(named)

    def _result(self, node: Node, index: int) -> None:
        written = self._written_type(node)
        text = self.reading.text(written)
        if text == "instancetype":
            self.reading.result(index, super().name(text))
        elif written is not None and text not in _ANY and written.type == "type_identifier":
            self.declare_result(index, written)

    def constant(self, node: Node, index: int) -> None:
        """A constant of the file."""
        if node.type == "declaration":
            self.declaration(self.reading, node)

    def alias(self, node: Node, index: int) -> None:
        """Typedefs are no types to follow here."""

    # Statements

    def declaration(self, reading: Reading, node: Node) -> None:
        """`A *a = …;`."""
        type_ = node.child_by_field_name("type")
        for declarator in node.children_by_field_name("declarator"):
            name = reading.text(declared_name(declarator))
            if name.isidentifier():
                self.declare(name, type_, declarator.child_by_field_name("value"), node)

    def property(self, reading: Reading, node: Node) -> None:
        """`@property A *a;`."""
        declared = child_of(node, "struct_declaration")
        struct = child_of(declared, "struct_declarator") if declared is not None else None
        if declared is None or struct is None:
            return
        name = reading.text(declared_name(first(struct)))
        if name.isidentifier():
            self.declare(name, child_of(declared, "type_identifier"), None, node)

    # Sites and imports

    def message(self, reading: Reading, node: Node) -> None:
        """`[a b:c d:e]` calls b."""
        named = node.child_by_field_name("method")
        receiver = self.value(node.child_by_field_name("receiver"))
        if named is not None:
            self.facts.site(reading.scope, self.facts.attribute(receiver, reading.text(named)), -1, reading.at(named))

    def included(self, reading: Reading, node: Node) -> None:
        """`#import "A.h"`."""
        spec = reading.field(node, "path").strip('<>"')
        if spec:
            self.facts.imported(reading.line(node), spec)


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The header that an import names."""
    found = relative_file(view, facts.path, spec)
    return found or nearest_file(view, "objc", facts.path, (spec, spec.rpartition("/")[2]))


def rules(language: str) -> Rules:
    """The rules of Objective-C."""
    return Rules(
        family="objc",
        reader=ObjcReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        self_names=frozenset({"self"}),
        self_types=frozenset({"instancetype"}),
        linked=True,
    )
