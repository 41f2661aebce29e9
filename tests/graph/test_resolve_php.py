"""PHP: namespaces, use statements, traits, promoted parameters."""

from __future__ import annotations

from typing import Any

import pytest

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


_SHAPES = """<?php
namespace App;
interface Shape { public function area(): float; }
class Circle implements Shape { public function area(): float { return 1; } public function round() {} }
class Square implements Shape { public function area(): float { return 1; } public function turn() {} }
"""


def calls_of(graph_of: Any, body: str) -> set[str]:
    """The calls of a file beside shapes."""
    graph = graph_of({"src/Shapes.php": _SHAPES, "src/User.php": f"<?php\nnamespace App;\n{body}"})
    edges: set[str] = graph.edges("calls")
    return edges


@pytest.mark.parametrize(
    "written",
    [
        "Shape[]",
        "list<Shape>",
        "array<string, Shape>",
        "\\App\\Shape[]|null",
        "iterable<int,\n     *   Shape>",
        "?(Shape[])",
    ],
)
def test_a_comment_says_what_an_array_holds(graph_of: Any, written: str) -> None:
    body = f"""class User {{
    /** @var {written} the shapes */
    private array $shapes = [];
    public function field() {{ foreach ($this->shapes as $shape) {{ $shape->area(); }} }}
    /**
     * @param array $other
     * @phpstan-param {written} $shapes
     */
    public function parameter(array $other, array $shapes) {{ foreach ($shapes as $s) {{ $s->area(); }} }}
    /** @return {written} */
    public function result() {{}}
    public function asked() {{ $this->result()[0]->area(); }}
}}
"""
    assert calls_of(graph_of, body) == {
        "User.field calls Shape.area",
        "User.parameter calls Shape.area",
        "User.asked calls Shape.area",
        "User.asked calls User.result",
    }


def test_a_comment_says_what_a_variable_or_an_untyped_parameter_is(graph_of: Any) -> None:
    body = """class User {
    /** @param Circle $c
      * @param callable(int, Shape): array{a: int} $f */
    public function untyped($c, $f) { $c->round(); }
    public function variable() {
        /** @var Square $s */
        $s = make();
        $s->turn();
        /** @var Circle $t */
        foreach (all() as $t) { $t->round(); }
    }
    /** @param Circle $s */
    public function typed(Square $s) { $s->turn(); }
}
"""
    assert calls_of(graph_of, body) == {
        "User.untyped calls Circle.round",
        "User.variable calls Square.turn",
        "User.variable calls Circle.round",
        "User.typed calls Square.turn",
    }


def test_instanceof_narrows_inside_and_behind_what_leaves(graph_of: Any) -> None:
    body = """class User {
    public function inside(Shape $s) {
        if ($s instanceof Circle && $s->round()) { $s->area(); } elseif ($s instanceof Square) { $s->turn(); }
    }
    public function behind(array $all) {
        foreach ($all as $one) {
            if (!$one instanceof Square) { continue; }
            $one->turn();
        }
    }
}
"""
    assert calls_of(graph_of, body) == {
        "User.inside calls Circle.round",
        "User.inside calls Circle.area",
        "User.inside calls Square.turn",
        "User.behind calls Square.turn",
    }


def test_values_of_arrays_choices_enums_and_static_fields_have_their_types(graph_of: Any) -> None:
    body = """enum Level: int { case Low = 1; case High = 2; public function rank() {} }
class User {
    private static ?Circle $one = null;
    private $kept = [];
    public function listed() { foreach ([new Circle(), new Circle()] as $c) { $c->round(); } }
    public function chosen(?Square $s) { $x = $s ?? new Square(); $x->turn(); $y = $s ?: new Square(); $y->turn(); }
    public function matched($k) { $m = match ($k) { 1 => new Circle(), default => new Circle() }; $m->round(); }
    public function cased() { Level::High->rank(); }
    public function shared() { self::$one->round(); }
    public function keep() { $this->kept[] = new Square(); }
    public function each() { foreach ($this->kept as $k) { $k->turn(); } }
}
"""
    assert calls_of(graph_of, body) == {
        "User.listed calls Circle.round",
        "User.chosen calls Square.turn",
        "User.matched calls Circle.round",
        "User.cased calls Level.rank",
        "User.shared calls Circle.round",
        "User.each calls Square.turn",
    }


def test_a_method_or_function_as_a_value_is_registered_and_not_called(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/User.php": """<?php
namespace App;
function helper() {}
class User {
    public function set() { set_error_handler($this->handle(...)); array_map(helper(...), []); }
    public function handle() {}
}
"""
        }
    )
    assert graph.edges("calls") == set()
    assert graph.edges("registers") == {"User.set registers User.handle", "User.set registers helper"}


@pytest.mark.parametrize(
    "text", ["array<" * 3000, "(" * 9000, "A|" * 3000 + "B", "array{a: (b", "", "?", "A<B", "callable("]
)
def test_any_comment_is_read_and_ends(graph_of: Any, text: str) -> None:
    body = f"class User {{\n/** @var {text} */\nprivate $x; public function f(Circle $c) {{ $c->round(); }} }}\n"
    assert "User.f calls Circle.round" in calls_of(graph_of, body)


def test_what_a_block_assigns_is_possible_behind_it_and_sure_inside(graph_of: Any) -> None:
    body = """class User {
    public function f(Circle $c, bool $b) {
        $x = $c;
        if ($b) { $x = new Square(); $x->turn(); }
        $x->area();
    }
}
"""
    assert calls_of(graph_of, body) == {
        "User.f calls Square.turn",
        "User.f calls Circle.area",
        "User.f calls Square.area",
    }


def test_functions_of_arrays_hand_on_what_the_array_holds(graph_of: Any) -> None:
    body = """class User {
    /** @param Circle[] $all */
    public function f(array $all) {
        foreach (array_filter($all, fn($c) => true) as $c) { $c->round(); }
        end($all)->area();
    }
}
"""
    assert calls_of(graph_of, body) == {"User.f calls Circle.round", "User.f calls Circle.area"}
