"""PHP: namespaces, use statements, traits, promoted parameters."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_namespaces_uses_fields_traits_and_bases(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/Core/Item.php": "<?php\nnamespace App\\Core;\nclass Item {\n  public static function make(): self {}\n"
            "  public function run(): void {}\n}\nfunction helper() {}\n",
            "src/Web/Page.php": """<?php
namespace App\\Web;
use App\\Core\\Item as Thing;
use App\\Core\\{Other, Item};
use function App\\Core\\helper;
use App\\Core;
interface Shown extends Named { public function show(Thing $t); }
abstract class Page extends Base implements Shown, \\Countable {
    use Logs;
    private Thing $item;
    public function __construct(private Item $extra) { $this->made = new Thing(); parent::__construct(); }
    public function show(Thing $t) {
        $this->item->run();
        $this->extra->run();
        $this->made->run();
        $t?->run();
        Thing::make()->run();
        self::hide();
        $this->log();
        helper();
        $x = new \\App\\Core\\Item();
        $y = new Core\\Item();
        strlen('a');
    }
    public static function hide() {}
}
trait Logs { public function log() {} }
class Base { public function __construct() {} }
""",
        }
    )
    assert graph.edges(*CALLS) == {
        "Page.__construct instantiates Item",
        "Page.__construct calls Base.__construct",
        "Page.show calls Item.run",
        "Page.show calls Item.make",
        "Page.show calls Page.hide",
        "Page.show calls Logs.log",
        "Page.show calls helper",
        "Page.show instantiates Item",
    }
    assert graph.edges("inherits") == {"Shown inherits <Named>", "Page inherits Base", "Page inherits Logs"}
    assert graph.edges("implements") == {"Page implements Shown", "Page implements <Countable>"}
    assert graph.edges("overrides") == {"Page.show overrides Shown.show"}
    assert {"src.Web.Page imports Item", "src.Web.Page imports helper"} <= graph.edges("imports")
    assert "Page.show uses_type Item" in graph.edges("uses_type")


def test_calling_an_object_runs_its_invoke(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/Handler.php": """<?php
namespace App;
class Handler { public function __invoke($request) {} }
class User {
    private Handler $kept;
    public function made() { $handler = new Handler(); $handler(1); }
    public function field() { ($this->kept)(2); }
}
"""
        }
    )
    assert graph.edges("calls") == {"User.made calls Handler.__invoke", "User.field calls Handler.__invoke"}
