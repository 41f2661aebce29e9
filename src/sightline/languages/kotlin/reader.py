"""Kotlin: packages, objects, extension functions, delegation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CONFORMS,
    CONTAINER,
    ELEMENT,
    FUNCTION_TYPE,
    GIVEN,
    IMPLICIT,
    INHERITS,
    ITEM,
    LAST,
    LITERAL,
    MODULE,
    NEW_SITE,
    ON,
    RECEIVING_TYPE,
    TAKEN,
)
from sightline.languages.kotlin.library import (
    BUILTINS,
    COLLECTIONS,
    COMMON_MEMBERS,
    EXTERNAL_BASES,
    GIVEN_ONE_BY_ONE,
    GIVEN_TO,
    RUN_ON,
    external_element,
    external_member,
    external_result,
)
from sightline.languages.kotlin.outline import bound_of
from sightline.languages.packages import package_module, split_path
from sightline.languages.reader import Reader, child_of, children_of, count, first
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_PREFIX = "jvm:"  # shared with Java
_LABELLING = ("class_declaration", "object_declaration", "function_declaration")
_IT = re.compile(rb"\bit\b")
_TYPES = ("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type")


class KotlinReader(Reader):
    """Reads one Kotlin file."""

    space = _PREFIX
    names = frozenset({"identifier"})
    calls: ClassVar[Mapping[str, str]] = {"call_expression": ""}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"navigation_expression": ("", "-1")}
    transparent = frozenset(
        {"parenthesized_expression", "unary_expression", "annotated_expression", "spread_expression"}
    )
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "String",
        "multiline_string_literal": "String",
        "number_literal": "Int",
        "float_literal": "Double",
        "character_literal": "Char",
        "boolean_literal": "Boolean",
        "lambda_literal": "Function",
        "anonymous_function": "Function",
        "callable_reference": "Function",
        "collection_literal": "Array",
        "range_expression": "Range",
    }
    passing = frozenset({"apply", "also", "takeIf", "takeUnless", "toList", "filter", "sortedBy", "reversed", "orEmpty",
                         "filterNotNull", "asSequence", "asIterable", "toMutableList", "copy"})  # fmt: skip
    self_types = frozenset()
    steps: ClassVar[Mapping[str, str]] = {
        "package_header": "package",
        "import": "imported",
        "call_expression": "call",
        "property_declaration": "property",
        "for_statement": "loop",
        "lambda_literal": "closure",
        "anonymous_function": "block",
        "catch_block": "block",
        "object_literal": "anonymous",
    }

    handed_patterns = (
        "(value_argument (callable_reference) @x)",
        '(value_argument (navigation_expression "::") @x)',
        "(assignment (callable_reference) @x)",
    )
    handed_in: ClassVar[Mapping[str, str]] = {"value_argument": "", "value_arguments": "()", "assignment": "left"}

    def handed(self, reading: Reading, node: Node) -> None:
        """`::f`, `this::f`: a function by its name."""
        named = first(node) if node.type == "callable_reference" else node
        value, label = self.value(named), self.kept_under(node)
        if label is not None and value != self.facts.unknown:
            self.facts.register(reading.scope, value, reading.at(node), label)

    def package(self, reading: Reading, node: Node) -> None:
        """The namespace of the file."""
        self.facts.space = _PREFIX + reading.text(child_of(node, "qualified_identifier", "identifier")).replace(" ", "")

    # Values and types

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`x as T`, `x[0]`, `a ?: b`, `f(x) { … }`, `this@Outer`."""
        if kind == "as_expression":
            return self.instance(self.type(node.child_by_field_name("right"), depth))
        if kind == "index_expression":
            return self.facts.expression(ITEM, self.value(first(node), depth))
        if kind == "this_expression" and node.named_child_count:
            return self._labelled(node, self.reading.text(first(node)))
        if kind == "binary_expression":
            if self.reading.field(node, "operator") != "?:":
                return self.facts.unknown
            sides = [node.child_by_field_name(side) for side in ("left", "right")]
            return self.facts.union([self.value(side, depth) for side in sides])
        if kind == "call_expression":
            made = self._collection(node, depth)
            if made != self.facts.unknown:
                return made
            inner = _before_lambda(node)
            if inner is not None:
                return self.value(inner, depth)
        return super().compound(node, kind, depth)

    def _labelled(self, node: Node, label: str) -> int:
        """`this@Outer`, `this@function`: an instance of the class, or of what the function extends, of that name."""
        around = node.parent
        while around is not None:
            if around.type in _LABELLING and self.reading.field(around, "name") == label:
                is_function = around.type == "function_declaration"
                return self.instance(self._receiver_type(around) if is_function else self.type_name(label))
            around = around.parent
        return self.facts.expression(LITERAL, self.facts.name("this"))

    def _collection(self, node: Node, depth: int) -> int:
        """`mutableListOf<T>()`."""
        arguments = child_of(node, "type_arguments")
        made = COLLECTIONS.get(self.reading.text(first(node))) if arguments is not None else None
        if made is None or arguments is None:
            return self.facts.unknown
        given = [self.type(argument, depth) for argument in arguments.named_children]
        return self.instance(self.generic(self.type_name(made), made, given))

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A.B<C>`, `T?`."""
        if kind == "user_type":
            parts = [self.reading.text(part) for part in children_of(node, "identifier")]
            arguments = child_of(node, "type_arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            package, inside = split_path(parts) if len(parts) > 1 else ([], parts)
            outer = self.type_name(".".join(inside)) if inside else self.facts.unknown
            if package and inside:
                outer = self.facts.expression(MODULE, self.facts.name(".".join(package)))
                for part in inside:
                    outer = self.facts.attribute(outer, part)
            return self.generic(outer, parts[-1] if parts else "", given)
        if kind in ("nullable_type", "type_projection", "parenthesized_type", "non_nullable_type"):
            return self.type(child_of(node, *_TYPES), depth)
        if kind == "function_type":
            return self._function_type(node, depth)
        return self.facts.unknown

    def _function_type(self, node: Node, depth: int) -> int:
        """`(A) -> B`, `T.(A) -> B`."""
        listed = child_of(node, "function_type_parameters")
        if listed is None:
            return self.facts.unknown
        taken = [child_of(c, *_TYPES) if c.type == "parameter" else c for c in listed.named_children]
        types = children_of(node, *_TYPES)
        on = [t for t in types if t.end_byte <= listed.start_byte]
        result = [t for t in types if t.start_byte >= listed.end_byte]
        values = [self.instance(self.type(t, depth)) for t in (*result[:1], *on[:1], *taken)]
        name = RECEIVING_TYPE if on else FUNCTION_TYPE
        return self.facts.expression(CONTAINER, self.facts.name(name), *values) if result else self.facts.unknown

    def called(self, node: Node, callee: Node) -> None:
        """A call; `f(x) { … }` is one call and not one of what `f(x)` gives."""
        if _before_lambda(node) is None:
            super().called(node, callee)

    def argument_count(self, node: Node) -> int:
        """Arguments in parentheses and a trailing lambda."""
        arguments = child_of(node, "value_arguments")
        given = count(arguments) if arguments is not None else 0
        around = node.parent
        if around is not None and _before_lambda(around) == node:
            given += 1
        return given + len(children_of(node, "annotated_lambda"))

    # Definitions

    def bases(self, node: Node, index: int) -> None:
        """A base with parentheses is a class, the others are interfaces."""
        kind = self.reading.outlined[index - 1].kind
        listed = child_of(node, "delegation_specifiers")
        for specifier in children_of(listed, "delegation_specifier") if listed is not None else ():
            base = first(specifier)
            if base is None:
                continue
            written = base if base.type == "user_type" else child_of(base, "user_type")
            role = INHERITS if base.type == "constructor_invocation" or kind == "interface" else CONFORMS
            self.reading.base(index, self.type(written), role, self.reading.line(base))

    def open_type(self, node: Node, index: int) -> None:
        """A class; those parameters of its constructor that are `val` or `var` are its fields. The others are known
        where its fields get their values, unless a field has the same name."""
        constructor = child_of(node, "primary_constructor")
        listed = child_of(constructor, "class_parameters") if constructor is not None else None
        parameters = children_of(listed, "class_parameter") if listed is not None else []
        plain = [p for p in parameters if not any(c.type in ("val", "var") for c in p.children)]
        if plain:
            self.reading.enter_type_scope(node)
            self._fields(plain)
        super().open_type(node, index)
        self._type_parameters(node)
        self._fields([p for p in parameters if p not in plain])

    def _fields(self, parameters: list[Node]) -> None:
        for parameter in parameters:
            name = self.reading.text(child_of(parameter, "identifier"))
            self.declare(name, child_of(parameter, *_TYPES), None, parameter)

    def _type_parameters(self, node: Node) -> None:
        listed = child_of(node, "type_parameters")
        for parameter in children_of(listed, "type_parameter") if listed is not None else ():
            bound = child_of(parameter, *_TYPES)
            if bound is not None:
                name = self.reading.text(child_of(parameter, "identifier"))
                self.facts.bind(self.reading.scope, name, self.type(bound), self.reading.at(parameter))

    def open_function(self, node: Node, index: int) -> None:
        """A function; an extension function is a member of its receiver."""
        defined = self.reading.outlined[index - 1]
        if defined.owner:
            self.extension(node, defined.owner, self._receiver_type(node))
        super().open_function(node, index)
        self._type_parameters(node)
        body = child_of(node, "function_body")
        value = first(body) if body is not None else None
        if value is not None and value.type != "block":
            self.reading.returned(self.value(value), self.reading.at(value))

    def _receiver_type(self, node: Node) -> int:
        """The type that a function extends; of a type parameter its bound."""
        receiver = child_of(node, *_TYPES)
        bound = bound_of(node, self.reading.text(receiver))
        return self.type(bound if bound is not None else receiver)

    def results(self, node: Node, index: int) -> None:
        """The type behind the parameters."""
        behind = False
        for child in node.named_children:
            if child.type == "function_value_parameters":
                behind = True
            elif behind and child.type in _TYPES:
                self.declare_result(index, child)
                return

    def parameters(self, node: Node, index: int) -> None:
        """`name: Type`."""
        listed = child_of(node, "function_value_parameters")
        for parameter in children_of(listed, "parameter") if listed is not None else ():
            name = self.reading.text(child_of(parameter, "identifier"))
            self.parameter(index, name, child_of(parameter, *_TYPES), parameter)

    def property(self, reading: Reading, node: Node) -> None:
        """`val x: T = v`."""
        variable = child_of(node, "variable_declaration")
        if variable is None:
            return
        value = node.named_child(node.named_child_count - 1)
        given = value if value is not None and value.id != variable.id else None
        if given is not None and given.type in ("getter", "setter", "property_delegate", "modifiers"):
            given = None
        self.declare(reading.text(child_of(variable, "identifier")), child_of(variable, *_TYPES), given, node)

    def alias(self, node: Node, index: int) -> None:
        """`typealias A = B`."""
        types = children_of(node, *_TYPES)
        if types:
            self.reading.result(index, self.type(types[-1]))

    def anonymous(self, reading: Reading, node: Node) -> None:
        """`object : T { … }`."""
        outside = reading.scope
        hidden = reading.enter_hidden_class(node, f"object@{reading.line(node)}")
        listed = child_of(node, "delegation_specifiers")
        for specifier in children_of(listed, "delegation_specifier") if listed is not None else ():
            base = first(specifier)
            written = base if base is None or base.type == "user_type" else child_of(base, "user_type")
            if base is not None and written is not None:
                type_ = self.type(written)
                reading.base(hidden, type_, CONFORMS, reading.line(written))
                if base.type == "constructor_invocation" and type_ != self.facts.unknown:
                    given = self.argument_count(base)
                    self.facts.site(outside, type_, given, reading.at(written), NEW_SITE)

    def loop(self, reading: Reading, node: Node) -> None:
        """`for (x in xs)`."""
        variable = child_of(node, "variable_declaration")
        values = [c for c in node.named_children if variable is not None and c.start_byte > variable.end_byte]
        if variable is not None and values:
            element = self.facts.expression(ELEMENT, self.value(values[0]))
            self.facts.bind(
                reading.scope, reading.text(child_of(variable, "identifier")), element, reading.after(values[0])
            )

    def closure(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters are names of its own; so are the members of what it is run on."""
        facts, outside = self.facts, reading.scope
        on, given = self._of_lambda(node)
        scope = reading.enter_block(node)
        if on != facts.unknown:
            facts.bind(scope, IMPLICIT, on, reading.at(node), evaluated_in=outside)
        listed = child_of(node, "lambda_parameters")
        if listed is None:
            it = given(0)  # what is run on something and given nothing sees the `it` of the lambda around
            hides = it != facts.unknown or on == facts.unknown
            if hides and _IT.search(reading.source, node.start_byte, node.end_byte):
                facts.bind(scope, "it", it, reading.at(node), evaluated_in=outside)
            return
        for place, parameter in enumerate(listed.named_children):
            if parameter.type != "variable_declaration":
                self.unknown_names(map(reading.text, parameter.named_children), parameter)
                continue
            name, type_ = reading.text(child_of(parameter, "identifier")), child_of(parameter, *_TYPES)
            if type_ is not None:
                self.declare(name, type_, None, parameter)
            elif name != "_":
                facts.bind(scope, name, given(place), reading.at(node), evaluated_in=outside)

    def _of_lambda(self, node: Node) -> tuple[int, Callable[[int], int]]:
        """What a lambda is run on, and what it is given: by the function that it is handed to."""
        facts = self.facts
        unknown = facts.unknown
        nothing = (unknown, lambda place: unknown)
        kept = node.parent
        if kept is not None and kept.type == "property_declaration":
            variable = child_of(kept, "variable_declaration")
            declared = self.type(child_of(variable, *_TYPES)) if variable is not None else unknown
            return self._by_type(self.instance(declared)) if declared != unknown else nothing
        call, place = _handed_to(node)
        callee = first(call)
        if call is None or callee is None:
            return nothing
        holder, name = unknown, self.reading.text(callee)
        if callee.type in self.members:
            holder, name = self.value(first(callee)), self.reading.text(callee.named_children[-1])
            if name in RUN_ON:
                return holder, nothing[1]
            if name in GIVEN_TO:
                return unknown, lambda place: unknown if place else holder
            if name in GIVEN_ONE_BY_ONE and holder != unknown:
                return unknown, lambda place: unknown if place else facts.expression(ELEMENT, holder)
        elif name == "with":
            arguments = child_of(call, "value_arguments")
            return self.value(first(first(arguments))), nothing[1]
        value = self.value(callee)
        if value == unknown or name in BUILTINS:
            return nothing
        return self._by_type(facts.expression(TAKEN, value, place))

    def _by_type(self, type_: int) -> tuple[int, Callable[[int], int]]:
        """What a function of a type is run on, and what it is given."""
        facts = self.facts
        return facts.expression(GIVEN, type_, ON), lambda place: facts.expression(GIVEN, type_, place)

    # Imports

    def imported(self, reading: Reading, node: Node) -> None:
        """`import a.b.C`, `import a.b.C as D`, `import a.b.*`."""
        path = child_of(node, "qualified_identifier", "identifier")
        parts = reading.text(path).replace(" ", "").split(".")
        names = children_of(node, "identifier")
        alias = reading.text(names[-1]) if path is not None and names and names[-1].id != path.id else ""
        facts = self.facts
        if reading.text(node).rstrip("; \n").endswith("*"):
            package, inside = split_path([*parts, "*"])
        else:
            package, inside = split_path(parts)
        value = facts.expression(MODULE, facts.name(".".join(package)))
        for part in inside:
            if part != "*":
                value = facts.attribute(value, part)
        if inside[-1:] == ["*"]:
            self.star(value)
        else:
            self.bind_import(alias or parts[-1], value, node)
        facts.imported(reading.line(node), ".".join(package), [n for n in inside[:1] if n != "*"])


def _before_lambda(node: Node) -> Node | None:
    """`f(x)` of `f(x) { … }`, which the grammar takes for a call of what it gives."""
    inner = first(node) if node.type == "call_expression" and child_of(node, "annotated_lambda") is not None else None
    return (
        inner
        if inner is not None and inner.type == "call_expression" and child_of(inner, "annotated_lambda") is None
        else None
    )


def _handed_to(node: Node) -> tuple[Node | None, int]:
    """The call whose argument a lambda is, and its place among the arguments."""
    around = node.parent
    if around is None:
        return None, 0
    call = around.parent
    if around.type == "annotated_lambda" and call is not None and call.type == "call_expression":
        return _before_lambda(call) or call, LAST
    if around.type == "value_argument" and call is not None and call.type == "value_arguments":
        named = any(child.type == "=" for child in around.children)
        outer = call.parent
        if not named and outer is not None and outer.type == "call_expression":
            return outer, [c.id for c in call.named_children if c.type == "value_argument"].index(around.id)
    return None, 0


def rules(language: str) -> Rules:
    """The rules of Kotlin."""
    return Rules(
        family="jvm",
        reader=KotlinReader,
        module=package_module(_PREFIX),
        external_result=external_result,
        external_member=external_member,
        external_element=external_element,
        special=SpecialMembers(called="invoke"),
        builtins=BUILTINS,
        members_hide_builtins=True,
        calls_pass_over_values=True,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        imports_objects=True,
        external_bases=EXTERNAL_BASES,
        untyped=frozenset({"Any"}),
        constructors=("constructor",),
    )
