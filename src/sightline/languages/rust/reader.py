"""Rust: modules as files, `use` trees, `impl` blocks that add to types of other files, traits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from sightline.languages.facts import (
    CONTAINER,
    DEFINED,
    ELEMENT,
    IMPLEMENTS,
    INHERITS,
    ITEM,
    MODULE,
    MODULE_SCOPE,
    NEW_SITE,
    SELF,
    SELF_TYPE,
    UNKNOWN,
)
from sightline.languages.reader import Reader, child_of, children_of, first
from sightline.languages.rules import Rules
from sightline.languages.rust.library import BUILTINS, COMMON_MEMBERS
from sightline.languages.rust.modules import module, submodule, use_leaves
from sightline.languages.rust.outline import implemented_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tree_sitter import Node

    from sightline.languages.reading import Reading

# Calls that give their argument, as far as types go.
_TRANSPARENT_CALLS = frozenset(
    {"Some", "Ok", "Box::new", "Arc::new", "Rc::new", "Box::pin", "Mutex::new", "RwLock::new", "RefCell::new",
     "Cell::new", "Arc::clone", "Rc::clone", "Cow::Borrowed", "Cow::Owned", "Pin::new"}
)  # fmt: skip
_PATH_ROOTS = frozenset({"crate", "self", "super"})
_NAME_TOKENS = frozenset({"identifier", "self", "crate", "super", "primitive_type"})
_LOWER = re.compile(r"[a-z_]\w*$")


class RustReader(Reader):
    """Reads one Rust file."""

    names = frozenset({"identifier"})
    separator = "::"
    calls: ClassVar[Mapping[str, str]] = {"call_expression": "function"}
    members: ClassVar[Mapping[str, tuple[str, str]]] = {"field_expression": ("value", "field")}
    transparent = frozenset(
        {"parenthesized_expression", "await_expression", "try_expression", "unsafe_block", "expression_statement"}
    )
    literals: ClassVar[Mapping[str, str]] = {
        "string_literal": "str",
        "raw_string_literal": "str",
        "integer_literal": "i32",
        "float_literal": "f64",
        "boolean_literal": "bool",
        "char_literal": "char",
        "closure_expression": "Fn",
        "array_expression": "Array",
        "binary_expression": "value",
    }
    wrappers = frozenset(
        {"Option", "Box", "Arc", "Rc", "Result", "Cow", "Pin", "RefCell", "Mutex", "RwLock", "Cell", "MutexGuard",
         "RwLockReadGuard", "RwLockWriteGuard", "Ref", "RefMut", "Weak", "OnceCell", "OnceLock", "Poll", "NonNull",
         "ManuallyDrop", "MaybeUninit", "LazyLock", "Lazy"}
    )  # fmt: skip
    passing = frozenset(
        {"unwrap", "expect", "clone", "as_ref", "as_mut", "borrow", "borrow_mut", "lock", "read", "write", "to_owned",
         "unwrap_or_default", "unwrap_or", "unwrap_or_else", "iter", "iter_mut", "into_iter", "as_deref", "ok", "rev",
         "as_deref_mut", "ok_or", "ok_or_else", "map_err", "cloned", "copied", "by_ref", "take", "get_mut", "upgrade",
         "or_else", "context", "with_context", "skip", "filter", "peekable", "as_slice", "deref", "deref_mut", "await"}
    )  # fmt: skip
    handed_patterns = (
        "(arguments [(identifier) (scoped_identifier)] @x)",
        "(field_initializer value: [(identifier) (scoped_identifier)] @x)",
        "(array_expression [(identifier) (scoped_identifier)] @x)",
        "(assignment_expression left: (field_expression) right: [(identifier) (scoped_identifier)] @x)",
    )
    handed_in: ClassVar[Mapping[str, str]] = {
        "arguments": "()",
        "field_initializer": "field",
        "array_expression": "",
        "tuple_expression": "",
        "let_declaration": "pattern",
        "assignment_expression": "left",
    }
    steps: ClassVar[Mapping[str, str]] = {
        "impl_item": "implementation",
        "use_declaration": "used",
        "call_expression": "call",
        "struct_expression": "struct_literal",
        "macro_invocation": "macro",
        "let_declaration": "let",
        "let_condition": "let",
        "for_expression": "loop",
        "match_arm": "arm",
        "closure_expression": "closure",
        "field_declaration": "struct_field",
        "ordered_field_declaration_list": "tuple_fields",
    }

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.known = {d.name for d in reading.outlined}  # names that are no crates
        self.inner = {d.name for d in reading.outlined if d.kind == "module"}
        self.leaves: dict[int, list[tuple[list[str], str, int]]] = {}
        tree = reading.parsed.tree
        for node in tree.root_node.named_children if tree is not None else ():
            if node.type == "use_declaration":
                leaves = self.leaves[node.id] = list(use_leaves(reading, node.child_by_field_name("argument")))
                self.known.update(name for _, name, _ in leaves if name)

    # Paths

    def root(self, text: str) -> int:
        """The first part of a path."""
        facts = self.facts
        if text == "crate":
            return facts.expression(MODULE, facts.name("crate"))
        if text == "Self":
            return facts.expression(SELF_TYPE)
        modules = self._modules_around()
        if text == "self":
            inner = modules[0] if modules else -1
            return facts.expression(DEFINED, inner) if inner > 0 else facts.expression(MODULE, facts.name("self"))
        if text == "super":
            if len(modules) > 1:
                return facts.expression(DEFINED, modules[1])
            return facts.expression(MODULE, facts.name("self" if modules else "super"))
        if text in self.known or not _LOWER.match(text):
            return self.name(text)
        return facts.expression(MODULE, facts.name(text))

    def _modules_around(self) -> list[int]:
        """The modules inside this file around the current place, innermost first."""
        found, scope = [], self.reading.scope
        while scope > 0:
            parent, kind, definition = self.facts.scopes[scope]
            if kind == MODULE_SCOPE:
                found.append(definition)
            scope = parent
        return found

    def path(self, parts: list[str]) -> int:
        """The expression of `a::b::c`."""
        if parts[:2] == ["super", "super"]:
            result = self.facts.expression(MODULE, self.facts.name("super::super"))
            rest = parts[2:]
        else:
            result, rest = self.root(parts[0]), parts[1:]
        for part in rest:
            result = self.facts.attribute(result, part)
        return result

    # Values

    def may_be_function(self, node: Node) -> bool:
        """The same, and paths: types, variants and constants begin with a capital letter."""
        if node.type != "scoped_identifier":
            return super().may_be_function(node)
        return self.reading.field(node, "name")[:1].islower()

    def compound(self, node: Node, kind: str, depth: int) -> int:
        """`a::b`, `&x`, `T { … }`, `x[0]`, `f::<T>`."""
        facts = self.facts
        if kind == "scoped_identifier":
            return self._scoped(node, depth)
        if kind == "self":
            return facts.expression(SELF)
        if kind == "generic_function":
            return self.value(node.child_by_field_name("function"), depth)
        if kind == "reference_expression":
            return self.value(node.child_by_field_name("value"), depth)
        if kind == "struct_expression":
            return self.instance(self.type(node.child_by_field_name("name"), depth))
        if kind == "index_expression":
            return facts.expression(ITEM, self.value(first(node), depth))
        if kind == "type_cast_expression":
            return self.instance(self.type(node.child_by_field_name("type"), depth))
        if kind == "unary_expression":
            return self.value(first(node), depth)
        if kind == "macro_invocation":
            name = self.reading.field(node, "macro")
            return facts.expression(CONTAINER, facts.name("Vec")) if name == "vec" else facts.unknown
        return super().compound(node, kind, depth)

    def _scoped(self, node: Node, depth: int) -> int:
        path = node.child_by_field_name("path")
        if path is not None and path.type in ("bracketed_type", "generic_type"):
            named = first(path) if path.type == "bracketed_type" else path
            type_ = named.child_by_field_name("type") if named is not None and named.type == "qualified_type" else named
            return self.facts.attribute(self.type(type_, depth), self.reading.field(node, "name"))
        text = self.reading.text(node)
        parts = [part.partition("<")[0] for part in text.split("::") if part and not part.startswith("<")]
        return self.path(parts) if all(part.isidentifier() for part in parts) and parts else self.facts.unknown

    def result_of(self, callee: Node | None, depth: int) -> int:
        """A call; `Some(x)` and `Box::new(x)` are x."""
        plain = callee is not None and callee.type in ("identifier", "scoped_identifier")
        if plain and callee is not None and self.reading.text(callee) in _TRANSPARENT_CALLS:
            call = callee.parent
            return self.value(first(call.child_by_field_name("arguments")) if call is not None else None, depth)
        return super().result_of(callee, depth)

    # Types

    def compound_type(self, node: Node, kind: str, depth: int) -> int:
        """`a::B`, `B<C>`, `&T`, `dyn T`, `impl T`, `[T]`."""
        facts = self.facts
        if kind == "scoped_type_identifier":
            text = self.reading.text(node)
            parts = [part.partition("<")[0] for part in text.split("::") if part]
            return self.path(parts) if parts and all(p.isidentifier() for p in parts) else facts.unknown
        if kind == "generic_type":
            outer = node.child_by_field_name("type")
            arguments = node.child_by_field_name("type_arguments")
            given = [self.type(a, depth) for a in arguments.named_children if a.type != "lifetime"] if arguments else []
            return self.generic(self.type(outer, depth), self.reading.text(outer), given)
        if kind in ("reference_type", "pointer_type", "type_binding"):
            return self.type(node.child_by_field_name("type"), depth)
        if kind in ("dynamic_type", "abstract_type"):
            return self.type(node.child_by_field_name("trait"), depth)
        if kind in ("array_type", "slice_type"):
            element = self.type(node.child_by_field_name("element") or first(node), depth)
            return self.generic(self.type_name("Array"), "Array", [element])
        if kind == "bounded_type":
            return facts.union([self.type(child, depth) for child in node.named_children if child.type != "lifetime"])
        if kind == "primitive_type":
            return self.type_name(self.reading.text(node))
        return facts.unknown

    # Definitions

    def open_module(self, node: Node, index: int) -> None:
        """`mod m { … }`, or `mod m;` which names a file."""
        reading, facts = self.reading, self.facts
        name = reading.outlined[index - 1].name
        if node.child_by_field_name("body") is not None:
            reading.enter(node, MODULE_SCOPE, index)
            return
        if reading.scope == reading.module_scope:
            facts.bind(reading.scope, name, facts.expression(MODULE, facts.name(f"mod::{name}")), reading.at(node))
            facts.imported(reading.line(node), f"mod::{name}")

    def bases(self, node: Node, index: int) -> None:
        """The supertraits of a trait."""
        bounds = node.child_by_field_name("bounds")
        for bound in bounds.named_children if bounds is not None else ():
            if bound.type not in ("lifetime", "removed_trait_bound", "higher_ranked_trait_bound"):
                self.reading.base(index, self.type(bound), INHERITS, self.reading.line(bound))

    def open_type(self, node: Node, index: int) -> None:
        """A struct, enum or trait with its type parameters."""
        super().open_type(node, index)
        self._type_parameters(node)

    def open_function(self, node: Node, index: int) -> None:
        """A function with its type parameters."""
        super().open_function(node, index)
        self._type_parameters(node)

    def results(self, node: Node, index: int) -> None:
        """The declared result."""
        result = node.child_by_field_name("return_type")
        if result is not None:
            self.declare_result(index, result)

    def _type_parameters(self, node: Node) -> None:
        """`T: Trait` makes values of type T values of the trait."""
        parameters = node.child_by_field_name("type_parameters")
        if parameters is None:
            return
        bounded: list[tuple[Node | None, Node | None]] = []
        for parameter in children_of(parameters, "type_parameter"):
            bounded.append((parameter.child_by_field_name("name"), parameter.child_by_field_name("bounds")))
        where = child_of(node, "where_clause")
        for predicate in children_of(where, "where_predicate") if where is not None else ():
            left = predicate.child_by_field_name("left")
            if left is not None and left.type == "type_identifier":
                bounded.append((left, predicate.child_by_field_name("bounds")))
        for name, bounds in bounded:
            types = [self.type(b) for b in bounds.named_children if b.type != "lifetime"] if bounds is not None else []
            value = self.facts.union(types) if types else self.type_name("T")
            self.facts.bind(self.reading.scope, self.reading.text(name), value, self.reading.at(node))

    def implementation(self, reading: Reading, node: Node) -> None:
        """`impl Trait for Type`: its functions belong to the type."""
        type_, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        modules = self._modules_around()
        prefix = self.facts.definitions[modules[0]].qualified_name if modules else ""
        name = implemented_name(reading.text(type_))
        target = self.type(type_)
        role = self.type(trait) if trait is not None else -1
        parameters = node.child_by_field_name("type_parameters")
        generic = {reading.field(p, "name") for p in parameters.named_children} if parameters is not None else set()
        if name in generic:  # `impl<T: A> B for T`
            target = self.facts.unknown
        hidden = self.extension(node, f"{prefix}.{name}" if prefix else name, target)
        if trait is not None and self.facts.expressions[role][0] != UNKNOWN:
            reading.base(hidden, role, IMPLEMENTS, reading.line(trait))
        self._type_parameters(node)

    def parameters(self, node: Node, index: int) -> None:
        """Parameters other than `self`."""
        parameters = node.child_by_field_name("parameters")
        for parameter in children_of(parameters, "parameter") if parameters is not None else ():
            pattern, type_ = parameter.child_by_field_name("pattern"), parameter.child_by_field_name("type")
            if pattern is not None and pattern.type == "identifier":
                self.parameter(index, self.reading.text(pattern), type_, parameter)
            else:
                self.reading.parameter(index, "_")
                if pattern is not None and pattern.type == "tuple_struct_pattern" and type_ is not None:
                    self._pattern(pattern, self._argument(type_), parameter)

    def _argument(self, type_: Node) -> int:
        """`State(state): State<App>`: the pattern takes the type argument out."""
        arguments = type_.child_by_field_name("type_arguments")
        return self.instance(self.type(first(arguments)))

    def struct_field(self, reading: Reading, node: Node) -> None:
        """A field of a struct; of an enum's variant only the type counts."""
        type_ = node.child_by_field_name("type")
        owner = node.parent.parent if node.parent is not None else None
        if owner is not None and owner.type in ("struct_item", "union_item"):
            self.declare(reading.field(node, "name"), type_, None, node)
        elif owner is not None and owner.type == "enum_variant":
            self.declare(_of_variant(reading.field(owner, "name"), reading.field(node, "name")), type_, None, node)
        elif type_ is not None:
            self.use(reading.definition(), reading.line(type_), self.type(type_))

    def tuple_fields(self, reading: Reading, node: Node) -> None:
        """`struct T(A, B)`: fields 0 and 1."""
        place = 0
        for child in node.named_children:
            if child.type in ("visibility_modifier", "attribute_item", "line_comment", "block_comment"):
                continue
            if node.parent is not None and node.parent.type == "struct_item":
                self.declare(str(place), child, None, child)
            elif node.parent is not None and node.parent.type == "enum_variant":
                variant = reading.field(node.parent, "name")
                self.declare(_of_variant(variant, str(place)), child, None, child)
            else:
                self.use(reading.definition(), reading.line(child), self.type(child))
            place += 1

    # Statements that bind names

    def let(self, reading: Reading, node: Node) -> None:
        """`let x: T = v`, `if let Some(x) = v`."""
        pattern, type_ = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        value = node.child_by_field_name("value")
        if pattern is not None and pattern.type == "identifier" and node.type == "let_declaration":
            self.declare(reading.text(pattern), type_, value, node)
        elif pattern is not None:
            self._pattern(pattern, self.value(value), node)

    def _pattern(self, pattern: Node, value: int, node: Node) -> None:
        """Bind the names of a pattern; `Some(x)`, `Ok(x)`, `&x` and `mut x` hand the value on."""
        kind = pattern.type
        if kind == "identifier":
            name = self.reading.text(pattern)
            if _LOWER.match(name):
                self.facts.bind(self.reading.scope, name, value, self.reading.after(node))
            return
        if kind == "tuple_struct_pattern":
            kept = value if self.reading.field(pattern, "type") in ("Some", "Ok", "State", "Ready") else -1
            inner = pattern.named_children[1:]
            if kept < 0:
                for place, child in enumerate(inner):
                    self._pattern(child, self._field(pattern, str(place)), node)
                return
        elif kind == "struct_pattern":
            for child in children_of(pattern, "field_pattern"):
                named = child.child_by_field_name("name")
                field = self._field(pattern, self.reading.text(named))
                within = child.child_by_field_name("pattern")
                if within is not None:
                    self._pattern(within, field, node)
                elif named is not None:
                    self.facts.bind(self.reading.scope, self.reading.text(named), field, self.reading.after(node))
            return
        elif kind in ("mut_pattern", "reference_pattern", "ref_pattern", "match_pattern"):
            kept, inner = value, pattern.named_children[:1] if kind == "match_pattern" else pattern.named_children
        elif kind in ("tuple_pattern", "struct_pattern", "field_pattern", "or_pattern", "slice_pattern",
                      "captured_pattern", "shorthand_field_identifier"):  # fmt: skip
            if kind == "shorthand_field_identifier":
                self.unknown_names([self.reading.text(pattern)], node)
            kept, inner = -1, pattern.named_children
        else:
            return
        for child in inner:
            self._pattern(child, kept if kept >= 0 else self.facts.unknown, node)

    def _field(self, pattern: Node, field: str) -> int:
        """What a pattern takes out of a struct, or of a variant that is named with its enum."""
        parts = [part.partition("<")[0] for part in self.reading.field(pattern, "type").split("::") if part]
        if not parts or not all(part.isidentifier() for part in parts):
            return self.facts.unknown
        if len(parts) > 1 and parts[-2][:1].isupper():
            return self.facts.attribute(self.instance(self.path(parts[:-1])), _of_variant(parts[-1], field))
        return self.facts.attribute(self.instance(self.path(parts)), field)

    def loop(self, reading: Reading, node: Node) -> None:
        """`for x in xs`."""
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        if pattern is not None and value is not None:
            self._pattern(pattern, self.facts.expression(ELEMENT, self.value(value)), value)

    def arm(self, reading: Reading, node: Node) -> None:
        """One arm of a `match`."""
        reading.enter_block(node)
        matched = node.parent.parent if node.parent is not None else None
        pattern = node.child_by_field_name("pattern")
        value = self.value(matched.child_by_field_name("value")) if matched is not None else self.facts.unknown
        if pattern is not None and pattern.named_child_count:
            self._pattern(pattern, value, pattern)

    def closure(self, reading: Reading, node: Node) -> None:
        """A closure's parameters are names of its own."""
        reading.enter_block(node)
        parameters = node.child_by_field_name("parameters")
        for parameter in parameters.named_children if parameters is not None else ():
            if parameter.type == "parameter":
                name = reading.field(parameter, "pattern")
                self.declare(name, parameter.child_by_field_name("type"), None, parameter)
            else:
                self._pattern(parameter, self.facts.unknown, parameter)

    # Sites

    def site_position(self, callee: Node) -> int:
        """The last part of a path or chain."""
        named = callee.child_by_field_name("name") if callee.type == "scoped_identifier" else None
        return self.reading.at(named) if named is not None else super().site_position(callee)

    def struct_literal(self, reading: Reading, node: Node) -> None:
        """`T { … }` makes a T."""
        name = node.child_by_field_name("name")
        type_ = self.type(name)
        if name is not None and type_ != self.facts.unknown:
            self.facts.site(reading.scope, type_, -1, reading.at(name), NEW_SITE)

    def macro(self, reading: Reading, node: Node) -> None:
        """A macro call; what stands in its parentheses is tokens, of which calls are read as far as they are plain."""
        name = node.child_by_field_name("macro")
        text = reading.text(name)
        if name is not None and text.rpartition("::")[2] not in BUILTINS:
            expression = self.path(text.split("::")) if "::" in text else self.name(text)
            self.facts.site(reading.scope, expression, -1, reading.at(name))
        tokens = child_of(node, "token_tree")
        if tokens is not None:
            self._tokens(tokens, 0)

    def _tokens(self, tree: Node, depth: int) -> None:
        facts, reading = self.facts, self.reading
        current, joint, named = -1, "", None
        if depth > 12:
            return
        for token in tree.children:
            kind = token.type
            if kind in _NAME_TOKENS:
                text = reading.text(token)
                if joint and current >= 0:
                    current = facts.attribute(current, text)
                elif joint == ".":
                    current = facts.attribute(facts.unknown, text)
                elif kind == "self" and not joint:
                    current = facts.expression(SELF)
                else:
                    current = self.root(text) if text in _PATH_ROOTS or text in self.known else self.name(text)
                joint, named = "", token
            elif kind in (".", "::"):
                joint = kind
            elif kind == "token_tree":
                opened = reading.source[token.start_byte : token.start_byte + 1]
                if opened == b"(" and current >= 0 and named is not None:
                    facts.site(reading.scope, current, -1, reading.at(named))
                    current = facts.expression(2, current)
                else:
                    current = -1
                self._tokens(token, depth + 1)
                joint, named = "", None
            else:
                current, joint, named = -1, "", None

    # Imports

    def used(self, reading: Reading, node: Node) -> None:
        """`use a::{b, c as d, e::*};`."""
        facts = self.facts
        for parts, name, line in self.leaves.get(node.id) or use_leaves(reading, node.child_by_field_name("argument")):
            if not parts:
                continue
            if not name:
                module = self.path(parts)
                nested = reading.scope != reading.module_scope and parts == ["super"]  # scopes nest anyway
                if facts.scopes[reading.scope].kind == MODULE_SCOPE and not nested:
                    facts.star(reading.scope, module)
                self._import(parts, [], line)
                continue
            # A name that stands for itself would lead back to this very binding.
            value = self.path(parts) if parts != [name] else facts.expression(MODULE, facts.name(name))
            self.bind_import(name, value, node)
            self._import(parts[:-1], parts[-1:], line)

    def _import(self, path: list[str], names: list[str], line: int) -> None:
        """State an import of names from a module; members of a type import the type."""
        while path and path[-1][:1].isupper():
            path, names = path[:-1], path[-1:]
        if not path:
            path, names = names, []
        if not path or (self._modules_around() and path[0] in ("self", "super")):
            return
        if path[0] not in _PATH_ROOTS and path[0] in self.inner:
            path = ["self", *path]
        self.facts.imported(line, "::".join(path), names)


def _of_variant(variant: str, field: str) -> str:
    """The name that a field of an enum's variant goes by among the members of the enum; no name of the source."""
    return f"{variant}#{field}"


def rules(language: str) -> Rules:
    """The rules of Rust."""
    return Rules(
        family="rust",
        unique_name=0.8,  # by hand, 2026-11: 20 of 24
        reader=RustReader,
        module=module,
        submodule=submodule,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        guesses_names=True,
        imports_submodules=True,
        exact_arity=True,
        blocks_are_of_their_base=True,
    )
