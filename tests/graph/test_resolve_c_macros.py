"""C and C++ whose macros stand where no grammar expects them, and what a call then reaches."""

from __future__ import annotations

from typing import Any

import pytest

from sightline import languages
from sightline.languages.c.mending import c_without_macros, cpp_without_macros
from tests.graph.test_resolve_c import called_by


@pytest.mark.parametrize("mended", [c_without_macros, cpp_without_macros])
@pytest.mark.parametrize(
    "source",
    [
        b"GIT_EXTERN(int) f(void);\nAPI_FN(const char *)\nname(int x)\n{\n}\n",
        b"#if X_HAS_INCLUDE(<a>)\n#endif\nX_BEGIN\n\n// c\nX_CALL(1,\n 2)\nint x;\nX_END\n",
        b"template <class T, X_ENABLE_IF(a<T>::b &&\n c)>\nvoid f() {\n  X_TRY { g(); }\n  X_CATCH(h())\n}\n",
        b"T x = X_INIT(A,\n { 1,\n 2 });\n",
        b"X_UNCLOSED(((((((\n" * 50,
    ],
)
def test_nothing_moves_when_macros_are_taken_out(mended: Any, source: bytes) -> None:
    seen = mended(source)
    assert len(seen) == len(source)
    assert [n for n, byte in enumerate(seen) if byte == 10] == [n for n, byte in enumerate(source) if byte == 10]


@pytest.mark.parametrize("mended", [c_without_macros, cpp_without_macros])
@pytest.mark.parametrize("source", [b"#define MY_API static int\n", b"// THE first\n", b"int x;\n", b""])
def test_a_directive_on_the_first_line_stays_as_it_is(mended: Any, source: bytes) -> None:
    assert mended(source) == source


def test_a_macro_around_the_result_makes_a_prototype_and_a_body(graph_of: Any) -> None:
    graph = graph_of(
        {
            "api.h": "#define API(t) extern t\nAPI(int) run(int x);\nAPI(const char *) name(void);\n",
            "run.c": '#include "api.h"\n#define OWN(t) static t\nOWN(int) inner(int x) { return x; }\n'
            "int run(int x) { return inner(x); }\n",
            "use.c": '#include "api.h"\nint use(void) { return run(1); }\n',
        }
    )
    assert called_by(graph, "use") == {("run.c", "run")}
    assert called_by(graph, "run") == {("run.c", "inner")}
    assert called_by(graph, "inner") == {("run.c", "OWN")}


def test_attributes_in_small_letters_hide_no_prototype(graph_of: Any) -> None:
    graph = graph_of(
        {
            "log.h": "__dead void printflike(1, 2) fatal(const char *, ...);\n"
            "void printflike(1, 2) info(const char *, ...);\n",
            "log.c": '#include "log.h"\nvoid fatal(const char *s, ...) {}\n'
            "void info(const char *s, ...) { fatal(s); }\n",
        }
    )
    assert called_by(graph, "info") == {("log.c", "fatal")}


def test_a_list_among_the_arguments_of_a_macro_leaves_the_file_readable(graph_of: Any) -> None:
    numbers = ", ".join("0x4b" for _ in range(20))
    source = (
        f"const id empty = ID_INIT(KIND,\n  {{ {numbers},\n    {numbers} }});\n"
        "int f(void) { return g(); }\nint g(void) { return 1; }\n"
    )
    assert called_by(graph_of({"a.c": source}), "f") == {("a.c", "g")}


def test_of_variants_of_a_macro_the_first_that_calls_something_counts(graph_of: Any) -> None:
    source = (
        "void set_error(int e);\nvoid set_error(int e) {}\n#ifdef HARD\n# include <assert.h>\n"
        "# define CHECK(x) assert(x)\n"
        "#else\n# define CHECK(x) do { if (!(x)) set_error(1); } while (0)\n#endif\nvoid f(int x) { CHECK(x); }\n"
    )
    assert ("a.c", "set_error") in called_by(graph_of({"a.c": source}), "f")


def test_a_variant_for_another_system_is_only_possible(graph_of: Any) -> None:
    graph = graph_of(
        {
            "api.h": "void go(void);\n",
            "unix/go.c": "void go(void) {}\n",
            "win32/go.c": "void go(void) {}\n",
            "t.c": '#include "api.h"\nvoid t(void) { go(); }\n',
            "win32/w.c": '#include "api.h"\nvoid w(void) { go(); }\n',
        }
    )
    assert called_by(graph, "t") == {("unix/go.c", "go")}
    assert called_by(graph, "w") == {("win32/go.c", "go")}
    possible = {(r.target_path, r.resolution) for r in graph.relationships if r.source_name == "t"}
    assert ("win32/go.c", "ambiguous") in possible


def test_statements_that_only_a_macro_ends_leave_the_rest_of_the_class_readable(graph_of: Any) -> None:
    source = (
        "#define TRY try\n#define MY_TRY try\n#define MY_CATCH(x) catch (...) {}\nnamespace app {\nstruct Log {\n"
        "  void flush();\n  void sink();\n};\nvoid Log::sink() {\n  for (;;) {\n    MY_TRY { flush(); }\n"
        "    MY_CATCH(here())\n  }\n"
        "  flush();\n}\nvoid Log::flush() {\n  MY_TRY { sink(); }\n  MY_CATCH(here())\n}\n}  // namespace app\n"
    )
    graph = graph_of({"log.cc": source})
    assert ("log.cc", "app.Log.flush") in called_by(graph, "app.Log.sink")
    assert ("log.cc", "app.Log.sink") in called_by(graph, "app.Log.flush")


def test_namespaces_that_a_macro_opens_are_looked_into(graph_of: Any) -> None:
    graph = graph_of(
        {
            "core.h": "#define LIB_BEGIN namespace lib { inline namespace v9 {\n#define LIB_END }}\n"
            "LIB_BEGIN\n\n// Views.\ntemplate <typename T, LIB_ENABLE_IF(is<T>::value)> class view {\n public:\n"
            "  int size() const;\n};\nnamespace detail {\ninline int width(int x) { return x; }\n}\nLIB_END\n",
            "use.cc": '#include "core.h"\nnamespace app {\nusing view_t = lib::view<char>;\n'
            "int use(view_t v) { return lib::detail::width(v.size()); }\n}\n",
        }
    )
    assert called_by(graph, "app.use") == {("core.h", "view.size"), ("core.h", "detail.width")}


def test_what_stands_in_an_inline_namespace_is_a_member_of_the_one_around(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.h": "namespace a {\ninline namespace v1 {\ninline void f() {}\n}\n}\n",
            "b.cc": '#include "a.h"\nvoid g() { a::f(); }\n',
        }
    )
    assert called_by(graph, "g") == {("a.h", "a.f")}


def test_elements_of_containers_have_the_type_of_their_argument(graph_of: Any) -> None:
    source = (
        "#include <map>\n#include <vector>\nstruct Sink { void log(); void flush(); int operator[](int i); };\n"
        "void Sink::log() {}\nvoid Sink::flush() {}\nint Sink::operator[](int i) { return i; }\n"
        "struct Other { void log(); void flush(); };\n"
        "void Other::log() {}\nvoid Other::flush() {}\n"
        "struct All {\n  std::vector<std::unique_ptr<Sink>> sinks;\n  std::map<int, std::shared_ptr<Sink>> named;\n"
        "  void a() { for (auto& s : sinks) { s->log(); } }\n  void b() { sinks.back()->flush(); }\n"
        "  void c() { for (auto& p : named) p.second->log(); }\n"
        "  void d() { auto it = named.find(1); it->second->flush(); }\n"
        "  int e(Sink s) { return s[0]; }\n};\n"
    )
    graph = graph_of({"a.cc": source})
    assert called_by(graph, "All.a") == {("a.cc", "Sink.log")}
    assert called_by(graph, "All.b") == {("a.cc", "Sink.flush")}
    assert called_by(graph, "All.c") == {("a.cc", "Sink.log")}
    assert called_by(graph, "All.d") == {("a.cc", "Sink.flush")}
    assert called_by(graph, "All.e") == {("a.cc", "Sink.operator[]")}


def test_a_leading_colon_and_a_type_argument_with_one_are_read(graph_of: Any) -> None:
    source = (
        "namespace os {\nint fsync(int f) { return ::fsync(f); }\ntemplate <class T> int make(int x) { return x; }\n}\n"
        "int use() { return os::make<std::chrono::seconds>(1); }\n"
    )
    graph = graph_of({"a.cc": source})
    assert called_by(graph, "os.fsync") == set()
    assert called_by(graph, "use") == {("a.cc", "os.make")}


def test_what_is_never_evaluated_is_no_call_and_a_field_is_no_base(graph_of: Any) -> None:
    source = (
        "struct value { value(int x); };\nint probe(int x);\nusing result = decltype(probe(1));\n"
        "struct counter {\n  explicit counter(int x) : value(x) {}\n  int value;\n};\n"
    )
    graph = graph_of({"a.cc": source})
    assert not [r for r in graph.relationships if r.relationship_type in ("calls", "instantiates")]


def test_a_macro_before_or_behind_a_result_that_is_a_name_is_no_part_of_the_function(graph_of: Any) -> None:
    source = (
        "namespace a {\n#define FN_IMPL inline\n#define CALL_CONV\nstruct node { int kind; };\n"
        "FN_IMPL node make(int x) { return node(); }\n"
        "FN_IMPL std::string CALL_CONV text(const node& n) { return made(n); }\n"
        "node CALL_CONV made(const node& n) { return make(1); }\n"
        "const node *CALL_CONV found(node *n) { made(*n); return n; }\n"
        "template <typename T> FN_IMPL node every(T t) { return make(2); }\n}\n"
    )
    graph = graph_of({"a.cpp": source})
    assert ("a.cpp", "a.make") in called_by(graph, "a.made")
    assert ("a.cpp", "a.made") in called_by(graph, "a.text")
    assert ("a.cpp", "a.made") in called_by(graph, "a.found")
    assert ("a.cpp", "a.make") in called_by(graph, "a.every")


@pytest.mark.parametrize(
    "source",
    [b"DWORD const x(1);\n", b"FOO_T operator new(size_t);\n", b"return MACRO_X foo (a);\n", b"THE_T made(1);\n"],
)
def test_a_type_in_capitals_stays(source: bytes) -> None:
    assert cpp_without_macros(source) == source


def test_an_accessor_that_a_macro_makes_goes_by_its_argument_and_gives_its_type(graph_of: Any) -> None:
    graph = graph_of(
        {
            "property.h": "#define PROPERTY(type, name) \\\n public: type name() const { return name##_; } \\\n"
            " private: type name##_;\n",
            "shape.h": '#include "property.h"\nclass Pen { public: int width(); };\n'
            "class Shape {\n  PROPERTY(Pen*, pen)\n  PROPERTY(bool, closed);\n  int y;\n};\n",
            "draw.cpp": '#include "shape.h"\nint Pen::width() { return 1; }\n'
            "int draw(Shape* s) { return s->closed() ? s->pen()->width() : 0; }\n",
        }
    )
    assert called_by(graph, "draw") == {
        ("shape.h", "Shape.closed"),
        ("shape.h", "Shape.pen"),
        ("draw.cpp", "Pen.width"),
    }
    assert called_by(graph, "Shape.pen") == {("property.h", "PROPERTY")}


@pytest.mark.parametrize("ending", ["c", "cpp"])
def test_a_function_whose_name_is_given_to_a_macro_goes_by_that_name(graph_of: Any, ending: str) -> None:
    graph = graph_of(
        {
            "task.h": "#define TASK(name) int name(void)\n",
            f"task.{ending}": '#include "task.h"\nint inner(void) { return 1; }\n'
            "TASK(closing)\n{\n  return inner();\n}\nint use(void) { return closing(); }\n",
        }
    )
    assert called_by(graph, "closing") == {(f"task.{ending}", "inner"), ("task.h", "TASK")}
    assert called_by(graph, "use") == {(f"task.{ending}", "closing")}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class CPU { CPU(RAM) { } };", ["CPU", "CPU.CPU"]),  # a constructor
        ("int MAX(T) { return 1; }", ["MAX"]),  # a function with a parameter that has no name
        ("struct A {\n  FRIEND(a, b, c);\n  SIZE(4);\n  NONE();\n};", ["A", "A.FRIEND", "A.NONE"]),
        ("TEST(Suite, name) { }", ["TEST"]),  # which of the two is its name?
    ],
)
def test_what_only_looks_like_a_macro_that_makes_a_function_keeps_its_name(text: str, names: list[str]) -> None:
    parsed = languages.parse("a.cpp", "cpp", text.encode())
    assert [defined.qualified_name for defined in languages.outline(parsed)] == names


def test_a_macro_that_is_taken_out_takes_no_end_of_the_line_before_along(graph_of: Any) -> None:
    graph = graph_of(
        {
            "node.h": "class Node final {\n  Node();\n  ADD_COPY(Node)\n  ADD_VISIT()\n};\n"
            "class Leaf { public:\n  ADD_COPY(Leaf)\n  LEAF_END\n  int weigh() { return 1; } };\n",
            "use.cpp": '#include "node.h"\nint use(Leaf& leaf) { return leaf.weigh(); }\n',
        }
    )
    assert called_by(graph, "use") == {("node.h", "Leaf.weigh")}
    assert cpp_without_macros(b"x {\n  A_B(C)\n  D_E()\n};\n") == b"x {\n  A_B(C)\n;      \n};\n"
