"""Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.go.manifests import module_notes
from sightline.languages.naming import field_text
from sightline.languages.spec import UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_TYPE_KINDS: dict[str, ObjectKind] = {"struct_type": "struct", "interface_type": "interface"}


def _type(node: Node) -> tuple[ObjectKind, str] | None:
    name, value = field_text(node, "name"), node.child_by_field_name("type")
    return (_TYPE_KINDS.get(value.type if value is not None else "", "type_alias"), name) if name else None


def _receiver(node: Node) -> str:
    """`func (s *Server[T]) Run()` belongs to Server."""
    receiver = node.child_by_field_name("receiver")
    queue = list(receiver.named_children) if receiver is not None else []
    while queue:
        child = queue.pop(0)
        if child.type == "type_identifier" and child.text is not None:
            return child.text.decode()
        queue.extend(c for c in child.named_children if c.type != "type_arguments")
    return ""


GO = LanguageSpec(
    name="go",
    grammar="tree_sitter_go:language",
    extensions=(".go",),
    definitions={
        "function_declaration": Definition("function"),
        "method_declaration": Definition("method", receiver=_receiver),
        "method_elem": Definition("method"),
        "type_spec": Definition("type_alias", body=UNTIL_BRACE, refine=_type),
        "type_alias": Definition("type_alias", body=UNTIL_BRACE),
        "const_spec": Definition(
            "constant", body="value", patterns=("(source_file (const_declaration (const_spec) @def))",)
        ),
        "var_spec": Definition(
            "constant",
            body="value",
            patterns=(
                "(source_file (var_declaration (var_spec) @def))",
                "(source_file (var_declaration (var_spec_list (var_spec) @def)))",
            ),
        ),
    },
    wrappers=frozenset({"type_declaration", "const_declaration", "var_declaration"}),
    imports=frozenset({"import_declaration"}),
    manifests={r"go\.mod": module_notes},
    private=lambda name, _: not name[:1].isupper(),
)
SPECS = (GO,)
