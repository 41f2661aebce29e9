"""C and C++: what a linker sees. One namespace for the root; prototypes stand for the bodies that implement them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.c.library import (
    BUILTINS,
    COMMON_MEMBERS,
    ITERATORS,
    NAMESPACES,
    OFTEN_REDEFINED,
    external_element,
    external_member,
    external_result,
)
from sightline.languages.c.making import Made, made_by_macro
from sightline.languages.facts import (
    ATTRIBUTE,
    CLASS_SCOPE,
    DEFINED,
    ELEMENT,
    FILE_PRIVATE,
    FUNCTION_SCOPE,
    GENERIC,
    HIDDEN,
    IMPORTED,
    INHERITS,
    ITEM,
    LITERAL,
    MODULE,
    NEW_SITE,
    OVERLOAD,
    SELF,
    SPREAD,
    TUPLE,
    TYPE,
    VARIADIC,
)
from sightline.languages.library import words
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules, SpecialMembers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rows import Base
    from sightline.languages.rules import RootView

SPACE = "c:"
_DECLARATORS = ("pointer_declarator", "reference_declarator", "array_declarator", "parenthesized_declarator")
_NAMED = frozenset({"identifier", "field_identifier", "type_identifier"})
_CASTS = frozenset({"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast", "dynamic_pointer_cast"})
_MAKERS = frozenset({"make_unique", "make_shared"})
_MAX_DECLARATORS = 12
_BY_ADDRESS = frozenset({"pointer_declarator", "array_declarator", "abstract_pointer_declarator"})
_OBJECT_TYPES = frozenset({"type_identifier", "qualified_identifier", "template_type", "class_specifier"})
_OWN_OPERATORS = frozenset({"&&", "||"})  # hardly ever a function
# Not for pointers: an operand that the file does not declare, as a field of a header, is an object or a number.
_NO_POINTERS = frozenset({"<<", ">>", "|", "^", "/", "%", "<<=", ">>=", "|=", "^=", "/=", "%=", "*="})
_ITERATOR = "iterator"
_UNARY = frozenset({"unary_expression", "update_expression", "pointer_expression"})
_MADE = frozenset({"call_expression", "field_expression"})
_LAST_NAMES = {"field_expression": "field", "qualified_identifier": "name"}
_KEYWORDS = words("if while for switch return sizeof do else case typeof __typeof__ alignof _Alignof _Generic defined")
_CALLED = re.compile(r"\b((?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r"\w+")
_OPENED = re.compile(r"(?<!inline )\bnamespace\s+([A-Za-z_]\w*)\s*\{")
_USED_AROUND = re.compile(rb"\b([A-Z][A-Z0-9_]{2,99})\(\s{0,20}\Z")  # `API(int) f()`: what the grammar was not shown
_USED_BEFORE = re.compile(rb"[<,]\s*([A-Z][A-Z0-9_]{2,99})\(")
_MAX_BEFORE = 120
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|//.*", re.DOTALL)  # the grammar leaves them in a macro's text
_MEMBERS = frozenset({"method", "constructor"})  # private to their class and not to their file
_MAX_MACRO_CHARS = 4_000  # longer ones are tables
_MAX_MACRO_CALLS = 16


class CReader(Reader):
    """Reads one C file, and what C++ shares with C."""

    space = SPACE
    names = frozenset({"identifier"})
    separator = "::"
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_expression": ("argument", "field")}
    constructions: ClassVar[Mapping[str, str]] = {"new_expression": "type"}
    transparent = frozenset({"parenthesized_expression", "pointer_expression", "co_await_expression"})
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "char",
        "raw_string_literal": "char",
        "number_literal": "int",
        "char_literal": "char",
        "true": "bool",
        "false": "bool",
        "binary_expression": "value",
        "lambda_expression": "lambda",
        "sizeof_expression": "int",
    }
    wrappers = frozenset({"unique_ptr", "shared_ptr", "weak_ptr", "optional", "reference_wrapper", "atomic"})
    passing = frozenset({"get", "lock", "value"})
    self_types = frozenset()
    steps: ClassVar[Mapping[str, str]] = {
        "preproc_include": "included",
        "call_expression": "call",
        "new_expression": "construction",
        "declaration": "declaration",
        "field_declaration": "declaration",
    }

    handed_patterns = (
        "(argument_list (identifier) @x)",
        "(argument_list (pointer_expression argument: (identifier) @x))",
        "(argument_list (cast_expression value: (identifier) @x))",
        "(argument_list (pointer_expression argument: (qualified_identifier) @x))",
        "(initializer_list (identifier) @x)",
        "(initializer_list (pointer_expression argument: (identifier) @x))",
        "(initializer_list (cast_expression value: (identifier) @x))",
        "(initializer_pair value: (identifier) @x)",
        "(initializer_pair value: (pointer_expression argument: (identifier) @x))",
        "(initializer_pair value: (cast_expression value: (identifier) @x))",
        "(assignment_expression left: [(field_expression) (subscript_expression)] right: (identifier) @x)",
        "(assignment_expression left: [(field_expression) (subscript_expression)]"
        " right: (pointer_expression argument: (identifier) @x))",
    )
    handed_in: ClassVar[Mapping[str, str]] = {
        "argument_list": "()",
        "pointer_expression": "",
        "cast_expression": "",
        "initializer_list": "",
        "initializer_pair": "designator",
        "init_declarator": "declarator",
        "assignment_expression": "left",
    }
    shares_names = True
    around = frozenset({"decltype"})

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.initialised: Node | None = None  # the variable of the file that was met last
        self.is_header = reading.path.rpartition(".")[2].startswith(("h", "H", "inl", "ipp", "tpp"))
        self.functions = {defined.name for defined in reading.outlined if defined.kind == "function"}
        self.objects: dict[str, bool] = {}  # names in the order they are declared: no pointer and no number?
        self.pointed: dict[str, bool] = {}  # the same of pointers to one object
        self._paths: dict[str, int] = {}  # names with `::` by their text, each read once
        self._plain: dict[str, bool] = {}  # types by their text: those whose operators are their own
        self.owners: dict[str, int] = {}  # qualified name → hidden definition, for members defined outside

    # Values and types

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a::b`, `f<T>`, `(T)x`, `x[0]`, `make_unique<T>()`."""
        facts = self.facts
        if kind == "field_expression":
            return self.member(node, depth)
        if kind == "qualified_identifier":
            return self._qualified(node)
        if kind in ("template_function", "template_method"):
            return self.value(node.child_by_field_name("name"), depth)
        if kind == "cast_expression":
            return self.instance(self.type(node.child_by_field_name("type"), depth))
        if kind == "subscript_expression":
            return facts.expression(ITEM, self.value(node.child_by_field_name("argument"), depth))
        if kind == "conditional_expression":
            parts = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
            return facts.union([self.value(part, depth) for part in parts])
        if kind == "compound_literal_expression":
            return self.instance(self.type(node.child_by_field_name("type"), depth))
        return super().compound(node, kind, depth)

    def _qualified(self, node: Node) -> int:
        text = self.reading.text(node)
        found = self._paths.get(text)
        if found is None:
            found = self._paths[text] = self._path(text)
        return found

    def _path(self, text: str) -> int:
        while "<" in text and (shorter := _TYPE_ARGUMENTS.sub("", text)) != text:
            text = shorter
        parts = [part.partition("<")[0].strip().removeprefix("template ") for part in text.split("::")]
        parts = [part for part in parts if part]
        if not parts or not all(part.isidentifier() for part in parts):
            return self.facts.unknown
        if text.startswith("::"):
            result = self.facts.expression(MODULE, self.facts.name(""))
        else:
            result = self.name(parts.pop(0))
        for part in parts:
            result = self.facts.attribute(result, part)
        return result

    def member(self, node: Node, depth: int) -> int:
        """`a.b`, `a->b`, `a.b<T>`."""
        named = node.child_by_field_name("field")
        if named is not None and named.type in ("template_method", "dependent_name"):
            named = named.child_by_field_name("name") or first(named)
        text = self.reading.text(named)
        value = self.value(node.child_by_field_name("argument"), depth)
        return self.facts.attribute(value, text) if text.isidentifier() else self.facts.unknown

    def result_of(self, callee: Node | None, depth: int) -> int:
        """A call; casts and makers give what their type argument says."""
        generic = callee
        if callee is not None and callee.type == "qualified_identifier":
            generic = callee.child_by_field_name("name")
        if generic is not None and generic.type == "template_function":
            name = self.reading.field(generic, "name")
            if name in _CASTS or name in _MAKERS:
                return self.instance(self.type(first(generic.child_by_field_name("arguments")), depth))
        return super().result_of(callee, depth)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`a::B<C>`, `struct s`."""
        facts = self.facts
        if kind == "template_type":
            name = self.reading.field(node, "name")
            arguments = node.child_by_field_name("arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            return self.generic(self.type_name(name), name, given)
        if kind == "qualified_identifier":
            text = self.reading.text(node)
            if "<" not in text:
                found = self._typed.get(text)
                if found is None:
                    found = self._typed[text] = self.type_name(text.strip(": "))
                return found
            inner: Node | None = node
            container: Node | None = None
            while inner is not None and inner.type == "qualified_identifier":
                container, inner = inner.child_by_field_name("scope"), inner.child_by_field_name("name")
            if container is not None and container.type == "template_type" and self.reading.text(inner) in ITERATORS:
                return facts.attribute(self.type(container, depth), self.reading.text(inner))
            outer = self.type_name(text.partition("<")[0].strip(": "))
            if inner is None or inner.type != "template_type":
                return outer
            arguments = inner.child_by_field_name("arguments")
            given = [self.type(a, depth) for a in arguments.named_children] if arguments is not None else []
            return self.generic(outer, self.reading.field(inner, "name"), given)
        if kind in ("struct_specifier", "union_specifier", "enum_specifier", "class_specifier"):
            return self.type(node.child_by_field_name("name"), depth)
        if kind in ("type_descriptor", "dependent_type"):
            return self.type(node.child_by_field_name("type") or first(node), depth)
        return facts.unknown

    # Definitions

    def definition(self, reading: Reading, node: Node) -> None:
        """A definition; what is static stays in its file."""
        index = reading.definitions.get(node.id)
        if index is not None:
            defined = reading.outlined[index - 1]
            if not self.is_header and (
                defined.kind == "macro" or (defined.private and defined.kind not in _MEMBERS) or _is_unnamed(node)
            ):
                reading.flag(index, FILE_PRIVATE)
            if defined.kind == "macro":
                self._macro(node, index)
                return
        super().definition(reading, node)

    def _macro(self, node: Node, index: int) -> None:
        """`#define M(x) f(x)`: what its text calls is called by whoever uses it, and stands as its result."""
        reading, value = self.reading, node.child_by_field_name("value")
        text = _COMMENT.sub("", reading.text(value)).strip()
        parameters = set(_WORD.findall(reading.field(node, "parameters")))
        if value is None or len(text) > _MAX_MACRO_CHARS:
            return
        for name in _OPENED.findall(text) if "namespace" in text else ():
            if name not in parameters:
                self._opened_by_macro(name, node)
        found = [text] if text.isidentifier() else _CALLED.findall(text)
        names = [n for n in dict.fromkeys(found) if n not in parameters | BUILTINS | _KEYWORDS]
        if not names:
            return
        reading.enter(node, FUNCTION_SCOPE, index)
        called = [self.facts.named(name.replace("::", ".")) for name in names[:_MAX_MACRO_CALLS]]
        reading.result(index, self.facts.union(called))
        if not text.isidentifier():  # another name for a function calls nothing by itself
            for expression in called:
                self.facts.site(reading.scope, expression, -1, reading.at(value))

    def _opened_by_macro(self, name: str, node: Node) -> None:
        """`#define BEGIN namespace a {`: where it is used cannot be seen, so that all of the root may be in it."""
        facts, line = self.facts, self.reading.line(node)
        hidden = facts.define("", name, "class", ordinal=0, parent=0, line=line)
        facts.definitions[hidden].flags |= HIDDEN
        scope = facts.definitions[hidden].scope = facts.scope(self.reading.module_scope, CLASS_SCOPE, hidden)
        facts.bind(scope, SPREAD, facts.expression(MODULE, facts.name("")))
        facts.bind(self.reading.module_scope, name, facts.expression(DEFINED, hidden))
        self.star(self.name(name))

    def bases(self, node: Node, index: int) -> None:
        """`class A : public B`."""
        clause = child_of(node, "base_class_clause")
        for base in children_of(clause, "type_identifier", "template_type", "qualified_identifier") if clause else ():
            self.reading.base(index, self.type(base), INHERITS, self.reading.line(base))

    def alias(self, node: Node, index: int) -> None:
        """`typedef struct s t;`, `using A = B;`."""
        type_ = self.type(node.child_by_field_name("type"))
        row = self.facts.expressions[type_]
        itself = row[0] == TYPE and self.facts.names[row[1]] == self.reading.outlined[index - 1].name
        if type_ != self.facts.unknown and not itself:
            self.reading.result(index, type_)

    def open_function(self, node: Node, index: int) -> None:
        """A function; one that is defined outside of its class stands in its class's scope."""
        reading = self.reading
        made = made_by_macro(node)
        if made is not None and reading.text(made.name) == reading.outlined[index - 1].name:
            self._open_made(node, made, index)
            return
        declarator = _function_declarator(node)
        if node.type != "function_definition":
            reading.flag(index, OVERLOAD)
        self._enter_owner(node, index)
        type_ = node.child_by_field_name("type")
        if type_ is not None and type_.type not in ("placeholder_type_specifier", "primitive_type"):
            self.declare_result(index, type_)
        reading.enter(node, FUNCTION_SCOPE, index)
        self._macros_before(node, reading.scope if node.type == "function_definition" else reading.module_scope)
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        for parameter in listed.named_children if listed is not None else ():
            kind = parameter.type
            if kind in ("parameter_declaration", "optional_parameter_declaration"):
                name = reading.text(_name(parameter.child_by_field_name("declarator")))
                type_ = parameter.child_by_field_name("type")
                self._note_object(name, type_, parameter)
                if name or reading.text(type_) != "void":
                    self.parameter(index, name or "_", type_, parameter)
            elif kind in ("variadic_parameter", "variadic_parameter_declaration"):
                reading.flag(index, VARIADIC)
        if listed is not None and reading.source.find(b"...", listed.start_byte, listed.end_byte) >= 0:
            reading.flag(index, VARIADIC)

    def _open_made(self, node: Node, made: Made, index: int) -> None:
        """A function that a macro makes: what the macro's text calls, it calls."""
        if made.result is not None:
            self.declare_result(index, made.result)
        self.reading.enter(node, FUNCTION_SCOPE, index)
        macro = self.name(self.reading.text(made.macro))
        self.facts.site(self.reading.scope, macro, -1, self.reading.at(made.macro))

    def _macros_before(self, node: Node, scope: int) -> None:
        """`API(int) f()`, `template <class T, ENABLE_IF(…)> void f()`: macros that the grammar was not shown."""
        source, outer = self.reading.source, node.parent
        before = source[max(node.start_byte - _MAX_BEFORE, 0) : node.start_byte]
        around = _USED_AROUND.search(before) if before.rstrip().endswith(b"(") else None
        names = [around[1]] if around is not None else []
        if outer is not None and outer.type == "template_declaration":
            given = source[outer.start_byte : node.start_byte]
            names += _USED_BEFORE.findall(given) if b"(" in given else []
        for name in names:
            self.facts.site(scope, self.name(name.decode()), -1, self.reading.at(node))

    def _enter_owner(self, node: Node, index: int) -> None:
        """`void a::B::f()`: the scopes of a and of B."""
        defined = self.reading.outlined[index - 1]
        if not defined.owner:
            return
        facts = self.facts
        around = facts.definitions[self.reading.definition()].qualified_name if self.reading.definition() else ""
        path = around
        for part in defined.owner.removeprefix(around).strip(".").split("."):
            path = f"{path}.{part}" if path else part
            hidden = self.owners.get(path, 0)
            if not hidden:
                line = self.reading.line(node)
                hidden = facts.define("", path, "class", ordinal=0, parent=self.reading.definition(), line=line)
                facts.definitions[hidden].flags |= HIDDEN
                self.owners[path] = hidden
            self.reading.enter(node, CLASS_SCOPE, hidden)

    def declaration(self, reading: Reading, node: Node) -> None:
        """Prototypes, variables and fields."""
        index = reading.definitions.get(node.id)
        if index is not None and reading.outlined[index - 1].kind in ("function", "method", "constructor"):
            self.definition(reading, node)
            return
        if index is not None and reading.outlined[index - 1].private:
            reading.flag(index, FILE_PRIVATE)
        declarators = node.children_by_field_name("declarator")
        if declarators:
            self.initialised = node
        type_ = node.child_by_field_name("type")
        plain = type_ is None or type_.type == "placeholder_type_specifier"
        for declarator in declarators:
            value = None
            if declarator.type == "init_declarator":
                value = declarator.child_by_field_name("value")
                declarator_of = declarator.child_by_field_name("declarator")
            else:
                declarator_of = declarator
                value = node.child_by_field_name("value")
            name = reading.text(_name(declarator_of))
            if not name:
                self._initialised(declarator_of, type_, plain=plain)
                continue
            self._note_object(name, type_, declarator)
            self.declare(name, None if plain else type_, value, node)
            if value is not None and value.type in ("argument_list", "initializer_list") and not plain:
                self._constructed(type_)

    def _initialised(self, declarator: Node | None, type_: Node | None, *, plain: bool) -> None:
        """`T x(a, b);` in a body: by its form it may declare a function, and hardly ever does."""
        if declarator is None or declarator.type != "function_declarator" or plain or self.facts.language == "c":
            return
        name = _name(declarator.child_by_field_name("declarator"))
        if name is None or name.type != "identifier" or self.reading.function_scope() < 0:
            return
        self._note_object(self.reading.text(name), type_, declarator)
        self.declare(self.reading.text(name), type_, None, declarator)
        self._constructed(type_)

    def _constructed(self, type_: Node | None) -> None:
        """`T x(1)` and `T x{1}` make a T."""
        if type_ is None or self.facts.language == "c" or type_.type not in ("type_identifier", "qualified_identifier"):
            return
        expression = self.type(type_)
        if expression != self.facts.unknown:
            self.facts.site(self.reading.scope, expression, -1, self.reading.at(type_), NEW_SITE)

    def may_be_function(self, node: Node) -> bool:
        """The same of names alone: the patterns find no members."""
        text = self.reading.text(node)
        if text in self.callables:
            return True
        flags = self.facts.bound.get(text)
        return not text.isupper() if flags is None else bool(flags & IMPORTED)

    def handed(self, reading: Reading, node: Node) -> None:
        """A function that is kept or handed on: by the variable whose initialiser holds it, else by the function
        around; with the struct whose field it is kept in, since calls of that field may mean it."""
        if not self.may_be_function(node):
            return
        value, label = self.value(node), self.kept_under(node)
        if label is None or value == self.facts.unknown:
            return
        variable = self.initialised
        if variable is None or not variable.start_byte <= node.start_byte < variable.end_byte:
            variable = None
        source = reading.definitions.get(variable.id, -1) if variable is not None else -1
        holder = self._holder(node, variable)
        self.facts.register(reading.scope, value, reading.at(node), label, holder=holder, source=source)

    def _holder(self, node: Node, variable: Node | None) -> int:
        """The value whose field keeps a function: `x` of `x->f = g`, an instance of T for `T x = {.f = g}`."""
        around = node.parent
        while around is not None and around.type in ("pointer_expression", "cast_expression"):
            around = around.parent
        if around is None:
            return -1
        if around.type == "assignment_expression":
            left = around.child_by_field_name("left")
            kept = left is not None and left.type == "field_expression"
            holder = self.value(left.child_by_field_name("argument")) if left is not None and kept else -1
        elif around.type == "initializer_pair" and variable is not None:
            lists, outer = 0, around.parent
            while outer is not None and outer.type == "initializer_list":
                lists, outer = lists + 1, outer.parent
            array = outer is not None and child_of(outer, "array_declarator") is not None
            own = outer is not None and outer.type == "init_declarator" and lists == 1 + array
            holder = self.instance(self.type(variable.child_by_field_name("type"))) if own else -1
        else:
            return -1
        return -1 if holder == self.facts.unknown else holder

    def key_text(self, node: Node | None) -> str:
        """A field, or the variable at the bottom of a declarator."""
        return super().key_text(node if node is None or node.type not in _DECLARATORS else _name(node))

    def constant(self, node: Node, index: int) -> None:
        """Handled with the other declarations."""

    def call(self, reading: Reading, node: Node) -> None:
        """A call; the standard library's own names stay its own, also where a platform renames them by macro."""
        callee = node.child_by_field_name("function")
        if callee is None or reading.inside is not None:
            return  # never evaluated
        kind = callee.type
        if kind == "identifier":
            if (name := reading.text(callee)) in BUILTINS and self._is_library(name):
                if self.facts.language == "cpp" and reading.class_scope() >= 0:  # a method of the class goes first
                    own = self.facts.attribute(self.facts.expression(SELF), name)
                    self.facts.site(reading.scope, own, self.argument_count(node), reading.at(callee))
                return
        elif kind == "parenthesized_expression" and reading.text(callee).isupper():
            return  # `(U32)(x)`: a cast
        self.called(node, callee)

    def _is_library(self, name: str) -> bool:
        """Is a name of the standard library meant, and nothing of the root?"""
        if name in OFTEN_REDEFINED:
            return any(spec == "<assert.h>" for _, spec, _ in self.facts.imports)
        return name not in self.functions

    def argument_count(self, node: Node) -> int:
        """How many arguments a call gives; most have no comment among them and need not be looked at one by one."""
        arguments = node.child_by_field_name("arguments")
        if self.counts_arguments and arguments is not None and not self._has_comment(arguments):
            return arguments.named_child_count
        return super().argument_count(node)

    def _has_comment(self, node: Node) -> bool:
        return self.reading.source.find(b"/", node.start_byte, node.end_byte) >= 0

    def _note_object(self, name: str, type_: Node | None, declared: Node) -> None:
        """Keep whether a name is declared as an object: operators of pointers and numbers are the language's own."""
        if not name or self.facts.language == "c":
            return
        if type_ is None or type_.type not in _OBJECT_TYPES:
            self.objects[name] = self.pointed[name] = False
            return
        inner = declared
        while inner.type not in _BY_ADDRESS and (deeper := inner.child_by_field_name("declarator")) is not None:
            inner = deeper
        below = inner.child_by_field_name("declarator") if inner.type == "pointer_declarator" else None
        self.pointed[name] = below is not None and below.type in _NAMED
        if inner.type in _BY_ADDRESS:
            self.objects[name] = False
            return
        text = self.reading.text(type_)
        plain = self._plain.get(text)
        if plain is None:  # others are read as what they hold or point to
            outer = text.partition("<")[0].rpartition("::")[2].strip()
            plain = self._plain[text] = outer not in self.wrappers and not text.endswith(_ITERATOR)
        self.objects[name] = plain

    def site_position(self, callee: Node) -> int:
        """The last name of a chain."""
        field = _LAST_NAMES.get(callee.type)
        named = callee.child_by_field_name(field) if field is not None else None
        return self.reading.at(named if named is not None else callee)

    # Imports

    def included(self, reading: Reading, node: Node) -> None:
        """`#include "x.h"`; a system path keeps its brackets."""
        path = reading.field(node, "path").strip('"')
        if path:
            self.facts.imported(reading.line(node), path)


class CppReader(CReader):
    """Reads one C++ file."""

    steps: ClassVar[Mapping[str, str]] = {
        **CReader.steps,
        "for_range_loop": "loop",
        "lambda_expression": "closure",
        "using_declaration": "used",
        "field_initializer": "base_made",
        "subscript_expression": "subscript",
        "binary_expression": "operation",
        "assignment_expression": "operation",
        "unary_expression": "operation",
        "update_expression": "operation",
        "pointer_expression": "operation",
    }

    def base_made(self, reading: Reading, node: Node) -> None:
        """`: Base(x)` calls the constructor of a base; of a field, whose name is no type, nothing is said."""
        named = first(node)
        if named is None or named.type not in ("field_identifier", "qualified_identifier", "template_method"):
            return
        name = reading.text(named).partition("<")[0]
        type_ = self.type_name(name)
        if type_ != self.facts.unknown and self._may_be_base(name):
            self.facts.site(reading.scope, type_, -1, reading.at(named), NEW_SITE)

    def _may_be_base(self, name: str) -> bool:
        """Is this no field for sure? A class that stands here states its bases."""
        around = self.facts.definitions[self.reading.definition(self.reading.class_scope())]
        if around.flags & HIDDEN or not around.name:
            return True
        named = {self.facts.names[row[-1]] for row in map(self._bare, around.bases) if row[0] in (TYPE, ATTRIBUTE)}
        return name.rpartition("::")[2] in named | {around.name}

    def _bare(self, base: Base) -> tuple[int, ...]:
        row = self.facts.expressions[base.expression]
        return self.facts.expressions[row[1]] if row[0] == GENERIC else row

    def loop(self, reading: Reading, node: Node) -> None:
        """`for (auto& x : xs)`."""
        type_ = node.child_by_field_name("type")
        name = reading.text(_name(node.child_by_field_name("declarator")))
        self._note_object(name, type_, node)
        if type_ is not None and type_.type != "placeholder_type_specifier":
            self.declare(name, type_, None, type_)
        elif name:
            value = self.facts.expression(ELEMENT, self.value(node.child_by_field_name("right")))
            self.facts.bind(reading.scope, name, value, reading.at(node))

    def closure(self, reading: Reading, node: Node) -> None:
        """A lambda's parameters are names of its own."""
        reading.enter_block(node)
        declarator = node.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters") if declarator is not None else None
        for parameter in children_of(listed, "parameter_declaration") if listed is not None else ():
            type_ = parameter.child_by_field_name("type")
            plain = type_ is None or type_.type == "placeholder_type_specifier"
            name = reading.text(_name(parameter.child_by_field_name("declarator")))
            self._note_object(name, type_, parameter)
            self.declare(name, None if plain else type_, None, parameter)

    def subscript(self, reading: Reading, node: Node) -> None:
        """`x[i]` calls an operator, where x is of a class that has one."""
        if reading.inside is not None:
            return
        held = node.child_by_field_name("argument")
        value = self.value(held)
        if held is not None and value != self.facts.unknown and self.facts.expressions[value][0] != LITERAL:
            self.facts.site(reading.scope, self.facts.attribute(value, "operator[]"), 1, reading.at(held))

    def operation(self, reading: Reading, node: Node) -> None:
        """`a == b`, `!a`, `out << a`: operators, where an operand is an object as declared, or cannot be a pointer.
        A function beside the class may take it as the second of two, which a method never does."""
        if reading.inside is not None:
            return
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type in _OWN_OPERATORS:
            return
        if node.type in _UNARY:
            operand = node.child_by_field_name("argument")
            if operator.type != "&" and self._is_object(operand, unlike_pointers=False):  # `&a` takes an address
                self._operated(operand, None, operator, 0)
            return
        unlike_pointers = operator.type in _NO_POINTERS
        first_operand = node.child_by_field_name("left")
        second = node.child_by_field_name("right") if node.type == "binary_expression" else None
        chained = 0
        while (  # `out << a << b`, `a | b | c`: of the type that the first has
            first_operand is not None
            and first_operand.type == "binary_expression"
            and chained < _MAX_DECLARATORS
            and (inner := first_operand.child_by_field_name("operator")) is not None
            and inner.type == operator.type
        ):
            first_operand, chained = first_operand.child_by_field_name("left"), chained + 1
        if any(self._is_object(o, unlike_pointers=unlike_pointers) for o in (first_operand, second)):
            self._operated(first_operand, second, operator, 1)

    def _is_object(self, operand: Node | None, *, unlike_pointers: bool) -> bool:
        kind = operand.type if operand is not None else ""
        while operand is not None and kind == "parenthesized_expression":
            operand = first(operand)
            kind = operand.type if operand is not None else ""
        if kind == "identifier":
            return self.objects.get(self.reading.text(operand), unlike_pointers)
        if kind != "pointer_expression":
            return unlike_pointers and kind in _MADE
        text = self.reading.text(operand)
        return text == "*this" or (text[:1] == "*" and self.pointed.get(text[1:], False))

    def _operated(self, one: Node | None, other: Node | None, operator: Node, arguments: int) -> None:
        """A call of an operator on one operand, or on two."""
        values = [self.value(operand) for operand in (one, other) if operand is not None]
        if values and any(value != self.facts.unknown for value in values):
            called = self.facts.attribute(self.facts.expression(TUPLE, *values), f"operator{operator.type}")
            self.facts.site(self.reading.scope, called, arguments, self.reading.at(operator))

    def used(self, reading: Reading, node: Node) -> None:
        """`using namespace a;`, `using a::B;`."""
        named = first(node)
        if named is None:
            return
        value = self._qualified(named)
        if any(child.type == "namespace" for child in node.children):
            self.star(value)
        elif value != self.facts.unknown and "::" in reading.text(named):
            self.bind_import(reading.text(named).rpartition("::")[2], value, node)


def _is_unnamed(node: Node) -> bool:
    """Does a definition stand in a namespace without a name, which no other file sees?"""
    around = node.parent
    if around is not None and around.type == "template_declaration":
        around = around.parent
    space = around.parent if around is not None and around.type == "declaration_list" else None
    return space is not None and space.type == "namespace_definition" and space.child_by_field_name("name") is None


def _function_declarator(node: Node) -> Node | None:
    current = node.child_by_field_name("declarator")
    for _ in range(_MAX_DECLARATORS):
        if current is None or current.type == "function_declarator":
            return current
        current = current.child_by_field_name("declarator") or first(current)
    return None


def _name(declarator: Node | None) -> Node | None:
    """The name at the bottom of a declarator; functions are no variables."""
    for _ in range(_MAX_DECLARATORS):
        if declarator is None or declarator.type in _NAMED:
            return declarator
        if declarator.type not in _DECLARATORS:
            return None
        declarator = declarator.child_by_field_name("declarator") or first(declarator)
    return None


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that an include names: beside the file, then by its path; a system header only in an include folder.
    Without a path all of the root is meant."""
    if not spec:
        return SPACE
    if spec.startswith("."):
        return relative_file(view, facts.path, spec)
    if not spec.startswith("<"):
        return nearest_file(view, "c", facts.path, (spec, f"include/{spec}", f"src/{spec}"))
    path = spec.strip("<>")
    return nearest_file(view, "c", facts.path, (f"include/{path}",))


def rules(language: str) -> Rules:
    """The rules of C and C++."""
    return Rules(
        family="c",
        reader=CReader if language == "c" else CppReader,
        module=module,
        builtins=BUILTINS - OFTEN_REDEFINED,
        common_members=COMMON_MEMBERS,
        external_result=external_result,
        external_element=external_element,
        external_member=external_member,
        members_in_scope=True,
        linked=True,
        outer_names=NAMESPACES,
        special=SpecialMembers(indexed="operator[]", called="operator()"),
        overloads=language == "cpp",
        calls_convert=language == "c",  # `(U32)(x)` and what a macro makes of it: C has no constructors
    )
