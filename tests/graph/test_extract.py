"""Objects of a file: ids, kinds, names, visibility, and facts that never change without reason."""

from __future__ import annotations

import pytest

from sightline import languages
from sightline.graph.build.extract import Extracted, extract

PYTHON = '''"""Module."""
class Account:
    """A bank account. More."""
    def pay(self, amount): ...
    def _check(self): ...
def pay(): ...
def pay(): ...
'''


def _extract(path: str, text: str) -> Extracted:
    parsed = languages.parse(path, languages.detect(path), text.encode())
    return extract(parsed, languages.outline(parsed))


def test_the_module_comes_first_and_members_know_their_parent() -> None:
    objects = _extract("shop/bank.py", PYTHON).objects
    assert [(o.kind, o.qualified_name) for o in objects] == [
        ("module", "shop.bank"),
        ("class", "Account"),
        ("method", "Account.pay"),
        ("method", "Account._check"),
        ("function", "pay"),
        ("function", "pay"),
    ]
    by_id = {o.entity_id: o for o in objects}
    assert by_id[objects[2].parent_id].name == "Account"
    assert objects[1].doc == "A bank account."
    assert [o.visibility for o in objects[2:4]] == ["public", "private"]
    assert len(by_id) == len(objects)  # the second `pay` has an ordinal of its own


def test_entity_ids_survive_an_edit_and_version_ids_do_not() -> None:
    before = _extract("a.py", "def f():\n    return 1\ndef g(): ...\n").objects
    after = _extract("a.py", "# moved\ndef f():\n    return 2\ndef g(): ...\n").objects
    assert [o.entity_id for o in before] == [o.entity_id for o in after]
    assert before[1].version_id != after[1].version_id
    assert before[2].version_id == after[2].version_id


def test_a_document_has_its_module_object_only() -> None:
    extracted = _extract("docs/notes.txt", "hello\nworld\n")
    (module,) = extracted.objects
    assert (module.kind, module.qualified_name, module.end_line) == ("module", "docs.notes", 2)


def test_facts_are_deterministic_and_odd_input_does_not_raise() -> None:
    assert _extract("a.py", PYTHON).facts == _extract("a.py", PYTHON).facts
    for text in ("", "\0\0", "def", "class (:\n  x = = 3\nimport\nfrom . import\n", "self.x = 1", "lambda: (yield)"):
        assert _extract("b.py", text).objects[0].kind == "module"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "A.java",
            "public class A {\n  private int f() { return 1; }\n  protected void g() {}\n  void h() {}\n}\n"
            "interface I { void m(); }\n",
            {"A": "public", "f": "private", "g": "protected", "h": "internal", "I": "internal", "m": "public"},
        ),
        ("a.go", "package a\n\nfunc Open() {}\nfunc close() {}\n", {"Open": "public", "close": "internal"}),
        (
            "a.ts",
            "class A { private f() {} protected g() {} #h() {} }\n",
            {"f": "private", "g": "protected", "#h": "private"},
        ),
    ],
)
def test_visibility_follows_modifiers_and_conventions(path: str, text: str, expected: dict[str, str]) -> None:
    found = {o.name: o.visibility for o in _extract(path, text).objects}
    assert {name: found.get(name) for name in expected} == expected


def test_a_file_with_syntax_errors_still_gives_its_objects() -> None:
    objects = _extract(
        "broken.py", "def good(): ...\nclass K:\n    def m(self): ...\n  = = = (\ndef also(): ...\n"
    ).objects
    assert {"good", "K", "m"} <= {o.name for o in objects}


@pytest.mark.parametrize("path", ["bank.py", "bank.cpp"])
def test_facts_are_the_same_whoever_walks_the_tree_first(path: str) -> None:
    text = PYTHON if path.endswith("py") else "struct A { void pay() { check(1); } };\nvoid f() { A a; a.pay(); }\n"
    parsed = languages.parse(path, languages.detect(path), text.encode())
    outlined = languages.outline(parsed)
    first = extract(parsed, outlined)
    assert not parsed.captured  # what the outline's walk left was taken
    assert extract(parsed, outlined) == first
