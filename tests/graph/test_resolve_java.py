"""Java: packages, nested and anonymous classes, overloads, inherited members, declared types."""

from __future__ import annotations

from typing import Any

FILES = {
    "src/com/shop/Base.java": """package com.shop;
public abstract class Base<T> {
  protected final T item;
  public Base() { this(null); }
  public Base(T item) { this.item = item; }
  public T item() { return item; }
  public void save(String a) {}
  protected void log() {}
}
""",
    "src/com/shop/Order.java": """package com.shop;
import com.util.Text;
import static com.util.Text.clean;
import java.util.List;
public class Order extends Base<Line> implements Comparable<Order> {
  private List<Line> lines;
  public Order() { super(new Line()); }
  void save(String a, int b) { save(a); log(); clean(a); }
  int total() {
    int sum = 0;
    for (Line line : lines) { sum += line.price(); }
    lines.forEach(l -> l.touch());
    var first = lines.get(0);
    first.touch();
    return Text.length("x");
  }
  Runnable later() {
    return new Runnable() {
      @Override public void run() { total(); this.stop(); }
      void stop() {}
    };
  }
}
class Line {
  int price() { return 1; }
  Line touch() { return this; }
}
""",
    "src/com/util/Text.java": "package com.util;\npublic class Text {\n  public static void clean(String s) {}\n"
    "  public static int length(String s) { return 0; }\n}\n",
}


def test_calls_follow_packages_static_imports_overloads_and_element_types(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("calls") == {
        "Base.Base calls Base.Base",
        "Order.Order calls Base.Base",
        "Order.save calls Base.save",
        "Order.save calls Base.log",
        "Order.save calls Text.clean",
        "Order.total calls Line.price",
        "Order.total calls Line.touch",
        "Order.total calls Text.length",
        "Order.later.run calls Order.total",
        "Order.later.run calls Order.later.stop",
    }
    assert graph.how("Order.save", "Base.log") == "inherited"


def test_constructors_bases_and_overrides(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("instantiates") == {"Order.Order instantiates Line"}
    assert graph.edges("inherits", "implements") == {"Order inherits Base", "Order implements <Comparable>"}


def test_an_import_means_the_file_of_the_class(graph_of: Any) -> None:
    graph = graph_of(FILES)
    imports = {(r.path, r.target_path) for r in graph.relationships if r.relationship_type == "imports" and r.target_id}
    assert imports == {("src/com/shop/Order.java", "src/com/util/Text.java")}


_TWO_TYPES = {
    "src/p/Plain.java": "package p;\npublic interface Plain { void run(); default void twice() { run(); } }\n",
    "src/p/Other.java": "package p;\npublic interface Other { void run(); }\n",
}


def runs(graph: Any) -> set[str]:
    """Which methods of `Use` call which `run`, at any confidence."""
    return {call for call in graph.calls_of("run") if call.startswith("Use")}


def test_type_arguments_are_followed_up_the_bases(graph_of: Any) -> None:
    use = (
        "package p;\nimport java.util.List;\n"
        "class Box<T> { T held; T get() { return held; } List<T> all() { return null; } }\n"
        "class Middle<U> extends Box<U> {}\n"
        "class Use extends Middle<Plain> {\n  void a() { held.run(); }\n  void b() { get().run(); }\n"
        "  void c() { for (var each : all()) each.run(); }\n  void d(Middle<Plain> m) { m.get().run(); }\n}\n"
    )
    assert runs(graph_of(_TWO_TYPES | {"src/p/Use.java": use})) == {f"Use.{name} calls Plain.run" for name in "abcd"}


def test_a_lambda_is_given_what_its_type_declares(graph_of: Any) -> None:
    use = (
        "package p;\nimport java.util.function.*;\n"
        "interface Handler { void on(Plain p, int n); default void off() {} }\n"
        "class Box<T> { void each(Consumer<T> c) {} }\n"
        "class Use {\n  void take(int n, Handler h) {}\n  void a() { take(1, (p, n) -> p.run()); }\n"
        "  void b() { Handler h = (p, n) -> { p.run(); }; }\n  void c(Box<Plain> box) { box.each(p -> p.run()); }\n"
        "  void d() { BiFunction<Plain, Other, Plain> f = (p, o) -> { p.run(); return p; }; }\n}\n"
    )
    assert runs(graph_of(_TWO_TYPES | {"src/p/Use.java": use})) == {f"Use.{name} calls Plain.run" for name in "abcd"}


def test_a_pattern_of_a_switch_types_its_name(graph_of: Any) -> None:
    use = (
        "package p;\nclass Use {\n  void a(Object o) {\n    switch (o) {\n"
        "      case Plain x -> x.run();\n      case Other x -> x.run();\n      default -> {}\n    }\n  }\n"
        "  void b(Object o) { switch (o) { case Pair(Plain x, Other y) -> x.run(); default -> {} } }\n}\n"
    )
    assert runs(graph_of(_TWO_TYPES | {"src/p/Use.java": use})) == {
        "Use.a calls Plain.run", "Use.a calls Other.run", "Use.b calls Plain.run",
    }  # fmt: skip


def test_a_field_of_a_generic_class_may_be_called_like_its_type(graph_of: Any) -> None:
    use = "package p;\nclass Use<T> {\n  Plain Plain;\n  Use<T> Use;\n  void a() { Plain.run(); Use.a(); }\n}\n"
    graph = graph_of(_TWO_TYPES | {"src/p/Use.java": use})
    assert {call for call in graph.edges("calls", minimum=0) if call.startswith("Use")} <= {
        "Use.a calls Plain.run", "Use.a calls Use.a", "Use.a calls Other.run",
    }  # fmt: skip


def test_a_comment_among_the_arguments_is_no_argument(graph_of: Any) -> None:
    base = "package p;\nclass Base { void save(String a) {} }\n"
    use = "package p;\nclass Use extends Base { void save(String a, int b) {} void go() { save(null /* name */); } }\n"
    graph = graph_of({"src/p/Base.java": base, "src/p/Use.java": use})
    assert graph.edges("calls") == {"Use.go calls Base.save"}
