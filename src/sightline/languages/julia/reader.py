"""Julia: one namespace for the root, because files are included into modules that they do not name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import BY_TARGET, DEFINED, EXPORTED, FUNCTION_SCOPE
from sightline.languages.julia.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.paths import nearest_file, relative_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_SPACE = "julia:"
_HEADS = frozenset({"signature", "where_expression", "typed_expression"})


class JuliaReader(Reader):
    """Reads one Julia file."""

    space = _SPACE
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "", "broadcast_call_expression": ""}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_expression": ("value", "-1")}
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "String",
        "integer_literal": "Int",
        "float_literal": "Float64",
        "vector_expression": "Vector",
        "tuple_expression": "Tuple",
        "binary_expression": "value",
    }
    self_names = frozenset()
    self_types = frozenset()
    counts_arguments = False
    type_names = frozenset({"identifier"})
    steps: ClassVar[Mapping[str, str]] = {
        "call_expression": "call",
        "broadcast_call_expression": "call",
        "macrocall_expression": "macro",
        "assignment": "assigned",
        "using_statement": "imported",
        "import_statement": "imported",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        for index, defined in enumerate(reading.outlined, start=1):  # what a module holds, its other files see as well
            parent = reading.outlined[defined.parent] if defined.parent >= 0 else None
            if parent is not None and parent.kind == "module":
                own = self.facts.expression(DEFINED, index)
                self.facts.bind(reading.module_scope, defined.name, own, flags=EXPORTED)

    def bases(self, node: Node, index: int) -> None:
        """`struct A <: B`."""
        head = child_of(node, "type_head")
        stated = child_of(head, "binary_expression") if head is not None else None
        if stated is not None and stated.named_child_count > 2:
            base = stated.named_children[-1]
            self.reading.base(index, self.type(base), BY_TARGET, self.reading.line(base))

    def open_function(self, node: Node, index: int) -> None:
        """A method; its parameters with their types."""
        self.reading.enter(node, FUNCTION_SCOPE, index)
        head = child_of(node, "signature") or first(node)
        for _ in range(4):
            if head is None or head.type == "call_expression":
                break
            head = first(head)
        listed = child_of(head, "argument_list") if head is not None else None
        for given in listed.named_children if listed is not None else ():
            target = first(given) if given.type == "named_argument" else given
            if target is not None and target.type == "typed_expression" and target.named_child_count > 1:
                named, type_ = target.named_children[0], target.named_children[1]
                if named.type == "identifier":
                    self.parameter(index, self.reading.text(named), type_, given)
            elif target is not None and target.type == "identifier":
                self.parameter(index, self.reading.text(target), None, given)

    def constant(self, node: Node, index: int) -> None:
        """Constants hold data."""

    def assigned(self, reading: Reading, node: Node) -> None:
        """`x = A(…)`; `f(x) = …` defines."""
        if node.id in reading.definitions:
            self.definition(reading, node)
            return
        left = first(node)
        if left is not None and left.type == "identifier" and node.named_child_count > 1:
            value = self.value(node.named_children[-1])
            self.facts.bind(reading.scope, reading.text(left), value, reading.after(node))

    def call(self, reading: Reading, node: Node) -> None:
        """A call; the head of a definition is none, `include` brings a file."""
        around = node.parent
        if around is not None and around.type in _HEADS and self._is_head(around):
            return
        if around is not None and around.type == "assignment" and first(around) == node:
            return
        callee = first(node)
        if reading.text(callee) == "include":
            listed = child_of(node, "argument_list")
            spec = reading.text(first(listed)).strip('"') if listed is not None else ""
            if spec.endswith(".jl"):
                self.facts.imported(reading.line(node), spec)
            return
        super().call(reading, node)

    def _is_head(self, node: Node) -> bool:
        """Whether a node belongs to the head of a definition."""
        around: Node | None = node
        while around is not None and around.type in _HEADS:
            if around.type == "signature":
                return True
            inner, around = around, around.parent
            if around is not None and around.type == "assignment":
                return first(around) == inner
        return False

    def macro(self, reading: Reading, node: Node) -> None:
        """`@timed …`."""
        named = child_of(node, "macro_identifier")
        word = first(named)
        if word is not None:
            self.facts.site(reading.scope, self.name(reading.text(word)), -1, reading.at(word))

    def imported(self, reading: Reading, node: Node) -> None:
        """`using A`, `import A: b`."""
        for given in node.named_children:
            if given.type == "selected_import":
                names = [reading.text(child) for child in children_of(given, "identifier")]
                self.facts.imported(reading.line(node), names[0] if names else "", names[1:])
            else:
                self.facts.imported(reading.line(node), reading.text(given).lstrip("."))


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file that `include` names, or the file that bears a module's name."""
    if spec.endswith(".jl"):
        return relative_file(view, facts.path, spec)
    return nearest_file(view, "julia", facts.path, (f"src/{spec}.jl", f"{spec}.jl"))


def rules(language: str) -> Rules:
    """The rules of Julia."""
    return Rules(
        family="julia",
        reader=JuliaReader,
        module=module,
        builtins=BUILTINS,
        by_name=True,
        common_members=COMMON_MEMBERS,
        class_names_in_scope=True,
        overloads=True,
        linked=True,
    )
