"""Scala: packages, traits, companions, givens."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_imports_companions_traits_and_typed_receivers(graph_of: Any) -> None:
    graph = graph_of(
        {
            "core/Item.scala": """package app.core

trait Runs {
  def run(): Unit
}
class Item(val next: Item) extends Base with Runs {
  def run(): Unit = load()
}
object Item {
  def make(): Item = new Item(null)
}
class Base {
  def load(): Unit = ()
}
""",
            "web/Page.scala": """package app
package web

import app.core.{Item => Thing, Runs}
import app.core._

class Page(item: Thing) {
  val other: Item = Item.make()
  def show(runs: Runs, maybe: Option[Item]): Unit = {
    item.run()
    other.next.run()
    runs.run()
    this.hide()
    val fresh = new Thing(null)
    fresh.load()
    fresh match { case t: Item => t.load() }
  }
  def hide(): Unit = helper()
}
object Page {
  def helper(): Unit = ()
}
""",
        }
    )
    assert graph.edges(*CALLS) == {
        "Item.run calls Base.load",
        "Item.make instantiates Item",
        "Page calls Item.make",
        "Page.show calls Item.run",
        "Page.show calls Runs.run",
        "Page.show calls Page.hide",
        "Page.show instantiates Item",
        "Page.show calls Base.load",
        "Page.hide calls Page.helper",
    }
    assert graph.edges("inherits") == {"Item inherits Base"}
    assert graph.edges("implements") == {"Item implements Runs"}
    assert graph.edges("overrides") == {"Item.run overrides Runs.run"}
    assert {"web.Page imports Item", "web.Page imports Runs"} <= graph.edges("imports")


def test_givens_implement_and_extensions_belong_to_their_type(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.scala": """package a

trait Show[T] {
  def show(t: T): String
}
class Item {
  def run(): Int = 1
}
given itemShow: Show[Item] with {
  def show(t: Item): String = t.run().toString
}
""",
            "b.scala": "package b\n\nimport a.Item\n\nextension (i: Item) def twice: Int = i.run()\n",
        }
    )
    assert graph.edges("implements") == {"itemShow implements Show"}
    assert graph.edges("calls") >= {"itemShow.show calls Item.run", "Item.twice calls Item.run"}
    assert "Item contains Item.twice" in graph.edges("contains")


def test_a_package_may_be_named_from_one_around_the_file(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/a/b/transform/Transform.scala": "package a.b\npackage transform\n\ntrait Transform\n",
            "src/a/b/check/Checks.scala": (
                "package a.b\npackage check\n\nimport transform.Transform\n\n"
                "abstract class Checks extends Transform\n"
                "abstract class More extends transform.Transform\n"
            ),
        }
    )
    assert {"Checks", "More"} <= {
        edge.split()[0] for edge in graph.edges("inherits", "implements") if edge.endswith(" Transform")
    }
