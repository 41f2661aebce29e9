"""Haskell: modules, import lists, type classes and their instances. A class's methods are names of its module."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import DEFINED, FUNCTION_SCOPE, IMPLEMENTS, INHERITS, MODULE
from sightline.languages.haskell.library import BUILTINS
from sightline.languages.paths import nearest_file
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rows import HANDED_ON, OWN, SEEN_BY_ALL
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.reading import Reading
    from sightline.languages.rules import RootView

_HEADS = frozenset({"variable", "qualified", "constructor"})


class HaskellReader(Reader):
    """Reads one Haskell file."""

    names = frozenset({"variable", "constructor"})
    type_names = frozenset({"name"})
    self_types = frozenset()
    imports_are = OWN  # whether what the file imports is seen by it alone
    steps: ClassVar[Mapping[str, str]] = {
        "header": "exported",
        "import": "imported",
        "instance": "instance_of",
        "function": "clause",
        "bind": "clause",
        "signature": "clause",
        "data_type": "data",
        "newtype": "data",
        "apply": "applied",
        "infix": "infixed",
        "exp": "statement",
        "match": "statement",
        "lambda": "lambda_names",
        "local_binds": "local_names",
        "alternative": "lambda_names",
    }

    # Values and types

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`M.f`."""
        if kind == "qualified":
            module = self.reading.text(node.child_by_field_name("module")).rstrip(".")
            return self.facts.attribute(self.name(module), self.reading.field(node, "id"))
        return self.facts.unknown

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """All types that a signature names."""
        if kind == "qualified":
            return self.compound(node, kind, depth)
        if kind in ("variable", "literal"):
            return self.facts.unknown
        return self.facts.union([self.type(child, depth) for child in node.named_children])

    # Definitions

    def clause(self, reading: Reading, node: Node) -> None:
        """A signature or a clause of a function; a local one only hides names."""
        index = reading.definitions.get(node.id) or self.more.get(node.id)
        if index is None:
            name, pattern = node.child_by_field_name("name"), node.child_by_field_name("pattern")
            if name is not None:
                self.unknown_names([reading.text(name)], node)
            self.unknown_names(_variables(reading, pattern), node)
            if node.type == "function":
                reading.enter_block(node)
                self.unknown_names(_variables(reading, node.child_by_field_name("patterns")), node)
            return
        defined = reading.outlined[index - 1]
        if node.type == "signature":
            type_ = self.type(node.child_by_field_name("type"))
            if type_ != self.facts.unknown:
                reading.uses(index, type_, reading.line(node))
        if defined.kind == "constant":
            return
        if node.id == defined.node.id and defined.parent >= 0:
            # A method of a class is a name of the module.
            value = self.facts.expression(DEFINED, index)
            self.facts.bind(reading.module_scope, defined.name, value, reading.at(node))
        reading.enter(node, FUNCTION_SCOPE, index)
        self.unknown_names(_variables(reading, node.child_by_field_name("patterns")), node)

    def bases(self, node: Node, index: int) -> None:
        """`class A x => B x`."""
        context = node.child_by_field_name("context")
        for base in self._classes(context):
            self.reading.base(index, self.type(base), INHERITS, self.reading.line(base))

    def _classes(self, node: Node | None) -> list[Node]:
        """The class names of a context."""
        found: list[Node] = []
        queue = [node] if node is not None else []
        while queue:
            current = queue.pop(0)
            if current.type in ("name", "qualified"):
                found.append(current)
            elif current.type == "apply":
                constructor = current.child_by_field_name("constructor")
                queue.extend([constructor] if constructor is not None else [])
            else:
                queue.extend(current.named_children)
        return found

    def data(self, reading: Reading, node: Node) -> None:
        """A type; its constructors make it, its fields name types."""
        index = reading.definitions.get(node.id)
        if index is None:
            return
        made = self.facts.expression(DEFINED, index)
        queue = list(node.named_children)
        while queue:
            current = queue.pop()
            if current.type == "constructor":
                name = reading.text(current)
                if name != reading.outlined[index - 1].name:
                    self.facts.bind(reading.module_scope, name, made, reading.at(current))
            elif current.type == "name":
                if current.start_byte != (node.child_by_field_name("name") or node).start_byte:
                    reading.uses(index, self.type(current), reading.line(current))
            else:
                queue.extend(current.named_children)

    def instance_of(self, reading: Reading, node: Node) -> None:
        """`instance C T`: T implements C."""
        patterns = node.child_by_field_name("patterns")
        named = self._classes(patterns)
        name = reading.text(patterns).strip("() ").split(" ")[0].strip("[]()")
        role = self.type(node.child_by_field_name("name"))
        target = self.type(named[0]) if named else self.facts.unknown
        hidden = self.extension(node, name or "?", target)
        reading.base(hidden, role, IMPLEMENTS, reading.line(node))

    def alias(self, node: Node, index: int) -> None:
        """`type A = B`."""
        type_ = self.type(node.child_by_field_name("type"))
        if type_ != self.facts.unknown:
            self.reading.uses(index, type_, self.reading.line(node))

    # Sites

    def _site(self, node: Node | None) -> None:
        if node is not None and node.type in _HEADS:
            named = node.child_by_field_name("id") or node
            self.facts.site(self.reading.scope, self.value(node), -1, self.reading.at(named))

    def applied(self, reading: Reading, node: Node) -> None:
        """`f x`."""
        self._site(node.child_by_field_name("function"))

    def infixed(self, reading: Reading, node: Node) -> None:
        """`f $ x`, `f . g`, "a `f` b"."""
        self._site(node.child_by_field_name("left_operand"))
        self._site(node.child_by_field_name("right_operand"))
        operator = node.child_by_field_name("operator")
        if operator is not None and operator.type == "infix_id":
            self._site(first(operator))

    def statement(self, reading: Reading, node: Node) -> None:
        """An expression that is one name."""
        self._site(node.child_by_field_name("expression") if node.type == "match" else first(node))

    def lambda_names(self, reading: Reading, node: Node) -> None:
        """A lambda's or an alternative's patterns are names of its own."""
        reading.enter_block(node)
        patterns = node.child_by_field_name("patterns") or node.child_by_field_name("pattern")
        self.unknown_names(_variables(reading, patterns), node)

    def local_names(self, reading: Reading, node: Node) -> None:
        """`where`, `let`: names of the function; they stand behind their uses."""
        for declaration in children_of(node, "function", "bind"):
            name = declaration.child_by_field_name("name")
            if name is not None:
                self.facts.bind(reading.scope, reading.text(name), self.facts.unknown, 0)

    # Imports

    def exported(self, reading: Reading, node: Node) -> None:
        """`module A (module B, f, T (..)) where`: what is handed on of what is imported."""
        listed = child_of(node, "exports")
        if listed is None:
            return
        own = {defined.name for defined in reading.outlined}
        names = [child_of(entry, "variable", "name", "prefix_id") for entry in children_of(listed, "export")]
        if any(reading.text(name).strip("()") not in own for name in names if name is not None):
            self.imports_are = SEEN_BY_ALL  # which of the imports a name comes from is open
        for entry in children_of(listed, "module_export"):
            for spec in self._imported_as(reading, reading.text(child_of(entry, "module")), node):
                self.star(self.facts.expression(MODULE, self.facts.name(spec)), HANDED_ON)

    def _imported_as(self, reading: Reading, name: str, header: Node) -> list[str]:
        """The modules that go by a name in this file: of that name, or imported under it."""
        found = []
        for block in children_of(header.parent, "imports") if header.parent is not None else ():
            for node in children_of(block, "import"):
                spec = reading.field(node, "module")
                if name in (spec, reading.field(node, "alias")):
                    found.append(spec)
        return found

    def imported(self, reading: Reading, node: Node) -> None:
        """`import A`, `import qualified A as B`, `import A (f, T(..))`."""
        facts = self.facts
        spec = reading.field(node, "module")
        module = facts.expression(MODULE, facts.name(spec))
        alias = reading.field(node, "alias")
        qualified = any(child.type == "qualified" for child in node.children)
        self.bind_import(alias or spec, module, node)
        listed = node.child_by_field_name("names")
        hiding = any(child.type == "hiding" for child in node.children)
        names: list[str] = []
        for entry in children_of(listed, "import_name") if listed is not None and not hiding else ():
            name = reading.text(child_of(entry, "variable", "name")).strip("()")
            if name:
                names.append(name)
                if not qualified:
                    self.bind_import(name, facts.attribute(module, name), node)
            children = entry.child_by_field_name("children")
            if children is not None and not qualified:
                self._children(children, module, node)
        if not qualified and (listed is None or hiding):
            self.star(module, self.imports_are)
        facts.imported(reading.line(node), spec, names)

    def _children(self, children: Node, module: int, node: Node) -> None:
        """`T(..)` brings all constructors and methods; which those are, the module knows."""
        for child in children.named_children:
            if child.type == "all_names":
                self.star(module, self.imports_are)
                return
            name = self.reading.text(child)
            self.bind_import(name, self.facts.attribute(module, name), node)


def _variables(reading: Reading, node: Node | None) -> list[str]:
    """The names that a pattern binds."""
    found: list[str] = []
    queue = [node] if node is not None else []
    while queue:
        current = queue.pop()
        if current.type == "variable":
            found.append(reading.text(current))
        else:
            queue.extend(current.named_children)
    return found


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The file of a module, by its path."""
    path = f"{spec.replace('.', '/')}.hs"
    return nearest_file(view, "haskell", facts.path, (path, f"src/{path}", f"lib/{path}"))


def rules(language: str) -> Rules:
    """The rules of Haskell."""
    return Rules(family="haskell", reader=HaskellReader, module=module, builtins=BUILTINS, stars_bring_definitions=True)
