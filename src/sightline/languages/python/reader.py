"""Python: how its trees state facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages import jobs
from sightline.languages.facts import (
    CLASS_LEVEL,
    CLASS_SCOPE,
    CONTAINER,
    CONTEXT_MANAGER,
    DECLARED,
    DEFINED,
    ELEMENT,
    ENTERED,
    FUNCTION_SCOPE,
    GENERATOR,
    IMPORTED,
    INHERITS,
    INSTANCE,
    LAMBDA,
    LIMITED,
    MODULE,
    OVERLOAD,
    PARAMETER,
    PART,
    PROPERTY,
    SELF,
    SELF_TYPE,
    STATIC,
)
from sightline.languages.python.expressions import PythonValues
from sightline.languages.python.library import AWAITABLES, BUILTINS, COMMON_MEMBERS, external_result
from sightline.languages.python.modules import module, submodule
from sightline.languages.reader import first
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

_CONDITIONAL = frozenset(
    {"if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "for_statement", "while_statement",
     "case_clause", "with_statement"}
)  # fmt: skip
_WHOLE = frozenset({"function_definition", "class_definition", "module"})  # what is not conditional by itself
_NO_BASES = frozenset({"keyword_argument", "comment"})
_NO_PARAMETERS = frozenset({"comment", "positional_separator", "keyword_separator"})
_SPLATS = frozenset({"list_splat_pattern", "dictionary_splat_pattern"})
_TARGETS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple", "expression_list"})
_TYPE_VARIABLE = re.compile(r"_?[A-Z][A-Z0-9]?|\w*T(?:_co|_contra)?")  # T, _KT, ModelT, T_co: as everybody calls them
_PROPERTIES = frozenset(
    {"property", "cached_property", "functools.cached_property", "abstractproperty", "locked_cached_property"}
)
_VALUE = "[(identifier) (attribute)] @x"
# Decorators that keep what they decorate and call it later, by the last part of their name.
_REGISTERING = re.compile(
    r"(?:app_|add_)?(?:route|url|get|post|put|delete|patch|head|options|websocket|page|view|endpoint|receiver|on|once|on_\w+"
    r"|\w*regist(?:er|ry)\w*|\w*handler|handles?|\w*listener|listens?\w*|subscribe\w*|connect|command|group|callback\w*"
    r"|task|shared_task|job|\w*hook\w*|(?:app_)?context_processor|(?:app_)?template_(?:filter|test|global)"
    r"|(?:before|after|teardown)_(?:app_)?\w+|middleware|exception|event|signal|cron|schedule\w*|simple_tag|filter|action"
    r"|implements|converter|observes?|result_callback)"
)
_NOT_REGISTERING = re.compile(r"(?:\w+\.)*(?:mock|mocker|patch|pytest|typing|functools|abc|unittest)\b")
_CLASS_LEVEL = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})  # class methods without saying so


class PythonReader(PythonValues):
    """Reads one Python file."""

    around = _CONDITIONAL | _WHOLE
    steps: ClassVar[Mapping[str, str]] = {
        "lambda": "closure",
        "list_comprehension": "comprehension",
        "set_comprehension": "comprehension",
        "dictionary_comprehension": "comprehension",
        "generator_expression": "comprehension",
        "assignment": "assigned",
        "named_expression": "walrus",
        "for_statement": "loop",
        "as_pattern": "aliased",
        "if_statement": "condition",
        "return_statement": "returned",
        "yield": "yielded",
        "call": "call",
        "import_statement": "imported",
        "import_from_statement": "imported_from",
    }

    handed_patterns = (
        f"(argument_list {_VALUE})",
        f"(keyword_argument value: {_VALUE})",
        f"(pair value: {_VALUE})",
        f"(list {_VALUE})",
        f"(tuple {_VALUE})",
        f"(set {_VALUE})",
        f"(assignment left: [(attribute) (subscript)] right: {_VALUE})",
    )
    handed_in: ClassVar[Mapping[str, str]] = {
        "argument_list": "()",
        "keyword_argument": "name",
        "pair": "key",
        "assignment": "left",
        "list": "",
        "tuple": "",
        "set": "",
    }

    # Definitions

    def open_function(self, node: Node, index: int) -> None:
        """A function: what its decorators make of it, its result, its scope, its parameters."""
        reading = self.reading
        in_class = self.facts.scopes[reading.scope].kind == CLASS_SCOPE
        decorators = self._decorators(node, index)
        self.results(node, index)
        reading.enter(node, FUNCTION_SCOPE, index)
        self._bind_type_parameters(node)
        class_level = "classmethod" in decorators or reading.outlined[index - 1].name in _CLASS_LEVEL
        if class_level:
            reading.flag(index, CLASS_LEVEL)
        own = SELF_TYPE if class_level else SELF
        parameters = node.child_by_field_name("parameters")
        for place, parameter in enumerate(parameters.named_children if parameters is not None else ()):
            is_self = place == 0 and in_class and "staticmethod" not in decorators
            self._parameter(index, parameter, own if is_self else -1)

    def results(self, node: Node, index: int) -> None:
        """`-> T`; whatever cannot be read is declared all the same."""
        result = node.child_by_field_name("return_type")
        if result is not None:
            self.reading.result(index, self.type(result))

    def _decorators(self, node: Node, index: int) -> set[str]:
        """State the decorators of a definition and return what they are called."""
        reading, parent = self.reading, node.parent
        found: set[str] = set()
        for decorator in parent.named_children if parent is not None and parent.type == "decorated_definition" else ():
            expression = first(decorator) if decorator.type == "decorator" else None
            if expression is None:
                continue
            called = expression.child_by_field_name("function") if expression.type == "call" else expression
            text = reading.text(called)
            found.add(text)
            reading.decorated(index, self.value(called), reading.line(decorator))
            self._flag_decorated(index, text)
            self._registered(index, expression, text)
        return found

    def _registered(self, index: int, decorator: Node, text: str) -> None:
        """`@app.route("/x")`, `@bus.on("x")`, `@receiver(saved)`: who decorates keeps the function."""
        reading, short = self.reading, text.rpartition(".")[2]
        called = decorator.type == "call"
        if not called and "." not in text:
            return  # a bare `@hook` wraps more often than it registers
        if not _REGISTERING.fullmatch(short) or _NOT_REGISTERING.match(text):
            return
        arguments = decorator.child_by_field_name("arguments") if called else None
        given = first(arguments)
        label = ""
        if given is not None and given.type != "keyword_argument":
            label = self.event_text(given) or (reading.text(given) if given.type in ("identifier", "attribute") else "")
        value = self.facts.expression(DEFINED, index)
        self.facts.register(reading.scope, value, reading.at(decorator), label or short)

    def _flag_decorated(self, index: int, decorator: str) -> None:
        short = decorator.rpartition(".")[2]
        if decorator in _PROPERTIES or short in ("setter", "deleter", "reify") or short.endswith("property"):
            self.reading.flag(index, PROPERTY)
        elif short in ("contextmanager", "asynccontextmanager"):
            self.reading.flag(index, CONTEXT_MANAGER)
        elif short == "overload":
            self.reading.flag(index, OVERLOAD)
        elif short == "staticmethod":
            self.reading.flag(index, STATIC)

    def _parameter(self, index: int, node: Node, own: int) -> None:
        """A parameter; `own` says whether the first one of a method is the instance or the class, -1 for others."""
        facts, reading, kind = self.facts, self.reading, node.type
        named = node if kind == "identifier" else node.child_by_field_name("name")
        if named is None and (kind == "typed_parameter" or kind in _SPLATS):
            named = first(node)
        splat = named is not None and named.type in _SPLATS
        if named is not None and splat:
            named = first(named)
        if named is None or kind in _NO_PARAMETERS:
            return
        name, annotation = reading.text(named), node.child_by_field_name("type")
        type_ = self.type(annotation) if annotation is not None else -1
        reading.parameter(index, name, type_)
        flags = PARAMETER
        if own >= 0:
            value = facts.expression(own)
        elif splat or kind in _SPLATS:
            value = self._splat(node, facts.expression(INSTANCE, type_) if type_ >= 0 else facts.unknown)
        elif type_ >= 0:
            value, flags = facts.expression(INSTANCE, type_), PARAMETER | DECLARED
        else:
            value = self.value(node.child_by_field_name("value"))
        facts.bind(reading.scope, name, value, reading.at(node), flags=flags)

    def _splat(self, node: Node, value: int) -> int:
        """`*args` is a tuple, `**kwargs` a dictionary."""
        facts = self.facts
        if "dictionary" in node.type + (first(node) or node).type:
            return facts.expression(CONTAINER, facts.name("dict"), facts.unknown, value)
        return facts.expression(CONTAINER, facts.name("tuple"), value)

    def open_type(self, node: Node, index: int) -> None:
        """A class: its decorators, its type parameters, its bases, its scope."""
        reading = self.reading
        self._decorators(node, index)
        stated = node.child_by_field_name("superclasses")
        bases = [b for b in stated.named_children if b.type not in _NO_BASES] if stated is not None else []
        self._type_parameters(node, index, bases)
        for base in bases:
            reading.base(index, self.type(base), INHERITS, reading.line(base))
        reading.enter(node, CLASS_SCOPE, index)

    def _type_parameters(self, node: Node, index: int, bases: list[Node]) -> None:
        """`class A[T]`, `class A(Generic[T])`, or what looks like a type variable among the arguments of bases."""
        reading = self.reading
        if node.child_by_field_name("type_parameters") is not None:
            reading.enter_type_scope(node)
            for name in self._bind_type_parameters(node):
                reading.parameter(index, name)
            return
        subscripts = [base for base in bases if base.type == "subscript"]
        told = [b for b in subscripts if reading.field(b, "value").rpartition(".")[2] in ("Generic", "Protocol")]
        found = [reading.text(a) for b in told or subscripts for a in b.named_children[1:] if a.type == "identifier"]
        for name in dict.fromkeys(found):
            if told or _TYPE_VARIABLE.fullmatch(name):
                reading.parameter(index, name)

    def _bind_type_parameters(self, node: Node) -> list[str]:
        """Bind the names between the brackets of `class A[T: Bound]` or `def f[T]` to their bounds; returns them."""
        stated = node.child_by_field_name("type_parameters")
        found: list[str] = []
        for parameter in stated.named_children if stated is not None else ():
            inner = first(parameter)
            bounded = inner is not None and inner.type == "constrained_type"
            parts = inner.named_children if inner is not None and bounded else [parameter]
            found.append(self.reading.text(parts[0]).lstrip("*"))
            bound = self.type(parts[1]) if len(parts) > 1 else self.facts.unknown
            self.facts.bind(self.reading.scope, found[-1], bound, 0)
        return found

    def closure(self, reading: Reading, node: Node) -> None:
        """`lambda x: …`."""
        facts = self.facts
        scope = reading.enter(node, FUNCTION_SCOPE)
        reading.expressions[node.id] = facts.expression(LAMBDA, scope)
        parameters = node.child_by_field_name("parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            named = parameter if parameter.type == "identifier" else parameter.child_by_field_name("name")
            if named is not None:
                facts.bind(scope, reading.text(named), facts.unknown, reading.at(node), flags=PARAMETER)
        reading.returned(self.value(node.child_by_field_name("body")), reading.at(node))

    def comprehension(self, reading: Reading, node: Node) -> None:
        """Its names are seen by all of it, also by what stands before the `for`."""
        reading.enter_block(node)
        for clause in node.named_children:
            if clause.type == "for_in_clause":
                value = self.facts.expression(ELEMENT, self.value(clause.child_by_field_name("right")))
                self._assign(clause.child_by_field_name("left"), value, 0, 0)

    # Names

    def assigned(self, reading: Reading, node: Node) -> None:
        """`x = v`, `x: T = v`."""
        left = node.child_by_field_name("left")
        if left is None or node.parent is None:
            return
        right, annotation = node.child_by_field_name("right"), node.child_by_field_name("type")
        at, until = reading.after(node), self._conditional_end()
        if annotation is not None:
            type_ = self.type(annotation)
            reading.uses(reading.definition(), type_, reading.line(annotation))
            if reading.text(annotation).rpartition(".")[2] == "TypeAlias":
                self._assign(left, self.type(right), at, until)
            else:
                self._assign(left, self.facts.expression(INSTANCE, type_), at, until, DECLARED)
        elif right is not None:
            bound = self._type_variable_bound(right)
            self._assign(left, self.value(right) if bound is None else self.type(bound), at, until)

    def _type_variable_bound(self, value: Node) -> Node | None:
        """The type that every `TypeVar("T", bound=...)` has at least: what a name of that type is known to be."""
        arguments = value.child_by_field_name("arguments") if value.type == "call" else None
        if arguments is None or self.reading.field(value, "function").rpartition(".")[2] != "TypeVar":
            return None
        named = (a for a in arguments.named_children if a.type == "keyword_argument")
        return next((a.child_by_field_name("value") for a in named if self.reading.field(a, "name") == "bound"), None)

    def _assign(self, left: Node | None, value: int, at: int, until: int, flags: int = 0) -> None:
        """Bind a target: a name, a member of the instance, or several of them."""
        facts, reading = self.facts, self.reading
        if left is None:
            return
        if left.type == "identifier":
            facts.bind(reading.scope, reading.text(left), value, at, until=until, flags=flags)
        elif left.type in _TARGETS:
            for index, child in enumerate(left.named_children):
                part = facts.expression(PART, value, index) if child.type != "list_splat_pattern" else facts.unknown
                self._assign(child, part, at, until, flags)
        elif left.type == "attribute":
            target, owner = left.child_by_field_name("object"), reading.class_scope()
            if target is not None and owner >= 0 and self._is_self(reading.text(target)):
                name = reading.field(left, "attribute")
                facts.bind(owner, name, value, at, flags=flags, evaluated_in=reading.scope)

    def _is_self(self, name: str) -> bool:
        """Is this name the first parameter of the method around?"""
        function = self.reading.function_scope()
        if function < 0 or not name.isidentifier():
            return False
        parameters = self.facts.definitions[self.facts.scopes[function].definition].parameters
        return bool(parameters) and self.facts.names[parameters[0][0]] == name

    def _conditional_end(self) -> int:
        """The end of the innermost conditional block around a statement, 0 when it always runs."""
        inside = self.reading.inside
        return self.reading.after(inside) if inside is not None and inside.type in _CONDITIONAL else 0

    def walrus(self, reading: Reading, node: Node) -> None:
        """`(x := v)`."""
        value = self.value(node.child_by_field_name("value"))
        self._assign(node.child_by_field_name("name"), value, reading.after(node), 0)

    def loop(self, reading: Reading, node: Node) -> None:
        """`for x in xs`."""
        right = node.child_by_field_name("right")
        value = self.facts.expression(ELEMENT, self.value(right))
        at = reading.after(right) if right is not None else reading.at(node)
        self._assign(node.child_by_field_name("left"), value, at, reading.after(node))

    def aliased(self, reading: Reading, node: Node) -> None:
        """`with x() as y`, `except E as e`."""
        parent, name = node.parent, first(node.child_by_field_name("alias"))
        if parent is None or name is None:
            return
        if parent.type == "except_clause":
            caught = first(node)
            members = caught.named_children if caught is not None and caught.type == "tuple" else [caught]
            value = self.facts.union([self.instance(self.type(member)) for member in members])
            self._assign(name, value, reading.after(node), reading.after(parent), LIMITED)
        elif parent.type == "with_item":
            value = self.facts.expression(ENTERED, self.value(first(node)))
            self._assign(name, value, reading.after(node), 0)

    def condition(self, reading: Reading, node: Node) -> None:
        """`if isinstance(x, T):` narrows x inside the block."""
        condition, block = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        if condition is None or block is None or condition.type != "call":
            return
        if reading.field(condition, "function") != "isinstance":
            return
        arguments = condition.child_by_field_name("arguments")
        parts = arguments.named_children if arguments is not None else []
        if len(parts) != 2 or parts[0].type != "identifier":
            return
        types = parts[1].named_children if parts[1].type == "tuple" else [parts[1]]
        value = self.facts.union([self.instance(self.type(t)) for t in types])
        self._assign(parts[0], value, reading.after(condition), reading.after(block), LIMITED)

    # Results, calls and imports

    def returned(self, reading: Reading, node: Node) -> None:
        """`return v`."""
        reading.returned(self.value(first(node)), reading.at(node))

    def yielded(self, reading: Reading, node: Node) -> None:
        """`yield v` makes a generator of the function."""
        facts = self.facts
        function = reading.function_scope()
        if function < 0:
            return
        reading.flag(facts.scopes[function].definition, GENERATOR)
        value = self.value(first(node))
        if value != facts.unknown:
            reading.returned(facts.expression(CONTAINER, facts.name("Iterator"), value), reading.at(node))

    def site_position(self, callee: Node) -> int:
        """Where the callee begins: a name may be bound anew between the lines of a chain, never within one of them."""
        return self.reading.at(callee)

    def imported(self, reading: Reading, node: Node) -> None:
        """`import a.b`, `import a.b as c`."""
        facts = self.facts
        for child in node.named_children:
            aliased = child.type == "aliased_import"
            module = reading.field(child, "name") if aliased else reading.text(child)
            facts.imported(reading.line(node), module)
            name = reading.field(child, "alias") if aliased else module.partition(".")[0]
            value = facts.expression(MODULE, facts.name(module if aliased else name))
            facts.bind(reading.scope, name, value, reading.after(node), flags=IMPORTED)

    def imported_from(self, reading: Reading, node: Node) -> None:
        """`from a.b import c as d, e`, `from a import *`."""
        facts, origin = self.facts, node.child_by_field_name("module_name")
        module = reading.text(origin).replace(" ", "")
        expression = facts.expression(MODULE, facts.name(module))
        names: list[str] = []
        until = self._conditional_end()
        for child in node.named_children:
            if origin is not None and child.start_byte == origin.start_byte:
                continue
            if child.type == "wildcard_import":
                facts.star(reading.scope, expression)
                names.append("*")
            elif child.type in ("aliased_import", "dotted_name"):
                name = reading.field(child, "name") if child.type == "aliased_import" else reading.text(child)
                bound = reading.field(child, "alias") if child.type == "aliased_import" else name
                value = facts.attribute(expression, name)
                facts.bind(reading.scope, bound, value, reading.after(node), until=until, flags=IMPORTED)
                names.append(name)
        facts.imported(reading.line(node), module, names)


def rules(language: str) -> Rules:
    """The rules of Python."""
    return Rules(
        family="python",
        reader=PythonReader,
        module=module,
        submodule=submodule,
        external_result=external_result,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        special=SpecialMembers(
            called="__call__",
            deferring=jobs.PYTHON,
            read="__get__",
            indexed="__getitem__",
            iterated=("__iter__", "__aiter__"),
            next="__next__",
            entered=("__enter__", "__aenter__"),
        ),
        awaitables=AWAITABLES,
        self_names=frozenset({"self", "cls"}),
        self_types=frozenset({"Self"}),
        untyped=frozenset({"Any", "Self", "TypeVar", "TypeVar()"}),
        class_types=frozenset({"type", "Type"}),
        tuple_types=frozenset({"tuple", "Tuple"}),
        class_body_in_scope=True,
        types_are_statements=True,
        package_stem="__init__",
        imports_submodules=True,
        linearisation="c3",
    )
