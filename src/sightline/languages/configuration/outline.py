"""HCL (Terraform), container files and Nix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import child_of_type, field_text, text_of
from sightline.languages.spec import FIRST_LINE, UNTIL_BRACE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

# How a block of Terraform is referred to: its kind here, and what stands before its labels.
_BLOCKS: dict[str, tuple[ObjectKind, str]] = {
    "resource": ("struct", ""),
    "data": ("struct", "data."),
    "provider": ("struct", "provider."),
    "module": ("module", "module."),
    "variable": ("constant", "var."),
    "output": ("constant", "output."),
    "check": ("function", "check."),
    "function": ("function", ""),
    "source": ("struct", "source."),
    "target": ("function", "target."),
    "group": ("module", "group."),
    "job": ("module", "job."),
    "task": ("function", "task."),
}
_MAX_BINDINGS = 2  # of Nix, around each other: what lies deeper are settings


def _block(node: Node) -> tuple[ObjectKind, str] | None:
    word = child_of_type(node, "identifier")
    known = _BLOCKS.get(text_of(word))
    labels = [
        text_of(part).strip('"') for part in node.named_children[1:4] if part.type in ("string_lit", "identifier")
    ]
    return (known[0], known[1] + ".".join(labels)) if known is not None and labels and all(labels) else None


def _local(node: Node) -> tuple[ObjectKind, str] | None:
    return "constant", f"local.{text_of(child_of_type(node, 'identifier'))}"


def _stage(node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "as")
    return ("module", name) if name else None


def _binding(node: Node) -> tuple[ObjectKind, str] | None:
    around, name = node.parent, field_text(node, "attrpath").replace('"', "")
    bindings = 0
    while around is not None:
        bindings += around.type == "binding"
        if bindings >= _MAX_BINDINGS:
            return None
        around = around.parent
    value = node.child_by_field_name("expression")
    if not name or "${" in name or value is None:
        return None
    return ("function" if value.type == "function_expression" else "constant"), name


HCL = LanguageSpec(
    name="hcl",
    grammar="tree_sitter_hcl:language",
    extensions=(".tf", ".hcl", ".tfvars", ".tofu", ".nomad"),
    definitions={
        "block": Definition("struct", body=UNTIL_BRACE, refine=_block),
        "attribute": Definition(
            "constant",
            refine=_local,
            patterns=('(block (identifier) @_w (body (attribute) @def) (#eq? @_w "locals"))',),
        ),
    },
)
DOCKERFILE = LanguageSpec(
    name="dockerfile",
    grammar="tree_sitter_containerfile:language",
    extensions=(".dockerfile", ".containerfile"),
    filenames=("Dockerfile", "Containerfile", "Dockerfile.dev", "Dockerfile.prod", "Dockerfile.test"),
    definitions={
        "from_instruction": Definition("module", body=FIRST_LINE, refine=_stage, lasts=True),
        "arg_pair": Definition("constant", body=FIRST_LINE),
        "env_pair": Definition("constant", body=FIRST_LINE),
    },
    wrappers=frozenset({"arg_instruction", "env_instruction"}),
)
NIX = LanguageSpec(
    name="nix",
    grammar="tree_sitter_nix:language",
    extensions=(".nix",),
    definitions={"binding": Definition("constant", body=FIRST_LINE, refine=_binding)},
)
SPECS = (HCL, DOCKERFILE, NIX)
