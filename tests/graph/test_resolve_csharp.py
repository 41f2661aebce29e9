"""C#: namespaces, partial types, properties, extension methods."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_usings_and_namespaces_around_are_seen_and_partials_are_one_type(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Core/Item.cs": "namespace App.Core;\npublic class Item {\n"
            "  public Item Next() => null; public void Run() {} }\n",
            "Web/A.cs": "using App.Core;\nusing Alias = App.Core.Item;\nusing System;\nnamespace App.Web {\n"
            "  public partial class Page : Base, IPage {\n    private readonly Item _item = new Item();\n"
            "    public Item Current { get; set; }\n"
            "    public void Show(Item other) { _item.Run(); Current.Next().Run(); other?.Run();\n"
            "      Hide(); Console.Write(1); }\n"
            "    void Make() { var a = new Alias(); a.Next(); foreach (var i in new List<Item>()) i.Run(); }\n  }\n}\n",
            "Web/B.cs": "namespace App.Web {\n  partial class Page { void Hide() { this.Show(null); base.Load(); } }\n"
            "  interface IPage : IBase { void Show(App.Core.Item i); }\n  interface IBase {}\n"
            "  class Base { public virtual void Load() {} }\n}\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "Page instantiates Item",
        "Page.Show calls Item.Run",
        "Page.Show calls Item.Next",
        "Page.Show calls Page.Hide",
        "Page.Make instantiates Item",
        "Page.Make calls Item.Next",
        "Page.Make calls Item.Run",
        "Page.Hide calls Page.Show",
        "Page.Hide calls Base.Load",
    }
    assert graph.how("Page.Show", "Page.Hide") == "self"
    assert graph.edges("inherits") == {"Page inherits Base", "IPage inherits IBase"}
    assert graph.edges("implements") == {"Page implements IPage"}
    assert graph.edges("overrides") == {"Page.Show overrides IPage.Show"}
    assert "IPage.Show uses_type Item" in graph.edges("uses_type")
    assert "Web.A imports Core.Item" in graph.edges("imports")


def test_extension_methods_are_members_of_the_type_they_extend(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Item.cs": "namespace A { class Item {} }\n",
            "Ext.cs": "using A;\nnamespace B { static class Ext {\n"
            "  public static void Shout(this Item i, int n) {} } }\n",
            "Use.cs": "using A; using B;\nnamespace C { class Use { void F(object o) { var i = (Item)o; i.Shout(1);\n"
            "  if (o is Item j) j.Shout(2); } } }\n",
        }
    )
    assert graph.edges("calls") == {"Use.F calls Ext.Shout"}
    assert graph.how("Use.F", "Ext.Shout") == "typed"


def test_members_of_library_types_make_no_edges(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.cs": "namespace N { class Bag { public void Add(int i) {} public void Stash(int i) {} } }\n",
            "b.cs": "namespace N { class U {\n"
            "  void F(List<int> l, dynamic d) { l.Stash(1); d.Add(1); x.Stash(2); } } }\n",
        }
    )
    assert graph.edges(*CALLS) == {"U.F calls Bag.Stash"}
    assert graph.how("U.F", "Bag.Stash") == "unique_name"


def test_extensions_of_types_of_the_library(graph_of: Any) -> None:
    graph = graph_of(
        {
            "Text.cs": """namespace Core {
static class Texts {
    public static string Shorten(this string text, int length) { return text; }
    public static bool Carries(this uint self, uint mask) { return true; }
    public static int Sum2(this int[] values) { return 0; }
    public static void Gather<T>(this IEnumerable<T> values) { }
    public static string Trim(this string text) { return text; }
}
}
""",
            "Use.cs": """using Core;
namespace Web {
class Use {
    uint flags;
    public bool Flag { get { return flags.Carries(3); } }
    void Run(string name, int[] numbers, List<string> names) {
        name.Shorten(3);
        numbers.Sum2();
        names.Gather();
        name.Trim();
    }
}
}
""",
        }
    )
    assert {edge for edge in graph.edges("calls") if edge.startswith("Use.")} == {
        "Use.Flag calls Texts.Carries",
        "Use.Run calls Texts.Shorten",
        "Use.Run calls Texts.Sum2",
        "Use.Run calls Texts.Gather",
    }  # `Trim` is what strings have themselves
