"""Reading one tree: the captured nodes in file order, with the scopes that are open around each of them.

A language's reader names the node types it cares for; one tree-sitter query captures them all, together with what
defines something (`grammar.py`), and `sweep` calls the reader's handler for each, outer before inner. Walking every
node in Python would cost more than parsing does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sightline.languages.facts import (
    BLOCK_SCOPE,
    CLASS_SCOPE,
    FUNCTION_SCOPE,
    HIDDEN,
    MODULE_SCOPE,
    TYPE_SCOPE,
    Facts,
)
from sightline.languages.grammar import watched
from sightline.languages.rows import Base, Mention, Parameter, Returned

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.languages import Defined
    from sightline.types import ParsedFile

MAX_NESTING = 24  # of one expression; deeper ones are unknown. Longer call chains are fluent builders of one type.

Handler = Callable[["Reading", "Node"], None]


class Reading:
    """The state while one file is read."""

    def __init__(self, parsed: ParsedFile, outlined: list[Defined], facts: Facts) -> None:
        self.parsed = parsed
        self.path = parsed.path
        self.source = parsed.source
        self.facts = facts
        self.outlined = outlined
        self.definitions = {defined.node.id: index + 1 for index, defined in enumerate(outlined)}
        self.module_scope = facts.scope(-1, MODULE_SCOPE, 0)
        facts.definitions[0].scope = self.module_scope
        self.scope = self.module_scope
        self._open: list[tuple[int, int]] = []  # (end byte, scope outside)
        self.inside: Node | None = None
        self._indexes: dict[int, dict[int, int]] = {}  # node id → its children's ids → their indexes
        self.expressions: dict[int, int] = {}  # node id → expression, for nodes that several handlers reach
        self.hidden: dict[int, int] = {}  # node id → definition of an anonymous class

    def sweep(
        self,
        handlers: Mapping[str, Handler],
        around: frozenset[str] = frozenset(),
        matched: Handler | None = None,
    ) -> None:
        """Call the handler of every node that the reader of the language watches, in file order, with `scope` set to
        the scope around it and `inside` to the innermost node around it of the types `around`. Nodes that only its
        patterns capture go to `matched`."""
        nodes = watched(self.parsed)
        open_ = self._open
        outer: list[tuple[int, Node | None]] = []  # (end byte, innermost node outside of it)
        for node in nodes:
            start = node.start_byte
            while open_ and open_[-1][0] <= start:
                self.scope = open_.pop()[1]
            while outer and outer[-1][0] <= start:
                self.inside = outer.pop()[1]
            kind = node.type
            handler = handlers.get(kind)
            if handler is not None:
                handler(self, node)
            elif matched is not None and kind not in around:
                matched(self, node)
            if kind in around:
                outer.append((node.end_byte, self.inside))
                self.inside = node
        self.inside = None

    def text(self, node: Node | None) -> str:
        """The source text of a node, "" for none."""
        if node is None:
            return ""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def field(self, node: Node, name: str) -> str:
        """The source text of a field."""
        return self.text(node.child_by_field_name(name))

    def at(self, node: Node) -> int:
        """Where a node begins."""
        row, column = node.start_point
        return row << 10 | (column if column < 1023 else 1023)

    def after(self, node: Node) -> int:
        """Where a node ends."""
        row, column = node.end_point
        return row << 10 | (column if column < 1023 else 1023)

    def line(self, node: Node) -> int:
        """The line a node begins on."""
        return node.start_point.row + 1

    def enter(self, node: Node, kind: int, definition: int = -1, end: Node | None = None) -> int:
        """Open a scope that lasts to the end of a node, or of another one where the body stands behind it."""
        owner = definition if definition >= 0 else self.facts.scopes[self.scope].definition
        opened = self.facts.scope(self.scope, kind, owner)
        if definition >= 0:
            self.facts.definitions[definition].scope = opened
        self._open.append(((end or node).end_byte, self.scope))
        self.scope = opened
        return opened

    def enter_block(self, node: Node) -> int:
        """Open a scope without a definition of its own."""
        return self.enter(node, BLOCK_SCOPE)

    def enter_type_scope(self, node: Node) -> int:
        """Open the scope of the type parameters of a class or alias, around its own."""
        return self.enter(node, TYPE_SCOPE)

    def enter_hidden_class(self, node: Node, name: str = "") -> int:
        """Open the scope of a class that is no object of its own; returns its definition."""
        hidden = self.hide_class(node, name)
        self.enter(node, CLASS_SCOPE, hidden)
        return hidden

    def hide_class(self, node: Node, name: str = "") -> int:
        """The definition of a class that is no object of its own; its scope may be opened later."""
        known = self.hidden.get(node.id)
        if known is not None:
            return known
        facts = self.facts
        parent = facts.scopes[self.scope].definition
        prefix = f"{facts.definitions[parent].qualified_name}." if parent else ""
        hidden = facts.define(
            "", f"{prefix}{name or f'${len(self.hidden)}'}", "class", ordinal=0, parent=parent, line=self.line(node)
        )
        facts.definitions[hidden].flags |= HIDDEN
        self.hidden[node.id] = hidden
        return hidden

    def definition(self, scope: int | None = None) -> int:
        """The definition that a scope belongs to."""
        return self.facts.scopes[self.scope if scope is None else scope].definition

    def function_scope(self) -> int:
        """The function or anonymous function around the current scope, -1 at module and class level."""
        scope = self.scope
        while scope >= 0:
            parent, kind, _ = self.facts.scopes[scope]
            if kind == FUNCTION_SCOPE:
                return scope
            if kind in (MODULE_SCOPE, CLASS_SCOPE):
                return -1
            scope = parent
        return -1

    def class_scope(self) -> int:
        """The nearest class scope around, -1 outside of classes."""
        scope = self.scope
        while scope >= 0 and self.facts.scopes[scope].kind != CLASS_SCOPE:
            scope = self.facts.scopes[scope].parent
        return scope

    def index_among(self, node: Node, among: Node, *, not_counted: str = "") -> int:
        """Which of the named children of a node this one is; one list may hold thousands, so it is looked at once."""
        indexes = self._indexes.get(among.id)
        if indexes is None:
            children = (child.id for child in among.named_children if child.type != not_counted)
            indexes = self._indexes[among.id] = {child: index for index, child in enumerate(children)}
        return indexes[node.id]

    def flag(self, definition: int, flags: int) -> None:
        """Set flags of a definition."""
        self.facts.definitions[definition].flags |= flags

    def base(self, definition: int, expression: int, role: int, line: int) -> None:
        """State a base of a class."""
        self.facts.definitions[definition].bases.append(Base(expression, role, line))

    def parameter(self, definition: int, name: str, type_: int = -1) -> None:
        """State a parameter of a function."""
        self.facts.definitions[definition].parameters.append(Parameter(self.facts.name(name), type_))

    def result(self, definition: int, type_: int) -> None:
        """State the declared result type of a function."""
        self.facts.definitions[definition].result = type_

    def returned(self, expression: int, at: int) -> None:
        """State what the function around the current scope returns."""
        function = self.function_scope()
        if function >= 0 and expression != self.facts.unknown:
            definition = self.facts.scopes[function].definition
            self.facts.definitions[definition].returns.append(Returned(expression, at, self.scope, function))

    def decorated(self, definition: int, expression: int, line: int) -> None:
        """State a decorator or annotation of a definition."""
        self.facts.definitions[definition].decorators.append(Mention(expression, line))

    def uses(self, definition: int, type_: int, line: int) -> None:
        """State that a signature or field names a type."""
        self.facts.definitions[definition].uses.append(Mention(type_, line))
