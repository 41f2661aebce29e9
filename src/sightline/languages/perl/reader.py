"""Perl: packages are classes, the first argument of a method is the instance, `use` brings the names it lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CALL,
    CLASS_SCOPE,
    DEFINED,
    EXPORTED,
    FUNCTION_SCOPE,
    INHERITS,
    MODULE,
    NAME,
    SELF,
    SELF_TYPE,
    SUPER,
)
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.perl.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.perl.outline import package_name
from sightline.languages.reader import Reader
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_BLESSED = "bless"  # as a declared result: what the method was called on
_BASES = frozenset({"parent", "base", "Mojo::Base"})
_MOOSE = frozenset({"extends", "with"})
_WORD = re.compile(r"[A-Za-z_][\w:']*")
_FUNCTION = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")
_PRAGMA = re.compile(r"[a-z]\w*|v?[\d.]+")  # strict, warnings, v5.36: modules of the language


class PerlReader(Reader):
    """Reads one Perl file."""

    names = frozenset({"bareword"})
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "string",
        "interpolated_string_literal": "string",
        "number": "number",
        "anonymous_hash_expression": "hash",
        "anonymous_array_expression": "array",
        "anonymous_subroutine_expression": "code",
    }
    self_names = frozenset()  # `$self` is only a variable, and what everybody calls the instance
    steps: ClassVar[Mapping[str, str]] = {
        "function_call_expression": "function_call",
        "ambiguous_function_call_expression": "function_call",
        "method_call_expression": "method_call",
        "use_statement": "used",
        "require_expression": "required",
        "assignment_expression": "assigned",
        "return_expression": "returned",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.packages = {d.qualified_name: i for i, d in enumerate(reading.outlined, start=1) if d.kind == "class"}
        for index, defined in enumerate(reading.outlined, start=1):
            own = self.facts.expression(DEFINED, index)
            if defined.kind == "class":  # known by its whole name, here and to whoever imports the file
                self.facts.bind(reading.module_scope, defined.qualified_name, own)
            elif "." in defined.qualified_name:
                self.facts.bind(reading.module_scope, defined.name, own, flags=EXPORTED)

    # Values

    def package(self, written: str) -> int:
        """A package by its name: one of this file, or of the file that bears its name."""
        name = package_name(written)
        if not name:
            return self.facts.unknown
        if name in self.packages:
            return self.facts.expression(NAME, self.facts.name(name))
        return self.facts.attribute(self.facts.expression(MODULE, self.facts.name(name)), name)

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`$x`, `$x->m`, `f()`, `A::B`."""
        facts = self.facts
        if kind == "scalar":
            text = self.reading.text(node)
            if text in ("$self", "$this"):
                return facts.expression(SELF)
            if text in ("$class", "$proto"):
                return facts.expression(SELF_TYPE)
            return facts.expression(NAME, facts.name(text))
        if kind == "method_call_expression":
            return facts.expression(CALL, self._method(node, depth))
        if kind in ("function_call_expression", "ambiguous_function_call_expression"):
            called = self._function(self.reading.field(node, "function"))
            return facts.unknown if called == facts.unknown else facts.expression(CALL, called)
        if kind == "func0op_call_expression" and self.reading.text(node) == "__PACKAGE__":
            return facts.expression(SELF_TYPE)
        return super().compound(node, kind, depth)

    def name(self, text: str) -> int:
        """A bare word is a package, unless it is a name of the language."""
        if text == "__PACKAGE__":
            return self.facts.expression(SELF_TYPE)
        return self.package(text) if text[:1].isupper() or "::" in text else super().name(text)

    def _function(self, written: str) -> int:
        name = written.lstrip("&")
        if not _FUNCTION.fullmatch(name):
            return self.facts.unknown
        holder, _, last = name.rpartition("::")
        if not holder:
            return super().name(name)
        package = package_name(holder)
        if package in self.packages:
            return self.facts.attribute(self.package(holder), last)
        return self.facts.attribute(self.facts.expression(MODULE, self.facts.name(package)), last)

    def _method(self, node: Node, depth: int) -> int:
        method = self.reading.field(node, "method")
        if not _WORD.fullmatch(method):
            return self.facts.unknown
        if method.startswith("SUPER::"):
            return self.facts.attribute(self.facts.expression(SUPER), method.removeprefix("SUPER::"))
        return self.facts.attribute(self.value(node.child_by_field_name("invocant"), depth), method)

    # Definitions

    def open_type(self, node: Node, index: int) -> None:
        """A package lasts to its brace, to the next package, or to the end of the block or file around it."""
        self.reading.enter(node, CLASS_SCOPE, index, end=self._end(node))

    def _end(self, node: Node) -> Node:
        if any(child.type == "block" for child in node.named_children):
            return node
        around = node.parent
        following = [d.node for d in self.reading.outlined if d.kind == "class" and d.node.start_byte >= node.end_byte]
        if following and around is not None and following[0].start_byte < around.end_byte:
            return following[0].prev_named_sibling or node
        return around or node

    def open_function(self, node: Node, index: int) -> None:
        """A sub; what it takes stands in its body."""
        self.reading.enter(node, FUNCTION_SCOPE, index)

    def constant(self, node: Node, index: int) -> None:
        """Constants and package variables hold data."""

    # Statements

    def assigned(self, reading: Reading, node: Node) -> None:
        """`my $x = v;`, `our @ISA = (…)`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        variable = left.child_by_field_name("variable") if left.type == "variable_declaration" else left
        if variable is None:
            return
        text = reading.text(variable)
        if text == "@ISA":
            self._inherit(right)
        elif variable.type == "scalar":
            self.facts.bind(reading.scope, text, self.value(right), reading.after(node))

    def returned(self, reading: Reading, node: Node) -> None:
        """What a sub gives."""
        given = node.named_child(0) if node.named_child_count else None
        if given is not None and reading.field(given, "function") != "bless":
            reading.returned(self.value(given), reading.at(node))

    def _inherit(self, node: Node) -> None:
        scope = self.reading.class_scope()
        if scope < 0:
            return
        for word in self._words(node):
            if _WORD.fullmatch(word) and word != "-norequire":
                self.reading.base(
                    self.facts.scopes[scope].definition, self.package(word), INHERITS, self.reading.line(node)
                )

    def _words(self, node: Node) -> list[str]:
        """The words of a list: quoted one by one, or all together."""
        if node.type in ("string_literal", "interpolated_string_literal", "quoted_word_list"):
            return self.reading.field(node, "content").split()
        if node.type in ("list_expression", "parenthesized_expression"):
            return [word for child in node.named_children for word in self._words(child)]
        return []

    # Sites and imports

    def function_call(self, reading: Reading, node: Node) -> None:
        """`f(…)`, `f …`, `A::f(…)`; `bless` makes the sub a constructor, `extends` names bases."""
        named = node.child_by_field_name("function")
        written = reading.text(named)
        arguments = node.child_by_field_name("arguments")
        if written == "bless":
            function = reading.function_scope()
            if function >= 0:
                reading.result(self.facts.scopes[function].definition, super().name(_BLESSED))
        elif written in _MOOSE and arguments is not None:
            self._inherit(arguments)
        elif named is not None and (value := self._function(written)) != self.facts.unknown:
            self.facts.site(reading.scope, value, -1, reading.at(named))

    def method_call(self, reading: Reading, node: Node) -> None:
        """`$x->m(…)`, `A::B->new`."""
        value, named = self._method(node, 0), node.child_by_field_name("method")
        if value != self.facts.unknown and named is not None:
            self.facts.site(reading.scope, value, -1, reading.at(named))

    def used(self, reading: Reading, node: Node) -> None:
        """`use A::B qw(f g);`, `use parent 'A';`."""
        written = reading.field(node, "module")
        words = [word for child in node.named_children[1:] for word in self._words(child)]
        if written in _BASES:
            for child in node.named_children[1:]:
                self._inherit(child)
            for word in words:
                self._import(node, word, ())
        elif written and not _PRAGMA.fullmatch(written):
            self._import(node, written, words)

    def _import(self, node: Node, written: str, words: list[str] | tuple[str, ...]) -> None:
        if not _WORD.fullmatch(written) or written.startswith("-"):
            return
        names = [word.lstrip("&") for word in words if _FUNCTION.fullmatch(word.lstrip("&"))]
        module_ = self.import_module(node, package_name(written), names)
        for name in names:
            self.bind_import(name, self.facts.attribute(module_, name), node)
        if not words:  # what it exports of itself is not known before it is read
            self.star(module_)

    def required(self, reading: Reading, node: Node) -> None:
        """`require A::B;`, `require "lib/a.pl";`."""
        given = node.named_child(0) if node.named_child_count else None
        if given is None:
            return
        if given.type == "bareword":
            self._import(node, reading.text(given), ())
        elif spec := reading.field(given, "content"):
            self.star(self.import_module(node, spec))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file of a package, or the file that `require` names."""
    if "/" in spec or spec.endswith((".pl", ".pm")):
        return relative_file(view, facts.path, spec) or nearest_file(view, "perl", facts.path, (spec.lstrip("./"),))
    path = spec.replace(".", "/") + ".pm"
    return nearest_file(view, "perl", facts.path, (f"lib/{path}", path))


def rules(language: str) -> Rules:
    """The rules of Perl."""
    return Rules(
        family="perl",
        reader=PerlReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        self_names=frozenset({"$self"}),
        self_types=frozenset({_BLESSED}),
        class_names_in_scope=True,
        guesses_names=True,
    )
