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


SINK = """package app.io

open class Sink(val next: Sink?) {
    open fun write(n: Int): Sink = this
    fun flush() {}
    fun size(): Long = 0
    operator fun invoke(n: Int) {}
}

class Counter {
    fun count() {}
    fun fail(why: String) {}
}
"""


def calls_of(graph: Any, source: str) -> set[str]:
    return {edge.removeprefix(f"{source} ") for edge in graph.edges(*CALLS) if edge.startswith(f"{source} ")}


def test_blocks_see_the_members_of_what_they_are_run_on(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sink.kt": SINK,
            "Use.kt": """package app.io

typealias Filling<T> = Sink.(Counter) -> T

fun fill(limit: Int = 0, block: Sink.() -> Unit) {}
fun <T> fillAll(block: Filling<T>): Sink = Sink(null)

val kept: Counter.(Int) -> Unit = { fail("kept") }

fun applied(a: Sink) { a.apply { write(1) }.flush() }
fun withIt(a: Sink) { with(a) { flush() } }
fun nested(a: Sink, c: Counter) { c.let { a.run { it.count() } } }
fun filled() { fill { this.write(1) } }
fun filledTo() { fill(3) { flush() } }
fun aliased() { fillAll { it.count() }.size() }
fun plain(c: Counter, flush: () -> Unit) { c.let { flush() } }
""",
        }
    )
    assert calls_of(graph, "applied") == {"calls Sink.write", "calls Sink.flush"}
    assert calls_of(graph, "withIt") == {"calls Sink.flush"}
    assert calls_of(graph, "nested") == {"calls Counter.count"}
    assert calls_of(graph, "filled") == {"calls fill", "calls Sink.write"}
    assert calls_of(graph, "filledTo") == {"calls fill", "calls Sink.flush"}
    assert calls_of(graph, "aliased") == {"calls fillAll", "calls Counter.count", "calls Sink.size"}
    assert calls_of(graph, "plain") == set()
    assert "Use calls Counter.fail" in graph.edges("calls")


def test_lambdas_are_given_elements_values_and_arguments(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sink.kt": SINK,
            "Use.kt": """package app.io

fun each(block: (Sink, Counter) -> Unit) {}

fun elements(all: List<Sink>) { all.filter { it.size() > 0L }.forEach { s -> s.flush() } }
fun entries(all: Map<String, Sink>) { all.forEach { it.value.flush() } }
fun values(all: Map<String, Sink>) { all.values.map { it.write(1) } }
fun closed(a: Sink?) { a?.let { it.flush() } ?: return }
fun made() { mutableListOf<Sink>().first().flush() }
fun several() { each { a, b -> b.count() } }
fun inside() { each({ a, b -> a.flush() }) }
fun either(a: Sink?, b: Sink) { (a ?: b).flush() }
""",
        }
    )
    assert calls_of(graph, "elements") == {"calls Sink.size", "calls Sink.flush"}
    assert calls_of(graph, "entries") == {"calls Sink.flush"}
    assert calls_of(graph, "values") == {"calls Sink.write"}
    assert calls_of(graph, "closed") == {"calls Sink.flush"}
    assert calls_of(graph, "made") == {"calls Sink.flush"}
    assert calls_of(graph, "several") == {"calls each", "calls Counter.count"}
    assert calls_of(graph, "inside") == {"calls each", "calls Sink.flush"}
    assert calls_of(graph, "either") == {"calls Sink.flush"}


def test_functions_and_values_of_one_name_are_told_apart(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sink.kt": SINK,
            "Use.kt": """package app.io

class Wide(next: Sink?) : Sink(next) {
    val flush = 3L

    fun local(): Long {
        val size = size()
        return size
    }

    fun parameter(size: Int) { size() }
    fun field() { flush() }
    fun called(size: () -> Int) { size() }
    fun operator(write: Sink) { write(1) }
}
""",
        }
    )
    assert calls_of(graph, "Wide.local") == {"calls Sink.size"}
    assert calls_of(graph, "Wide.parameter") == {"calls Sink.size"}
    assert calls_of(graph, "Wide.field") == {"calls Sink.flush"}
    assert calls_of(graph, "Wide.called") == set()
    assert calls_of(graph, "Wide.operator") == {"calls Sink.invoke"}


def test_members_hide_functions_of_the_library(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Source.kt": "package app.io\n\nopen class Source {\n    fun require(n: Int) {}\n}\n",
            "Use.kt": """package app.io

fun Source.read() { require(1) }

class Zip : Source() {
    fun skip() { require(2) }
}

fun free(n: Int) { require(n > 0) }
""",
        }
    )
    assert calls_of(graph, "Source.read") == {"calls Source.require"}
    assert calls_of(graph, "Zip.skip") == {"calls Source.require"}
    assert calls_of(graph, "free") == set()


def test_a_parameter_of_a_constructor_is_a_field_only_when_it_says_so(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sink.kt": SINK,
            "Use.kt": """package app.io

class Buffered(sink: Sink) : Sink(sink) {
    fun emit() {}
}

class Zip(sink: Sink, private val other: Sink) {
    private val sink = Buffered(sink)
    private val first = other.next

    fun close() {
        sink.emit()
        first?.flush()
    }
}

class Taking(sink: Sink) {
    private val next = sink.next

    fun close() { next?.flush() }
}
""",
        }
    )
    assert calls_of(graph, "Zip.close") == {"calls Buffered.emit", "calls Sink.flush"}
    assert calls_of(graph, "Taking.close") == {"calls Sink.flush"}


def test_labelled_this_and_objects_without_a_name(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sink.kt": SINK,
            "Use.kt": """package app.io

class Buffer {
    fun emit() {}

    fun stream(): Sink = object : Sink(null) {
        override fun write(n: Int): Sink {
            this@Buffer.emit()
            return this
        }
    }
}

fun Sink.drain(c: Counter) { c.apply { this@drain.flush() } }
""",
        }
    )
    assert "instantiates Sink" in calls_of(graph, "Buffer.stream")
    assert calls_of(graph, "Buffer.stream.write") == {"calls Buffer.emit"}
    assert calls_of(graph, "Sink.drain") == {"calls Sink.flush"}


def test_extensions_of_a_bounded_type_parameter_and_of_an_alias(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Sink.kt": SINK,
            "Use.kt": """package app.io

typealias Raw = Sink

fun <S : Sink> S.writeTwice(): S {
    write(1)
    return this
}
fun Raw.quiet(): Sink = loud()
fun Raw.loud(): Sink = this
fun String.hex(): String = bytes2()
fun String.bytes2(): String = this
fun use(sink: Sink) { sink.writeTwice() }
""",
        }
    )
    assert {
        "Sink.writeTwice calls Sink.write",
        "use calls Sink.writeTwice",
        "Raw.quiet calls Raw.loud",
        "String.hex calls String.bytes2",
    } <= graph.edges("calls")
