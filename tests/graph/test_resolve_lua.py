"""Lua: what a file returns, tables as classes, require."""

from __future__ import annotations

from typing import Any


def test_required_tables_methods_and_local_functions(graph_of: Any) -> None:
    graph = graph_of(
        {
            "lua/app/util.lua": "local M = {}\nfunction M.go() end\nM.stop = function() end\nreturn M\n",
            "lua/app/item.lua": "local Item = {}\nItem.__index = Item\nfunction Item:new()\n"
            "  local o = setmetatable({}, self)\n  o:run()\n  return o\nend\nfunction Item:run() end\nreturn Item\n",
            "lua/app/init.lua": """
local util = require("app.util")
local Item = require "app.item"
local stop = require("app.util").stop
local M = {}
local function loc() end
function M.show()
  util.go()
  stop()
  M.hide()
  loc()
  local i = Item:new()
  i:run()
  string.format("x")
end
function M:hide()
  self.show()
end
return M
""",
        }
    )
    assert graph.edges("calls") >= {
        "M.show calls M.go",
        "M.show calls M.stop",
        "M.show calls M.hide",
        "M.show calls loc",
        "M.show calls Item.new",
        "M.show calls Item.run",
        "M.hide calls M.show",
        "Item.new calls Item.run",
    }
    assert graph.edges("imports") == {"lua.app.init imports lua.app.util", "lua.app.init imports lua.app.item"}
