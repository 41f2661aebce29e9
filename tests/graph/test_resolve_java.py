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
