"""F#: modules and namespaces are packages; what is applied is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import FUNCTION_SCOPE, INHERITS, MODULE, SELF
from sightline.languages.fsharp.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_PREFIX = "fsharp:"
_PIPES = frozenset({"|>", "||>", "<|", ">>", ">=>", ">>="})


class FsharpReader(Reader):
    """Reads one F# file."""

    names = frozenset({"identifier"})
    calls: ClassVar[Mapping[str, str]] = {"application_expression": ""}
    transparent = frozenset({"paren_expression", "typed_expression"})
    literals: ClassVar[Mapping[str, str]] = {"const": "value"}
    counts_arguments = False
    self_names = frozenset()
    type_names = frozenset({"long_identifier", "identifier"})
    steps: ClassVar[Mapping[str, str]] = {
        "named_module": "package",
        "namespace": "package",
        "import_decl": "opened",
        "application_expression": "call",
        "infix_expression": "piped",
        "function_or_value_defn": "bound",
        "interface_implementation": "implemented",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.known = {defined.name for defined in reading.outlined}

    def package(self, reading: Reading, node: Node) -> None:
        """`module A.B` or `namespace A.B` at the head of a file."""
        self.facts.space = _PREFIX + reading.field(node, "name")

    # Values

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`f`, `A.f`, `x.M`, `this.M`."""
        if kind == "long_identifier_or_op":
            text = self.reading.text(node)
            parts = text.split(".")
            if not all(part.strip("`").isidentifier() for part in parts):
                return self.facts.unknown
            return self._path(parts)
        return super().compound(node, kind, depth)

    def _path(self, parts: list[str]) -> int:
        facts = self.facts
        if len(parts) > 1 and parts[0][:1].isupper() and parts[0] not in self.known:
            module_ = facts.expression(MODULE, facts.name(".".join(parts[:-1])))
            return facts.attribute(module_, parts[-1])
        result = super().name(parts[0])
        for part in parts[1:]:
            result = facts.attribute(result, part)
        return result

    def site_position(self, callee: Node) -> int:
        """The name stands last."""
        while callee.named_child_count:
            callee = callee.named_children[-1]
        return self.reading.at(callee)

    # Definitions

    def open_function(self, node: Node, index: int) -> None:
        """A function or member; a member names its instance itself."""
        self.reading.enter(node, FUNCTION_SCOPE, index)
        head = node.child_by_field_name("name")
        instance = self.reading.field(head, "instance") if head is not None else ""
        if instance and instance != "_":
            self.facts.bind(self.reading.scope, instance, self.facts.expression(SELF))
        left = child_of(node, "function_declaration_left")
        patterns = child_of(left, "argument_patterns") if left is not None else node.child_by_field_name("args")
        if patterns is not None:
            self._parameters(patterns, index)

    def _parameters(self, patterns: Node, index: int) -> None:
        for given in patterns.named_children if patterns.type != "typed_pattern" else [patterns]:
            inner = given
            while inner.type == "paren_pattern" and inner.named_child_count:
                inner = inner.named_children[0]
            typed = inner.named_children if inner.type == "typed_pattern" else [inner]
            name = self.reading.text(typed[0])
            if name.isidentifier():
                self.parameter(index, name, typed[1] if len(typed) > 1 else None, given)

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`A.B`, `A list`."""
        if kind == "simple_type":
            text = self.reading.text(node)
            return self.type_name(text) if text.replace(".", "").isidentifier() else self.facts.unknown
        return super().compound_type(node, kind, depth)

    def constant(self, node: Node, index: int) -> None:
        """A constant calls what its value calls."""

    def alias(self, node: Node, index: int) -> None:
        """Abbreviations are not followed."""

    def bound(self, reading: Reading, node: Node) -> None:
        """`let x = …` inside of a function."""
        if node.id in reading.definitions:
            self.definition(reading, node)
            return
        left = child_of(node, "value_declaration_left")
        name = reading.text(first(left))
        if name.isidentifier():
            self.facts.bind(reading.scope, name, self.value(node.child_by_field_name("body")), reading.after(node))

    def implemented(self, reading: Reading, node: Node) -> None:
        """`interface A with …`."""
        scope = reading.class_scope()
        given = child_of(node, "simple_type")
        if scope >= 0 and given is not None:
            definition = self.facts.scopes[scope].definition
            reading.base(definition, self.type_name(reading.text(given)), INHERITS, reading.line(given))

    # Sites and imports

    def piped(self, reading: Reading, node: Node) -> None:
        """`x |> f`, `f >> g`."""
        operator = child_of(node, "infix_op")
        if reading.text(operator) not in _PIPES:
            return
        for side in children_of(node, "long_identifier_or_op"):
            value = self.value(side)
            text = reading.text(side)
            if value != self.facts.unknown and ("." in text or text in self.known or side.start_byte > node.start_byte):
                self.facts.site(reading.scope, value, -1, self.site_position(side))

    def opened(self, reading: Reading, node: Node) -> None:
        """`open A.B`."""
        spec = reading.text(first(node))
        if spec:
            self.star(self.import_module(node, spec))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The package of that name, seen from the packages around the file's own."""
    here = facts.space.removeprefix(_PREFIX) if facts.space.startswith(_PREFIX) else ""
    around = here.split(".") if here else []
    for length in range(len(around), -1, -1):
        space = _PREFIX + ".".join([*around[:length], spec])
        if view.table.files_of_space(space):
            return space
    return None


def rules(language: str) -> Rules:
    """The rules of F#."""
    return Rules(
        family="fsharp",
        reader=FsharpReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        class_names_in_scope=True,
    )
