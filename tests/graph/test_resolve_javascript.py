"""TypeScript and JavaScript: modules, barrels, aliases, classes, declared types."""

from __future__ import annotations

from typing import Any

CALLS = ("calls", "instantiates")


def test_calls_follow_named_default_namespace_and_barrel_imports(graph_of: Any) -> None:
    graph = graph_of(
        {
            "src/a.ts": "export function one() {}\nexport default function two() {}\n"
            "export const three = () => one();\n",
            "src/index.ts": "export * from './a.js';\nexport { one as uno } from './a';\nexport * as ns from './a';\n",
            "app.ts": "import dflt from './src/a';\nimport { uno, three, ns } from './src';\n"
            "import * as all from './src';\n"
            "export function go() { dflt(); uno(); three(); ns.three(); all.one(); }\n",
        }
    )
    assert graph.edges("calls") == {"three calls one", "go calls two", "go calls one", "go calls three"}
    assert "app imports src.index" in graph.edges("imports")


def test_paths_of_tsconfig_and_packages_of_the_workspace_name_files(graph_of: Any) -> None:
    graph = graph_of(
        {
            "tsconfig.json": '{ // aliases\n "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] }, } }',
            "src/lib/x.ts": "export const x = () => 1;\n",
            "packages/core/package.json": '{"name": "@org/core", "exports": {".": {"source": "./src/main.ts"}}}',
            "packages/core/src/main.ts": "export class Core { run() {} }\n",
            "src/app.ts": "import { x } from '@/lib/x';\nimport { Core } from '@org/core';\nimport y from 'left-pad';\n"
            "function go() { x(); new Core().run(); y(); }\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "go calls x",
        "go instantiates Core",
        "go calls Core.run",
        "go calls <left-pad.default>",
    }


def test_members_follow_this_bases_fields_and_declared_types(graph_of: Any) -> None:
    graph = graph_of(
        {
            "m.ts": """
interface Named { name(): string }
abstract class Base implements Named {
  name() { return this.helper(); }
  protected helper(): string { return ''; }
}
class Engine { start(): Engine { return this; } }
class Car extends Base {
  private spare: Engine[] = [];
  constructor(private engine: Engine) { super(); }
  run() { this.engine.start().start(); super.name(); this.helper(); this.spare.forEach(e => e.start()); }
}
function drive(car: Car | null, { engine }: { engine: Engine }) {
  car?.run();
  const made = new Car(new Engine());
  made.run();
}
""",
        }
    )
    assert graph.edges("calls") == {
        "Base.name calls Base.helper",
        "Car.constructor calls Base",
        "Car.run calls Engine.start",
        "Car.run calls Base.name",
        "Car.run calls Base.helper",
        "drive calls Car.run",
    }
    assert graph.edges("inherits", "implements") == {"Base implements Named", "Car inherits Base"}
    assert graph.edges("instantiates") == {"drive instantiates Car", "drive instantiates Engine"}


def test_an_interface_and_a_constant_may_share_a_name(graph_of: Any) -> None:
    graph = graph_of(
        {
            "s.ts": "export interface Shape { area(): number }\n"
            "export const Shape = { make(): Shape { return null! } };\n"
            "export interface Square extends Shape {}\nfunction f() { Shape.make().area(); }\n",
        }
    )
    assert graph.edges("inherits") == {"Square inherits Shape"}
    assert graph.edges("calls") == {"f calls Shape.make", "f calls Shape.area"}


def test_commonjs_modules_and_jsx_components(graph_of: Any) -> None:
    graph = graph_of(
        {
            "util.js": "function pad() {}\nmodule.exports = { pad, trim: () => pad() };\n"
            "exports.extra = function () {};\n",
            "app.jsx": "const { pad } = require('./util');\nconst util = require('./util');\n"
            "function Button() { return null; }\nfunction App() { pad(); util.pad(); return <Button/>; }\n",
        }
    )
    assert {"App calls pad", "App calls Button"} <= graph.edges("calls")
    assert "app imports util" in graph.edges("imports")


def test_what_an_object_inside_a_function_has_is_not_guessed_from_files_that_do_not_name_the_function(
    graph_of: Any,
) -> None:
    graph = graph_of(
        {
            "buffer.ts": "export function createBuffer() {\n  return { unroll() { return 1 } }\n}\n",
            "use.ts": "import { createBuffer } from './buffer';\n"
            "export function use(known: any) { createBuffer(); known.unroll(); }\n",
            "other.ts": "export function other(unknown: any) { unknown.unroll(); }\n",
            "mock.ts": "function mock() { return { reticulate() {} } }\n"
            "export function near(x: any) { x.reticulate(); }\n",
        }
    )
    assert graph.edges("calls", minimum=0) == {
        "use calls createBuffer",
        "use calls createBuffer.unroll",
        "near calls mock.reticulate",
    }


def test_a_member_of_the_platform_is_never_guessed(graph_of: Any) -> None:
    graph = graph_of(
        {
            "options.ts": "export interface Options { cloneNode(): void; hoistAll(): void }\n",
            "use.ts": "export function f(node: any) { node.cloneNode(); node.hoistAll(); }\n",
        }
    )
    assert graph.edges("calls", minimum=0) == {"f calls Options.hoistAll"}
