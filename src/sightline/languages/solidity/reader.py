"""Solidity: contracts, their bases, modifiers and events; an import names a file and maybe what it brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import BY_TARGET, CALL_SITE, NEW_SITE
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules
from sightline.languages.solidity.library import BUILTINS, COMMON_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView


class SolidityReader(Reader):
    """Reads one Solidity file."""

    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"member_expression": ("object", "property")}
    transparent = frozenset({"expression", "tuple_expression", "type_cast_expression"})
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "string",
        "number_literal": "uint256",
        "boolean_literal": "bool",
        "binary_expression": "value",
    }
    type_names = frozenset({"identifier"})
    counts_arguments = False
    steps: ClassVar[Mapping[str, str]] = {
        "call_expression": "call",
        "modifier_invocation": "modified",
        "emit_statement": "emitted",
        "revert_statement": "emitted",
        "new_expression": "made",
        "variable_declaration": "variable",
        "import_directive": "imported",
    }

    def bases(self, node: Node, index: int) -> None:
        """`contract A is B, C`."""
        for given in children_of(node, "inheritance_specifier"):
            ancestor = given.child_by_field_name("ancestor")
            self.reading.base(index, self.type(ancestor), BY_TARGET, self.reading.line(given))

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A.B` is a path; of a mapping the value is what indexing gives."""
        if kind == "user_defined_type":
            return self.type_name(self.reading.text(node))
        value = node.child_by_field_name("value_type")
        return self.type(value if value is not None else first(node), depth)

    def results(self, node: Node, index: int) -> None:
        """The result, where it is one."""
        declared = node.child_by_field_name("return_type")
        given = children_of(declared, "parameter") if declared is not None else []
        type_ = given[0].child_by_field_name("type") if len(given) == 1 else None
        if type_ is not None and child_of(type_, "primitive_type") is None:
            self.declare_result(index, type_)

    def parameters(self, node: Node, index: int) -> None:
        """Parameters stand beside each other."""
        for parameter in children_of(node, "parameter"):
            name = self.reading.field(parameter, "name")
            if name:
                self.parameter(index, name, parameter.child_by_field_name("type"), parameter)

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`new A`, `balances[x]`, `super`."""
        if kind == "new_expression":
            return self.type(node.child_by_field_name("name") or first(node))
        if kind == "array_access":
            return self.value(node.child_by_field_name("base"), depth)
        return super().compound(node, kind, depth)

    def variable(self, reading: Reading, node: Node) -> None:
        """A variable of a function."""
        self.declare(reading.field(node, "name"), node.child_by_field_name("type"), None, node)

    def modified(self, reading: Reading, node: Node) -> None:
        """A modifier, or the constructor of a base."""
        self._site(first(node), CALL_SITE)

    def emitted(self, reading: Reading, node: Node) -> None:
        """`emit Paid(…)`, `revert TooMuch(…)` make an event, an error."""
        self._site(node.child_by_field_name("name") or node.child_by_field_name("error"), NEW_SITE)

    def made(self, reading: Reading, node: Node) -> None:
        """`new A(…)`."""
        written = node.child_by_field_name("name") or first(node)
        type_ = self.type(written)
        if written is not None and type_ != self.facts.unknown:
            self.facts.site(reading.scope, type_, -1, reading.at(written), NEW_SITE)

    def _site(self, named: Node | None, kind: int) -> None:
        value = self.value(named)
        if named is not None and value != self.facts.unknown:
            self.facts.site(self.reading.scope, value, -1, self.reading.at(named), kind)

    def imported(self, reading: Reading, node: Node) -> None:
        """`import "./A.sol";`, `import {A as B} from "./A.sol";`."""
        spec = reading.field(node, "source").strip("\"'")
        if not spec:
            return
        names = node.children_by_field_name("import_name")
        module_ = self.import_module(node, spec, [reading.text(name) for name in names])
        if not names:
            self.star(module_)
        for name in names:
            following = name.next_named_sibling
            after = following is not None and following.id in {a.id for a in node.children_by_field_name("alias")}
            alias = following if after else name
            self.bind_import(reading.text(alias), self.facts.attribute(module_, reading.text(name)), node)


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that an import names, from the importing file or from the root of a package."""
    if spec.startswith("."):
        return relative_file(view, facts.path, spec)
    return nearest_file(view, "solidity", facts.path, (spec, spec.partition("/")[2]))


def rules(language: str) -> Rules:
    """The rules of Solidity."""
    return Rules(
        family="solidity",
        reader=SolidityReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        overloads=True,
        constructors=("constructor",),
        linearisation="c3",
    )
