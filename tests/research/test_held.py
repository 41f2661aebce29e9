"""A chain goes on through a field that is called: by what is stored there, as the name of a function or as what one
makes; and it begins where the question says, among functions of one name at the one that it tells apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.prose import begins
from sightline.store import Snapshot
from tests.research.test_chain import in_order, section

Build = Callable[[Mapping[str, str]], Snapshot]

POINTERS = {
    "conn.c": (
        '#include "conn.h"\n\n'
        "conn *conn_new(conn *c, int udp) {\n"
        "    if (udp) {\n        c->try_read = try_read_udp;\n    } else {\n"
        "        c->try_read = try_read_ascii;\n    }\n"
        "    return c;\n}\n\n"
        "void drive_machine(conn *c) {\n    while (c->open) {\n        if (c->try_read(c) == 0) {\n"
        "            wait_for(c);\n        }\n    }\n}\n\n"
        "void wait_for(conn *c) {\n    c->open = 0;\n}\n\n"
        "int try_read_udp(conn *c) {\n    return 0;\n}\n"
    ),
    "text.c": (
        '#include "conn.h"\n\n'
        "static void process_command(conn *c) {\n    c->open = 2;\n    c->open = 3;\n    c->open = 4;\n}\n\n"
        "int try_read_ascii(conn *c) {\n    c->open = 1;\n    process_command(c);\n    return 1;\n}\n"
    ),
    "conn.h": (
        "typedef struct conn { int open; int (*try_read)(struct conn *); } conn;\n"
        "void wait_for(conn *c);\nint try_read_udp(conn *c);\nint try_read_ascii(conn *c);\n"
    ),
}
HANDLER = {
    "go.mod": "module example.com/mux\n\ngo 1.22\n",
    "mux.go": (
        'package mux\n\nimport (\n\t"context"\n\t"net/http"\n)\n\n'
        "type Mux struct {\n\thandler http.Handler\n}\n\n"
        "func (mx *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n"
        "\tr = r.WithContext(context.WithValue(r.Context(), 1, mx))\n"
        "\tmx.handler.ServeHTTP(w, r)\n}\n\n"
        "func (mx *Mux) update() {\n\tmx.handler = http.HandlerFunc(mx.routeHTTP)\n}\n\n"
        "func (mx *Mux) routeHTTP(w http.ResponseWriter, r *http.Request) {\n\th := mx.findRoute(r)\n"
        "\tif h == nil {\n\t\treturn\n\t}\n\th.ServeHTTP(w, r)\n}\n\n"
        "func (mx *Mux) findRoute(r *http.Request) http.Handler {\n\tif r == nil {\n"
        "\t\treturn nil\n\t}\n\treturn mx.handler\n}\n"
    ),
    "middleware/value.go": (
        "package middleware\n\nfunc WithValue(key, value any) any {\n\tif key == nil {\n"
        "\t\treturn nil\n\t}\n\treturn value\n}\n"
    ),
    "_examples/main.go": (
        'package main\n\nimport "net/http"\n\ntype Handler func(w http.ResponseWriter, r *http.Request)\n\n'
        "func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n\th(w, r)\n}\n"
    ),
}
STACK = {
    "app.py": (
        "from errors import ErrorLayer\nfrom routing import Router\n\n\n"
        "class App:\n"
        "    def __init__(self):\n        self.router = Router()\n        self.stack = None\n\n"
        "    def build_stack(self):\n        app = self.router\n        for cls in [ErrorLayer]:\n"
        "            app = cls(app)\n        return app\n\n"
        "    def __call__(self, scope):\n        if self.stack is None:\n            self.stack = self.build_stack()\n"
        "        return self.stack(scope)\n"
    ),
    "errors.py": (
        "class ErrorLayer:\n    def __init__(self, app):\n        self.app = app\n\n"
        "    def __call__(self, scope):\n        try:\n            return self.app(scope)\n"
        "        except ValueError:\n            return None\n"
    ),
    "routing.py": (
        "def session(func):\n    def inner(scope):\n        value = dict(scope)\n"
        "        return func(value)\n\n    return inner\n\n\n"
        "class Base:\n    def handle(self, scope):\n        raise NotImplementedError\n\n\n"
        "class Route(Base):\n    def __init__(self, endpoint):\n        self.app = session(endpoint)\n\n"
        "    def handle(self, scope):\n        return self.app(scope)\n\n\n"
        "class Router:\n    routes: list[Base]\n\n    def __init__(self):\n"
        "        self.routes = []\n        self.stack = self.app\n\n"
        "    def __call__(self, scope):\n        return self.stack(scope)\n\n"
        "    def app(self, scope):\n        for route in self.routes:\n            return route.handle(scope)\n"
    ),
}


def test_a_pointer_that_is_called_leads_to_the_functions_stored_in_it(build: Build, embedder: Embedder) -> None:
    question = "Which functions lead from `drive_machine` to a processed text command, in order, with file:line?"
    text = section(research(build(POINTERS), question, embedder=embedder), "In order")

    assert in_order(text, "drive_machine", "calls what is stored in `try_read`", "try_read_ascii", "process_command")
    assert text.count("calls what is stored in `try_read`") == 1
    assert "try_read_udp" in text


def test_a_field_whose_method_is_called_leads_to_the_function_that_it_wraps(build: Build, embedder: Embedder) -> None:
    question = "From `Mux.ServeHTTP` to the handler of the matching route: functions in order with file:line?"
    text = section(research(build(HANDLER), question, embedder=embedder), "In order")

    assert in_order(
        text, "Mux.ServeHTTP", "stored in `handler`", "Mux.routeHTTP", "stored by Mux.update", "Mux.findRoute"
    )
    assert "_examples" not in text  # which shows how it is used
    assert "middleware/value.go" not in text  # `context` is a package, and another one


def test_an_object_that_a_function_builds_is_called(build: Build, embedder: Embedder) -> None:
    question = (
        "A request comes in: which functions are called, in order, from `App.__call__` to the endpoint function of the"
        " matching `Route`, with file:line?"
    )
    text = section(research(build(STACK), question, embedder=embedder), "In order")

    assert in_order(
        text, "App.__call__", "Router.__call__", "Router.app", "Base.handle", "Route.handle", "session.inner"
    )
    assert "ErrorLayer.__call__" in text


def test_a_folder_that_the_question_names_tells_functions_of_one_name_apart(build: Build, embedder: Embedder) -> None:
    body = (
        "int loop_run(int mode) {{\n    {0}_poll(mode);\n    return 0;\n}}\n\n"
        "void {0}_poll(int mode) {{\n    mode++;\n}}\n"
    )
    files = {"src/unix/core.c": body.format("unix"), "src/win/core.c": body.format("win")}
    question = "On unix, which functions lead from `loop_run` to the polling of events, in order?"
    text = section(research(build(files), question, embedder=embedder), "In order")

    assert text.startswith("loop_run  src/unix/core.c:1")
    assert "src/win" not in text


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("From the top-level function `get` of package http to the socket: functions in order?", "get"),
        ("How does `Builder.parse_file` get from the file to the app object, in order?", "Builder.parse_file"),
    ],
)
def test_the_function_to_begin_with_is_read_off_the_question(question: str, name: str) -> None:
    assert name in begins(question)


def test_a_call_of_a_field_that_an_edge_explains_is_told_once(build: Build, embedder: Embedder) -> None:
    code = (
        "class Kind:\n    def __call__(self, value):\n        return self.convert(value)\n\n"
        "    def convert(self, value):\n        return int(value)\n\n\n"
        "def make_kind():\n    return Kind()\n\n\n"
        "class Param:\n    kind: Kind\n\n    def __init__(self):\n        self.kind = make_kind()\n\n"
        "    def cast(self, value):\n        checked = value.strip()\n        return self.kind(checked)\n"
    )
    question = "How is a value converted, functions in order from `Param.cast`?"
    text = section(research(build({"param.py": code}), question, embedder=embedder), "In order")

    assert in_order(text, "Param.cast", "Kind.__call__", "Kind.convert")
    assert "what is stored in" not in text
