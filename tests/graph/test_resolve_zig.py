"""Zig: imports, structs, files that are structs."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_imports_structs_and_files_as_types(graph_of: Any) -> None:
    graph = graph_of(
        {
            "item.zig": "const Self = @This();\nn: u8,\npub fn run(self: *Self) void {\n    self.stop();\n}\n"
            "fn stop(self: *Self) void {\n    _ = self;\n}\n",
            "foo.zig": "pub const Foo = struct {\n    pub fn init() Foo {\n        return Foo{};\n    }\n"
            "    pub fn go(self: Foo) void {\n        _ = self;\n    }\n};\n",
            "page.zig": """
const std = @import("std");
const Item = @import("item.zig");
const Foo = @import("foo.zig").Foo;
pub const Page = struct {
    item: Item,
    foo: ?*Foo,
    pub fn show(self: *Page, x: Foo) !void {
        self.item.run();
        try self.hide();
        x.go();
        const y = Foo.init();
        y.go();
        if (self.foo) |f| f.go();
        helper(1);
        std.debug.print("", .{});
    }
    fn hide(self: *const Page) !void {
        _ = self;
    }
};
fn helper(n: u8) void {
    _ = n;
}
""",
        }
    )
    assert graph.edges(*CALLS) == {
        "run calls stop",
        "Foo.init instantiates Foo",
        "Page.show calls run",
        "Page.show calls Page.hide",
        "Page.show calls Foo.go",
        "Page.show calls Foo.init",
        "Page.show calls helper",
        "Page.show calls <std.debug.print>",
    }
    assert graph.edges("imports") == {"page imports item", "page imports foo", "page imports <std>"}
    assert "Page uses_type Foo" in graph.edges("uses_type")
