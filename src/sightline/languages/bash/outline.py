"""Bash and other shells."""

from __future__ import annotations

from sightline.languages.spec import Definition, LanguageSpec

BASH = LanguageSpec(
    name="bash",
    grammar="tree_sitter_bash:language",
    extensions=(".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild"),
    filenames=(".bashrc", ".bash_profile", ".zshrc", ".profile", "PKGBUILD", "APKBUILD"),
    shebangs=("sh", "bash", "zsh", "ksh", "dash", "ash", "bats"),
    definitions={
        "function_definition": Definition("function"),
        "variable_assignment": Definition(
            "constant",
            body="value",
            patterns=(
                "(program (variable_assignment name: (variable_name)) @def)",
                "(program (declaration_command (variable_assignment name: (variable_name)) @def))",
            ),
        ),
    },
    wrappers=frozenset({"declaration_command"}),
    import_patterns=('(command name: (command_name (word) @_w (#any-of? @_w "source" "."))) @import',),
    private=lambda name, _: name.startswith("_"),
)
SPECS = (BASH,)
