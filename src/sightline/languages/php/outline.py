"""PHP. Namespaces are packages here, not objects."""

from __future__ import annotations

from sightline.languages.naming import named, private_word
from sightline.languages.spec import Definition, LanguageSpec

PHP = LanguageSpec(
    name="php",
    grammar="tree_sitter_php:language_php",
    extensions=(".php", ".phtml", ".php5", ".inc"),
    shebangs=("php",),
    definitions={
        "class_declaration": Definition("class"),
        "trait_declaration": Definition("class"),
        "interface_declaration": Definition("interface"),
        "enum_declaration": Definition("enum"),
        "function_definition": Definition("function"),
        "method_declaration": Definition("method"),
        "const_element": Definition("constant", refine=named("constant", "name")),
    },
    wrappers=frozenset({"const_declaration"}),
    attributes=frozenset({"attribute_list"}),
    constructors=frozenset({"__construct"}),
    imports=frozenset({"namespace_use_declaration"}),
    private=private_word,
)
SPECS = (PHP,)
