"""Dart: libraries, mixins, extensions, chains and cascades."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_imports_bases_and_typed_receivers(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/core/item.dart": "class Item {\n  Item next() => this;\n  void run() {}\n}\nvoid top() {}\n",
            "lib/core/all.dart": "export 'item.dart';\n",
            "lib/page.dart": """
import 'package:app/core/all.dart';
import 'core/item.dart' as c show top;
import 'dart:io';

abstract class Shown {
  void show(Item other);
}
mixin Loud {
  void shout() {}
}
class Base {
  void load() {}
}
class Page extends Base with Loud implements Shown {
  final Item item;
  Item? extra = Item();
  Page(this.item) {
    hide();
  }
  @override
  void show(Item other) {
    item.run();
    extra?.run();
    other.next().run();
    this.hide();
    super.load();
    shout();
    c.top();
    var a = Item()..run();
    a.next();
    for (final q in <Item>[]) {
      q.run();
    }
  }
  void hide() {}
}
extension Ext on Item {
  void twice() {
    run();
  }
}
void use(Item i) {
  i.twice();
  new Page(i).show(i);
}
""",
        }
    )
    assert graph.edges(*CALLS) >= {
        "Page instantiates Item",
        "Page.Page calls Page.hide",
        "Page.show calls Item.run",
        "Page.show calls Item.next",
        "Page.show calls Page.hide",
        "Page.show calls Base.load",
        "Page.show calls Loud.shout",
        "Page.show calls top",
        "Page.show instantiates Item",
        "Item.twice calls Item.run",
        "use calls Item.twice",
        "use instantiates Page",
    }
    assert graph.edges("inherits") == {"Page inherits Base", "Page inherits Loud"}
    assert graph.edges("implements") == {"Page implements Shown"}
    assert graph.edges("overrides") == {"Page.show overrides Shown.show"}
    assert {"lib.page imports lib.core.all", "lib.page imports lib.core.item", "lib.page imports <dart:io>"} <= (
        graph.edges("imports")
    )
    assert "Page.show uses_type Item" in graph.edges("uses_type")
