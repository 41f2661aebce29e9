"""Elixir: aliases, imports, behaviours, protocol implementations, pipes."""

from __future__ import annotations

from typing import Any

FILES = {
    "lib/core.ex": """
defmodule App.Item do
  defstruct [:n]
  def run(item), do: item
  def run(item, n), do: {item, n}
end
defmodule App.Helper do
  def go(x), do: x
end
defmodule App.Shown do
  @callback show(term) :: term
end
defprotocol App.Size do
  def size(x)
end
""",
    "lib/page.ex": """
defmodule App.Web.Page do
  alias App.{Item, Other}
  alias App.Helper, as: H
  import App.Helper
  require Logger
  @behaviour App.Shown

  def show(%Item{} = item, x) when is_map(x) do
    item |> Item.run(1) |> hide()
    go(x)
    H.go(x)
    __MODULE__.hide(x)
    Enum.map(x, &hide/1)
    String.run(x)
  end

  defp hide(x) do
    x
  end

  defmodule Inner do
    def f, do: App.Web.Page.show(1, 2)
  end
end

defimpl App.Size, for: App.Item do
  def size(i), do: App.Item.run(i)
end
""",
}


def test_calls_by_alias_import_module_and_pipe(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("calls") == {
        "App.Web.Page.show calls App.Item.run",
        "App.Web.Page.show calls App.Helper.go",
        "App.Web.Page.show calls App.Web.Page.hide",
        "App.Web.Page.Inner.f calls App.Web.Page.show",
        "App.Item.size calls App.Item.run",
    }
    assert graph.how("App.Web.Page.show", "App.Web.Page.hide") == "self"


def test_behaviours_and_protocols_are_implemented(graph_of: Any) -> None:
    graph = graph_of(FILES)
    assert graph.edges("implements") == {"App.Web.Page implements App.Shown", "App.Item implements App.Size"}
    assert {"lib.page imports lib.core", "lib.page imports <Logger>"} <= graph.edges("imports")
    assert "App.Web.Page.show uses_type App.Item" in graph.edges("uses_type")
