"""JavaScript and TypeScript, with their JSX: how their trees state facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CLASS_SCOPE,
    DECLARED,
    DEFINED,
    ELEMENT,
    EXPORTED,
    IMPLEMENTS,
    INHERITS,
    INSTANCE,
    LIMITED,
    LITERAL,
    MODULE_SCOPE,
    NEW_SITE,
    SPREAD,
)
from sightline.languages.javascript.components import COMPONENTS, read_template
from sightline.languages.javascript.exports import JavaScriptExports
from sightline.languages.javascript.expressions import AROUND, FUNCTIONS, unwrapped
from sightline.languages.javascript.library import AWAITABLES, BUILTINS, COMMON_MEMBERS, external_result
from sightline.languages.javascript.modules import module
from sightline.languages.reader import first
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_CONDITIONAL = frozenset(
    {"if_statement", "else_clause", "for_statement", "for_in_statement", "while_statement", "do_statement",
     "switch_case", "switch_default", "try_statement", "catch_clause"}
)  # fmt: skip
_BODIES = FUNCTIONS | {
    "function_declaration",
    "method_definition",
    "program",
    "class_body",
    "internal_module",
    "module",
}
_VALUE = "[(identifier) (member_expression)] @x"
_EXPORTS = re.compile(r"(?:module\.)?exports\b|.*\.prototype\b")
_NOT_KEPT = frozenset({"return_statement", "export_statement", "arrow_function"})  # an object that is handed out
_LOOPS = frozenset({"for_statement", "for_in_statement"})
_CASES = frozenset({"switch_case", "switch_default"})


class JavaScriptReader(JavaScriptExports):
    """Reads one JavaScript or TypeScript file."""

    around = _CONDITIONAL | _BODIES
    passed_over = frozenset({"pair", "module"})  # the function that a pair holds; nothing opens a declared module
    steps: ClassVar[Mapping[str, str]] = {
        "arrow_function": "closure",
        "function_expression": "closure",
        "generator_function": "closure",
        "class_declaration": "classed",
        "abstract_class_declaration": "classed",
        "class": "classed",
        "interface_declaration": "classed",
        "enum_declaration": "classed",
        "object": "literal_object",
        "object_type": "object_type",
        "variable_declarator": "variable",
        "assignment_expression": "assigned",
        "public_field_definition": "field",
        "field_definition": "field",
        "property_signature": "field",
        "for_in_statement": "loop",
        "if_statement": "condition",
        "return_statement": "returned",
        "call_expression": "call",
        "new_expression": "made",
        "jsx_opening_element": "element",
        "jsx_self_closing_element": "element",
        "import_statement": "imported",
        "export_statement": "exported",
    }

    handed_patterns = (
        f"(arguments {_VALUE})",
        f"(pair value: {_VALUE})",
        "(object (shorthand_property_identifier) @x)",
        f"(array {_VALUE})",
        f"(assignment_expression left: [(member_expression) (subscript_expression)] right: {_VALUE})",
        f"(jsx_attribute (jsx_expression {_VALUE}))",
        f"((call_expression function: (member_expression object: {_VALUE} property: (property_identifier) @b))"
        ' (#eq? @b "bind"))',
    )
    handed_in: ClassVar[Mapping[str, str]] = {
        "arguments": "()",
        "pair": "key",
        "array": "",
        "jsx_expression": "",
        "jsx_attribute": "",
        "member_expression": "",
        "call_expression": "",
        "assignment_expression": "left",
        "variable_declarator": "name",
        "object": "",
    }

    def read(self) -> None:
        """State the facts of the file, also of its template."""
        super().read()
        if self.facts.language in COMPONENTS:
            read_template(self.reading)

    # Types

    def classed(self, reading: Reading, node: Node) -> None:
        """A class or interface; a class expression is the object of the variable that holds it, or hidden."""
        index = reading.definitions.get(node.id)
        if index is None and node.parent is not None:
            index = reading.definitions.get(node.parent.id)
            if index is not None and self.facts.definitions[index].scope >= 0:
                index = None
        if node.child_by_field_name("type_parameters") is not None:
            reading.enter_type_scope(node)
            self.type_parameters(node, index)
        if index is None:
            index = reading.enter_hidden_class(node, f"class@{reading.line(node)}")
        else:
            self.decorators(node, index)
            reading.enter(node, CLASS_SCOPE, index)
        self.bases(node, index)

    def bases(self, node: Node, index: int) -> None:
        """`extends A implements B`; an interface extends several."""
        for heritage in node.named_children:
            if heritage.type == "class_heritage":
                self._heritage(heritage, index)
            elif heritage.type == "extends_type_clause":
                for base in heritage.named_children:
                    self.reading.base(index, self.type(base), INHERITS, self.reading.line(base))

    def _heritage(self, node: Node, index: int) -> None:
        reading = self.reading
        clauses = [c for c in node.named_children if c.type in ("extends_clause", "implements_clause")]
        if not clauses:  # JavaScript: the heritage holds the expression itself
            base = first(node)
            if base is not None:
                reading.base(index, self.value(base), INHERITS, reading.line(base))
        for clause in clauses:
            if clause.type == "extends_clause":
                base = clause.child_by_field_name("value")
                if base is not None:
                    type_ = self.with_arguments(self.value(base), clause.child_by_field_name("type_arguments"))
                    reading.base(index, type_, INHERITS, reading.line(base))
            else:
                for base in clause.named_children:
                    reading.base(index, self.type(base), IMPLEMENTS, reading.line(base))

    def open_module(self, node: Node, index: int) -> None:
        """A namespace."""
        self.reading.enter(node, MODULE_SCOPE, index)

    def alias(self, node: Node, index: int) -> None:
        """`type A<T> = B`; one that is written out has members."""
        reading, value = self.reading, node.child_by_field_name("value")
        if value is None:
            return
        if node.child_by_field_name("type_parameters") is not None:
            reading.enter_type_scope(node)
            self.type_parameters(node)
        if value.type == "object_type":
            reading.enter(node, CLASS_SCOPE, index)
            return
        type_ = self.type(value)
        if type_ != self.facts.unknown:
            self.facts.definitions[index].scope = reading.scope
            reading.result(index, type_)

    def object_type(self, reading: Reading, node: Node) -> None:
        """A type that an annotation writes out: its members are found like those of an interface."""
        hidden = reading.hidden.get(node.id)
        if hidden is not None:
            reading.enter(node, CLASS_SCOPE, hidden)

    def literal_object(self, reading: Reading, node: Node) -> None:
        """An object that a constant holds or a function returns is a class of its own: its members are found."""
        parent = node.parent
        while parent is not None and parent.type in AROUND:
            parent = parent.parent
        if parent is None:
            return
        facts, outside = self.facts, reading.scope
        if parent.type in ("return_statement", "arrow_function"):
            hidden = reading.enter_hidden_class(node, f"object@{reading.line(node)}")
            reading.expressions[node.id] = facts.expression(INSTANCE, facts.expression(DEFINED, hidden))
            self._bind_members(node, outside)
            return
        index = reading.definitions.get(parent.id)
        if index is not None and parent.child_by_field_name("type") is None and facts.definitions[index].scope < 0:
            reading.enter(node, CLASS_SCOPE, index)
            name = reading.outlined[index - 1].name
            facts.bind(outside, name, facts.expression(DEFINED, index), reading.at(node))
            self._bind_members(node, outside)

    def _bind_members(self, node: Node, outside: int) -> None:
        """Bind what an object literal states in its own scope; values are those of the scope around it."""
        facts, reading = self.facts, self.reading
        for member in node.named_children:
            at = reading.at(member)
            if member.type == "pair":
                value = self.value(member.child_by_field_name("value"))
                name = reading.field(member, "key").strip("\"'`")
                facts.bind(reading.scope, name, value, at, evaluated_in=outside)
            elif member.type == "shorthand_property_identifier":
                name = reading.text(member)
                facts.bind(reading.scope, name, facts.named(name), at, evaluated_in=outside)
            elif member.type == "spread_element":
                facts.bind(reading.scope, SPREAD, self.value(first(member)), at, evaluated_in=outside)
            elif node.id in reading.hidden and member.id in reading.definitions:
                method = reading.definitions[member.id]
                name = reading.outlined[method - 1].name
                facts.bind(reading.scope, name, facts.expression(DEFINED, method), at)

    # Names

    def variable(self, reading: Reading, node: Node) -> None:
        """`const x: T = v`; functions and objects are bound where they are read."""
        facts, index = self.facts, reading.definitions.get(node.id)
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        annotation = node.child_by_field_name("type")
        if name is None or (index is not None and reading.outlined[index - 1].kind == "function"):
            return
        inner = unwrapped(value)
        if inner is not None and inner.type == "object" and index is not None and annotation is None:
            return  # `literal_object` binds it
        at, until = reading.after(node), self._block_end(node)
        flags = LIMITED if until else 0
        type_ = self.type(annotation)
        if type_ != facts.unknown and annotation is not None:
            reading.uses(index if index is not None else reading.definition(), type_, reading.line(annotation))
            self.bind_pattern(name, facts.expression(INSTANCE, type_), at, until, flags | DECLARED)
        elif inner is not None and (inner.type in FUNCTIONS or inner.type == "class"):
            self.bind_later(inner, reading.text(name).strip("\"'`"), at, until=until, flags=flags)
        else:
            self.bind_pattern(name, self.value(value), at, until, flags)

    def _block_end(self, node: Node) -> int:
        """The end of the block that a `let` or `const` lives in, 0 when that is the whole function or module."""
        declaration = node.parent
        parent = declaration.parent if declaration is not None else None
        if parent is None or (declaration is not None and declaration.type == "variable_declaration"):
            return 0
        if parent.type in _LOOPS or parent.type in _CASES:
            return self.reading.after(parent)
        if parent.type == "statement_block" and parent.parent is not None and parent.parent.type not in _BODIES:
            return self.reading.after(parent)
        return 0

    def _conditional_end(self) -> int:
        """The end of the innermost conditional block around an assignment, 0 when it always runs."""
        inside = self.reading.inside
        return self.reading.after(inside) if inside is not None and inside.type in _CONDITIONAL else 0

    def assigned(self, reading: Reading, node: Node) -> None:
        """`x = v`, `this.x = v`, `exports.x = v`, `module.exports = v`."""
        facts = self.facts
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        value, at = self.value(right), reading.after(node)
        if left.type == "identifier":
            if right.type not in FUNCTIONS:
                facts.bind(reading.scope, reading.text(left), value, at, until=self._conditional_end())
        elif left.type == "member_expression":
            holder, name = reading.field(left, "object"), reading.field(left, "property")
            if holder == "this" and reading.class_scope() >= 0:
                facts.bind(reading.class_scope(), name, value, at, evaluated_in=reading.scope)
            elif holder in ("exports", "module.exports"):
                facts.bind(reading.module_scope, name, value, at, flags=EXPORTED, evaluated_in=reading.scope)
            elif holder == "module" and name == "exports":
                self.export_object(right, value, at)

    def field(self, reading: Reading, node: Node) -> None:
        """A field of a class or a property of an interface."""
        facts, owner = self.facts, reading.class_scope()
        if owner != reading.scope or node.id in reading.definitions:
            return
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        annotation, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        type_, text, at = self.type(annotation), reading.text(name).strip("\"'`"), reading.at(node)
        if type_ != facts.unknown and annotation is not None:
            reading.uses(reading.definition(), type_, reading.line(annotation))
            facts.bind(owner, text, facts.expression(INSTANCE, type_), at, flags=DECLARED)
        elif value is not None and value.type in FUNCTIONS:
            self.bind_later(value, text, at)
        elif value is not None:
            facts.bind(owner, text, self.value(value), at)

    def loop(self, reading: Reading, node: Node) -> None:
        """`for (const x of xs)`; `in` gives the names of members."""
        facts, right = self.facts, node.child_by_field_name("right")
        value = facts.expression(ELEMENT, self.value(right))
        if reading.field(node, "operator") == "in":
            value = facts.expression(LITERAL, facts.name("String"))
        at = reading.after(right) if right is not None else reading.at(node)
        self.bind_pattern(node.child_by_field_name("left"), value, at, reading.after(node), LIMITED)

    def condition(self, reading: Reading, node: Node) -> None:
        """`if (x instanceof T)` narrows x inside the block."""
        condition, block = first(node.child_by_field_name("condition")), node.child_by_field_name("consequence")
        if condition is None or block is None or condition.type != "binary_expression":
            return
        left, operator = condition.child_by_field_name("left"), condition.child_by_field_name("operator")
        if left is None or left.type != "identifier" or operator is None or operator.type != "instanceof":
            return
        value = self.facts.expression(INSTANCE, self.value(condition.child_by_field_name("right")))
        self.bind_pattern(left, value, reading.after(condition), reading.after(block), LIMITED)

    # Results and calls

    def returned(self, reading: Reading, node: Node) -> None:
        """`return v`."""
        value = first(node)
        if value is None:
            return
        inner = unwrapped(value)
        if inner is not None and (inner.type in FUNCTIONS or inner.type == "object"):  # not read yet
            self.return_later(value, reading.at(node))
        else:
            reading.returned(self.value(value), reading.at(node))

    def call(self, reading: Reading, node: Node) -> None:
        """A call site, or the import that `require("path")` is."""
        function = node.child_by_field_name("function")
        required = ""
        if function is not None and function.type in ("identifier", "import"):
            required = self.required_module(node)
        if required:
            self.facts.imported(reading.line(node), required)
        else:
            super().call(reading, node)

    def made(self, reading: Reading, node: Node) -> None:
        """`new T()`, where T is a value."""
        made = node.child_by_field_name("constructor")
        value = self.value(made)
        if made is not None and value != self.facts.unknown:
            self.facts.site(reading.scope, value, -1, reading.at(made), NEW_SITE)

    def kept_under(self, node: Node) -> str | None:
        """The same for `f.bind(this)`, JSX attributes and objects; what a module exports or a function returns is no
        registration."""
        inner, around = node, node.parent
        if around is not None and around.type == "member_expression":  # `f.bind(this)`
            inner, around = around, around.parent
            inner, around = (around, around.parent) if around is not None else (inner, None)
        if around is None:
            return None
        if around.type == "jsx_expression":
            return self.reading.text(first(around.parent))
        if around.type in ("pair", "object"):
            held = around if around.type == "object" else around.parent
            if held is None or not self._is_kept(held):
                return None
            return self.reading.text(inner) if around.type == "object" else super().kept_under(inner)
        if around.type == "assignment_expression" and _EXPORTS.match(self.reading.field(around, "left")):
            return None
        return super().kept_under(inner)

    def _is_kept(self, node: Node) -> bool:
        """Is an object kept by whoever gets it, and not what a module exports or a function returns?"""
        around = node.parent
        while around is not None and (around.type in AROUND or around.type in ("pair", "object", "array")):
            around = around.parent
        if around is None or around.type in _NOT_KEPT:
            return False
        return around.type != "assignment_expression" or not _EXPORTS.match(self.reading.field(around, "left"))

    def element(self, reading: Reading, node: Node) -> None:
        """`<Component/>` calls the component; lower-case names are HTML."""
        name = node.child_by_field_name("name")
        text = reading.text(name)
        if name is not None and (text[:1].isupper() or "." in text) and all(p.isidentifier() for p in text.split(".")):
            self.facts.site(reading.scope, self.facts.named(text), -1, reading.at(name))


def rules(language: str) -> Rules:
    """The rules of JavaScript and TypeScript."""
    return Rules(
        family="javascript",
        reader=JavaScriptReader,
        module=module,
        external_result=external_result,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        special=SpecialMembers(calling=frozenset({"call", "apply"})),
        awaitables=AWAITABLES,
        self_names=frozenset({"self"}),  # `const self = this`
        self_types=frozenset({"this"}),
        class_types=frozenset({"Type"}),  # of Angular
        constructors=("constructor",),
        default_export="default",
        types_are_not_values=True,
    )
