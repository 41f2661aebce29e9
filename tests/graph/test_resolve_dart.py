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


def test_a_library_that_hands_on_an_absent_package_does_not_hide_what_the_next_import_brings(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/first.dart": "export 'package:absent/absent.dart';\nclass Other {}\n",
            "lib/second.dart": "export 'src/handed.dart';\n",
            "lib/src/handed.dart": "export 'base.dart';\n",
            "lib/src/base.dart": "class Base {\n  void load() {}\n}\n",
            "lib/page.dart": (
                "import 'first.dart';\nimport 'second.dart';\n\n"
                "class Page extends Base {\n  void show() {\n    load();\n  }\n}\n"
            ),
        }
    )
    assert graph.edges("inherits") == {"Page inherits Base"}
    assert graph.edges(*CALLS) == {"Page.show calls Base.load"}


def test_what_a_library_imports_it_does_not_hand_on(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/base.dart": "class Base {}\n",
            "lib/user.dart": "import 'base.dart';\nclass User extends Base {}\n",
            "lib/page.dart": "import 'user.dart';\nclass Page extends Base {}\n",
        }
    )
    assert graph.edges("inherits") >= {"User inherits Base"}
    assert "Page inherits Base" not in graph.edges("inherits")


def test_a_part_sees_what_its_library_and_the_other_parts_define_and_import(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lib/base.dart": "class Base {\n  void load() {}\n}\n",
            "lib/whole.dart": "import 'base.dart';\npart 'one.dart';\npart 'two.dart';\n",
            "lib/one.dart": "part of 'whole.dart';\nclass One extends Base {}\n",
            "lib/two.dart": "part of 'whole.dart';\nclass Two extends One {}\n",
            "lib/page.dart": "import 'whole.dart';\nvoid use() {\n  Two().load();\n}\n",
        }
    )
    assert graph.edges("inherits") == {"One inherits Base", "Two inherits One"}
    assert graph.edges(*CALLS) == {"use instantiates Two", "use calls Base.load"}
