"""What resolving costs depends on how much a root says, not on how its classes refer to each other."""

from __future__ import annotations

from unittest.mock import Mock, patch

from sightline import languages
from sightline.graph.build import decoded, memo
from sightline.graph.build.extract import extract
from sightline.graph.build.resolve import Resolver
from sightline.languages.encoding import decode
from sightline.types import Relationship


def _resolve(files: dict[str, str]) -> tuple[dict[str, list[Relationship]], int, Resolver]:
    """The relationships of files, how many evaluations they took, and who resolved them."""
    computed = 0
    compute = memo.Memo._compute

    def counted(self: memo.Memo, *args: object) -> object:
        nonlocal computed
        computed += 1
        return compute(self, *args)  # type: ignore[arg-type]

    facts = {path: _facts(path, text) for path, text in files.items()}
    resolver = Resolver()
    with patch.object(memo.Memo, "_compute", counted):
        found = resolver.update(facts)
    return found, computed, resolver


def _facts(path: str, text: str) -> bytes:
    parsed = languages.parse(path, languages.detect(path), text.encode())
    return extract(parsed, languages.outline(parsed)).facts


def _calls(found: dict[str, list[Relationship]], path: str) -> set[tuple[str, str]]:
    return {(r.source_name, r.target_name) for r in found[path] if r.relationship_type == "calls" and r.target_id}


def _entangled(modules: int, calls: int) -> dict[str, str]:
    """Modules that include each other by names found through each other, and as many calls of members in each."""
    files = {}
    for n in range(modules):
        includes = "".join(f"    include Top::M{(n + k) % modules}::Part\n" for k in (1, 2, 3))
        body = "".join(f"      helper{k}.thing.other{k}\n" for k in range(calls))
        files[f"m{n}.rb"] = (
            f"module Top\n  module M{n}\n{includes}    module Part\n      include M{(n + 1) % modules}\n    end\n"
            f"    class User < Part::Base{n}\n      def run\n{body}      end\n    end\n  end\nend\n"
        )
    return files


def test_a_call_site_costs_the_same_however_many_classes_refer_to_each_other() -> None:
    few, many = 8, 32
    _, small, _ = _resolve(_entangled(few, calls=40))
    _, large, _ = _resolve(_entangled(many, calls=40))
    assert large / many < 3 * small / few


def test_more_call_sites_in_an_entangled_root_cost_no_more_evaluations_than_there_are_new_names() -> None:
    _, once, _ = _resolve(_entangled(16, calls=40))
    _, twice, _ = _resolve(_entangled(16, calls=80))
    assert twice < 3 * once


def test_classes_that_inherit_from_each_other_still_have_their_members_found() -> None:
    text = (
        "class A < B\n  def one; two; end\nend\n"
        "class B < C\n  def two; three; end\nend\n"
        "class C < A\n  def three; one; end\nend\n"
    )
    found, _, resolver = _resolve({"a.rb": text})
    assert _calls(found, "a.rb") == {("A.one", "B.two"), ("B.two", "C.three"), ("C.three", "A.one")}
    assert resolver.given_up == {}


def test_a_base_found_through_an_inherited_name_is_found() -> None:
    files = {
        "outer.rb": "class Outer\n  class Inner\n    def work; end\n  end\nend\n",
        "child.rb": "class Child < Outer\n  class Own < Inner\n    def run; work; end\n  end\nend\n",
    }
    found, _, _ = _resolve(files)
    assert ("Child.Own.run", "Outer.Inner.work") in _calls(found, "child.rb")


def test_programs_side_by_side_that_share_a_name_are_not_one_class() -> None:
    files = {f"run/t{n}.scala": f"object Test {{\n  def main() = step()\n  def step() = {n}\n}}\n" for n in range(60)}
    found, _, _ = _resolve(files)
    for path in files:
        targets = {r.target_path for r in found[path] if r.relationship_type == "calls"}
        assert targets == {path}


def test_many_programs_of_one_name_cost_as_much_each_as_few() -> None:
    def programs(count: int) -> dict[str, str]:
        return {
            f"run/t{n}.scala": f"class Base{n}\nobject Test extends Base{n} {{\n  def main() = new Test.Inner().go()\n"
            "  class Inner { def go() = main() }\n}\n"
            for n in range(count)
        }

    _, small, _ = _resolve(programs(50))
    _, large, _ = _resolve(programs(200))
    assert large / 200 < 2 * small / 50


def test_a_question_that_goes_round_for_too_long_is_given_up_and_counted() -> None:
    with patch.object(memo, "_MAX_CYCLIC", 0):
        found, _, resolver = _resolve(
            {"a.py": "def f():\n    return g()\n\ndef g():\n    return f()\n\nf().x()\nh = 1\n"}
        )
    assert resolver.given_up == {"a.py": 1}
    assert ("f", "g") in _calls(found, "a.py")


def test_a_name_that_many_files_define_is_not_looked_up_in_each_of_them() -> None:
    def found_and_decoded(files: int) -> tuple[set[tuple[str, str]], int]:
        stated = {f"m{n}.py": f"class C{n}:\n    def finish(self): ...\n" for n in range(files)}
        facts = {path: _facts(path, text) for path, text in stated.items()}
        resolver = Resolver()
        resolver.load(facts.items(), [(u.path, u.lookups) for u in Resolver().updates(facts) if u.lookups])
        with patch.object(decoded, "decode", Mock(side_effect=decode)) as decoding:
            found = resolver.update({"use.py": _facts("use.py", "def use(x):\n    x.finish()\n")})
        return _calls(found, "use.py"), decoding.call_count

    assert found_and_decoded(3)[0] == {("use", f"C{n}.finish") for n in range(3)}, "few: each may be meant"
    assert found_and_decoded(60) == (set(), 1), "many: none is, and only the file itself was read"


def test_a_crowded_process_is_left_less_room_but_never_none() -> None:
    asked: list[bool] = []

    def crowded() -> bool:
        asked.append(True)
        return True

    facts = {
        f"shop{number}.py": _facts(f"shop{number}.py", f"def pay{number}():\n    return pay{number}()\n")
        for number in range(40)
    }
    resolver = Resolver(crowded=crowded)
    assert resolver.update(facts) == Resolver().update(facts)
    assert len(asked) < len(facts), "with the least that is left nobody asks any more"
