"""One folder per language: the table lists them all, and none of them leans on another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline import languages
from sightline.languages import LANGUAGES, detect, family_of, rules_of, spec_of
from sightline.languages.grammar import parse

PACKAGE = Path(languages.__file__).parent
FOLDERS = sorted(path.parent.name for path in PACKAGE.glob("*/outline.py"))


def test_every_folder_is_in_the_table_and_every_language_has_a_folder() -> None:
    assert sorted(set(LANGUAGES.values())) == FOLDERS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_folder_of_a_language_gives_its_spec_and_its_rules(language: str) -> None:
    assert spec_of(language).name == language
    rules = rules_of(language)
    assert rules is rules_of(language)
    assert family_of(language) == rules.family


_OUTLINE_ONLY = frozenset({"sql", "hcl", "dockerfile", "nix"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_has_a_reader_and_documents_state_nothing_beside_their_objects(language: str) -> None:
    has_reader = (PACKAGE / LANGUAGES[language] / "reader.py").exists()
    assert has_reader == (not spec_of(language).document and language not in _OUTLINE_ONLY)


def test_facts_of_a_language_that_the_table_does_not_have_are_resolved_like_those_of_a_document() -> None:
    assert family_of("klingon") == "klingon"


@pytest.mark.parametrize("folder", ["", *FOLDERS])
def test_a_language_leans_on_what_all_share_and_at_most_on_the_library_names_of_another(folder: str) -> None:
    others = {f"sightline.languages.{other}": other for other in FOLDERS if other != folder}
    for path in sorted((PACKAGE / folder).glob("*.py")):
        for module in _imported(path):
            other = others.get(".".join(module.split(".")[:3]))
            assert other is None or (folder and module.endswith(".library") and path.name == "library.py"), (
                path,
                module,
            )


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "sightline.languages")
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", ["src/hooks.js", "src/view.jsx", "src/hooks.mjs"])
def test_javascript_with_types_of_flow_is_read_with_them(path: str) -> None:
    source = b"/**\n * @flow strict\n */\nfunction dispatch<S, A>(to: S, action: A): void {\n  send(action);\n}\n"
    assert detect(path, source) == "tsx"
    assert not parse(path, "tsx", source).has_errors
    assert parse(path, "javascript", source).has_errors
    assert detect(path, b"// a flow of data\nfunction go() {}\n") != "tsx"
