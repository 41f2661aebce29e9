"""Swift: one namespace, extensions that conform and add members, labels, optionals."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_names_of_the_whole_root_are_visible_without_imports(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sources/Core/Session.swift": "final class Session {\n  func start() -> Request { Request() }\n}\n"
            "func boot() { Session().start().resume() }\n",
            "Sources/Core/Request.swift": "class Request {\n  func resume() {}\n}\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Session.start instantiates Request",
        "boot instantiates Session",
        "boot calls Session.start",
        "boot calls Request.resume",
    }
    assert graph.how("boot", "Request.resume") == "typed"


def test_an_extension_conforms_and_its_members_belong_to_the_type(graph_of: Any) -> None:
    graph = graph_of(
        {
            "A.swift": "struct Card { let name: String\n  func show() { draw() } }\n",
            "B.swift": "\nextension Card: Drawable {\n  func draw() { show() }\n"
            "  static func make() -> Card { Card() }\n}\n",
            "P.swift": "protocol Base { func size() }\nprotocol Drawable: Base { func draw() }\n",
        }
    )
    assert graph.edges("implements") == {"Card implements Drawable"}
    assert graph.edges("inherits") == {"Drawable inherits Base"}
    (conformance,) = (r for r in graph.relationships if r.relationship_type == "implements")
    assert (conformance.path, conformance.site_line) == ("B.swift", 2)
    assert {"Card contains Card.draw", "Card contains Card.make"} <= graph.edges("contains")
    assert graph.edges("overrides") == {"Card.draw overrides Drawable.draw"}
    assert {"Card.show calls Card.draw", "Card.draw calls Card.show"} <= graph.edges("calls")
    assert graph.how("Card.show", "Card.draw") == "self"


def test_extensions_of_outside_types_give_their_values_members(graph_of: Any) -> None:
    graph = graph_of(
        {
            "E.swift": "extension URLRequest { func signed() -> URLRequest { self } }\n",
            "U.swift": "func go(r: URLRequest) { r.signed(); r.httpBody() }\n",
        }
    )
    assert graph.edges(*CALLS) == {"go calls URLRequest.signed"}


def test_types_come_from_annotations_fields_casts_conditions_and_loops(graph_of: Any) -> None:
    graph = graph_of(
        {
            "m.swift": """
class Item { func run() {} ; func next() -> Item? { nil } }
class Box {
    let item: Item
    var items: [Item] = []
    lazy var spare = Item()
    init(item: Item) { self.item = item }
    func a() { item.run() }
    func b() { for i in items { i.run() } }
    func c(x: Any) { if let y = x as? Item { y.run() } }
    func d() { guard let n = item.next() else { return }; n.run() }
    func e() { spare.run(); items[0].run() }
    func f<T: Item>(x: T) { x.run() }
}
""",
        }
    )
    assert {f"Box.{n} calls Item.run" for n in "abcdef"} <= graph.edges("calls")
    assert graph.edges("uses_type") >= {"Box uses_type Item", "Box.init uses_type Item", "Item.next uses_type Item"}


def test_labels_choose_the_overload(graph_of: Any) -> None:
    graph = graph_of(
        {
            "s.swift": "class S {\n  func get(_ u: String) {}\n  func get(url: String, then: () -> Void) {}\n"
            '  func go() { get(url: "a") { } }\n}\n',
        }
    )
    (call,) = (r for r in graph.relationships if r.relationship_type == "calls")
    assert graph.by_id[call.target_id].start_line == 3


def test_subclasses_call_and_override_what_they_inherit(graph_of: Any) -> None:
    graph = graph_of(
        {
            "b.swift": "open class Base { init() {}\n func load() {} }\n",
            "c.swift": "class Child: Base, Codable {\n override init() { super.init() }\n"
            " override func load() { super.load(); helper() }\n private func helper() {} }\n",
        }
    )
    assert graph.edges("inherits") == {"Child inherits Base"}
    assert graph.edges("implements") == {"Child implements <Codable>"}
    assert graph.edges("calls") == {
        "Child.init calls Base.init",
        "Child.load calls Base.load",
        "Child.load calls Child.helper",
    }
    assert graph.edges("overrides") == {"Child.load overrides Base.load"}


def test_library_names_make_no_edges_and_private_names_stay_in_their_file(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.swift": "private func helper() {}\nclass List { func append() {}\n func enqueue() {} }\n",
            "b.swift": "func f(x: Thing) { helper() }\nfunc g() { thing.append(); thing.enqueue() }\n",
        }
    )
    assert graph.edges(*CALLS) == {"g calls List.enqueue"}
    assert graph.how("g", "List.enqueue") == "unique_name"
