"""The benchmark of issues: what counts as the answer (the places of the base that a patch touches), what it keeps."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.paths import REPOSITORY


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "scripts" / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded("issues_data", monkeypatch)


@pytest.fixture
def indexing(data: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded("issues_index", monkeypatch)


PATCH = """diff --git a/shop/cart.py b/shop/cart.py
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -10,7 +10,8 @@ class Cart:
     def add(self, item):
-        self.items.append(item)
-        return None
+        self.items.append(item.copy())
+        return self
     def clear(self):
         self.items = []
+        self.total = 0
diff --git a/shop/new.py b/shop/new.py
--- /dev/null
+++ b/shop/new.py
@@ -0,0 +1,2 @@
+def new():
+    return 1
"""


def test_replaced_lines_and_places_of_additions_are_touched(data: ModuleType) -> None:
    replaced, added = data.touched_by(PATCH)
    assert (replaced.path, replaced.start, replaced.end) == ("shop/cart.py", 11, 12)
    assert (added.start, added.end, added.indented) == (15, 14, 8)


def test_without_context_an_addition_stands_behind_the_line_that_the_hunk_names(data: ModuleType) -> None:
    patch = "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -12,0 +13 @@ func f() {\n+\treturn\n"
    (added,) = data.touched_by(patch)
    assert (added.start, added.end) == (13, 12)


def test_halves_are_chosen_by_the_commit_alone(data: ModuleType) -> None:
    halves = [data.half_of(f"{number:040x}") for number in range(200)]
    assert 60 < halves.count("develop") < 140
    assert halves == [data.half_of(f"{number:040x}") for number in range(200)]


def test_what_lies_beyond_samples_has_none_of_them(data: ModuleType) -> None:
    issues = [data.Issue(f"shop-{n}", "shop/shop", "python", "", "", ()) for n in range(30)]
    first = data.sampled(issues, 12, data.FIRST_SEED)
    after_one = data.beyond(issues, [12])
    second = data.sampled(after_one, 9, data.FIRST_SEED + 1)
    after_two = data.beyond(issues, [12, 9])
    parts = [issue.id for part in (first, second, after_two) for issue in part]
    assert [len(after_one), len(after_two)] == [18, 9]
    assert sorted(parts) == sorted(issue.id for issue in issues)
    assert data.beyond(issues, []) == data.beyond(issues, [0]) == issues


def test_an_index_of_which_a_file_goes_while_it_is_linked_is_kept_as_it_is_then(
    indexing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    index.mkdir()
    for name in ("manifest.json", "merged.idx", "old.idx"):
        (index / name).write_text(name, encoding="utf-8")
    link = os.link

    def merging(source: str, target: str) -> None:
        (index / "old.idx").unlink(missing_ok=True)
        link(source, target)

    monkeypatch.setattr(os, "link", merging)
    indexing._keep(index, tmp_path / "kept" / "commit")
    assert {path.name for path in (tmp_path / "kept" / "commit").iterdir()} == {"manifest.json", "merged.idx"}
