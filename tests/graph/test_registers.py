"""Functions as values: who keeps or hands on a function instead of calling it, and for what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def registered(graph: Any) -> set[str]:
    """`source: function for label`, however sure."""
    return {
        f"{r.source_name}: {r.target_name} for {r.label}"
        for r in graph.relationships
        if r.relationship_type == "registers"
    }


PYTHON = {
    "work.py": """
import functools, threading
from helpers import helper
import helpers

def on_change(x): ...

class Base:
    def inherited(self): ...

class Worker(Base):
    def start(self, callback, data):
        self.signal.connect(self.run)
        self.bus.on("change", self.run)
        self.bus.on(Events.CHANGE, on_change)
        functools.partial(on_change, 1)
        threading.Thread(target=self.run)
        self.callback = helper
        self.by_key["k"] = helpers.other
        self.listeners.append(self.inherited)
        self.add_route("GET", "/x", self.run)

    def run(self): ...

HANDLERS = {"a": on_change, "b": helper}
TABLE = [on_change, ("named", helper)]
""",
    "helpers.py": "def helper(): ...\ndef other(): ...\n",
}


def test_python_functions_are_registered_by_arguments_fields_lists_and_maps(graph_of: Any) -> None:
    assert registered(graph_of(PYTHON)) == {
        "Worker.start: Worker.run for connect",
        "Worker.start: Worker.run for change",
        "Worker.start: on_change for Events.CHANGE",
        "Worker.start: on_change for partial",
        "Worker.start: Worker.run for target",
        "Worker.start: helper for callback",
        "Worker.start: other for k",
        "Worker.start: Base.inherited for listeners",
        "Worker.start: Worker.run for GET /x",
        "work: on_change for a",
        "work: helper for b",
        "work: on_change for TABLE",
        "work: helper for named",
    }


def test_data_properties_classes_and_parameters_are_not_registered(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.py": """
class Model: ...
def helper(): ...
class A:
    limit = 3
    @property
    def size(self): return 1
    @reify
    def host(self): return 2
    def go(self, helper):
        use(self.size, self.host, self.limit, helper, Model, isinstance(helper, Model))
        self.bus.off("change", self.go)
        self.bus.remove_listener(self.go)
        isinstance(self.go, object)
"""
        }
    )
    assert registered(graph) == set()


def test_decorators_that_register_keep_what_they_decorate(graph_of: Any) -> None:
    graph = graph_of(
        {
            "app.py": """
@app.route("/users")
def users(): ...
@app.before_request
def before(): ...
@receiver(post_save)
def saved(): ...
@bus.on("x")
def heard(): ...
@functools.wraps(users)
def wrapped(): ...
@mock.patch("app.users")
def test_it(): ...
@property
def size(): ...
"""
        }
    )
    assert registered(graph) == {
        "app: users for /users",
        "app: before for before_request",
        "app: saved for post_save",
        "app: heard for x",
        "app: users for wraps",
    }


def test_typescript_listeners_timers_objects_and_bound_methods_are_registered(graph_of: Any) -> None:
    graph = graph_of(
        {
            "watch.ts": """
import { helper } from './helpers'
import * as helpers from './helpers'
function onChange() {}
export class Watcher {
  start(callback) {
    this.source.on('change', this.onFile)
    this.source.on('add', this.onFile.bind(this))
    this.source.off('change', this.onFile)
    setTimeout(this.onFile, 10)
    emitter.on('x', helpers.other)
    this.callback = onChange
    configure({ onChange, other: helper, later: callback })
    const all = [onChange]
    handlers['q'] = helper
  }
  onFile() {}
}
export default { onChange }
module.exports = { onChange, helper }
module.exports.z = onChange
function make() { return { onChange } }
""",
            "helpers.ts": "export function helper() {}\nexport const other = () => {}\n",
            "page.tsx": "function Page() {\n  function click() {}\n  return <Button onClick={click}/>\n}\n",
        }
    )
    assert registered(graph) == {
        "Watcher.start: Watcher.onFile for change",
        "Watcher.start: Watcher.onFile for add",
        "Watcher.start: Watcher.onFile for setTimeout",
        "Watcher.start: other for x",
        "Watcher.start: onChange for callback",
        "Watcher.start: onChange for onChange",
        "Watcher.start: helper for other",
        "Watcher.start: onChange for all",
        "Watcher.start: helper for q",
        "Page: Page.click for onClick",
    }


KERNEL = {
    "fs.h": """
struct file_operations { int (*open)(int); int (*release)(int); };
struct other_operations { int (*open)(int); };
struct file { const struct file_operations *f_op; };
int generic_release(int x);
""",
    "ext4.c": """
#include "fs.h"
static int ext4_open(int x) { return x; }
const struct file_operations ext4_operations = {
  .open = ext4_open,
  .release = generic_release,
};
struct command { char *name; int (*run)(int); };
static struct command commands[] = { {"get", ext4_open} };
void setup(struct file *f) { signal(SIGINT, generic_release); loop_add(f, ext4_open); }
""",
    "other.c": '#include "fs.h"\nstatic int other_open(int x) { return x; }\n'
    "static struct other_operations o = { .open = other_open };\n",
    "vfs.c": """
#include "fs.h"
int generic_release(int x) { return 0; }
int do_open(struct file *f) { return f->f_op->open(1); }
int do_both(struct file *f) { struct file_operations *ops = f->f_op; ops->release(1); return (*ops->open)(2); }
""",
}


def test_c_initialisers_and_arguments_register_functions(graph_of: Any) -> None:
    assert registered(graph_of(KERNEL)) == {
        "ext4_operations: ext4_open for open",
        "ext4_operations: generic_release for release",
        "commands: ext4_open for get",
        "setup: generic_release for SIGINT",
        "setup: ext4_open for loop_add",
        "o: other_open for open",
    }


def test_a_call_through_a_field_lists_what_that_field_of_that_struct_keeps(graph_of: Any) -> None:
    graph = graph_of(KERNEL)
    assert graph.edges("calls") == {
        "do_open calls ext4_open",
        "do_both calls ext4_open",
        "do_both calls generic_release",
    }
    assert {graph.how("do_open", "ext4_open"), graph.how("do_both", "generic_release")} == {"ambiguous"}
    assert all(r.confidence < 0.92 for r in graph.relationships if r.relationship_type == "calls")


def test_variants_of_one_function_are_one_name_with_several_bodies(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.c": "#ifdef X\nstatic int make(int x) { return 1; }\n#else\n"
            "static int make(int x) { return 2; }\n#endif\n"
            "struct ops { int (*make)(int); };\nstatic struct ops all = { .make = make };\n"
            "int go(void) { return make(1); }\n",
        }
    )
    assert registered(graph) == {"all: make for make"}
    assert {r.resolution for r in graph.relationships if r.relationship_type in ("registers", "calls")} == {"local"}


def test_a_field_that_very_many_functions_are_kept_in_says_nothing_about_a_call(graph_of: Any) -> None:
    many = {
        f"f{i}.c": f'#include "fs.h"\nstatic int open{i}(int x) {{ return x; }}\n'
        f"struct file_operations ops{i} = {{ .open = open{i} }};\n"
        for i in range(17)
    }
    graph = graph_of({"fs.h": KERNEL["fs.h"], "vfs.c": KERNEL["vfs.c"], **many})
    assert not {edge for edge in graph.edges("calls", minimum=0) if "do_open" in edge}
    assert len(registered(graph)) == 17


OTHERS: dict[str, tuple[dict[str, str], set[str]]] = {
    "go": (
        {
            "a.go": "package p\ntype T struct {}\nfunc run() {}\nfunc (s *T) handle() {}\n"
            'func (s *T) Setup(cb func()) {\n  m.HandleFunc("/x", s.handle)\n  s.cb = run\n'
            '  y := map[string]F{"a": run}\n  z := T{F: s.handle}\n  m.Add(other, cb)\n}\n',
            "b.go": "package p\nfunc other() {}\n",
        },
        {"T.Setup: T.handle for /x", "T.Setup: run for cb", "T.Setup: run for a", "T.Setup: T.handle for F"}
        | {"T.Setup: other for Add"},
    ),
    "java": (
        {
            "A.java": 'class A { void f() { x.on("a", this::foo); Runnable r = B::bar; add(B::new); } void foo() {} }',
            "B.java": "class B { static void bar() {} }",
        },
        {"A.f: A.foo for a", "A.f: B.bar for r"},
    ),
    "kotlin": (
        {"a.kt": 'class A {\n  fun f() { x.on("a", ::foo); y(this::bar) }\n  fun bar() {}\n}\nfun foo() {}\n'},
        {"A.f: foo for a", "A.f: A.bar for y"},
    ),
    "rust": (
        {
            "src/lib.rs": "mod a;\nfn run() {}\nstruct T { cb: fn() }\nimpl T {\n  fn go() {}\n"
            '  fn f() { app.route("/", get(run)); x.push(Self::go); let t = T { cb: run }; apply(a::b); }\n}\n',
            "src/a.rs": "pub fn b() {}\n",
        },
        {"T.f: run for get", "T.f: T.go for x", "T.f: run for cb", "T.f: b for apply"},
    ),
    "csharp": (
        {
            "a.cs": 'class A { void f() { x.Changed += On; x.Gone -= Off; Add("a", Run); new Timer(this.Tick); }\n'
            "void On() {} void Off() {} void Run() {} void Tick() {} }"
        },
        {"A.f: A.On for Changed", "A.f: A.Run for a", "A.f: A.Tick for Timer"},
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_register_functions_by_their_names(graph_of: Any, language: str) -> None:
    files, expected = OTHERS[language]
    assert registered(graph_of(files)) == expected


@pytest.mark.parametrize("files", [PYTHON, KERNEL])
def test_a_registration_is_no_call(graph_of: Any, files: Mapping[str, str]) -> None:
    graph = graph_of(files)
    kept = {(r.source_id, r.target_id) for r in graph.relationships if r.relationship_type == "registers"}
    assert not kept & {(r.source_id, r.target_id) for r in graph.relationships if r.relationship_type == "calls"}
    assert {r.triplet for r in graph.relationships if r.target_name == "generic_release" and r.label == "SIGINT"} <= {
        "setup registers generic_release for SIGINT"
    }


def test_a_job_is_registered_by_who_queues_it(graph_of: Any) -> None:
    ruby = {
        "app/workers/feed_worker.rb": "class FeedWorker\n  include Sidekiq::Worker\n  def perform(id)\n  end\nend\n",
        "app/workers/own_worker.rb": "class OwnWorker\n  def self.perform_async(x)\n  end\n  def perform\n  end\nend\n",
        "app/services/post.rb": "class Post\n  def call(ids)\n    FeedWorker.perform_async(1)\n"
        "    FeedWorker.push_bulk(ids) { |id| [id] }\n    OwnWorker.perform_async(2)\n  end\nend\n",
    }
    graph = graph_of(ruby)
    queued = {f"Post.call: FeedWorker.perform for {label}" for label in ("perform_async", "push_bulk")}
    assert {r for r in registered(graph) if r.startswith("Post")} == queued, "a class may mean something else by it"
    python = {
        "tasks.py": "from celery import shared_task\n\n@shared_task\ndef send(x): ...\n",
        "views.py": "from tasks import send\n\ndef view():\n    send.delay(1)\n    send.apply_async(args=[1])\n",
    }
    graph = graph_of(python)
    assert {f"view: send for {label}" for label in ("delay", "apply_async")} <= registered(graph)
