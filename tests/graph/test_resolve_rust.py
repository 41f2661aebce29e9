"""Rust: modules as files, use trees, impl blocks, traits."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_use_and_mod_follow_the_module_tree(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/lib.rs": "mod net;\nmod text;\npub use net::client::Client as Http;\npub fn top() { text::trim(); }\n",
            "src/net/mod.rs": "pub mod client;\nuse super::text;\n"
            "pub fn dial() { text::trim(); self::client::ping(); }\n",
            "src/net/client.rs": "use crate::text::{trim as cut, self};\nuse super::dial;\npub struct Client;\n"
            "impl Client { pub fn new() -> Self { cut(); text::trim(); dial(); super::super::top(); Self } }\n"
            "pub fn ping() {}\n",
            "src/text.rs": "pub fn trim() {}\nmod inner { use super::trim; fn f() { trim(); super::trim(); } }\n",
            "src/app.rs": "use crate::Http;\nfn run() { let c = Http::new(); }\n",
        }
    )
    assert graph.edges("calls") == {
        "top calls trim",
        "dial calls trim",
        "dial calls ping",
        "Client.new calls trim",
        "Client.new calls dial",
        "Client.new calls top",
        "inner.f calls trim",
        "run calls Client.new",
    }
    assert {
        "src.lib imports src.net.mod",
        "src.lib imports src.text",
        "src.net.client imports src.text",
        "src.net.client imports src.net.mod",
        "src.app imports src.lib",
    } <= graph.edges("imports")


def test_impl_blocks_add_to_types_of_other_files(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/lib.rs": "mod shape;\nmod draw;\n",
            "src/shape.rs": "pub struct Square { pub side: u32 }\n"
            "impl Square { pub fn area(&self) { self.draw(); } }\n",
            "src/draw.rs": "use crate::shape::Square;\npub trait Named { fn name(&self); }\n"
            "pub trait Draw: Named { fn draw(&self); fn twice(&self) { self.draw(); } }\n"
            "impl Draw for Square {\n    fn draw(&self) { self.area(); }\n}\n"
            "fn show(s: &Square) { s.draw(); s.twice(); s.area(); }\n",
        }
    )
    assert graph.edges("implements") == {"Square implements Draw"}
    assert graph.edges("inherits") == {"Draw inherits Named"}
    (stated,) = (r for r in graph.relationships if r.relationship_type == "implements")
    assert (stated.path, stated.site_line) == ("src/draw.rs", 4)
    assert "Square contains Square.draw" in graph.edges("contains")
    assert graph.edges("overrides") == {"Square.draw overrides Draw.draw"}
    assert graph.edges("calls") == {
        "Square.area calls Square.draw",
        "Draw.twice calls Draw.draw",
        "Square.draw calls Square.area",
        "show calls Square.draw",
        "show calls Draw.twice",
        "show calls Square.area",
    }


def test_types_come_from_fields_results_wrappers_patterns_and_bounds(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/main.rs": """
struct Item;
impl Item { fn run(&self) {} fn make() -> Result<Item, Oops> { Ok(Item) } }
struct Oops;
struct Holder { one: Box<Item>, many: Vec<Item>, maybe: Option<Item> }
struct Pair(Item, u8);
trait Go { fn go(&self); }
impl Holder {
    fn a(&self) { self.one.run(); }
    fn b(&self) { for i in self.many.iter() { i.run(); } }
    fn c(&self) { if let Some(m) = &self.maybe { m.run(); } }
    fn d(&self) { match self.maybe { Some(ref m) => m.run(), None => {} } }
    fn e(&self) -> Result<(), Oops> { let x = Item::make()?; x.run(); Ok(()) }
    fn f(p: Pair) { p.0.run(); }
    fn g<T: Go>(t: T, d: &dyn Go, w: impl Go) { t.go(); d.go(); w.go(); }
    fn h() { let s = Item {}; s.run(); assert!(s.run()); }
}
""",
        }
    )
    found = graph.edges(*CALLS)
    assert {f"Holder.{n} calls Item.run" for n in "abcdefh"} <= found
    assert "Holder.g calls Go.go" in found
    assert "Holder.h instantiates Item" in found
    assert {"Item.make uses_type Oops", "Holder uses_type Item", "Holder.e uses_type Oops"} <= graph.edges("uses_type")


def test_crates_of_a_workspace_are_found_by_their_manifest(graph_of: Any) -> None:
    graph = graph_of(
        {
            "core/Cargo.toml": '[package]\nname = "my-core"\n',
            "core/src/lib.rs": "mod imp;\npub use imp::*;\n",
            "core/src/imp.rs": "pub fn start() {}\n#[macro_export]\nmacro_rules! twice { () => {} }\n",
            "app/tests/it.rs": "use my_core::start;\nuse std::mem;\nfn t() { start(); mem::swap(1, 2); twice!(); }\n",
        }
    )
    assert graph.edges("calls") == {"t calls start", "t calls <std.mem.swap>", "t calls twice"}
    assert graph.how("t", "start") == "import"


def test_names_of_library_methods_make_no_edges(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/lib.rs": "struct S;\nimpl S { fn push(&self) {} fn enlist(&self, a: u8) {} }\n"
            "fn f() { unknown().push(); unknown().enlist(1); unknown().enlist(1, 2); }\n",
        }
    )
    assert graph.edges(*CALLS) == {"f calls S.enlist"}


def test_a_method_overrides_that_of_the_trait_of_its_own_block(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/lib.rs": (
                "use tower::Service;\n"
                "pub trait Handler { fn call(&self); }\n"
                "pub trait Base { fn load(&self); }\n"
                "pub trait Near: Base { fn look(&self); }\n"
                "pub struct Router;\n"
                "impl Service for Router { fn call(&mut self) { self.one(); } fn one(&self) {} }\n"
                "impl Handler for Router { fn call(&self) { self.two(); } }\n"
                "impl Router { fn look(&self) {} }\n"
                "impl Base for Router { fn load(&self) {} }\n"
            ),
        }
    )
    overriding = [edge for edge in graph.relationships if edge.relationship_type == "overrides"]
    assert {(edge.target_name, edge.site_line) for edge in overriding} == {("Handler.call", 7), ("Base.load", 9)}


def test_patterns_take_fields_out_of_variants_and_structs(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/lib.rs": "pub struct Bytes;\nimpl Bytes { pub fn fold(&mut self) {} pub fn size(&self) {} }\n"
            "pub struct Uni;\nimpl Uni { pub fn fold(&mut self) {} }\n"
            "pub enum Class { Bytes(Bytes), Unicode { inner: Uni, rest: Bytes }, Never }\n"
            "pub struct Pair { left: Bytes, right: Uni }\n",
            "src/use.rs": "use crate::{Class, Pair};\n"
            "pub fn matched(c: &mut Class) { match *c { Class::Bytes(ref mut x) => x.fold(), _ => {} } }\n"
            "pub fn named(c: Class) {\n"
            "  if let Class::Unicode { inner: ref mut u, ref rest } = c { u.fold(); rest.size(); }\n}\n"
            "pub fn taken(p: Pair) { let Pair { left, mut right } = p; left.size(); right.fold(); }\n",
        }
    )
    assert {edge for edge in graph.edges("calls") if not edge.startswith("Class")} == {
        "matched calls Bytes.fold",
        "named calls Uni.fold",
        "named calls Bytes.size",
        "taken calls Bytes.size",
        "taken calls Uni.fold",
    }
