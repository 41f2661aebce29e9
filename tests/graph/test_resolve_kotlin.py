"""Kotlin: packages, objects, companions, extension functions."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")

ITEM = """package app.core

open class Item(val next: Item?) {
    open fun run() {}
    companion object {
        fun create(): Item = Item(null)
    }
}

object Registry {
    fun find(): Item = Item.create()
}

fun topLevel() {}
"""


def test_imports_receivers_and_objects(graph_of: Any) -> None:
    graph = graph_of(
        {
            "core/Item.kt": ITEM,
            "web/Page.kt": """package app.web

import app.core.Item
import app.core.Registry as R
import app.core.*
import java.util.UUID

interface Shown {
    fun show(item: Item)
}

class Page(private val item: Item) : Base(item), Shown {
    val other = Item(null)
    var many: List<Item> = emptyList()

    override fun show(item: Item) {
        this.item.run()
        other.next?.run()
        for (i in many) { i.run() }
        R.find().run()
        Item.create()
        topLevel()
        helper()
        super.load()
        val cast = x as Item
        cast.run()
    }

    private fun helper() {}
}

open class Base(item: Item) {
    fun load() {}
}
""",
        }
    )
    assert graph.edges(*CALLS) >= {
        "Item.create instantiates Item",
        "Registry.find calls Item.create",
        "Page instantiates Item",
        "Page.show calls Item.run",
        "Page.show calls Registry.find",
        "Page.show calls Item.create",
        "Page.show calls topLevel",
        "Page.show calls Page.helper",
        "Page.show calls Base.load",
    }
    assert graph.edges("inherits") == {"Page inherits Base"}
    assert graph.edges("implements") == {"Page implements Shown"}
    assert graph.edges("overrides") == {"Page.show overrides Shown.show"}
    assert {"Page uses_type Item", "Page.show uses_type Item"} <= graph.edges("uses_type")
    assert {"web.Page imports Item", "web.Page imports <java.util>"} <= graph.edges("imports")


def test_extension_functions_belong_to_their_receiver(graph_of: Any) -> None:
    graph = graph_of(
        {
            "core/Item.kt": ITEM,
            "ext/Ext.kt": "package app.ext\n\nimport app.core.Item\n\nfun Item.twice(): Item {\n"
            "    this.run()\n    run()\n"
            "    return this\n}\n",
            "use/Use.kt": "package app.use\n\nimport app.core.Item\nimport app.ext.twice\n\n"
            "fun go(i: Item) {\n    i.twice().run()\n}\n",
        }
    )
    assert {"Item.twice calls Item.run", "go calls Item.twice", "go calls Item.run"} <= graph.edges("calls")
    assert "Item contains Item.twice" in graph.edges("contains")


def test_extensions_of_types_of_the_library(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Text.kt": """package app.core

fun String.shorten(length: Int): String = this
fun CharSequence.measure(): Int = 0
fun Iterable<Int>.total2(): Int = 0
fun ByteArray.hex(): String = ""
""",
            "Use.kt": """package app.web

import app.core.*

fun use(name: String, numbers: List<Int>, bytes: ByteArray) {
    name.shorten(3).measure()
    numbers.total2()
    bytes.hex()
    "x".shorten(1)
}
""",
        }
    )
    assert {edge for edge in graph.edges("calls") if edge.startswith("use ")} == {
        "use calls String.shorten",
        "use calls CharSequence.measure",
        "use calls Iterable.total2",
        "use calls ByteArray.hex",
    }
