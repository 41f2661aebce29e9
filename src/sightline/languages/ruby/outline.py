"""Ruby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.languages.naming import field_text, text_of
from sightline.languages.spec import FIRST_LINE, Definition, LanguageSpec

if TYPE_CHECKING:
    from tree_sitter import Node

    from sightline.types import ObjectKind

_CLASS_MAKERS: dict[str, ObjectKind] = {"Struct": "struct", "Data": "struct", "Class": "class", "Module": "module"}
_VISIBILITIES = ("private", "public", "protected", "private_class_method")
_MAX_SIBLINGS = 200  # bounded: the nearest `private` of a huge class is near


def _scoped(kind: ObjectKind, node: Node) -> tuple[ObjectKind, str] | None:
    name = field_text(node, "name").replace("::", ".").strip(".")
    return (kind, name) if name else None


def _constant(node: Node) -> tuple[ObjectKind, str] | None:
    """A constant; `Point = Struct.new(…)` makes a type."""
    name, right = field_text(node, "left"), node.child_by_field_name("right")
    maker = right.child_by_field_name("receiver") if right is not None and right.type == "call" else None
    return _CLASS_MAKERS.get(text_of(maker), "constant"), name.replace("::", ".")


def _private(name: str, node: Node) -> bool:
    sibling = node.prev_named_sibling
    for _ in range(_MAX_SIBLINGS):
        if sibling is None:
            break
        if sibling.type == "identifier" and text_of(sibling) in _VISIBILITIES:
            return text_of(sibling) == "private"
        sibling = sibling.prev_named_sibling
    return name.startswith("_")


RUBY = LanguageSpec(
    name="ruby",
    grammar="tree_sitter_ruby:language",
    extensions=(".rb", ".rake", ".gemspec", ".ru", ".rbw", ".podspec"),
    filenames=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"),
    shebangs=("ruby", "jruby"),
    definitions={
        "module": Definition("module", body=FIRST_LINE, refine=lambda node: _scoped("module", node)),
        "class": Definition("class", body=FIRST_LINE, refine=lambda node: _scoped("class", node)),
        "method": Definition("function"),
        "singleton_method": Definition("function"),
        "assignment": Definition(
            "constant",
            body=FIRST_LINE,
            refine=_constant,
            patterns=(
                "(program (assignment left: (constant)) @def)",
                "(body_statement (assignment left: (constant)) @def)",
            ),
        ),
    },
    constructors=frozenset({"initialize"}),
    import_patterns=(
        '(call method: (identifier) @_m (#any-of? @_m "require" "require_relative" "load" "autoload")) @import',
    ),
    private=_private,
)
SPECS = (RUBY,)
