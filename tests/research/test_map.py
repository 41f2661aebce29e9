"""The map of a root: where files belong, what places depend on, and how deep it looks by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sightline.retrieval.research.map import MAX_AREAS, module_map
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]
JAVA = {
    f"src/main/java/shop/{package}/{name}.java": f"package shop.{package};\n\npublic class {name} {{}}\n"
    for package, name in (("web", "Page"), ("store", "Orders"), ("auth", "Login"))
}


def test_it_looks_as_deep_as_there_is_something_to_see(build: Build) -> None:
    found = module_map(build(JAVA))
    assert [place.path for place in found.areas] == [
        "src/main/java/shop/auth/",
        "src/main/java/shop/store/",
        "src/main/java/shop/web/",
    ]
    assert module_map(build(JAVA), levels=1).areas[0].path == "src/"


def test_guesses_are_counted_apart_and_make_no_cycle(build: Build) -> None:
    snapshot = build(
        {
            "a/one.py": "from b.two import go\n\n\ndef start():\n    return go()\n",
            "b/two.py": "def go(x=None):\n    return x.start()\n",
        }
    )
    found = module_map(snapshot, levels=1)
    assert [(each.source, each.target, each.in_cycle) for each in found.crossings if each.proven] == [
        ("a/", "b/", False)
    ]
    assert found.cycles == ()


def test_what_depends_on_each_other_is_one_cycle(build: Build) -> None:
    parts = ("a", "b", "c")
    snapshot = build(
        {
            f"{part}/m.py": f"from {after}.m import {after}_go\n\n\ndef {part}_go():\n    return {after}_go()\n"
            for part, after in zip(parts, (*parts[1:], parts[0]), strict=True)
        }
        | {"d/m.py": "from a.m import a_go\n\n\ndef d_go():\n    return a_go()\n"}
    )
    found = module_map(snapshot, levels=1)
    assert found.cycles == (("a/", "b/", "c/"),)
    assert {place.path: place.cycle for place in found.areas} == {"a/": 1, "b/": 1, "c/": 1, "d/": 0}
    assert {(each.source, each.target) for each in found.crossings if each.in_cycle} == {
        ("a/", "b/"),
        ("b/", "c/"),
        ("c/", "a/"),
    }


def test_tests_are_left_out_unless_asked_for_and_small_places_when_there_are_too_many(build: Build) -> None:
    many = {f"p{number}/m.py": "x = 1\n" * (number + 1) for number in range(MAX_AREAS + 5)}
    snapshot = build(many | {"tests/test_m.py": "from p1.m import x\n\n\ndef test_x():\n    assert x\n"})
    found = module_map(snapshot, levels=1)
    assert len(found.areas) == MAX_AREAS
    assert found.left_out == 5
    assert "p0/" not in {place.path for place in found.areas}
    assert module_map(snapshot, "tests").areas == ()
    assert [place.path for place in module_map(snapshot, "tests", tests=True).areas] == ["tests/test_m.py"]
