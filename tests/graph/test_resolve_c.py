"""C and C++: headers and bodies, static functions, classes with members defined elsewhere, namespaces."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


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
            "unix/go.c": "void go(void) {}\n",
            "win/go.c": "void go(void) {}\n",
            "test/t.c": '#include "api.h"\nvoid t(void) { go(); }\n',
        }
    )
    found = {(r.target_path, r.resolution) for r in graph.relationships if r.relationship_type == "calls"}
    assert found == {("api.h", "import"), ("unix/go.c", "ambiguous"), ("win/go.c", "ambiguous")}


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
