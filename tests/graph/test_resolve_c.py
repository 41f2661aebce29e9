"""C and C++: headers and bodies, static functions, classes with members defined elsewhere, namespaces."""

from __future__ import annotations

from typing import Any

import pytest

from sightline.languages.c.outline import CPP

CALLS = ("calls", "instantiates")


def called_by(graph: Any, name: str) -> set[tuple[str, str]]:
    """The paths and names of what a function calls, for sure."""
    return {
        (r.target_path, r.target_name)
        for r in graph.relationships
        if r.relationship_type == "calls" and r.source_name == name and r.confidence > 0.5
    }


def test_calls_reach_bodies_and_static_functions_stay_in_their_file(graph_of: Any) -> None:
    graph = graph_of(
        {
            "include/api.h": "typedef struct item_s item_t;\nint api_run(item_t* i);\nint api_stop(item_t* i);\n",
            "src/item.h": '#include "api.h"\nstruct item_s { int n; };\n',
            "src/unix/run.c": '#include "../item.h"\nstatic void log_it(void) {}\n'
            "int api_run(item_t* i) { log_it(); return api_stop(i); }\n",
            "src/stop.c": "#include <api.h>\n#include <stdio.h>\nstatic void log_it(void) {}\n"
            'int api_stop(item_t* i) { log_it(); printf("x"); return 0; }\n',
        }
    )
    assert graph.edges(*CALLS) == {"api_run calls log_it", "api_run calls api_stop", "api_stop calls log_it"}
    targets = {
        graph.by_id[r.target_id].path
        for r in graph.relationships
        if r.relationship_type == "calls" and r.target_name == "api_stop"
    }
    assert targets == {"src/stop.c"}
    assert graph.how("api_run", "log_it") == "local"
    assert {
        "src.item imports include.api",
        "src.unix.run imports src.item",
        "src.stop imports include.api",
        "src.stop imports <<stdio.h>>",
    } <= graph.edges("imports")
    assert "api_run uses_type item_s" in graph.edges("uses_type")


def test_which_body_is_linked_may_be_open(graph_of: Any) -> None:
    graph = graph_of(
        {
            "api.h": "void go(void);\n",
            "epoll/go.c": "void go(void) {}\n",
            "kqueue/go.c": "void go(void) {}\n",
            "test/t.c": '#include "api.h"\nvoid t(void) { go(); }\n',
        }
    )
    found = {(r.target_path, r.resolution) for r in graph.relationships if r.relationship_type == "calls"}
    assert found == {("api.h", "import"), ("epoll/go.c", "ambiguous"), ("kqueue/go.c", "ambiguous")}


def test_members_defined_outside_of_their_class(graph_of: Any) -> None:
    graph = graph_of(
        {
            "page.hpp": """
namespace app {
class Item { public: void run(); static Item make(); };
class Base { public: virtual void load(); };
class Page : public Base {
 public:
  void show(const Item& other);
  void load() override;
 private:
  Item item_;
  std::unique_ptr<Item> extra_;
};
namespace detail { int helper(int x); }
}
""",
            "page.cpp": """
#include "page.hpp"
namespace app { namespace detail { int helper(int x) { return x; } } }
void app::Page::show(const Item& other) {
  item_.run();
  extra_->run();
  other.run();
  load();
  detail::helper(1);
  auto made = std::make_unique<Item>();
  made->run();
  Item* heap = new Item();
  Item::make().run();
}
void app::Page::load() { Base::load(); this->show(item_); }
""",
            "item.cpp": '#include "page.hpp"\nusing namespace app;\nvoid Item::run() {}\n'
            "Item Item::make() { return Item(); }\n"
            "void Base::load() {}\nvoid free_fn() { Page p; p.load(); }\n",
        }
    )
    assert graph.edges(*CALLS) >= {
        "app.Page.show calls app.Page.load",
        "app.Page.show calls app.detail.helper",
        "app.Page.show instantiates app.Item",
        "app.Page.load calls app.Page.show",
        "app.Page.load calls app.Base.load",
        "free_fn calls app.Page.load",
    }
    assert "app.Page.show calls app.Item.run" in graph.edges("calls")
    assert graph.edges("inherits") == {"app.Page inherits app.Base"}
    assert "app.Page.load overrides app.Base.load" in graph.edges("overrides")
    assert "app.Page contains app.Page.show" in graph.edges("contains")


def test_who_uses_a_macro_calls_what_its_text_calls(graph_of: Any) -> None:
    graph = graph_of({
        "gc.h": "#define check(L) step_if(L)\n#define step_if(L) { if (L) gc_step(L); }\n#define run gc_step\n"
                "void gc_step(int l);\n",
        "gc.c": '#include "gc.h"\nvoid gc_step(int l) {}\n',
        "use.c": '#include "gc.h"\nvoid user(int l) { check(l); }\nvoid other(int l) { run(l); }\n',
    })  # fmt: skip
    assert called_by(graph, "user") == {("gc.h", "check"), ("gc.c", "gc_step")}
    assert called_by(graph, "other") == {("gc.h", "run"), ("gc.c", "gc_step")}
    assert called_by(graph, "check") == {("gc.h", "step_if"), ("gc.c", "gc_step")}


def test_a_static_function_of_a_header_is_seen_by_who_includes_it(graph_of: Any) -> None:
    graph = graph_of({
        "alloc.h": "static inline void hi_free(void *p) { }\n",
        "alloc.c": "void hi_free(void *p) { }\n",
        "use.c": '#include "alloc.h"\nvoid user(void) { hi_free(0); }\n',
    })  # fmt: skip
    assert called_by(graph, "user") == {("alloc.h", "hi_free")}


def test_of_two_macros_of_one_name_the_included_one_is_meant(graph_of: Any) -> None:
    graph = graph_of({
        "api.h": "#define lock(L) ((void)0)\n",
        "tests.h": "#define lock(L) really_lock(L)\n",
        "use.c": '#include "api.h"\nvoid user(int l) { lock(l); }\n',
    })  # fmt: skip
    assert called_by(graph, "user") == {("api.h", "lock")}


def test_a_macro_with_a_block_in_a_body_is_no_function(graph_of: Any) -> None:
    graph = graph_of({
        "vm.c": "void step(void) {}\n"
                "void run(int op) {\n  switch (op) {\n    vmcase(OP_MOVE) {\n      step();\n    }\n  }\n}\n",
    })  # fmt: skip
    assert called_by(graph, "run") == {("vm.c", "step")}


def test_a_macro_before_the_type_hides_no_name(graph_of: Any) -> None:
    graph = graph_of({
        "api.c": "API result_t at_panic (int l) {\n  return helper(l);\n}\nstatic result_t helper(int l) { }\n",
    })  # fmt: skip
    assert called_by(graph, "at_panic") == {("api.c", "helper")}


def test_a_header_may_have_a_name_that_stands_for_a_folder_elsewhere(graph_of: Any) -> None:
    graph = graph_of(
        {
            "vendor/text/index.h": "int look_up(void);\n",
            "src/use.c": '#include "index.h"\nint use(void) { return look_up(); }\n',
        }
    )
    assert "src.use imports vendor.text.index" in graph.edges("imports")


def test_a_type_is_cast_to_and_not_called(graph_of: Any) -> None:
    graph = graph_of({
        "mem.h": "typedef unsigned int U32;\n",
        "use.c": '#include "mem.h"\nint user(int v) { return U32(v) + (U32)(v); }\n',
    })  # fmt: skip
    assert called_by(graph, "user") == set()
    assert "user instantiates U32" not in graph.edges("instantiates")


def test_macros_that_a_preprocessor_takes_out_do_not_hide_classes_and_members(graph_of: Any) -> None:
    graph = graph_of(
        {
            "iterator.h": """
#define API_EXPORT __attribute__((visibility("default")))
namespace db {
class API_EXPORT Iterator {
 public:
  virtual bool Valid() const NOEXCEPT_MACRO = 0;
  API_EXPORT static Iterator* Make();
  void Lock() EXCLUSIVE_LOCK_FUNCTION() { Unlock(); }
  void Unlock() UNLOCK_FUNCTION() {}
  int count_ GUARDED_BY(mutex_);
};
}
""",
            "empty.cc": """
#include "iterator.h"
namespace db {
class Empty final : public Iterator {
 public:
  bool Valid() const NOEXCEPT_MACRO override { Lock(); return false; }
};
API_EXPORT Iterator* Iterator::Make() { return new Empty(); }
}
""",
        }
    )
    assert "db.Empty inherits db.Iterator" in graph.edges("inherits")
    assert graph.edges(*CALLS) == {
        "db.Iterator.Lock calls db.Iterator.Unlock",
        "db.Empty.Valid calls db.Iterator.Lock",
        "db.Iterator.Make instantiates db.Empty",
    }


def test_variables_with_arguments_aliases_arrays_and_bases_are_typed(graph_of: Any) -> None:
    graph = graph_of(
        {
            "list.h": """
namespace db {
template <typename K, class C>
class List {
 public:
  void Insert(const K& key);
  class Iterator { public: bool Valid() const; };
};
namespace log { class Writer { public: explicit Writer(int file); void Add(); }; }
class Base { public: explicit Base(int n); };
class Table : public Base {
 public:
  explicit Table(int n) : Base(n), size_(n) {}
  void Fill();
 private:
  typedef List<const char*, int> Entries;
  Entries entries_;
  log::Writer* writers_;
  int size_;
};
}
""",
            "list.cc": """
#include "list.h"
namespace db {
void Table::Fill() {
  entries_.Insert("x");
  Entries::Iterator at(&entries_);
  at.Valid();
  log::Writer log(size_);
  log.Add();
  writers_[2].Add();
}
}
""",
        }
    )
    assert graph.edges(*CALLS) == {
        "db.Table.Table instantiates db.Base",
        "db.Table.Fill calls db.List.Insert",
        "db.Table.Fill calls db.List.Iterator.Valid",
        "db.Table.Fill instantiates db.List.Iterator",
        "db.Table.Fill instantiates db.log.Writer",
        "db.Table.Fill calls db.log.Writer.Add",
    }


def test_functions_of_unnamed_namespaces_stay_in_their_file_and_types_of_tests_too(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.h": "namespace db { class Comparator { public: int Compare(); }; void helper(int x); }\n",
            "a.cc": '#include "a.h"\nnamespace db { void helper(int x) {} }\n',
            "b.cc": "namespace db { namespace { void helper(int x) {} } void b() { helper(1); } }\n",
            "c.cc": '#include "a.h"\nnamespace db { void c() { helper(1); }\nclass Mine : public Comparator {}; }\n',
            "list_test.cc": "namespace db { class Comparator { public: int Compare(); }; }\n",
        }
    )
    assert called_by(graph, "db.b") == {("b.cc", "db.helper")}
    assert called_by(graph, "db.c") == {("a.cc", "db.helper")}
    assert {r.target_path for r in graph.relationships if r.relationship_type == "inherits"} == {"a.h"}


def test_a_conditional_in_the_middle_of_a_declaration_does_not_hide_what_follows(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.cc": """
namespace db {
class Limit {
 public:
  Limit(int most)
      :
#if !defined(NDEBUG)
        most_(most),
#endif
        left_(most) {
  }
  void take() { give(); }
  void give() {}
};
void run(Limit* x) { x->take(); }
}
"""
        }
    )
    assert graph.edges(*CALLS) == {"db.Limit.take calls db.Limit.give", "db.run calls db.Limit.take"}


@pytest.mark.parametrize(
    "piece",
    ["class FOO " + "a" * 60 + ";", "class A_API X ", ") CONST_MACRO ", "#if A\n", "A" * 300 + " ", "LOCK_API "],
)
def test_what_is_taken_out_before_parsing_is_bounded_and_keeps_length_and_lines(piece: str) -> None:
    source = (piece * 3_000).encode()
    assert CPP.seen is not None
    seen = CPP.seen(source)
    assert len(seen) == len(source)
    assert seen.count(b"\n") == source.count(b"\n")


def test_macros_of_cpp_call_by_qualified_names_and_several_may_stand_before_a_class(graph_of: Any) -> None:
    graph = graph_of(
        {
            "log.h": """
#define LOG_CHECK(x) ((x) ? ::app::internal::null() : app::internal::fail())
namespace app { namespace internal {
int null();
int fail();
} }
""",
            "log.cc": '#include "log.h"\nnamespace app { namespace internal {\n'
            "int null() { return 0; }\nint fail() { return 1; }\n} }\n",
            "state.h": """
#include "log.h"
namespace app {
class APP_EXPORT APP_ALIGNED(64) State {
 public:
  void lock() ACQUIRE() { range(); }
  APP_MAYBE_UNUSED
  std::vector<int> range() { LOG_CHECK(1); return {}; }
};
}
""",
        }
    )
    assert {
        "app.State.lock calls app.State.range",
        "app.State.range calls app.internal.null",
        "app.State.range calls app.internal.fail",
    } <= graph.edges(*CALLS)


def test_of_many_definitions_those_that_the_includes_bring_are_meant(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/base.h": "#define MIN(a, b) ((a) < (b) ? (a) : (b))\nint size(int n);\n",
            "lib/all.h": '#include "base.h"\n',
            "lib/size.c": '#include "base.h"\nint size(int n) { return n; }\n',
            "lib/use.c": '#include "all.h"\nint use(int n) { return MIN(size(n), 1); }\n',
            "other/size.c": "int size(int n) { return 0; }\n",
            **{f"tools/t{n}.c": f"#define MIN(a, b) 0\nint t{n}(int n) {{ return MIN(n, 1); }}\n" for n in range(9)},
        }
    )
    assert called_by(graph, "use") == {("lib/base.h", "MIN"), ("lib/size.c", "size")}
    assert called_by(graph, "t3") == {("tools/t3.c", "MIN")}


def test_a_macro_that_no_include_brings_is_only_possible(graph_of: Any) -> None:
    graph = graph_of(
        {
            "win/compat.h": "#define compare_texts stricmp\n#define CHECK(x) (x)\n",
            "deps/lua/lua.h": "#define lua_pop(n) lua_settop(n)\nvoid lua_settop(int n);\n",
            "src/run.c": "#include <lua.h>\nint run(char* a) { lua_pop(1); return CHECK(compare_texts(a, a)); }\n",
        }
    )
    assert {name for _, name in called_by(graph, "run")} == {"lua_pop", "lua_settop"}
    possible = {r.target_name for r in graph.relationships if r.source_name == "run" and r.confidence < 0.5}
    assert possible == {"CHECK", "compare_texts"}


def test_an_assertion_is_the_programs_own_unless_the_librarys_is_included(graph_of: Any) -> None:
    graph = graph_of(
        {
            "debug.h": "#ifndef assert\n#  define assert(c) ((void)0)   /* switched off */\n#endif\n",
            "own.c": '#include "debug.h"\nvoid own(int n) { assert(n); }\n',
            "theirs.c": '#include <assert.h>\n#include "debug.h"\nvoid theirs(int n) { assert(n); }\n',
            "neither.c": "void neither(int n) { assert(n); }\n",
        }
    )
    assert called_by(graph, "own") == {("debug.h", "assert")}
    assert called_by(graph, "theirs") == set() == called_by(graph, "neither")


def test_a_macro_with_a_comment_is_another_name_and_a_cast_is_no_call(graph_of: Any) -> None:
    graph = graph_of(
        {
            "e.h": "#define is_error ERR_is_error   /* inlined, unlike f(x) */\n#define U32 unsigned\n"
            "static int ERR_is_error(int c) { return c; }\nint f(int n);\n",
            "f.c": '#include "e.h"\nint f(int n) { return n; }\nint use(int n) { return is_error((U32)(n)); }\n',
        }
    )
    assert called_by(graph, "use") == {("e.h", "is_error"), ("e.h", "ERR_is_error")}


def test_an_include_that_moves_changes_which_macro_is_meant(graph_of: Any) -> None:
    files = {
        "a.h": "#define SIZE(n) (n)\n",
        "b.h": "#define SIZE(n) (2 * n)\n",
        "all.h": '#include "a.h"\n',
        "use.c": '#include "all.h"\nint use(int n) { return SIZE(n); }\n',
    }
    assert called_by(graph_of(files), "use") == {("a.h", "SIZE")}
    assert called_by(graph_of({**files, "all.h": '#include "b.h"\n'}), "use") == {("b.h", "SIZE")}


def test_a_conditional_whose_branches_both_open_a_block_does_not_swallow_what_follows(graph_of: Any) -> None:
    graph = graph_of(
        {
            "parse.c": (
                "static int drop(int x) {\n    return x;\n}\n\n"
                "int parse(int x) {\n#ifdef LARGE\n    if (x > 64) {\n"
                "#else\n    if (x > 32) {\n#endif\n        x = 1;\n    }\n"
                "    return x;\n}\n\n"
                "int removed(int x) {\n    return drop(x);\n}\n"
            )
        }
    )

    assert called_by(graph, "removed") == {("parse.c", "drop")}
    assert not called_by(graph, "parse")


def test_of_a_file_and_what_a_generator_made_of_it_the_made_one_is_meant(graph_of: Any) -> None:
    body = '#include "lexer.h"\nint Lexer::Peek() { return 1; }\n'
    graph = graph_of(
        {
            "src/lexer.h": "struct Lexer { int Peek(); };\n",
            "src/lexer.in.cc": body,
            "src/lexer.cc": body,
            "src/use.cc": '#include "lexer.h"\nint use(Lexer* lexer) { return lexer->Peek(); }\n',
        }
    )
    assert called_by(graph, "use") == {("src/lexer.cc", "Lexer.Peek")}


def test_operators_of_objects_are_called_and_those_of_pointers_are_not(graph_of: Any) -> None:
    graph = graph_of(
        {
            "n.hpp": "namespace m {\nclass N { public: bool operator!() const; N& operator=(const N& o); };\n"
            "bool operator==(const N& a, const N& b);\nOut& operator<<(Out& out, const N& n);\n}\n",
            "n.cpp": '#include "n.hpp"\nnamespace m {\nbool N::operator!() const { return true; }\n'
            "N& N::operator=(const N& o) { return *this; }\nbool operator==(const N& a, const N& b) { return true; }\n"
            "Out& operator<<(Out& out, const N& n) { return out; }\n}\n",
            "use.cpp": '#include "n.hpp"\nusing namespace m;\n'
            "bool objects(const N& a, N b) { b = a; return a == b || !b; }\n"
            "bool pointers(N* a, N* b) { b = a; return a == b || !b; }\nbool numbers(int a, int b) { return a == b; }\n"
            "void shown(Out& out, const N& n) { out << n; }\n"
            "void held(std::shared_ptr<N> a, std::shared_ptr<N> b) { a = b; }\n",
        }
    )
    assert called_by(graph, "objects") == {
        ("n.cpp", "m.N.operator="),
        ("n.cpp", "m.N.operator!"),
        ("n.cpp", "m.operator=="),
    }
    assert called_by(graph, "shown") == {("n.cpp", "m.operator<<")}
    assert called_by(graph, "pointers") == called_by(graph, "numbers") == called_by(graph, "held") == set()


def test_macros_behind_the_name_of_a_class_hide_nothing(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.cpp": "class Base { public: void up() {} };\nclass A LIB_FINAL : public Base {\n public:\n"
            "  void go() { up(); }\n};\nvoid use(A& a) { a.go(); }\n"
        }
    )
    assert called_by(graph, "A.go") == {("a.cpp", "Base.up")}
    assert called_by(graph, "use") == {("a.cpp", "A.go")}


def test_operators_that_pointers_do_not_have_are_called_on_fields_and_results(graph_of: Any) -> None:
    graph = graph_of(
        {
            "n.hpp": "namespace m {\nclass Out {};\nclass N {};\nclass Other {};\n"
            "class W { void put(); Out out_; };\nOut& operator<<(Out& out, const N& n) { return out; }\n}\n",
            "o.hpp": '#include "n.hpp"\nnamespace m {\nOut& operator<<(Out& out, const Other& o) { return out; }\n}\n',
            "use.cpp": '#include "o.hpp"\nnamespace m {\nN made();\nvoid W::put() { out_ << made() << 1; }\n'
            "int shifted(int a) { return a << 3; }\nbool same(W& w) { return made() == made(); }\n"
            "void ends(std::vector<N>::iterator i, std::vector<N>::iterator j) { i == j; }\n}\n",
        }
    )
    assert called_by(graph, "m.W.put") >= {("n.hpp", "m.operator<<")}
    assert ("o.hpp", "m.operator<<") not in called_by(graph, "m.W.put")
    assert called_by(graph, "m.shifted") == called_by(graph, "m.ends") == set()


def test_what_a_pointer_points_to_has_the_operators_of_its_class(graph_of: Any) -> None:
    graph = graph_of(
        {
            "s.cpp": "class S { public: S& operator=(const S& o) { return *this; } };\n"
            "void through(S* out, const S& in) { *out = in; }\nvoid moved(S* out, S* in) { out = in; }\n"
            "void far(S** out, S* in) { *out = in; }\n"
        }
    )
    assert called_by(graph, "through") == {("s.cpp", "S.operator=")}
    assert called_by(graph, "moved") == called_by(graph, "far") == set()


def test_a_namespace_that_many_files_only_name_is_one_namespace(graph_of: Any) -> None:
    files = {f"f{n}.cpp": f'#include "m.hpp"\nint z::f{n}(m_t* m) {{ return m->close(); }}\n' for n in range(40)}
    graph = graph_of({"m.hpp": "namespace z {\nclass m_t { public: int close() { return 0; } };\n}\n", **files})
    assert called_by(graph, "z.f7") == called_by(graph, "z.f39") == {("m.hpp", "z.m_t.close")}


def test_an_iterator_of_a_container_stands_for_its_element(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.cpp": "struct N { void go() {} };\nusing Named = std::map<std::string, N*>;\n"
            "void all(std::vector<N*>& ns) {\n"
            "  for (std::vector<N*>::iterator i = ns.begin(); i != ns.end(); ++i) (*i)->go();\n}\n"
            "void each(Named& ns) { Named::const_iterator i = ns.begin(); i->second->go(); }\n"
        }
    )
    assert called_by(graph, "all") == called_by(graph, "each") == {("a.cpp", "N.go")}


def test_a_function_of_the_standard_library_is_no_method_of_that_name(graph_of: Any) -> None:
    graph = graph_of(
        {
            "t.hpp": "class Timer { public: int to_text() { return 1; } };\n",
            "use.cpp": "int use(int x) { return std::to_text(x); }\nint other() { return x.to_text(); }\n",
        }
    )
    assert called_by(graph, "use") == set()
    assert called_by(graph, "other") == {("t.hpp", "Timer.to_text")}


def test_a_method_goes_before_the_function_of_a_library(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.hpp": "class A { public: void close(); void end(); };\n",
            "a.cpp": '#include "a.hpp"\nvoid A::close() {}\nvoid A::end() { close(); }\n',
            "b.cpp": "class B { public: void end() { close(1); } };\n",
        }
    )
    assert called_by(graph, "A.end") == {("a.cpp", "A.close")}
    assert called_by(graph, "B.end") == set()


def test_macros_with_a_space_before_their_arguments_end_a_class(graph_of: Any) -> None:
    graph = graph_of(
        {
            "m.hpp": "struct lock_t\n{\n    lock_t (mutex_t &m) : _m (m) { go (); }\n    void go () {}\n  private:\n"
            "    mutex_t &_m;\n\n    NON_COPYABLE (lock_t)\n};\n\nstruct other_t\n{\n    void run () {}\n};\n"
            "void use (mutex_t &m) { lock_t lock (m); other_t o; o.run (); }\n"
        }
    )
    assert called_by(graph, "use") >= {("m.hpp", "other_t.run")}
    assert called_by(graph, "lock_t.lock_t") == {("m.hpp", "lock_t.go")}


def test_macros_call_methods_of_the_class_that_uses_them(graph_of: Any) -> None:
    graph = graph_of(
        {
            "r.hpp": "#define FAIL_WITH(code) do { SetFailure(code); return; } while (0)\n"
            "class R {\n public:\n  void SetFailure(int code) {}\n  void Read() { FAIL_WITH(1); }\n};\n"
        }
    )
    assert ("r.hpp", "R.SetFailure") in called_by(graph, "R.Read")


def test_code_in_a_namespace_that_a_macro_opens_sees_its_names(graph_of: Any) -> None:
    graph = graph_of(
        {
            "p.hpp": "namespace pugi {\nclass node { public: void go(); };\n}\n",
            "p.cpp": '#include "p.hpp"\n#define NS_BEGIN namespace pugi { namespace impl {\n#define NS_END } }\n'
            "NS_BEGIN\nvoid use(node& n) { n.go(); }\nNS_END\nnamespace pugi {\nvoid node::go() {}\n}\n",
        }
    )
    assert called_by(graph, "use") == {("p.cpp", "pugi.node.go")}
