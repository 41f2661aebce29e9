"""Python: what a name, a member and a call mean across files."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_calls_follow_relative_aliased_and_re_exported_imports(graph_of: Any) -> None:
    graph = graph_of(
        {
            "pkg/__init__.py": "from .core import make as build\nfrom .star import *\n",
            "pkg/core.py": "def make():\n    pass\n",
            "pkg/star.py": "def shine():\n    pass\n",
            "app.py": "from pkg import build as b, shine\nimport pkg.core as c\n"
            "def go():\n    b()\n    c.make()\n    shine()\n",
        }
    )
    assert graph.edges(*CALLS) == {"go calls make", "go calls shine"}
    assert graph.how("go", "shine") == "import"


def test_a_package_in_src_is_imported_from_elsewhere(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/lib/__init__.py": "",
            "src/lib/json.py": "def dumps(): ...\n",
            "src/lib/user.py": "import json\nfrom . import json as own\ndef f():\n    json.dumps()\n    own.dumps()\n",
            "tests/test_lib.py": "from lib.json import dumps\ndef test_it():\n    dumps()\n",
        }
    )
    assert graph.edges(*CALLS) == {"f calls dumps", "f calls <json.dumps>", "test_it calls dumps"}
    assert "test_it tests dumps" in graph.edges("tests")


def test_modules_named_like_the_index_of_a_folder_are_found(graph_of: Any) -> None:
    graph = graph_of(
        {
            "tools/index.py": "def build(): ...\n",
            "tools/mod.py": "def load(): ...\n",
            "tools/main.py": "import index\nfrom mod import load\ndef go():\n    index.build()\n    load()\n",
        }
    )
    assert graph.edges(*CALLS) == {"go calls build", "go calls load"}


def test_self_super_and_inherited_members_follow_the_linearised_bases(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.py": "class Base:\n    def run(self): ...\n    def stop(self): ...\n"
            "class Mixin:\n    def stop(self): ...\n",
            "b.py": "from a import Base, Mixin\nclass Child(Mixin, Base):\n    def run(self):\n        super().run()\n"
            "        self.stop()\n        self.own()\n    def own(self): ...\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Child.run calls Base.run",
        "Child.run calls Mixin.stop",
        "Child.run calls Child.own",
    }
    assert graph.edges("inherits") == {"Child inherits Mixin", "Child inherits Base"}
    assert graph.edges("overrides") == {"Child.run overrides Base.run"}
    assert graph.how("Child.run", "Child.own") == "self"
    assert graph.how("Child.run", "Mixin.stop") == "inherited"


def test_types_are_inferred_from_constructors_annotations_results_and_fields(graph_of: Any) -> None:
    graph = graph_of(
        {
            "m.py": """
class Engine:
    def start(self) -> "Report": ...
    def __enter__(self): return self
class Report:
    def show(self): ...
class Car:
    spare: Engine
    def __init__(self, engine: Engine):
        self.engine = engine
    def make(self):
        return Engine()
def one(car: Car):
    car.engine.start().show()
def two():
    e = Engine()
    e.start()
def three(cars: list[Car]):
    for car in cars:
        car.make().start()
def four(car: Car | None):
    with car.spare as e:
        e.start()
"""
        }
    )
    assert graph.edges("calls") == {
        "one calls Engine.start",
        "one calls Report.show",
        "two calls Engine.start",
        "three calls Car.make",
        "three calls Engine.start",
        "four calls Engine.start",
    }
    assert "two instantiates Engine" in graph.edges("instantiates")


def test_a_member_of_an_unknown_receiver_is_guessed_only_when_the_name_is_unique_and_uncommon(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.py": "class A:\n    def reticulate(self): ...\n    def get(self): ...\n    def twice(self): ...\n",
            "b.py": "class B:\n    def twice(self): ...\n",
            "c.py": "def f(x, d: dict):\n    x.reticulate()\n    x.get()\n    x.twice()\n    d.reticulate()\n",
        }
    )
    assert graph.how("f", "A.reticulate") == "unique_name"
    assert graph.how("f", "A.twice") == "ambiguous"
    assert graph.edges(*CALLS) == {"f calls A.reticulate"}


def test_a_decorator_decorates_and_a_base_outside_the_root_is_external(graph_of: Any) -> None:
    graph = graph_of(
        {"a.py": "import abc\ndef deco(f): return f\n@deco\ndef g(): ...\nclass K(abc.ABC):\n    x: 'K'\n"},
    )
    assert graph.edges("decorates") == {"deco decorates g"}
    assert graph.edges("inherits") == {"K inherits <abc.ABC>"}
    assert graph.edges("imports") == {"a imports <abc>"}


def test_a_method_that_hands_on_to_its_namesake_does_not_call_itself(graph_of: Any) -> None:
    graph = graph_of({"a.py": "class Wrapper:\n    def arrayvar(self, n):\n        return self.cursor.arrayvar(n)\n"})
    assert graph.edges("calls", minimum=0) == set()


_TWO_CLASSES = "class Plain:\n    def run(self): ...\nclass Other:\n    def run(self): ...\n"


def test_type_arguments_are_followed_up_the_bases(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.py": _TWO_CLASSES + "from typing import Generic, TypeVar\nT = TypeVar('T')\n"
            "class Store(Generic[T]):\n    item: T\n    def get(self) -> T: ...\n    def all(self) -> list[T]: ...\n"
            "class Middle(Store[T]): ...\n"
            "class PlainStore(Middle[Plain]):\n"
            "    def one(self):\n        self.item.run()\n"
            "    def two(self):\n        self.get().run()\n"
            "    def three(self):\n        for each in self.all():\n            each.run()\n"
            "class New[U]:\n    def get(self) -> U: ...\n"
            "def f(store: Store[Plain]):\n    store.get().run()\n"
            "def g(new: New[Plain]):\n    new.get().run()\n",
        }
    )
    sources = ("PlainStore.one", "PlainStore.two", "PlainStore.three", "f", "g")
    assert graph.calls_of("run") == {f"{source} calls Plain.run" for source in sources}


def test_a_type_variable_is_what_it_is_bound_to_and_that_of_self_is_the_receiver(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.py": _TWO_CLASSES + "from typing import Callable, TypeVar\nP = TypeVar('P', bound='Plain')\n"
            "S = TypeVar('S', bound='Base')\n"
            "class Base:\n    def chain(self: S) -> S: ...\n"
            "class Derived(Base):\n    def run(self): ...\n"
            "def f(plain: P) -> P:\n    plain.run()\n    return plain\n"
            "def g(other: object):\n    f(other).run()\n"
            "def h():\n    Derived().chain().run()\n"
            "def i(make: Callable[[int], Plain]):\n    make(1).run()\n"
            "def j[Q: Plain](given: Q):\n    given.run()\n",
        }
    )
    assert graph.calls_of("run") == {f"{source} calls Plain.run" for source in "fgij"} | {"h calls Derived.run"}


def test_a_descriptor_hands_out_what_its_get_returns(graph_of: Any) -> None:
    graph = graph_of(
        {
            "late.py": (
                "from typing import Generic, TypeVar, overload\n\n_T = TypeVar('_T')\n\n\n"
                "class Late(Generic[_T]):\n"
                "    @overload\n    def __get__(self, instance: None, owner: type) -> 'Late[_T]': ...\n"
                "    @overload\n    def __get__(self, instance: object, owner: type) -> _T: ...\n"
                "    def __get__(self, instance, owner):\n        return instance.kept if instance else self\n\n"
                "    def describe(self): ...\n"
            ),
            "engine.py": "class Engine:\n    def crawl(self): ...\n",
            "crawler.py": (
                "from engine import Engine\nfrom late import Late\n\n\n"
                "class Crawler:\n    engine: Late[Engine] = Late()\n\n"
                "    def run(self):\n        self.engine.crawl()\n\n"
                "    def own(self):\n        self.held = Late()\n        self.held.describe()\n\n\n"
                "def of_class():\n    Crawler.engine.describe()\n"
            ),
            "scraper.py": "from crawler import Crawler\n\n\ndef scrape(it: Crawler):\n    it.engine.crawl()\n",
        }
    )
    assert {"Crawler.run calls Engine.crawl", "scrape calls Engine.crawl"} <= graph.edges("calls")
    assert {"Crawler.own calls Late.describe", "of_class calls Late.describe"} <= graph.edges("calls")


def test_calling_an_instance_is_a_proven_call_of_its_method(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.py": (
                "class Handler:\n    def __call__(self, request): ...\n\n\n"
                "class User:\n    kept: Handler\n\n    def field(self):\n        self.kept(1)\n\n\n"
                "def made():\n    handler = Handler()\n    handler(1)\n"
            )
        }
    )
    assert graph.edges("calls") == {"User.field calls Handler.__call__", "made calls Handler.__call__"}
