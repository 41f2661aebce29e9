"""Java: how its trees state facts.

A namespace is a package (`jvm:package`), shared with other languages of the virtual machine. Methods and variables are
named apart, so a bare call looks for methods only; an anonymous class is a hidden one with its base.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    ABSTRACT,
    CLASS_SCOPE,
    DECLARED,
    ELEMENT,
    FUNCTION_SCOPE,
    GIVEN,
    IMPLEMENTS,
    IMPORTED,
    INHERITS,
    INSTANCE,
    LAMBDA,
    LIMITED,
    MODULE,
    NEW_SITE,
    PARAMETER,
    REFERENCE_SITE,
    SELF_TYPE,
    STATIC,
    SUPER,
    TAKEN,
    TYPE,
    VARIADIC,
)
from sightline.languages.java.expressions import JavaValues
from sightline.languages.java.library import COMMON_MEMBERS, external_given, external_result
from sightline.languages.packages import package_module
from sightline.languages.reader import child_of, first
from sightline.languages.rules import Rules, Visibility, by_modifier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages import Defined
    from sightline.languages.reading import Reading

_PREFIX = "jvm:"  # shared with Kotlin
_FUNCTIONS = frozenset({"method_declaration", "constructor_declaration", "lambda_expression", "static_initializer"})
# Methods of streams, optionals and iterables whose lambda gets an element as its first argument.
_ELEMENT_CALLBACKS = frozenset({"map", "forEach", "filter", "flatMap", "anyMatch", "allMatch", "noneMatch", "ifPresent",
                                "removeIf", "mapToInt", "peek", "orElseGet"})  # fmt: skip
_SAY_NOTHING = frozenset({"Override", "Deprecated", "SuppressWarnings"})  # annotations that are no relationship
_RESOURCES = frozenset({"resource", "resource_specification", "catch_formal_parameter"})
_CASES = frozenset({"switch_rule", "switch_block_statement_group", "if_statement"})


class JavaReader(JavaValues):
    """Reads one Java file."""

    space = _PREFIX
    steps: ClassVar[Mapping[str, str]] = {
        "package_declaration": "package",
        "import_declaration": "imported",
        "lambda_expression": "closure",
        "object_creation_expression": "construction",
        "enum_constant": "enum_constant",
        "field_declaration": "variable",
        "constant_declaration": "variable",
        "local_variable_declaration": "variable",
        "enhanced_for_statement": "typed_name",
        "resource": "typed_name",
        "catch_formal_parameter": "typed_name",
        "instanceof_expression": "typed_name",
        "type_pattern": "pattern",
        "record_pattern_component": "pattern",
        "return_statement": "returned",
        "method_invocation": "call",
        "explicit_constructor_invocation": "constructor_call",
        "method_reference": "reference",
    }

    def package(self, reading: Reading, node: Node) -> None:
        """The namespace of the file."""
        self.facts.space = _PREFIX + reading.text(child_of(node, "scoped_identifier", "identifier"))

    def imported(self, reading: Reading, node: Node) -> None:
        """`import a.b.C`, `import a.b.*`, `import static a.b.C.d`."""
        facts = self.facts
        text = "".join(reading.text(child_of(node, "scoped_identifier", "identifier")).split())
        star = child_of(node, "asterisk") is not None
        value = self.qualified(text)
        parts = text.split(".")
        inside = next((i for i, part in enumerate(parts) if part[:1].isupper()), len(parts) if star else len(parts) - 1)
        package, names = ".".join(parts[:inside]), [".".join(parts[inside:])]
        if star:
            whole = facts.expression(MODULE, facts.name(text))
            facts.star(reading.scope, value if inside < len(parts) else whole)
            names = names if inside < len(parts) else []
        else:
            facts.bind(reading.scope, parts[-1], value, 0, flags=IMPORTED)
        facts.imported(reading.line(node), package, [n.partition(".")[0] for n in names if n])

    # Types

    def open_type(self, node: Node, index: int) -> None:
        """A class: its annotations, its type parameters, its scope, its bases; the fields of a record."""
        reading = self.reading
        self._set_owner(index)
        self._annotations(node, index)
        self._type_parameters(node, index)
        reading.enter(node, CLASS_SCOPE, index)
        self.bases(node, index)
        parameters = node.child_by_field_name("parameters") if node.type == "record_declaration" else None
        for parameter in parameters.named_children if parameters is not None else ():
            value = self.instance(self.type(parameter.child_by_field_name("type")))
            self.facts.bind(reading.scope, reading.field(parameter, "name"), value, 0, flags=DECLARED)

    def bases(self, node: Node, index: int) -> None:
        """`extends A implements B, C`."""
        reading, superclass = self.reading, node.child_by_field_name("superclass")
        if superclass is not None:
            reading.base(index, self.type(first(superclass)), INHERITS, reading.line(superclass))
        for child in node.named_children:
            if child.type in ("super_interfaces", "extends_interfaces"):
                role = IMPLEMENTS if child.type == "super_interfaces" else INHERITS
                types = first(child)
                for base in types.named_children if types is not None else ():
                    reading.base(index, self.type(base), role, reading.line(base))

    def _type_parameters(self, node: Node, index: int | None) -> None:
        """Names of type parameters: around a class in a scope of their own, inside a method in its scope."""
        parameters = node.child_by_field_name("type_parameters")
        if parameters is None:
            return
        if index is not None:
            self.reading.enter_type_scope(node)
        for parameter in parameters.named_children:
            name = self.reading.text(first(parameter))
            type_ = self.type(child_of(parameter, "type_bound"))
            self.facts.bind(self.reading.scope, name, type_, 0)
            if index is not None:
                self.reading.parameter(index, name, type_ if type_ != self.facts.unknown else -1)

    def _set_owner(self, index: int) -> None:
        """A member of an anonymous class belongs to it, whatever the qualified name says."""
        facts = self.facts
        _, kind, around = facts.scopes[self.reading.scope]
        if kind == CLASS_SCOPE and around > len(self.reading.outlined):
            facts.definitions[index].owner = facts.definitions[around].qualified_name

    def _annotations(self, node: Node, index: int) -> None:
        modifiers = child_of(node, "modifiers")
        for child in modifiers.children if modifiers is not None else ():
            if child.type in ("annotation", "marker_annotation"):
                name = child.child_by_field_name("name")
                if self.reading.text(name) not in _SAY_NOTHING:
                    self.reading.decorated(index, self.type(name), self.reading.line(child))
            elif child.type == "static":
                self.reading.flag(index, STATIC)

    def construction(self, reading: Reading, node: Node) -> None:
        """`new T()`, with or without a body of its own."""
        super().construction(reading, node)
        body = child_of(node, "class_body")
        if body is not None:
            self._anonymous(node, body, self.type(node.child_by_field_name("type")))

    def _anonymous(self, node: Node, body: Node, base: int) -> None:
        """An anonymous class from its body on: what stands before belongs to the code around."""
        hidden = self.reading.enter_hidden_class(body)
        self.reading.base(hidden, base, INHERITS, self.reading.line(node))

    def enum_constant(self, reading: Reading, node: Node) -> None:
        """A constant of an enum is an instance of it, or of a class derived from it."""
        facts = self.facts
        value = facts.expression(INSTANCE, facts.expression(SELF_TYPE))
        facts.bind(reading.scope, reading.field(node, "name"), value, 0)
        body = node.child_by_field_name("body")
        if body is not None:
            around = facts.definitions[reading.definition()]
            self._anonymous(node, body, facts.expression(TYPE, facts.name(around.name)))

    # Functions

    def open_function(self, node: Node, index: int) -> None:
        """A method or constructor: its annotations, its scope, its result, its parameters."""
        reading = self.reading
        self._set_owner(index)
        self._annotations(node, index)
        if node.child_by_field_name("body") is None:
            reading.flag(index, ABSTRACT)
        reading.enter(node, FUNCTION_SCOPE, index)
        self._type_parameters(node, None)
        result = self.type(node.child_by_field_name("type"))
        if result != self.facts.unknown:
            reading.result(index, result)
        parameters = node.child_by_field_name("parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            self._parameter(parameter, index)

    def _parameter(self, node: Node, index: int | None) -> None:
        facts, reading = self.facts, self.reading
        if node.type == "spread_parameter":
            types = [c for c in node.named_children if c.type not in ("modifiers", "variable_declarator")]
            type_ = self.array(types[0] if types else None)
            declarator = child_of(node, "variable_declarator")
            name = reading.field(declarator, "name") if declarator is not None else ""
            if index is not None:
                reading.flag(index, VARIADIC)
        elif node.type == "formal_parameter":
            type_ = self.type(node.child_by_field_name("type"))
            name = reading.field(node, "name")
        elif node.type == "identifier":
            type_, name = facts.unknown, reading.text(node)
        else:
            return
        if index is not None:
            reading.parameter(index, name, type_ if type_ != facts.unknown else -1)
        facts.bind(reading.scope, name, self.instance(type_), reading.at(node), flags=PARAMETER | DECLARED)

    def closure(self, reading: Reading, node: Node) -> None:
        """`x -> …`: a parameter without a type is what the lambda is given where it stands."""
        facts = self.facts
        receiver, type_ = self._callback_receiver(node), self._lambda_type(node)
        scope = reading.enter(node, FUNCTION_SCOPE)
        reading.expressions[node.id] = facts.expression(LAMBDA, scope)
        stated = node.child_by_field_name("parameters")
        several = stated.named_children if stated is not None else []
        for place, parameter in enumerate([stated] if stated is not None and stated.type == "identifier" else several):
            if parameter.type != "identifier":
                self._parameter(parameter, None)
                continue
            value = facts.expression(GIVEN, type_, place) if type_ != facts.unknown else facts.unknown
            if place == 0 and receiver != facts.unknown:
                value = receiver
            facts.bind(scope, reading.text(parameter), value, reading.at(node), flags=PARAMETER)
        body = node.child_by_field_name("body")
        if body is not None and body.type != "block":
            reading.returned(self.value(body), reading.at(node))

    def _lambda_type(self, node: Node) -> int:
        """The type that a lambda has where it stands: that of a variable, or what a method takes; else unknown."""
        facts, parent = self.facts, node.parent
        around = parent.parent if parent is not None else None
        if parent is None or around is None:
            return facts.unknown
        if parent.type == "variable_declarator":
            return self.instance(self.type(around.child_by_field_name("type")))
        if parent.type != "argument_list" or around.type != "method_invocation":
            return facts.unknown
        return facts.expression(TAKEN, self.callee(around), self.reading.index_among(node, parent))

    def _callback_receiver(self, node: Node) -> int:
        """What the elements of `xs` are in `xs.map(x -> …)`; unknown elsewhere."""
        facts, arguments = self.facts, node.parent
        call = arguments.parent if arguments is not None and arguments.type == "argument_list" else None
        if call is None or call.type != "method_invocation":
            return facts.unknown
        if self.reading.field(call, "name") not in _ELEMENT_CALLBACKS:
            return facts.unknown
        value = self.value(call.child_by_field_name("object"))
        return value if value == facts.unknown else facts.expression(ELEMENT, value)

    # Names

    def variable(self, reading: Reading, node: Node) -> None:
        """Fields and local variables."""
        facts, type_node = self.facts, node.child_by_field_name("type")
        inferred = reading.text(type_node) == "var"
        type_ = self.type(type_node)
        until = self._block_end(node) if node.type == "local_variable_declaration" else 0
        if not inferred and type_ != facts.unknown:
            reading.uses(reading.definitions.get(node.id) or reading.definition(), type_, reading.line(node))
        flags = (LIMITED if until else 0) | (0 if inferred else DECLARED)
        for declarator in node.children_by_field_name("declarator"):
            value = facts.expression(INSTANCE, type_)
            if inferred:
                value = self.value(declarator.child_by_field_name("value"))
            name, at = reading.field(declarator, "name"), reading.at(declarator)
            facts.bind(reading.scope, name, value, at, until=until, flags=flags)

    def _block_end(self, node: Node) -> int:
        """The end of the block that a local variable lives in, 0 when that is the whole method."""
        parent = node.parent
        owner = parent.parent if parent is not None else None
        if parent is None or (
            parent.type in ("block", "constructor_body") and owner is not None and owner.type in _FUNCTIONS
        ):
            return 0
        return self.reading.after(parent)

    def typed_name(self, reading: Reading, node: Node) -> None:
        """`for (T x : xs)`, `try (T x = …)`, `catch (T x)`, `x instanceof T y`."""
        kind, name = node.type, node.child_by_field_name("name")
        type_node = node.child_by_field_name("right" if kind == "instanceof_expression" else "type")
        if kind == "catch_formal_parameter":
            type_node = child_of(node, "catch_type")
        if name is None:
            return
        value = self.instance(self.type(type_node))
        if reading.text(type_node) == "var":
            value = self.value(node.child_by_field_name("value"))
            if kind == "enhanced_for_statement":
                value = self.facts.expression(ELEMENT, value)
        parent: Node | None = node
        while parent is not None and parent.type in _RESOURCES:
            parent = parent.parent
        limited = kind != "instanceof_expression" and parent is not None
        until = reading.after(parent) if limited and parent is not None else 0
        flags = DECLARED | (LIMITED if limited else 0)
        self.facts.bind(reading.scope, reading.text(name), value, reading.at(name), until=until, flags=flags)

    def pattern(self, reading: Reading, node: Node) -> None:
        """`case T x ->`, and the parts of `case R(T x)`: the name holds for the rule or group of the label."""
        parts, rule = node.named_children, node.parent
        while rule is not None and rule.type not in _CASES:
            rule = rule.parent
        if len(parts) == 2 and rule is not None:
            value = self.instance(self.type(parts[0]))
            at, until = reading.at(node), reading.after(rule)
            self.facts.bind(reading.scope, reading.text(parts[1]), value, at, until=until, flags=LIMITED | DECLARED)

    # Results and calls

    def returned(self, reading: Reading, node: Node) -> None:
        """`return v`."""
        reading.returned(self.value(first(node)), reading.at(node))

    def call(self, reading: Reading, node: Node) -> None:
        """`f()`, `a.f()`; the node of a call holds the method's name and its receiver apart."""
        name = node.child_by_field_name("name")
        if name is not None:
            self.facts.site(reading.scope, self.callee(node), self.argument_count(node), reading.at(name))

    def constructor_call(self, reading: Reading, node: Node) -> None:
        """`this(…)` and `super(…)`."""
        called = node.child_by_field_name("constructor")
        operator = SELF_TYPE if called is not None and called.type == "this" else SUPER
        callee, count = self.facts.expression(operator), self.argument_count(node)
        self.facts.site(reading.scope, callee, count, reading.at(node), NEW_SITE)

    handed_in: ClassVar[Mapping[str, str]] = {
        "argument_list": "()",
        "assignment_expression": "left",
        "variable_declarator": "name",
    }

    def reference(self, reading: Reading, node: Node) -> None:
        """`Type::method`: whoever gets it may call it."""
        parts = [c for c in node.children if c.is_named or c.type == "new"]
        if len(parts) < 2:
            return
        holder = self.type(parts[0]) if "type" in parts[0].type else self.value(parts[0])
        name = reading.text(parts[-1])
        callee = holder if name == "new" else self.facts.attribute(holder, name)
        self.facts.site(reading.scope, callee, -1, reading.at(node), REFERENCE_SITE)
        label = self.kept_under(node)
        if label is not None and name != "new":
            self.facts.register(reading.scope, callee, reading.at(node), label)


def visibility(defined: Defined) -> Visibility:
    """By modifier; without one a member of an interface is public, anything else belongs to its package."""
    around = defined.node.parent
    in_interface = around is not None and around.type in ("interface_body", "annotation_type_body")
    return by_modifier(defined.signature, "public" if in_interface else "internal")


def rules(language: str) -> Rules:
    """The rules of Java."""
    return Rules(
        family="jvm",
        reader=JavaReader,
        module=package_module(_PREFIX),
        external_result=external_result,
        external_given=external_given,
        common_members=COMMON_MEMBERS,
        members_in_scope=True,
        imports_objects=True,
        overloads=True,
        visibility=visibility,
    )
