"""Go: how its trees state facts, and how import paths name packages.

A namespace is a folder (`go:folder`); an external test package of the folder is one of its own. Conversions and
composite literals are no calls: a literal counts as a use of its type.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from sightline.languages.facts import (
    CLASS_SCOPE,
    CONTAINER,
    DECLARED,
    DISTINCT,
    ELEMENT,
    FUNCTION_SCOPE,
    IMPORTED,
    INHERITS,
    INSTANCE,
    ITEM,
    LAMBDA,
    LIMITED,
    MODULE,
    PARAMETER,
    PART,
    RECEIVER,
    TUPLE,
)
from sightline.languages.go.expressions import (
    Expressions,
    first_named,
)
from sightline.languages.go.library import BUILTINS, COMMON_MEMBERS, INTERFACES, external_result
from sightline.languages.reading import Handler, Reading
from sightline.languages.rules import Rules

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.languages.facts import FileFacts
    from sightline.languages.rules import RootView


def _package(reading: Reading, node: Node) -> None:
    name = reading.text(first_named(node))
    folder = str(PurePosixPath(reading.path).parent)
    test = "#test" if name.endswith("_test") and reading.path.endswith("_test.go") else ""
    reading.facts.space = f"go:{'' if folder == '.' else folder}{test}"


def _import(reading: Reading, node: Node) -> None:
    facts = reading.facts
    path = reading.field(node, "path").strip('"`')
    named = node.child_by_field_name("name")
    name = reading.text(named) if named is not None else _package_name(path)
    module_ = facts.expression(MODULE, facts.name(path))
    if name == ".":
        facts.stars.append([reading.scope, module_, 0])
    elif name != "_":
        facts.bind(reading.scope, name, module_, 0, flags=IMPORTED)
    facts.imports.append([reading.line(node), path, []])


def _package_name(path: str) -> str:
    """The name that a package most likely has: the last part of its path, without a version."""
    parts = path.split("/")
    last = parts[-1]
    if len(parts) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = parts[-2]
    last = last.partition(".v")[0]
    return last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_")


def _function(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is None:
        return
    facts, expressions = reading.facts, Expressions(reading)
    reading.enter(node, FUNCTION_SCOPE, definition)
    _type_parameters(reading, node)
    receiver = node.child_by_field_name("receiver")
    for parameter in receiver.named_children if receiver is not None else ():
        name = reading.field(parameter, "name")
        value = expressions.instance(_erased(parameter.child_by_field_name("type")))
        if name:
            facts.bind(reading.scope, name, value, reading.at(node), flags=PARAMETER | DECLARED | RECEIVER)
    _parameters(reading, expressions, node, definition)


def _erased(node: Node | None) -> Node | None:
    """The receiver's type without pointer and type parameters, which are bound nowhere."""
    while node is not None and node.type in ("pointer_type", "parenthesized_type"):
        node = first_named(node)
    return node.child_by_field_name("type") if node is not None and node.type == "generic_type" else node


def _parameters(reading: Reading, expressions: Expressions, node: Node, definition: int | None) -> None:
    facts = reading.facts
    result = node.child_by_field_name("result")
    type_ = expressions.result(result)
    if definition is not None:
        reading.result(definition, type_)
    elif type_ >= 0:
        reading.returned(facts.expression(INSTANCE, type_), reading.at(node))
    for holder, is_parameter in ((node.child_by_field_name("parameters"), True), (result, False)):
        for parameter in holder.named_children if holder is not None and holder.type == "parameter_list" else ():
            _parameter(reading, expressions, parameter, definition if is_parameter else None)


def _parameter(reading: Reading, expressions: Expressions, node: Node, definition: int | None) -> None:
    facts = reading.facts
    type_ = expressions.type(node.child_by_field_name("type"))
    value = facts.expression(INSTANCE, type_)
    if node.type == "variadic_parameter_declaration":
        value = facts.expression(CONTAINER, facts.name("[]"), value)
    names = [reading.text(n) for n in node.children_by_field_name("name")]
    for name in names:
        facts.bind(reading.scope, name, value, reading.at(node), flags=PARAMETER | DECLARED)
    for name in (names or [""]) if definition is not None else ():
        reading.parameter(definition or 0, name, type_)


def _type_parameters(reading: Reading, node: Node, definition: int | None = None) -> None:
    parameters = node.child_by_field_name("type_parameters")
    expressions = Expressions(reading)
    for parameter in parameters.named_children if parameters is not None else ():
        constraint = expressions.type(parameter.child_by_field_name("type"))
        for name in parameter.children_by_field_name("name"):
            reading.facts.bind(reading.scope, reading.text(name), constraint, 0)
            if definition is not None:
                reading.parameter(definition, reading.text(name))


def _literal_function(reading: Reading, node: Node) -> None:
    scope = reading.enter(node, FUNCTION_SCOPE)
    reading.expressions[node.id] = reading.facts.expression(LAMBDA, scope)
    _parameters(reading, Expressions(reading), node, None)


def _type(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    value = node.child_by_field_name("type")
    if definition is None or value is None:
        return
    expressions, facts = Expressions(reading), reading.facts
    if node.child_by_field_name("type_parameters") is not None:
        reading.enter_type_scope(node)
        _type_parameters(reading, node, definition)
    if value.type == "struct_type":
        _fields(reading, node, value, definition)
    elif value.type == "interface_type":
        reading.enter(node, CLASS_SCOPE, definition)
        for element in value.named_children:
            if element.type == "type_elem" and element.named_child_count == 1:
                base = element.named_children[0]
                if base.type in ("type_identifier", "qualified_type", "generic_type"):
                    reading.base(definition, expressions.type(base), INHERITS, reading.line(base))
    else:
        type_ = expressions.type(value)
        facts.definitions[definition].scope = reading.scope if reading.scope else -1
        if type_ != facts.unknown:
            reading.result(definition, type_)
        if node.type == "type_spec":
            reading.flag(definition, DISTINCT)


def _fields(reading: Reading, node: Node, struct: Node, definition: int) -> None:
    """Open the scope of a struct and bind its fields."""
    outside, expressions = reading.scope, Expressions(reading)
    reading.enter(node, CLASS_SCOPE, definition)
    fields = first_named(struct)
    for field in fields.named_children if fields is not None else ():
        if field.type == "field_declaration":
            _field(reading, expressions, field, definition, outside)


def _anonymous_struct(reading: Reading, node: Node) -> None:
    """A struct type without a name, where an expression has met it: `[]struct{ name string }{…}`."""
    hidden = reading.hidden.get(node.id)
    if hidden is not None:
        _fields(reading, node, node, hidden)


def _field(reading: Reading, expressions: Expressions, node: Node, definition: int, outside: int) -> None:
    facts = reading.facts
    type_node = node.child_by_field_name("type")
    type_ = expressions.type(type_node)
    value = facts.expression(INSTANCE, type_)
    names = [reading.text(n) for n in node.children_by_field_name("name")]
    if not names and type_node is not None:  # embedded: its members are promoted
        reading.base(definition, type_, INHERITS, reading.line(node))
        names = [reading.text(type_node).partition("[")[0].rpartition(".")[2].lstrip("*")]
    else:
        reading.uses(definition, type_, reading.line(node))
    for name in names:
        facts.bind(reading.scope, name, value, reading.at(node), flags=DECLARED, evaluated_in=outside)


def _method_of_interface(reading: Reading, node: Node) -> None:
    definition = reading.definitions.get(node.id)
    if definition is not None:
        reading.enter(node, FUNCTION_SCOPE, definition)
        _parameters(reading, Expressions(reading), node, definition)


def _declaration(reading: Reading, node: Node) -> None:
    """`var x T = v`, `const x = v`."""
    expressions = Expressions(reading)
    names = node.children_by_field_name("name")
    declared = node.child_by_field_name("type")
    values = node.child_by_field_name("value")
    if declared is not None:
        type_ = expressions.type(declared)
        reading.uses(reading.definitions.get(node.id) or reading.definition(), type_, reading.line(declared))
        for name in names:
            value = reading.facts.expression(INSTANCE, type_)
            _bind(reading, name, value, reading.after(node), _block_end(reading, node), DECLARED)
        return
    _bind_all(reading, expressions, names, values.named_children if values is not None else [], node)


def _short(reading: Reading, node: Node) -> None:
    """`x, y := f()`, `x = v`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None and right is not None:
        _bind_all(reading, Expressions(reading), left.named_children, right.named_children, node)


def _bind_all(reading: Reading, expressions: Expressions, names: list[Node], values: list[Node], node: Node) -> None:
    """Several names get several values, or the parts of one."""
    facts = reading.facts
    at, until = reading.after(node), _block_end(reading, node)
    for index, name in enumerate(names):
        if len(values) == len(names):
            value = expressions.value(values[index])
        elif len(values) == 1:
            value = expressions.value(values[0])
            if values[0].type in ("index_expression", "type_assertion_expression", "unary_expression"):
                value = value if index == 0 else facts.unknown  # `v, ok := m[k]`
            else:
                value = facts.expression(PART, value, index)
        else:
            value = facts.unknown
        _bind(reading, name, value, at, until, 0)


def _bind(reading: Reading, name: Node, value: int, at: int, until: int, flags: int) -> None:
    text = reading.text(name)
    if name.type == "identifier" and text != "_":
        limited = LIMITED if until else 0
        reading.facts.bind(reading.scope, text, value, at, until=until, flags=flags | limited)


def _block_end(reading: Reading, node: Node) -> int:
    """The end of the block that a declared name lives in, 0 when it is the function's own."""
    if node.type == "assignment_statement":
        return 0
    parent = node.parent
    while parent is not None:
        if parent.type in ("if_statement", "for_statement", "expression_switch_statement", "type_switch_statement",
                           "expression_case", "type_case", "default_case", "communication_case"):  # fmt: skip
            return reading.after(parent)
        if parent.type == "block":
            owner = parent.parent
            if owner is not None and owner.type in ("function_declaration", "method_declaration", "func_literal"):
                return 0
            return reading.after(parent)
        if parent.type in ("function_declaration", "method_declaration", "func_literal", "source_file"):
            return 0
        parent = parent.parent
    return 0


def _range(reading: Reading, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    statement = node.parent
    if left is None or statement is None:
        return
    value = Expressions(reading).value(right)
    facts, until = reading.facts, reading.after(statement)
    for index, name in enumerate(left.named_children):
        part = facts.expression(ITEM if index else ELEMENT, value)
        _bind(reading, name, part, reading.after(node), until, 0)


def _type_switch(reading: Reading, node: Node) -> None:
    alias = first_named(node.child_by_field_name("alias"))
    if alias is None:
        return
    expressions = Expressions(reading)
    value = expressions.value(node.child_by_field_name("value"))
    for case in node.named_children:
        if case.type == "type_case":
            types = [expressions.instance(t) for t in case.children_by_field_name("type")]
            narrowed = reading.facts.union(types) if len(types) == 1 else value
            _bind(reading, alias, narrowed, reading.at(case), reading.after(case), 0)
        elif case.type == "default_case":
            _bind(reading, alias, value, reading.at(case), reading.after(case), 0)


def _received(reading: Reading, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    case = node.parent
    if left is not None and case is not None and left.named_children:
        value = Expressions(reading).value(right)
        _bind(reading, left.named_children[0], value, reading.after(node), reading.after(case), 0)


def _return(reading: Reading, node: Node) -> None:
    values = first_named(node)
    if values is None:
        return
    expressions = Expressions(reading)
    given = [expressions.value(v) for v in values.named_children]
    reading.returned(given[0] if len(given) == 1 else reading.facts.expression(TUPLE, *given), reading.at(node))


def _call(reading: Reading, node: Node) -> None:
    function = node.child_by_field_name("function")
    if function is None:
        return
    if function.type == "identifier" and reading.text(function) in BUILTINS:
        return
    named = function.child_by_field_name("field") if function.type == "selector_expression" else None
    at = reading.at(named if named is not None else function)
    reading.facts.site(reading.scope, Expressions(reading).value(function), -1, at)


def _conversion(reading: Reading, node: Node) -> None:
    """`F[T](x)` is read as a conversion; F may as well be a function."""
    type_ = node.child_by_field_name("type")
    if type_ is not None and type_.type == "generic_type":
        function = Expressions(reading).type(type_.child_by_field_name("type"))
        reading.facts.site(reading.scope, function, -1, reading.at(node))


def _composite(reading: Reading, node: Node) -> None:
    type_ = Expressions(reading).type(node.child_by_field_name("type"))
    if type_ != reading.facts.unknown:
        reading.uses(reading.definition(), type_, reading.line(node))


_HANDLERS: dict[str, Handler] = {
    "package_clause": _package,
    "import_spec": _import,
    "function_declaration": _function,
    "method_declaration": _function,
    "func_literal": _literal_function,
    "type_spec": _type,
    "type_alias": _type,
    "method_elem": _method_of_interface,
    "var_spec": _declaration,
    "const_spec": _declaration,
    "short_var_declaration": _short,
    "assignment_statement": _short,
    "range_clause": _range,
    "type_switch_statement": _type_switch,
    "receive_statement": _received,
    "return_statement": _return,
    "call_expression": _call,
    "type_conversion_expression": _conversion,
    "composite_literal": _composite,
    "struct_type": _anonymous_struct,
}


def read(reading: Reading) -> None:
    """State the facts of a Go file."""
    reading.sweep(_HANDLERS)
    match = _CONSTRAINT.search(reading.source, 0, _HEAD_BYTES)
    if match is not None:
        reading.facts.notes["build"] = match.group(1).decode("utf-8", "replace").strip()


_CONSTRAINT = re.compile(rb"^//go:build ([^\n]*)", re.MULTILINE)
_HEAD_BYTES = 4000  # build constraints stand before the package clause
_SYSTEMS = ("_windows", "_darwin", "_js", "_wasm", "_plan9", "_solaris", "_freebsd", "_openbsd", "_netbsd", "_aix")


def preference(path: str, notes: dict[str, Any]) -> int:
    """Of several files that define one name, a usual build takes the one with the lowest number."""
    build = notes.get("build", "")
    if not build:
        return 2 if PurePosixPath(path).stem.endswith(_SYSTEMS) else 0
    if build.startswith("!") and "&&" not in build and "||" not in build:
        return 1
    return 2 if "linux" in build or "unix" in build else 3


def module(view: RootView, facts: FileFacts, spec: str) -> str | None:
    """The folder that an import path names, by the module path of a go.mod of the root."""
    table = view.table
    here = PurePosixPath(facts.path).parent
    manifests = [f"{'' if str(parent) == '.' else f'{parent}/'}go.mod" for parent in (here, *here.parents)]
    parts = spec.split("/")
    for size in range(len(parts), 0, -1):
        manifests.extend(table.manifests(f"go:{'/'.join(parts[:size])}"))
    for manifest in manifests:
        name = table.notes(manifest).get("go", "")
        if name and (spec == name or spec.startswith(f"{name}/")):
            folder = "/".join(p for p in (manifest.rpartition("/")[0], spec[len(name) :].strip("/")) if p)
            if table.files_of_space(f"go:{folder}"):
                return f"go:{folder}"
    return None


def rules(language: str) -> Rules:
    """The rules of Go."""
    return Rules(
        family="go",
        read=read,
        module=module,
        external_result=external_result,
        builtins=BUILTINS,
        common_members=COMMON_MEMBERS,
        preference=preference,
        visibility=lambda defined: "internal" if defined.private else "public",  # the package sees lower-case names
        calls_convert=True,
        structural_interfaces=True,
        library_interfaces=INTERFACES,
    )
