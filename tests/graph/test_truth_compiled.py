"""Truths that are read from compiled code: which calls are judged, and how listings become definitions and lines."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.paths import REPOSITORY

SHOP_KT = """package shop

interface Priced { fun price(): Int }

class Item(val cents: Int) : Priced {
    override fun price(): Int = round(cents)
    fun shown(): String = label { price() }
}

fun round(cents: Int): Int = Math.abs(cents)
inline fun label(text: () -> Int): String = "" + text()
fun sell(item: Item, times: Int = 1): Int {
    return Item(times).price() + round(1)
}
"""
# What javap -c -l -p -s prints of it, without the lines that nobody reads.
SHOP_JAVAP = """Compiled from "Shop.kt"
public interface shop.Priced {
  public abstract int price();
    descriptor: ()I
}
Compiled from "Shop.kt"
public final class shop.Item implements shop.Priced {
  private final int cents;
    descriptor: I
  public shop.Item(int);
    descriptor: (I)V
    Code:
       1: invokespecial #9                  // Method java/lang/Object."<init>":()V
    LineNumberTable:
      line 5: 0
  public int price();
    descriptor: ()I
    Code:
       4: invokestatic  #21                 // Method shop/ShopKt.round:(I)I
    LineNumberTable:
      line 6: 0
  public final java.lang.String shown();
    descriptor: ()Ljava/lang/String;
    Code:
      12: invokevirtual #30                 // Method price:()I
    LineNumberTable:
      line 7: 0
      line 31: 14
}
Compiled from "Shop.kt"
public final class shop.ShopKt {
  public static final int round(int);
    descriptor: (I)I
    Code:
       1: invokestatic  #10                 // Method java/lang/Math.abs:(I)I
    LineNumberTable:
      line 10: 0
  public static final int sell(shop.Item, int);
    descriptor: (Lshop/Item;I)I
    Code:
       5: invokespecial #20                 // Method shop/Item."<init>":(I)V
       8: invokevirtual #24                 // Method shop/Item.price:()I
      12: invokestatic  #28                 // Method round:(I)I
      20: invokestatic  #31                 // Method round:(I)I
    LineNumberTable:
      line 12: 0
      line 13: 4
      line 99: 18
  public static int sell$default(shop.Item, int, int, java.lang.Object);
    descriptor: (Lshop/Item;IILjava/lang/Object;)I
    Code:
       9: invokestatic  #40                 // Method sell:(Lshop/Item;I)I
    LineNumberTable:
      line 12: 0
}
"""
SHOP_CS = """namespace Shop
{
    public abstract class Priced
    {
        public abstract int Price();
    }

    public class Item : Priced
    {
        public override int Price() { return Tools.Round(3); }

        public static int Sell(Priced priced)
        {
            return new Item().Price() + priced.Price() + System.Math.Abs(1);
        }
    }

    static class Tools
    {
        public static int Round(int cents) { return cents; }
    }
}
"""


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, REPOSITORY / "scripts" / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    loaded("traced", monkeypatch)
    return loaded("compiled", monkeypatch)


@pytest.fixture
def kotlin(compiled: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    assert compiled
    return loaded("truth_kotlin", monkeypatch)


@pytest.fixture
def csharp(compiled: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    assert compiled
    return loaded("truth_csharp", monkeypatch)


def of(name: str, line: int, status: str, *targets: str) -> tuple[str, int, str, tuple[str, ...]]:
    return name, line, status, targets


def sites(truth: dict[str, Any]) -> set[tuple[str, int, str, tuple[str, ...]]]:
    return {
        of(site["name"], site["line"], site["status"], *(target["name"] for target in site["targets"]))
        for site in truth["sites"]
    }


def test_names_before_a_parenthesis_or_a_brace_are_calls_unless_they_are_defined_there(compiled: ModuleType) -> None:
    source = compiled.Source()
    source.read_calls(
        "a.kt", "fun <T> List<T>.sum(x: Int) {\n  f(1)\n  map<Int> { g() }\n  new Box {}\n}\nclass C(x: Int)"
    )
    assert source.written["a.kt"] == [(2, "f"), (3, "map"), (3, "g"), (4, "Box")]


def test_a_call_is_judged_where_source_and_compiled_code_agree_on_it(compiled: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.kt").write_text("\n" * 9, encoding="utf-8")
    source = compiled.Source()
    main = source.define("a.kt", "main", (1, 1, 9), "function")
    used = source.define("a.kt", "used", (10, 10, 10), "function")
    source.written["a.kt"] = [(2, "used"), (3, "inlined"), (4, "print"), (5, "twice"), (6, "twice")]
    calls = [
        compiled.Called("a.kt", 2, "used", used),
        compiled.Called("a.kt", 4, "print", None),
        compiled.Called("a.kt", 5, "twice", used),
        compiled.Called("a.kt", 7, "plus", used),
    ]
    made = compiled.document(tmp_path, "a", ("kotlin", "kotlinc"), ["a.kt"], source, calls, [(main, used)] * 2)
    assert sites(made) == {
        of("used", 2, "internal", "used"),
        of("print", 4, "external"),
        of("twice", 5, "internal", "used"),
        of("inlined", 3, "unknown"),  # nothing was compiled to it
        of("twice", 6, "unknown"),  # written twice and compiled once
        of("plus", 7, "unknown"),  # compiled to a call and written as something else
    }
    assert {site["caller"]["name"] for site in made["sites"]} == {"main"}
    assert [(row["sub"]["name"], row["super"]["name"]) for row in made["inherits"]] == [("main", "used")]


def test_a_listing_of_class_files_is_read_by_class_method_and_line(kotlin: ModuleType) -> None:
    priced, item, top = kotlin.read(SHOP_JAVAP.splitlines())
    assert (priced.name, item.name, item.above, item.file) == ("shop/Priced", "shop/Item", ["shop/Priced"], "Shop.kt")
    assert item.package == "shop"
    assert [method.name for method in item.methods] == ["<init>", "price", "shown"]
    sell = top.methods[1]
    assert (sell.name, sell.descriptor) == ("sell", "(Lshop/Item;I)I")
    assert [(sell.line(at), called) for at, called in sell.calls] == [
        (13, 'shop/Item."<init>":(I)V'),
        (13, "shop/Item.price:()I"),
        (13, "round:(I)I"),
        (99, "round:(I)I"),
    ]


def test_calls_of_class_files_become_calls_of_definitions(kotlin: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "Shop.kt").write_text(SHOP_KT, encoding="utf-8")
    source = kotlin.Source(tmp_path)
    source.read("Shop.kt")
    reader = kotlin.Reader(source, list(kotlin.read(SHOP_JAVAP.splitlines())))
    found = [(c.path, c.line, c.name, c.target and c.target["name"]) for c in reader.calls()]
    assert found == [
        # Not: the constructor of the base, the line behind the end (an inlined function), the body of `sell$default`.
        ("Shop.kt", 6, "round", "round"),
        ("Shop.kt", 7, "price", "Item.price"),
        ("Shop.kt", 10, "abs", None),
        ("Shop.kt", 13, "Item", "Item"),
        ("Shop.kt", 13, "price", "Item.price"),
        ("Shop.kt", 13, "round", "round"),
    ]
    assert [(a["name"], b["name"]) for a, b in reader.inherits()] == [("Item", "Priced")]


def test_what_is_expected_stands_for_what_is_actual(kotlin: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "Common.kt").write_text("package p\n\nexpect fun now(): Long\n", encoding="utf-8")
    (tmp_path / "Jvm.kt").write_text("package p\n\n\nactual fun now(): Long = 0L\n", encoding="utf-8")
    source = kotlin.Source(tmp_path)
    source.read("Common.kt")
    source.read("Jvm.kt")
    assert source.stands_for() == [
        [{"path": "Jvm.kt", "name": "now", "line": 4}, {"path": "Common.kt", "name": "now", "line": 3}]
    ]
    holder = kotlin.Class("p/JvmKt", "Jvm.kt", [])
    assert source.find(holder, "now", 4)["path"] == "Jvm.kt"
    assert source.find(kotlin.Class("p/CommonKt", "Common.kt", []), "now", 3) is None


def rows_of(root: Path) -> list[str]:
    """What the printer says about the program above."""
    file = str(root / "Shop.cs")
    rows: list[list[object]] = [
        ["T", "Shop.Priced", "System.Object", ""],
        ["M", "Shop.Priced", "Price", "", 0, ""],
        ["T", "Shop.Item", "Shop.Priced", ""],
        ["M", "Shop.Item", "Price", file, 10, "override"],
        ["C", file, 10, "call", "Shop.Tools", "Round", "ours", file, 20],
        ["M", "Shop.Item", "Sell", file, 14, ""],
        ["C", file, 14, "newobj", "Shop.Item", ".ctor", "ours", "", 0],
        ["C", file, 14, "callvirt", "Shop.Priced", "Price", "ours", "", 0],
        ["C", file, 14, "callvirt", "Shop.Priced", "Price", "ours", "", 0],
        ["C", file, 14, "call", "System.Math", "Abs", "", "", 0],
        ["C", file, 8, "call", "Shop.Priced", ".ctor", "ours", "", 0],
        ["T", "Shop.Tools", "System.Object", ""],
        ["M", "Shop.Tools", "Round", file, 20, ""],
    ]
    return ["\t".join(map(str, row)) for row in rows]


def assert_shop(csharp: ModuleType, root: Path, printed: list[str]) -> None:
    source = csharp.Source(root)
    source.read("Shop.cs")
    assembly = csharp.Assembly(root, source, printed)
    assert {(c.path, c.line, c.name, c.target and c.target["name"]) for c in assembly.calls()} == {
        ("Shop.cs", 10, "Round", "Tools.Round"),
        ("Shop.cs", 14, "Item", "Item"),
        ("Shop.cs", 14, "Price", "Priced.Price"),
        ("Shop.cs", 14, "Abs", None),
    }
    assert [(a["name"], b["name"]) for a, b in assembly.inherits()] == [("Item", "Priced")]
    assert [[entity["name"] for entity in pair] for pair in assembly.stands_for()] == [["Priced.Price", "Item.Price"]]


def test_rows_of_an_assembly_become_calls_of_definitions(csharp: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "Shop.cs").write_text(SHOP_CS, encoding="utf-8")
    assert_shop(csharp, tmp_path, rows_of(tmp_path))


def test_types_of_compiled_code_go_by_the_names_of_the_source(csharp: ModuleType) -> None:
    assert csharp._plain("N.Box`1/Inner`2") == "N.Box.Inner"


@pytest.mark.skipif(not (shutil.which("mcs") and shutil.which("mono")), reason="needs Mono")
def test_mono_prints_these_rows(csharp: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "Shop.cs").write_text(SHOP_CS, encoding="utf-8")
    if not all((csharp._GAC / name).is_dir() for name in csharp._LIBRARIES):
        pytest.skip("needs Mono.Cecil, of Debian's mono-devel")
    assert_shop(csharp, tmp_path, csharp.instructions(tmp_path, ["Shop.cs"], []))


@pytest.mark.skipif(not (shutil.which("javac") and shutil.which("javap")), reason="needs a JDK")
def test_javap_prints_what_is_read(kotlin: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "Shop.java").write_text(
        "package shop;\n\nclass Shop extends Thread implements Runnable {\n"
        "  int price() {\n    return\n      round(1);\n  }\n"
        "  static int round(int cents) { return Math.abs(cents); }\n}\n",
        encoding="utf-8",
    )
    subprocess.run(["javac", "-g", "-d", tmp_path / "out", tmp_path / "Shop.java"], check=True, timeout=60)
    (shop,) = kotlin.classes_of(tmp_path / "out")
    assert (shop.name, shop.file, shop.above) == ("shop/Shop", "Shop.java", ["java/lang/Thread", "java/lang/Runnable"])
    assert {
        (method.name, method.line(at), kotlin._called(called, shop.name, 0)[:2])
        for method in shop.methods
        for at, called in method.calls
    } == {
        ("<init>", 3, ("java/lang/Thread", "<init>")),
        ("price", 6, ("shop/Shop", "round")),
        ("round", 8, ("java/lang/Math", "abs")),
    }
