"""Go: how its trees state facts.

A namespace is a folder (`go:folder`); an external test package of the folder is one of its own. Conversions and
composite literals are no calls: a literal counts as a use of its type.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CLASS_SCOPE,
    CONTAINER,
    DECLARED,
    DISTINCT,
    ELEMENT,
    FUNCTION_SCOPE,
    IMPORTED,
    INHERITS,
    INSTANCE,
    ITEM,
    LAMBDA,
    LIMITED,
    PARAMETER,
    PART,
    RECEIVER,
    TUPLE,
)
from sightline.languages.go.expressions import GoValues
from sightline.languages.go.library import BUILTINS, COMMON_MEMBERS, INTERFACES, external_result
from sightline.languages.go.modules import module, preference
from sightline.languages.reader import first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_CONSTRAINT = re.compile(rb"^//go:build ([^\n]*)", re.MULTILINE)
_HEAD_BYTES = 4000  # build constraints stand before the package clause
_FUNCTIONS = frozenset({"function_declaration", "method_declaration", "func_literal"})
_BLOCKS = frozenset(
    {"if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "expression_case",
     "type_case", "default_case", "communication_case"}
)  # fmt: skip
_VALUE = "[(identifier) (selector_expression)] @x"
_EMBEDDED = frozenset({"type_identifier", "qualified_type", "generic_type"})
_WITH_OK = frozenset({"index_expression", "type_assertion_expression", "unary_expression"})  # `v, ok := m[k]`


class GoReader(GoValues):
    """Reads one Go file."""

    steps: ClassVar[Mapping[str, str]] = {
        "package_clause": "package",
        "import_spec": "imported",
        "func_literal": "closure",
        "struct_type": "anonymous_struct",
        "var_spec": "variable",
        "const_spec": "variable",
        "short_var_declaration": "assigned",
        "assignment_statement": "assigned",
        "range_clause": "loop",
        "type_switch_statement": "type_switch",
        "receive_statement": "received",
        "return_statement": "returned",
        "call_expression": "call",
        "type_conversion_expression": "conversion",
        "composite_literal": "composite",
    }

    handed_patterns = (
        f"(argument_list {_VALUE})",
        f"(keyed_element value: (literal_element {_VALUE}))",
        f"(literal_value (literal_element {_VALUE}))",
        f"(assignment_statement left: (expression_list (selector_expression)) right: (expression_list {_VALUE}))",
    )
    handed_in: ClassVar[Mapping[str, str]] = {
        "argument_list": "()",
        "literal_element": "",
        "keyed_element": "key",
        "literal_value": "",
        "composite_literal": "",
        "expression_list": "",
        "var_spec": "name",
        "short_var_declaration": "left",
        "assignment_statement": "left",
    }
    shares_names = True

    def key_text(self, node: Node | None) -> str:
        """A key, or the one name that is assigned to."""
        inner = first(node) if node is not None and node.type in ("expression_list", "literal_element") else node
        return super().key_text(inner)

    def read(self) -> None:
        """State the facts of the file, and when it is built."""
        super().read()
        match = _CONSTRAINT.search(self.reading.source, 0, _HEAD_BYTES)
        if match is not None:
            self.facts.notes["build"] = match.group(1).decode("utf-8", "replace").strip()

    def package(self, reading: Reading, node: Node) -> None:
        """The namespace of the file: its folder."""
        name = reading.text(first(node))
        folder = str(PurePosixPath(reading.path).parent)
        test = "#test" if name.endswith("_test") and reading.path.endswith("_test.go") else ""
        self.facts.space = f"go:{'' if folder == '.' else folder}{test}"

    def imported(self, reading: Reading, node: Node) -> None:
        """`import "a/b"`, `import c "a/b"`, `import . "a/b"`."""
        path = reading.field(node, "path").strip('"`')
        named = node.child_by_field_name("name")
        name = reading.text(named) if named is not None else _package_name(path)
        module_ = self.import_module(node, path)
        if name == ".":
            self.facts.star(reading.scope, module_)
        elif name != "_":
            self.facts.bind(reading.scope, name, module_, 0, flags=IMPORTED)

    # Functions

    def open_function(self, node: Node, index: int) -> None:
        """A function, or a method of an interface: its scope, its receiver, its parameters and results."""
        reading = self.reading
        reading.enter(node, FUNCTION_SCOPE, index)
        self._type_parameters(node)
        receiver = node.child_by_field_name("receiver")
        for parameter in receiver.named_children if receiver is not None else ():
            name = reading.field(parameter, "name")
            value = self.instance(self.type(_erased(parameter.child_by_field_name("type"))))
            if name:
                flags = PARAMETER | DECLARED | RECEIVER
                self.facts.bind(reading.scope, name, value, reading.at(node), flags=flags)
        self._signature(node, index)

    def closure(self, reading: Reading, node: Node) -> None:
        """`func(x T) R {…}` as a value."""
        scope = reading.enter(node, FUNCTION_SCOPE)
        reading.expressions[node.id] = self.facts.expression(LAMBDA, scope)
        self._signature(node, None)

    def _signature(self, node: Node, index: int | None) -> None:
        """Results and parameters, both of which may have names."""
        facts, reading = self.facts, self.reading
        result = node.child_by_field_name("result")
        type_ = self.result(result)
        if index is not None:
            reading.result(index, type_)
        elif type_ >= 0:
            reading.returned(facts.expression(INSTANCE, type_), reading.at(node))
        for holder, is_parameter in ((node.child_by_field_name("parameters"), True), (result, False)):
            for parameter in holder.named_children if holder is not None and holder.type == "parameter_list" else ():
                self._parameter(parameter, index if is_parameter else None)

    def _parameter(self, node: Node, index: int | None) -> None:
        facts, reading = self.facts, self.reading
        type_ = self.type(node.child_by_field_name("type"))
        value = facts.expression(INSTANCE, type_)
        if node.type == "variadic_parameter_declaration":
            value = facts.expression(CONTAINER, facts.name("[]"), value)
        names = [reading.text(n) for n in node.children_by_field_name("name")]
        for name in names:
            facts.bind(reading.scope, name, value, reading.at(node), flags=PARAMETER | DECLARED)
        for name in (names or [""]) if index is not None else ():
            reading.parameter(index or 0, name, type_)

    def _type_parameters(self, node: Node, index: int | None = None) -> None:
        parameters = node.child_by_field_name("type_parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            constraint = self.type(parameter.child_by_field_name("type"))
            for name in parameter.children_by_field_name("name"):
                self.facts.bind(self.reading.scope, self.reading.text(name), constraint, 0)
                if index is not None:
                    self.reading.parameter(index, self.reading.text(name))

    # Types

    def open_type(self, node: Node, index: int) -> None:
        """A struct with its fields, or an interface with what it embeds."""
        reading, value = self.reading, node.child_by_field_name("type")
        self._type_scope(node, index)
        if value is not None and value.type == "struct_type":
            self._fields(node, value, index)
            return
        reading.enter(node, CLASS_SCOPE, index)
        for element in value.named_children if value is not None else ():
            if element.type == "type_elem" and element.named_child_count == 1:
                base = element.named_children[0]
                if base.type in _EMBEDDED:
                    reading.base(index, self.type(base), INHERITS, reading.line(base))

    def alias(self, node: Node, index: int) -> None:
        """`type A B`, a type of its own, or `type A = B`."""
        value = node.child_by_field_name("type")
        if value is None:
            return
        self._type_scope(node, index)
        type_ = self.type(value)
        self.facts.definitions[index].scope = self.reading.scope if self.reading.scope else -1
        if type_ != self.facts.unknown:
            self.reading.result(index, type_)
        if node.type == "type_spec":
            self.reading.flag(index, DISTINCT)

    def _type_scope(self, node: Node, index: int) -> None:
        if node.child_by_field_name("type_parameters") is not None:
            self.reading.enter_type_scope(node)
            self._type_parameters(node, index)

    def _fields(self, node: Node, struct: Node, index: int) -> None:
        """Open the scope of a struct and bind its fields."""
        outside = self.reading.scope
        self.reading.enter(node, CLASS_SCOPE, index)
        fields = first(struct)
        for field in fields.named_children if fields is not None else ():
            if field.type == "field_declaration":
                self._field(field, index, outside)

    def anonymous_struct(self, reading: Reading, node: Node) -> None:
        """A struct type without a name, where an expression has met it: `[]struct{ name string }{…}`."""
        hidden = reading.hidden.get(node.id)
        if hidden is not None:
            self._fields(node, node, hidden)

    def _field(self, node: Node, index: int, outside: int) -> None:
        facts, reading = self.facts, self.reading
        type_node = node.child_by_field_name("type")
        type_ = self.type(type_node)
        value = facts.expression(INSTANCE, type_)
        names = [reading.text(n) for n in node.children_by_field_name("name")]
        if not names and type_node is not None:  # embedded: its members are promoted
            reading.base(index, type_, INHERITS, reading.line(node))
            names = [reading.text(type_node).partition("[")[0].rpartition(".")[2].lstrip("*")]
        else:
            reading.uses(index, type_, reading.line(node))
        for name in names:
            facts.bind(reading.scope, name, value, reading.at(node), flags=DECLARED, evaluated_in=outside)

    def composite(self, reading: Reading, node: Node) -> None:
        """`T{…}` uses T."""
        type_ = self.type(node.child_by_field_name("type"))
        if type_ != self.facts.unknown:
            reading.uses(reading.definition(), type_, reading.line(node))

    # Names

    def variable(self, reading: Reading, node: Node) -> None:
        """`var x T = v`, `const x = v`."""
        names, declared = node.children_by_field_name("name"), node.child_by_field_name("type")
        values = node.child_by_field_name("value")
        if declared is None:
            self._bind_all(names, values.named_children if values is not None else [], node)
            return
        type_ = self.type(declared)
        reading.uses(reading.definitions.get(node.id) or reading.definition(), type_, reading.line(declared))
        for name in names:
            value = self.facts.expression(INSTANCE, type_)
            self._bind(name, value, reading.after(node), self._block_end(node), DECLARED)

    def assigned(self, reading: Reading, node: Node) -> None:
        """`x, y := f()`, `x = v`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            self._bind_all(left.named_children, right.named_children, node)

    def _bind_all(self, names: list[Node], values: list[Node], node: Node) -> None:
        """Several names get several values, or the parts of one."""
        facts, at, until = self.facts, self.reading.after(node), self._block_end(node)
        for index, name in enumerate(names):
            if len(values) == len(names):
                value = self.value(values[index])
            elif len(values) == 1:
                value = self.value(values[0])
                if values[0].type in _WITH_OK:
                    value = value if index == 0 else facts.unknown
                else:
                    value = facts.expression(PART, value, index)
            else:
                value = facts.unknown
            self._bind(name, value, at, until)

    def _bind(self, name: Node, value: int, at: int, until: int, flags: int = 0) -> None:
        text = self.reading.text(name)
        if name.type == "identifier" and text != "_":
            limited = LIMITED if until else 0
            self.facts.bind(self.reading.scope, text, value, at, until=until, flags=flags | limited)

    def _block_end(self, node: Node) -> int:
        """The end of the block that a declared name lives in, 0 when it is the function's own."""
        if node.type == "assignment_statement":
            return 0
        parent = node.parent
        while parent is not None:
            if parent.type in _BLOCKS:
                return self.reading.after(parent)
            if parent.type == "block":
                owner = parent.parent
                return 0 if owner is not None and owner.type in _FUNCTIONS else self.reading.after(parent)
            if parent.type in _FUNCTIONS:
                return 0
            parent = parent.parent
        return 0

    def loop(self, reading: Reading, node: Node) -> None:
        """`for i, x := range xs`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        statement = node.parent
        if left is None or statement is None:
            return
        value, until = self.value(right), reading.after(statement)
        for index, name in enumerate(left.named_children):
            part = self.facts.expression(ITEM if index else ELEMENT, value)
            self._bind(name, part, reading.after(node), until)

    def type_switch(self, reading: Reading, node: Node) -> None:
        """`switch x := v.(type)`: in a case of one type the name is of that type."""
        alias = first(node.child_by_field_name("alias"))
        if alias is None:
            return
        value = self.value(node.child_by_field_name("value"))
        for case in node.named_children:
            if case.type == "type_case":
                types = [self.instance(self.type(t)) for t in case.children_by_field_name("type")]
                narrowed = self.facts.union(types) if len(types) == 1 else value
                self._bind(alias, narrowed, reading.at(case), reading.after(case))
            elif case.type == "default_case":
                self._bind(alias, value, reading.at(case), reading.after(case))

    def received(self, reading: Reading, node: Node) -> None:
        """`case x := <-c`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        case = node.parent
        if left is not None and case is not None and left.named_children:
            self._bind(left.named_children[0], self.value(right), reading.after(node), reading.after(case))

    # Results and calls

    def returned(self, reading: Reading, node: Node) -> None:
        """`return a, b`."""
        values = first(node)
        if values is None:
            return
        given = [self.value(v) for v in values.named_children]
        reading.returned(given[0] if len(given) == 1 else self.facts.expression(TUPLE, *given), reading.at(node))

    def call(self, reading: Reading, node: Node) -> None:
        """A call site; not of `len` and its like, even where the file gives such a name another meaning."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "identifier" or reading.text(function) not in BUILTINS:
            super().call(reading, node)

    def conversion(self, reading: Reading, node: Node) -> None:
        """`F[T](x)` is read as a conversion; F may as well be a function."""
        type_ = node.child_by_field_name("type")
        if type_ is not None and type_.type == "generic_type":
            function = self.type(type_.child_by_field_name("type"))
            self.facts.site(reading.scope, function, -1, reading.at(node))


def _package_name(path: str) -> str:
    """The name that a package most likely has: the last part of its path, without a version."""
    parts = path.split("/")
    last = parts[-1]
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    last = last.partition(".v")[0]
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_")


def _erased(node: Node | None) -> Node | None:
    """The receiver's type without pointer and type parameters, which are bound nowhere."""
    while node is not None and node.type in ("pointer_type", "parenthesized_type"):
        node = first(node)
    return node.child_by_field_name("type") if node is not None and node.type == "generic_type" else node


def rules(language: str) -> Rules:
    """The rules of Go."""
    return Rules(
        family="go",
        reader=GoReader,
        module=module,
        external_result=external_result,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        preference=preference,
        visibility=lambda defined: "internal" if defined.private else "public",  # the package sees lower-case names
        calls_convert=True,
        structural_interfaces=True,
        is_exported=lambda name: name[:1].isupper(),
        library_interfaces=INTERFACES,
    )
