"""OCaml: a file is a module by its name; `open` makes its names visible."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import FUNCTION_SCOPE, MODULE, OVERLOAD, SELF
from sightline.languages.ocaml.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.paths import nearest_file
from sightline.languages.reader import Reader, child_of, children_of
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView


class OcamlReader(Reader):
    """Reads one OCaml file."""

    names = frozenset({"value_name"})
    calls: ClassVar[Mapping[str, str]] = {"application_expression": "function"}
    literals: ClassVar[Mapping[str, str]] = {"string": "string", "number": "int", "infix_expression": "value"}
    counts_arguments = False
    self_names = frozenset()
    steps: ClassVar[Mapping[str, str]] = {
        "application_expression": "call",
        "infix_expression": "piped",
        "method_invocation": "invoked",
        "open_module": "opened",
        "let_binding": "bound",
        "parameter": "taken",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.modules = {defined.name for defined in reading.outlined if defined.kind == "module"}

    # Values

    def path(self, parts: list[str]) -> int:
        """`A.B`: a module of this file, or a file."""
        first_, *rest = parts
        if first_ in self.modules:
            result = super().name(first_)
        else:
            result = self.facts.expression(MODULE, self.facts.name(first_))
        for part in rest:
            result = self.facts.attribute(result, part)
        return result

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`f`, `A.f`."""
        if kind == "value_path":
            holder, named = child_of(node, "module_path"), child_of(node, "value_name")
            if named is None:
                return self.facts.unknown
            if holder is None:
                return self.value(named, depth)
            return self.facts.attribute(self.path(self.reading.text(holder).split(".")), self.reading.text(named))
        return super().compound(node, kind, depth)

    def site_position(self, callee: Node) -> int:
        """The name stands last."""
        last = callee.named_children[-1] if callee.named_child_count else callee
        return self.reading.at(last)

    # Definitions

    def open_function(self, node: Node, index: int) -> None:
        """A function; a signature leads to its body."""
        self.reading.enter(node, FUNCTION_SCOPE, index)
        if node.type == "value_specification":
            self.reading.flag(index, OVERLOAD)

    def constant(self, node: Node, index: int) -> None:
        """A constant hides nothing and calls what its value calls."""

    def alias(self, node: Node, index: int) -> None:
        """Types are not followed."""

    def bound(self, reading: Reading, node: Node) -> None:
        """`let x = …`; inside of a function the name is of its own."""
        if node.id in reading.definitions:
            self.definition(reading, node)
            return
        pattern = node.child_by_field_name("pattern")
        if pattern is not None and pattern.type == "value_name" and reading.scope != reading.module_scope:
            around = node.parent.parent if node.parent is not None else None
            self.facts.bind(reading.scope, reading.text(pattern), self.facts.unknown, reading.at(around or node))

    def taken(self, reading: Reading, node: Node) -> None:
        """A parameter hides what is named alike outside."""
        pattern = node.child_by_field_name("pattern")
        names = children_of(pattern, "value_pattern", "value_name") if pattern is not None else []
        if pattern is not None and pattern.type in ("value_pattern", "value_name"):
            names = [pattern]
        self.unknown_names([reading.text(name) for name in names], node)

    # Sites and imports

    def piped(self, reading: Reading, node: Node) -> None:
        """`x |> f`, `f @@ x`."""
        operator = reading.field(node, "operator")
        side = {"|>": "right", "@@": "left", ">>=": "right"}.get(operator, "")
        callee = node.child_by_field_name(side) if side else None
        if callee is not None and callee.type == "value_path":
            value = self.value(callee)
            if value != self.facts.unknown:
                self.facts.site(reading.scope, value, -1, self.site_position(callee))

    def invoked(self, reading: Reading, node: Node) -> None:
        """`self#bump`."""
        held, named = node.child_by_field_name("object"), node.child_by_field_name("method")
        if named is not None:
            own = reading.text(held) in ("self", "this")
            value = self.facts.expression(SELF) if own else self.value(held)
            self.facts.site(reading.scope, self.facts.attribute(value, reading.text(named)), -1, reading.at(named))

    def opened(self, reading: Reading, node: Node) -> None:
        """`open A.B`."""
        spec = reading.field(node, "module")
        if spec:
            self.facts.imported(reading.line(node), spec)
            self.star(self.path(spec.split(".")))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file of a module; a library's wrapper module is left out: `Lwt_core.Lwt`."""
    name = spec.rpartition(".")[2]
    stem = name[:1].lower() + name[1:]
    return nearest_file(view, "ocaml", facts.path, (f"{stem}.ml", f"{name}.ml"))


def rules(language: str) -> Rules:
    """The rules of OCaml."""
    return Rules(
        family="ocaml",
        reader=OcamlReader,
        module=module,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        class_names_in_scope=True,
    )
