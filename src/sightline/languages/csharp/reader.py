"""C#: namespaces, partial types, properties, extension methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.csharp.library import BUILTINS, COMMON_MEMBERS, EXTERNAL_BASES
from sightline.languages.facts import (
    BY_TARGET,
    CONFORMS,
    ELEMENT,
    FUNCTION_SCOPE,
    INHERITS,
    ITEM,
    MODULE,
    PROPERTY,
    STATIC,
)
from sightline.languages.naming import has_word
from sightline.languages.packages import package_module
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_PREFIX = "cs:"
_TYPES = frozenset({"identifier", "generic_name", "qualified_name", "nullable_type", "array_type", "predefined_type"})
_ACCESS_CHAIN = 6  # `a?.b.c.d`: how far the `?.` may stand above the name


class CSharpReader(Reader):
    """Reads one C# file."""

    names = frozenset({"identifier"})
    selves = frozenset({"this", "this_expression"})
    supers = frozenset({"base", "base_expression"})
    calls: ClassVar[Mapping[str, str]] = {"invocation_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"member_access_expression": ("expression", "name")}
    constructions: ClassVar[Mapping[str, str]] = {"object_creation_expression": "type"}
    transparent = frozenset({"parenthesized_expression", "await_expression", "postfix_unary_expression", "argument"})
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "string",
        "verbatim_string_literal": "string",
        "interpolated_string_expression": "string",
        "raw_string_literal": "string",
        "integer_literal": "int",
        "real_literal": "double",
        "boolean_literal": "bool",
        "character_literal": "char",
        "lambda_expression": "Func",
        "anonymous_method_expression": "Func",
        "typeof_expression": "Type",
        "array_creation_expression": "Array",
        "implicit_array_creation_expression": "Array",
        "binary_expression": "value",
        "predefined_type": "value",
    }
    type_names = frozenset({"identifier", "predefined_type"})
    wrappers = frozenset({"Task", "ValueTask", "Nullable", "Lazy", "IOptions", "Ref"})
    self_types = frozenset()
    passing = frozenset({"ConfigureAwait", "Where", "OrderBy", "OrderByDescending", "ToList", "ToArray", "AsEnumerable",
                         "Reverse", "Distinct", "Skip", "Take", "GetAwaiter", "GetResult"})  # fmt: skip
    handed_patterns = (
        "(argument [(identifier) (member_access_expression)] @x)",
        "(initializer_expression [(identifier) (member_access_expression)] @x)",
        "(assignment_expression right: [(identifier) (member_access_expression)] @x)",
    )
    handed_in: ClassVar[Mapping[str, str]] = {
        "argument": "",
        "argument_list": "()",
        "initializer_expression": "",
        "assignment_expression": "left",
    }
    steps: ClassVar[Mapping[str, str]] = {
        "namespace_declaration": "namespace",
        "file_scoped_namespace_declaration": "namespace",
        "using_directive": "using",
        "invocation_expression": "call",
        "object_creation_expression": "construction",
        "variable_declaration": "variables",
        "property_declaration": "property",
        "indexer_declaration": "property",
        "event_field_declaration": "nothing",
        "foreach_statement": "loop",
        "lambda_expression": "closure",
        "anonymous_method_expression": "closure",
        "declaration_pattern": "pattern",
        "declaration_expression": "pattern",
        "catch_declaration": "pattern",
        "accessor_declaration": "block",
        "for_statement": "block",
    }

    def nothing(self, reading: Reading, node: Node) -> None:
        """Seen, and of no meaning here."""

    # Values and types

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a?.b`, `(T)x`, `x as T`, `x[0]`, `F<T>`."""
        if kind == "generic_name":
            return self.value(first(node), depth)
        if kind == "conditional_access_expression":
            last = node.named_child(node.named_child_count - 1) if node.named_child_count else None
            return self.value(last, depth)
        if kind == "member_binding_expression":
            return self._bound(node, depth)
        if kind == "cast_expression":
            return self.instance(self.type(node.child_by_field_name("type"), depth))
        if kind == "as_expression":
            return self.instance(self.type(node.child_by_field_name("right"), depth))
        if kind == "element_access_expression":
            return self.facts.expression(ITEM, self.value(node.child_by_field_name("expression"), depth))
        if kind == "conditional_expression":
            parts = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
            return self.facts.union([self.value(part, depth) for part in parts])
        if kind == "arrow_expression_clause":
            return self.value(first(node), depth)
        return super().compound(node, kind, depth)

    def _bound(self, node: Node, depth: int) -> int:
        """The `.b` of `a?.b`."""
        name = self._plain(node.child_by_field_name("name"))
        around: Node | None = node.parent
        inner: Node = node
        for _ in range(_ACCESS_CHAIN):
            if around is None:
                break
            condition = around.child_by_field_name("condition")
            if around.type == "conditional_access_expression" and condition is not None and condition.id != inner.id:
                return self.facts.attribute(self.value(condition, depth), name)
            inner = around
            around = around.parent
        return self.facts.attribute(self.facts.unknown, name)

    def _plain(self, node: Node | None) -> str:
        return self.reading.text(first(node) if node is not None and node.type == "generic_name" else node)

    def member(self, node: Node, depth: int) -> int:
        """`a.b` and `a.b<T>`."""
        value = self.value(node.child_by_field_name("expression"), depth)
        return self.facts.attribute(value, self._plain(node.child_by_field_name("name")))

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`List<T>`, `A.B`, `T?`, `T[]`."""
        if kind == "generic_name":
            name = self.reading.text(first(node))
            arguments = child_of(node, "type_argument_list")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            return self.generic(self.type_name(name), name, given)
        if kind in ("qualified_name", "alias_qualified_name"):
            return self._qualified(node, depth)
        if kind == "array_type":
            return self.generic(self.type_name("Array"), "Array", [self.type(node.child_by_field_name("type"), depth)])
        if kind in ("nullable_type", "ref_type", "pointer_type", "scoped_type"):
            return self.type(node.child_by_field_name("type") or first(node), depth)
        if kind == "primary_constructor_base_type":
            return self.type(first(node), depth)
        return self.facts.unknown

    def _qualified(self, node: Node, depth: int) -> int:
        """`Namespace.Type` and `Type.Nested`: the namespace is tried first."""
        facts = self.facts
        text = self.reading.text(node).partition("<")[0]
        parts = [part.strip() for part in text.split(".")]
        if not all(part.isidentifier() for part in parts) or len(parts) < 2:
            return facts.unknown
        inside = facts.attribute(facts.expression(MODULE, facts.name(".".join(parts[:-1]))), parts[-1])
        return facts.union([self.type_name(".".join(parts)), inside])

    # Definitions

    def namespace(self, reading: Reading, node: Node) -> None:
        """The first namespace of a file is where its types live; the ones around it are visible too."""
        name = reading.field(node, "name")
        if self.facts.space or not name:
            return
        self.facts.space = _PREFIX + name
        parts = name.split(".")
        for end in range(len(parts) - 1, 0, -1):
            self.facts.notes.setdefault("around", []).append(".".join(parts[:end]))

    def bases(self, node: Node, index: int) -> None:
        """The first of a class may be its base class; by habit the name of an interface begins with I."""
        listed = child_of(node, "base_list")
        kind = self.reading.outlined[index - 1].kind
        for place, base in enumerate(listed.named_children if listed is not None else ()):
            if base.type in ("argument_list", "comment") or (kind == "enum" and base.type == "predefined_type"):
                continue
            name = self.reading.text(base).rpartition(".")[2]
            interface = len(name) > 1 and name[0] == "I" and name[1].isupper()
            role = BY_TARGET if kind == "class" and not place and not interface else CONFORMS
            self.reading.base(
                index, self.type(base), INHERITS if kind == "interface" else role, self.reading.line(base)
            )

    def open_type(self, node: Node, index: int) -> None:
        """A type; the parameters of a record or of a primary constructor are its fields."""
        super().open_type(node, index)
        for parameter in self._parameters(node):
            self.declare(self.reading.field(parameter, "name"), parameter.child_by_field_name("type"), None, parameter)
        for clause in children_of(node, "type_parameter_constraints_clause"):
            self._constraint(clause)

    def _constraint(self, clause: Node) -> None:
        """`where T : IThing` makes values of type T values of IThing."""
        name = self.reading.text(first(clause))
        types = [c.child_by_field_name("type") for c in children_of(clause, "type_parameter_constraint")]
        bound = self.facts.union([self.type(t) for t in types if t is not None])
        if bound != self.facts.unknown:
            self.facts.bind(self.reading.scope, name, bound, self.reading.at(clause))

    def _parameters(self, node: Node) -> list[Node]:
        listed = node.child_by_field_name("parameters") or child_of(node, "parameter_list")
        return children_of(listed, "parameter") if listed is not None else []

    def open_function(self, node: Node, index: int) -> None:
        """A method; one with a `this` parameter is a member of that type as well."""
        if has_word(node, "static"):
            self.reading.flag(index, STATIC)
        super().open_function(node, index)
        for clause in children_of(node, "type_parameter_constraints_clause"):
            self._constraint(clause)

    def results(self, node: Node, index: int) -> None:
        """The declared result."""
        result = node.child_by_field_name("returns") or node.child_by_field_name("type")
        if result is not None:
            self.declare_result(index, result)

    def parameters(self, node: Node, index: int) -> None:
        """Parameters; the receiver of an extension method counts among its arguments only in a plain call."""
        for place, parameter in enumerate(self._parameters(node)):
            type_ = parameter.child_by_field_name("type")
            self.parameter(index, self.reading.field(parameter, "name"), type_, parameter)
            if not place and has_word(parameter, "this") and type_ is not None:
                defined = self.reading.outlined[index - 1]
                name = self.reading.text(type_).partition("<")[0].rpartition(".")[2].strip("?[]")
                name = "Array" if type_.type == "array_type" else name
                owner = f"{defined.qualified_name}.{name}"
                self.extends(owner, self.type(type_), {defined.name: index}, self.reading.line(node))

    def property(self, reading: Reading, node: Node) -> None:
        """A property is a method without parentheses."""
        index = reading.definitions.get(node.id)
        if index is None:
            reading.enter_block(node)
            return
        self.results(node, index)
        reading.flag(index, PROPERTY)
        reading.enter(node, FUNCTION_SCOPE, index)

    def variables(self, reading: Reading, node: Node) -> None:
        """Fields and local variables."""
        type_ = node.child_by_field_name("type")
        declared = type_ if type_ is not None and type_.type != "implicit_type" else None
        for declarator in children_of(node, "variable_declarator"):
            value = declarator.named_child(declarator.named_child_count - 1)
            given = value if declarator.named_child_count > 1 else None
            self.declare(reading.field(declarator, "name"), declared, given, declarator)

    def loop(self, reading: Reading, node: Node) -> None:
        """`foreach (var x in xs)`."""
        type_, left = node.child_by_field_name("type"), node.child_by_field_name("left")
        if left is None:
            return
        if type_ is not None and type_.type != "implicit_type":
            self.declare(reading.text(left), type_, None, left)
        else:
            value = self.facts.expression(ELEMENT, self.value(node.child_by_field_name("right")))
            self.facts.bind(reading.scope, reading.text(left), value, reading.after(left))

    def closure(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters are names of its own."""
        reading.enter_block(node)
        listed = node.child_by_field_name("parameters")
        if listed is not None and listed.type == "identifier":
            self.unknown_names([reading.text(listed)], node)
        for parameter in children_of(listed, "parameter", "implicit_parameter") if listed is not None else ():
            name = reading.field(parameter, "name") or reading.text(parameter)
            self.declare(name, parameter.child_by_field_name("type"), None, parameter)

    def pattern(self, reading: Reading, node: Node) -> None:
        """`x is T y`, `out T y`, `catch (T y)`."""
        type_ = node.child_by_field_name("type")
        declared = type_ if type_ is not None and type_.type != "implicit_type" else None
        self.declare(reading.field(node, "name"), declared, None, node)

    # Imports

    def using(self, reading: Reading, node: Node) -> None:
        """`using N;`, `using static N.T;`, `using X = N.T;`."""
        facts = self.facts
        parts = [c for c in node.named_children if c.type in ("identifier", "qualified_name", "generic_name")]
        if not parts:
            return
        path = reading.text(parts[-1]).partition("<")[0].split(".")
        package = facts.expression(MODULE, facts.name(".".join(path[:-1])))
        alias = node.child_by_field_name("name")
        if alias is not None:
            value = facts.attribute(package, path[-1]) if len(path) > 1 else self.type_name(path[0])
            self.bind_import(reading.text(alias), value, node)
        elif has_word(node, "static") and len(path) > 1:
            self.star(facts.attribute(package, path[-1]))
        else:
            facts.notes.setdefault("usings", []).append(".".join(path))
            facts.imported(reading.line(node), ".".join(path))

    def read(self) -> None:
        """State the facts; the namespaces around the file's own come before the ones it uses."""
        super().read()
        facts = self.facts
        for name in (*facts.notes.pop("around", ()), *facts.notes.pop("usings", ())):
            self.star(facts.expression(MODULE, facts.name(name)))
        facts.space = facts.space or _PREFIX


def rules(language: str) -> Rules:
    """The rules of C#."""
    return Rules(
        family="csharp",
        reader=CSharpReader,
        module=package_module(_PREFIX),
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        open_packages=True,
        external_bases=EXTERNAL_BASES,
        tuple_types=frozenset({"Tuple"}),
    )
