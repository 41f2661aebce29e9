"""The common part of the readers: names, members, calls, declared types and scopes, driven by tables of node types.

A language's reader is a subclass of `Reader`: its class attributes name the node types of the grammar, `steps` the
method for every node type it wants to see, and the hooks (`open_type`, `open_function` …) are overridden where the
grammar is particular. A language without a reader states nothing beside its objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    ATTRIBUTE,
    CALL,
    CLASS_SCOPE,
    DECLARED,
    DEFINED,
    EXTENSION,
    FUNCTION_SCOPE,
    GENERIC,
    HIDDEN,
    IMPORTED,
    INSTANCE,
    LITERAL,
    MODULE,
    NAME,
    NEW_SITE,
    PARAMETER,
    RECEIVER,
    SELF,
    SELF_TYPE,
    SUPER,
    TYPE,
)
from sightline.languages.reading import MAX_NESTING, Handler, Reading
from sightline.languages.rows import SEEN_BY_ALL
from sightline.languages.rules import Watched
from sightline.languages.table import spec_of

if TYPE_CHECKING:
    from tree_sitter import Node

TYPE_DEFINITIONS = frozenset({"class", "interface", "struct", "enum"})
FUNCTION_DEFINITIONS = frozenset({"function", "method", "constructor", "macro"})
_MAX_AROUND = 6  # nodes between a function and what keeps it: lists in lists
_MAX_LABEL = 60  # characters of an event or key; longer ones are texts
_QUOTES = "\"'`"
_CONSTANT = re.compile(r"(?:\w+(?:\.|::|->))*[A-Z][A-Z0-9_]+")
_MAX_EVENTS = 2  # arguments before a function that say what it is for: `add_route("GET", "/", handler)`
_ADDING = frozenset({"append", "push", "add", "insert", "unshift", "push_back", "emplace_back"})
# Functions that look at what they are given and neither keep nor call it, and those that let go of it.
_NOT_KEEPING = re.compile(
    r"isinstance|issubclass|cast|super|type|print|len|repr|str|sizeof|off|clear\w*|cancel\w*|(?:remove|detach|disconnect)\w*"
    r"|un(?:subscribe|register|listen|bind|hook|watch|observe)\w*"
)
_COMMENTS = frozenset({"comment", "line_comment", "block_comment", "multiline_comment"})


class Reader:
    """Reads one file."""

    space: ClassVar[str] = ""  # the namespace that files share until they name theirs; "": each is one of its own
    names: ClassVar[frozenset[str]] = frozenset({"identifier"})  # a bare name
    selves: ClassVar[frozenset[str]] = frozenset({"self", "this", "this_expression", "self_expression"})
    supers: ClassVar[frozenset[str]] = frozenset({"super", "super_expression", "base", "base_expression"})
    members: ClassVar[Mapping[str, tuple[str, str]]] = {}  # `a.b` → fields of object and name
    calls: ClassVar[Mapping[str, str]] = {}  # call → field of the callee, "" = first child
    constructions: ClassVar[Mapping[str, str]] = {}  # `new T()` → field of the type, "" = first child
    transparent: ClassVar[frozenset[str]] = frozenset({"parenthesized_expression"})  # the value of the first child
    literals: ClassVar[Mapping[str, str]] = {}  # literal → the type that the language brings along
    passing: ClassVar[frozenset[str]] = frozenset()  # methods that give their receiver, as far as types go
    self_names: ClassVar[frozenset[str]] = frozenset({"self", "this"})  # bare names that always mean the instance
    own_names: ClassVar[frozenset[str]] = frozenset({"self", "this"})  # variables that are the instance or its class
    type_names: ClassVar[frozenset[str]] = frozenset({"type_identifier"})  # a type by its bare name
    wrappers: ClassVar[frozenset[str]] = frozenset()  # generic types that stand for their first argument
    self_types: ClassVar[frozenset[str]] = frozenset({"Self"})
    separator: ClassVar[str] = "."  # of paths in types
    counts_arguments: ClassVar[bool] = True  # False where the number of arguments says nothing about what is called
    steps: ClassVar[Mapping[str, str]] = {}  # node type → method that handles it; others that define go to `definition`
    passed_over: ClassVar[frozenset[str]] = frozenset()  # definitions that another node inside of them opens
    # Queries whose `@x` is a name or member that stands where a function may be kept or handed on, and what that place
    # is: node type around it → "()" for arguments, "" for what is looked through, else the field with the key.
    handed_patterns: ClassVar[tuple[str, ...]] = ()
    handed_in: ClassVar[Mapping[str, str]] = {}
    shares_names: ClassVar[bool] = False  # a bare name may be a function of another file without an import
    around: ClassVar[frozenset[str]] = frozenset()  # node types that `reading.inside` tells the innermost of

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.facts = reading.facts
        self._named: dict[str, int] = {}  # names and types by their text, each read once
        self._typed: dict[str, int] = {}
        self._kept = {*self.members, *self.calls}  # what a call and the expression around it both ask for
        self.dropped: list[int] = []  # type arguments that a wrapper hides; they are used all the same
        self.callables = {d.name for d in reading.outlined if d.kind in FUNCTION_DEFINITIONS}
        self.more = {n.id: i + 1 for i, d in enumerate(reading.outlined) for n in d.rest}  # clauses, bodies

    @classmethod
    def state(cls, reading: Reading) -> None:
        """State the facts of a file."""
        reading.facts.space = cls.space
        cls(reading).read()

    @classmethod
    def watched(cls, language: str) -> Watched:
        """What the reader looks at."""
        return Watched(cls._defining(language) | cls.steps.keys() | cls.around, cls.handed_patterns)

    @classmethod
    def _defining(cls, language: str) -> frozenset[str]:
        return frozenset(spec_of(language).definitions.keys() - cls.passed_over)

    def read(self) -> None:
        """State the facts of the file."""
        handlers: dict[str, Handler] = dict.fromkeys(self._defining(self.facts.language), self.definition)
        for node_type, method in self.steps.items():
            handlers[node_type] = getattr(self, method)
        self.reading.sweep(handlers, self.around, self.handed if self.handed_patterns else None)

    # Values

    def value(self, node: Node | None, depth: int = 0) -> int:
        """The expression that a node states, as far as the tables know it."""
        if node is None or depth > MAX_NESTING:
            return self.facts.unknown
        kind = node.type
        if kind in self.names:
            text = self.reading.text(node)
            found = self._named.get(text)
            if found is None:
                found = self._named[text] = self.name(text)
            return found
        known = self.reading.expressions.get(node.id)
        if known is None:
            known = self.compound(node, kind, depth + 1)
            if kind in self._kept:
                self.reading.expressions[node.id] = known
        return known

    def name(self, text: str) -> int:
        """The expression for a bare name."""
        facts = self.facts
        if text in self.self_names:
            return facts.expression(SELF)
        if text in self.self_types:
            return facts.expression(SELF_TYPE)
        return facts.expression(NAME, facts.name(text)) if text else facts.unknown

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """The expression of a node that is no bare name."""
        facts = self.facts
        if kind in self.members:
            return self.member(node, depth)
        if kind in self.calls:
            return self.result_of(operand(node, self.calls[kind]), depth)
        if kind in self.transparent:
            return self.value(first(node), depth)
        if kind in self.constructions:
            return self.instance(self.type(operand(node, self.constructions[kind])))
        if kind in self.literals:
            return facts.expression(LITERAL, facts.name(self.literals[kind]))
        if kind in self.selves:
            return facts.expression(SELF)
        if kind in self.supers:
            return facts.expression(SUPER)
        return facts.unknown

    def member(self, node: Node, depth: int) -> int:
        """`a.b`."""
        holder, name = self.members[node.type]
        text = self.reading.text(operand(node, name)).lstrip(".:?&").strip()
        return self.facts.attribute(self.value(operand(node, holder), depth), text) if text else self.facts.unknown

    def result_of(self, callee: Node | None, depth: int) -> int:
        """What calling gives; a method that hands its receiver on gives the receiver."""
        value = self.value(callee, depth)
        row = self.facts.expressions[value]
        if row[0] == ATTRIBUTE and self.facts.names[row[2]] in self.passing:
            return row[1]
        return self.facts.unknown if value == self.facts.unknown else self.facts.expression(CALL, value)

    def instance(self, type_: int) -> int:
        """An instance of a type."""
        return type_ if type_ == self.facts.unknown else self.facts.expression(INSTANCE, type_)

    # Types

    def type(self, node: Node | None, depth: int = 0) -> int:
        """The expression for a type as it is written."""
        if node is None or depth > MAX_NESTING:
            return self.facts.unknown
        if node.type in self.type_names:
            text = self.reading.text(node)
            found = self._typed.get(text)
            if found is None:
                found = self._typed[text] = self.type_name(text)
            return found
        return self.compound_type(node, node.type, depth + 1)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """The expression of a type that is no bare name; by default that of its first part."""
        return self.type(first(node), depth)

    def type_name(self, text: str) -> int:
        """A type by its name, which may be a path."""
        facts = self.facts
        parts = [part.strip(" ?&*") for part in text.split(self.separator)]
        if not all(part.isidentifier() for part in parts):
            return facts.unknown
        outer = parts[0]
        result = facts.expression(SELF_TYPE) if outer in self.self_types else facts.expression(TYPE, facts.name(outer))
        for part in parts[1:]:
            result = facts.attribute(result, part)
        return result

    def generic(self, outer: int, name: str, arguments: Iterable[int]) -> int:
        """A type with type arguments."""
        given = list(arguments)
        if name.rpartition(self.separator)[2] in self.wrappers and given:
            self.dropped.extend(given[1:])
            return given[0]
        if outer == self.facts.unknown or not given:
            return outer
        return self.facts.expression(GENERIC, outer, *given)

    def use(self, index: int, line: int, type_: int = -1) -> None:
        """State that a definition names a type, and the types that stood beside it in a wrapper."""
        for used in (type_, *self.dropped):
            if used >= 0 and used != self.facts.unknown:
                self.reading.uses(index, used, line)
        self.dropped.clear()

    # Definitions

    def definition(self, reading: Reading, node: Node) -> None:
        """Open the scope of a definition and state what it declares."""
        index = reading.definitions.get(node.id)
        if index is None:
            return
        kind = reading.outlined[index - 1].kind
        if kind in TYPE_DEFINITIONS:
            self.open_type(node, index)
        elif kind in FUNCTION_DEFINITIONS:
            self.open_function(node, index)
        elif kind == "module":
            self.open_module(node, index)
        elif kind == "type_alias":
            self.alias(node, index)
        else:
            self.constant(node, index)

    def open_type(self, node: Node, index: int) -> None:
        """A class: its bases, then its scope."""
        self.bases(node, index)
        self.reading.enter(node, CLASS_SCOPE, index)

    def bases(self, node: Node, index: int) -> None:
        """State the bases of a class."""

    def open_function(self, node: Node, index: int) -> None:
        """A function: its result, its scope, its parameters."""
        self.results(node, index)
        self.reading.enter(node, FUNCTION_SCOPE, index)
        self.parameters(node, index)

    def results(self, node: Node, index: int) -> None:
        """State the declared result."""
        for field in ("return_type", "returns", "result", "type"):
            result = node.child_by_field_name(field)
            if result is not None:
                self.declare_result(index, result)
                return

    def declare_result(self, index: int, node: Node) -> None:
        """A result type."""
        type_ = self.type(node)
        if type_ != self.facts.unknown:
            self.reading.result(index, type_)
        self.use(index, self.reading.line(node))

    def parameters(self, node: Node, index: int) -> None:
        """State the parameters."""

    def open_module(self, node: Node, index: int) -> None:
        """A namespace inside a file."""
        self.reading.enter(node, CLASS_SCOPE, index)

    def alias(self, node: Node, index: int) -> None:
        """Another name for a type."""
        type_ = self.type(node.child_by_field_name("type") or node.child_by_field_name("value"))
        if type_ != self.facts.unknown:
            self.reading.result(index, type_)
        self.use(index, self.reading.line(node))

    def constant(self, node: Node, index: int) -> None:
        """A constant with its declared type or its value."""
        name = self.reading.outlined[index - 1].name
        self.declare(name, node.child_by_field_name("type"), node.child_by_field_name("value"), node)

    def extension(self, node: Node, qualified_name: str, target: int) -> int:
        """Open the scope of a block that adds members to a type which is defined elsewhere."""
        facts, reading = self.facts, self.reading
        hidden = facts.define(
            "", qualified_name, "class", ordinal=0, parent=reading.definition(), line=reading.line(node)
        )
        facts.definitions[hidden].flags |= HIDDEN | EXTENSION
        facts.definitions[hidden].result = target
        reading.enter(node, CLASS_SCOPE, hidden)
        return hidden

    def extends(self, qualified_name: str, target: int, members: Mapping[str, int], line: int) -> None:
        """State that a type has members which are defined elsewhere: extension functions."""
        facts, reading = self.facts, self.reading
        hidden = facts.define("", qualified_name, "class", ordinal=0, parent=0, line=line)
        facts.definitions[hidden].flags |= HIDDEN | EXTENSION
        facts.definitions[hidden].result = target
        scope = facts.scope(reading.module_scope, CLASS_SCOPE, hidden)
        facts.definitions[hidden].scope = scope
        for name, index in members.items():
            facts.bind(scope, name, facts.expression(DEFINED, index))

    # Declarations

    def declare(self, name: str, type_: Node | None, value: Node | None, node: Node, flags: int = 0) -> None:
        """A variable, field or parameter: by its declared type, else by its value."""
        reading = self.reading
        if not name or name == "_":
            return
        declared = self.type(type_)
        if type_ is not None and declared != self.facts.unknown:
            self.use(reading.definition(), reading.line(type_), -1 if flags & PARAMETER else declared)
            self.facts.bind(reading.scope, name, self.instance(declared), reading.after(node), flags=flags | DECLARED)
        else:
            self.facts.bind(reading.scope, name, self.value(value), reading.after(node), flags=flags)

    def parameter(self, index: int, name: str, type_: Node | None, node: Node) -> None:
        """A parameter of a function."""
        self.parameter_of(index, name, self.type(type_), node)

    def parameter_of(self, index: int, name: str, declared: int, node: Node) -> None:
        """A parameter of a type, which may be unknown."""
        known = declared != self.facts.unknown
        self.reading.parameter(index, name, declared if known else -1)
        value = self.instance(declared) if known else self.facts.unknown
        flags = PARAMETER | DECLARED if known else PARAMETER
        self.facts.bind(self.reading.scope, name, value, self.reading.at(node), flags=flags)
        self.use(index, self.reading.line(node))

    def unknown_names(self, names: Iterable[str], node: Node) -> None:
        """Names that are bound to something nobody knows, so that outer names of the same spelling are not meant."""
        for name in names:
            self.facts.bind(self.reading.scope, name, self.facts.unknown, self.reading.at(node))

    # Functions as values

    def handed(self, reading: Reading, node: Node) -> None:
        """A name or member that is kept or handed on where it stands: a registration, if it may be a function."""
        if not self.may_be_function(node):
            return
        value, label = self.value(node), self.kept_under(node)
        if label is not None and value != self.facts.unknown:
            self.facts.register(reading.scope, value, reading.at(node), label)

    def may_be_function(self, node: Node) -> bool:
        """Whether a name or member may be a function, as far as the file says; most are data, so this is quick."""
        reading, bound = self.reading, self.facts.bound
        if node.type not in self.members:
            text = reading.text(node)
            flags = bound.get(text)
            if text in self.callables:
                return True
            return self.shares_names and not text.isupper() if flags is None else bool(flags & IMPORTED)
        holder, named = self.members[node.type]
        name = reading.text(operand(node, named))
        if name in self.callables:
            return True
        object_ = operand(node, holder)
        if object_ is None or not name:
            return False
        root = reading.text(object_)
        flags = bound.get(root, 0) if object_.type in self.names else 0
        if object_.type in self.selves or root in self.own_names or flags & RECEIVER:
            return name not in bound
        return bool(flags & IMPORTED)

    def kept_under(self, node: Node) -> str | None:
        """The event, key or field under which a value is kept, or what it is handed to; None when it is neither."""
        inner, around = node, node.parent
        for _ in range(_MAX_AROUND):
            step = self.handed_in.get(around.type) if around is not None else None
            if around is None or step is None:
                return None
            if step == "()":
                return self.given_to(around, inner)
            if step:
                if inner.prev_sibling is not None and inner.prev_sibling.type == "-=":
                    return None  # taken out again
                return self.key_text(around.child_by_field_name(step))
            beside = first(around)
            label = self.event_text(beside) if beside is not None and beside.id != inner.id else ""
            if label:  # `("name", function)`
                return label
            inner, around = around, around.parent
        return None

    def given_to(self, arguments: Node, node: Node) -> str | None:
        """What arguments before the function say it is for, else the name of the function that gets it."""
        call = arguments.parent
        if call is None or call.type not in (*self.calls, *self.constructions):
            return None
        kind = call.type
        callee = operand(call, self.calls[kind] if kind in self.calls else self.constructions[kind])
        holder: Node | None = None
        if callee is not None and callee.type in self.members:
            fields = self.members[callee.type]
            holder, callee = operand(callee, fields[0]), operand(callee, fields[1])
        name = self.reading.text(callee)
        if _NOT_KEEPING.fullmatch(name):
            return None
        said: list[str] = []
        for given in arguments.named_children[:_MAX_EVENTS]:
            if given.id == node.id:
                break
            said.append(self.event_text(given))
        label = " ".join(filter(None, said))
        if not label and name in _ADDING and holder is not None:
            return self.key_text(holder)  # the list that it is added to says more
        return label or (name if name.isidentifier() else "")

    def event_text(self, node: Node) -> str:
        """The event that an argument names: a string, or a constant in capitals; "" when it is neither."""
        text = self.reading.text(node)
        if len(text) > _MAX_LABEL:
            return ""
        if text[:1] in _QUOTES or text[1:2] in _QUOTES:
            return text.lstrip("bfruBFRUL@:").strip(_QUOTES)
        return text if _CONSTANT.fullmatch(text) and text != "NULL" else ""

    def key_text(self, node: Node | None) -> str:
        """A key or field without quotes, brackets and what it is a member of."""
        text = self.reading.text(node)
        if node is not None and node.type in self.members:
            text = self.reading.text(operand(node, self.members[node.type][1]))
        elif text.endswith("]"):
            text = text[text.rfind("[") + 1 : -1]
        return text.strip(_QUOTES + ".:")[:_MAX_LABEL]

    # Sites and imports

    def call(self, reading: Reading, node: Node) -> None:
        """A call site."""
        callee = operand(node, self.calls[node.type])
        if callee is not None:
            self.called(node, callee)

    def called(self, node: Node, callee: Node) -> None:
        """State a call of what its callee says."""
        value = self.value(callee)
        if value != self.facts.unknown and self.facts.expressions[value][0] != LITERAL:
            self.facts.site(self.reading.scope, value, self.argument_count(node), self.site_position(callee))

    def site_position(self, callee: Node) -> int:
        """Where the called name stands: at the end of a chain, not at its beginning."""
        member = self.members.get(callee.type)
        named = operand(callee, member[1]) if member is not None else None
        return self.reading.at(named if named is not None else callee)

    def argument_count(self, node: Node) -> int:
        """How many arguments a call gives, -1 when that is not known."""
        if not self.counts_arguments:
            return -1
        arguments = node.child_by_field_name("arguments")
        return count(arguments) if arguments is not None else -1

    def construction(self, reading: Reading, node: Node) -> None:
        """`new T()`."""
        written = operand(node, self.constructions[node.type])
        type_ = self.type(written)
        if written is not None and type_ != self.facts.unknown:
            self.facts.site(reading.scope, type_, self.argument_count(node), reading.at(written), NEW_SITE)

    def block(self, reading: Reading, node: Node) -> None:
        """A scope of its own for the names inside."""
        reading.enter_block(node)

    def import_module(self, node: Node, spec: str, names: Iterable[str] = ()) -> int:
        """State an import and give the expression of the module."""
        self.facts.imported(self.reading.line(node), spec, list(names))
        return self.facts.expression(MODULE, self.facts.name(spec))

    def bind_import(self, name: str, expression: int, node: Node, flags: int = 0) -> None:
        """Bind a name that an import brings."""
        if name:
            self.facts.bind(self.reading.scope, name, expression, self.reading.at(node), flags=IMPORTED | flags)

    def star(self, expression: int, seen_by: int = SEEN_BY_ALL) -> None:
        """State that all names of a module are visible here, and whether they are handed on."""
        self.facts.star(self.reading.module_scope, expression, seen_by)


def operand(node: Node, field: str) -> Node | None:
    """The child in a field; "" = the first one, "-1" = the last one."""
    if field == "":
        return first(node)
    if field == "-1":
        return node.named_child(node.named_child_count - 1) if node.named_child_count else None
    return node.child_by_field_name(field)


def first(node: Node | None) -> Node | None:
    """The first named child that is no comment."""
    if node is None or not node.named_child_count:
        return None
    child = node.named_child(0)
    if child is not None and child.type in _COMMENTS:
        return next((c for c in node.named_children if c.type not in _COMMENTS), None)
    return child


def count(arguments: Node) -> int:
    """The number of arguments in a list of them."""
    if not arguments.named_child_count:
        return 0
    return sum(1 for child in arguments.named_children if child.type not in _COMMENTS)


def child_of(node: Node, *types: str) -> Node | None:
    """The first named child of one of the types."""
    return next((child for child in node.named_children if child.type in types), None)


def children_of(node: Node, *types: str) -> list[Node]:
    """The named children of some types."""
    return [child for child in node.named_children if child.type in types]
