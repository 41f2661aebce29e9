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


_TWO_TYPES = "export interface Plain { run(): void }\nexport interface Other { run(): void }\n"


def test_type_arguments_are_followed_up_the_bases(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.ts": _TWO_TYPES + "export interface Held<T> { inner: T }\n"
            "export class A<D> { readonly def!: D; get(): D { return this.def } all(): D[] { return [] } }\n"
            "export class B<U> extends A<U> {}\n"
            "export class One extends B<Plain> { go() { this.def.run(); } }\n"
            "export class Two extends B<Held<Plain>> { go() { this.get().inner.run(); } }\n"
            "export class Three<T extends Plain> extends A<Held<T>> { go() { this.all()[0].inner.run(); } }\n"
            "export function f(b: B<Plain>) { b.get().run(); }\n",
        }
    )
    assert graph.calls_of("run") == {f"{source} calls Plain.run" for source in ("One.go", "Two.go", "Three.go", "f")}


def test_a_callback_is_given_what_the_function_it_is_handed_to_declares(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.ts": _TWO_TYPES + "export type Handler = (n: number, plain: Plain) => void;\n"
            "export function take(first: number, handle: (this: Other, plain: Plain) => void) {}\n"
            "export class Hooks<T> { on(hook: (given: T) => void) {} }\n",
            "b.ts": "import { Handler, Hooks, Plain, take } from './a';\n"
            "export const handler: Handler = (n, plain) => { plain.run(); };\n"
            "export function f() { take(1, p => p.run()); }\n"
            "export function g(hooks: Hooks<Plain>) { hooks.on(function (given) { given.run(); }); }\n"
            "export function h(promise: Promise<Plain>) { promise.then(p => p.run()); }\n",
        }
    )
    assert graph.calls_of("run") == {f"{source} calls Plain.run" for source in ("handler", "f", "g", "h")}


def test_the_members_of_an_object_that_a_function_returns_are_known(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.ts": _TWO_TYPES + "function make(): Plain { return null! }\nfunction stop() {}\n"
            "export function useThing() { return { begin() { this.end() }, end() {}, plain: make(), stop } }\n"
            "export const useOther = () => ({ begin() {} });\n",
            "b.ts": "import { useThing } from './a';\n"
            "export function f() { const thing = useThing(); thing.begin(); thing.plain.run(); thing.stop(); }\n"
            "export function g() { const { begin, stop } = useThing(); begin(); stop(); }\n",
        }
    )
    assert {call for call in graph.edges("calls", minimum=0) if call[0] in "fg"} == {
        "f calls useThing", "f calls useThing.begin", "f calls Plain.run", "f calls stop",
        "g calls useThing", "g calls useThing.begin", "g calls stop",
    }  # fmt: skip
    assert graph.how("useThing.begin", "useThing.end") == "self"


def test_a_function_in_brackets_or_behind_a_cast_is_a_function(graph_of: Any) -> None:
    graph = graph_of({"a.ts": "function go() {}\nexport const f = ((x: number) => go()) as unknown as () => void;\n"})
    assert graph.edges("calls") == {"f calls go"}


def test_an_object_has_the_members_of_what_is_spread_into_it(graph_of: Any) -> None:
    graph = graph_of(
        {
            "schemas.ts": "export function text() {}\nexport function whole() {}\n",
            "more.ts": "export const more = { whole() {} };\n",
            "use.ts": "import * as schemas from './schemas';\nimport { more } from './more';\n"
            "const z = { ...schemas, ...more, own() {} };\n"
            "export function f() { z.text(); z.whole(); z.own(); }\n",
        }
    )
    assert graph.edges("calls", minimum=0) == {"f calls text", "f calls more.whole", "f calls z.own"}


def test_types_taken_from_values_and_records_are_followed(graph_of: Any) -> None:
    graph = graph_of(
        {
            "a.ts": _TWO_TYPES
            + "export function make(): Plain { return null! }\nexport const held = { plain: make() };\n"
            "export function f(x: ReturnType<typeof make>) { x.run(); }\n"
            "export function g(x: typeof held) { x.plain.run(); }\n"
            "export function h(all: Record<string, Plain>, key: string) { all[key].run(); }\n"
            "export function i(all: Iterable<Plain>) { for (const each of all) each.run(); }\n",
        }
    )
    assert graph.calls_of("run") == {f"{source} calls Plain.run" for source in "fghi"}


def test_objects_that_are_spread_into_each_other_end(graph_of: Any) -> None:
    graph = graph_of(
        {"a.ts": "const a = { ...b, own() {} };\nconst b = { ...a };\nfunction f() { b.own(); b.none(); }\n"}
    )
    assert graph.edges("calls", minimum=0) == {"f calls a.own"}


def test_a_function_is_called_by_its_own_members_and_bound_ones_are_the_same(graph_of: Any) -> None:
    graph = graph_of(
        {
            "handle.js": "function handleRequest(err) { return new Reply(); }\nclass Reply { send() {} }\n"
            "module.exports = { handleRequest };\n",
            "route.js": "const { handleRequest } = require('./handle');\n"
            "function run(server) { handleRequest.call(server, null).send(); }\n"
            "function all(server, given) { handleRequest.apply(server, given); }\n"
            "function bound(server) { const handle = handleRequest.bind(server); handle(null); }\n"
            "function other(list) { list.call(1); }\n",
            "whole.js": "module.exports = whole;\nfunction whole() {}\n",
            "using.js": "const whole = require('./whole');\nfunction use() { whole.call(this); }\n",
        }
    )
    assert {"run calls handleRequest", "all calls handleRequest", "run calls Reply.send"} <= graph.edges("calls")
    assert "use calls whole" in graph.edges("calls")
    assert "bound calls handleRequest" in graph.edges("calls", minimum=0.0)
    assert not graph.calls_of("call")


def test_a_module_that_is_a_function_or_class_is_called_made_and_asked_for_members(graph_of: Any) -> None:
    graph = graph_of(
        {
            "handle.js": "function handle() {}\nmodule.exports = handle\nmodule.exports.other = function other() {}\n",
            "reply.js": "class Reply { static of() {}\n  send() {} }\nmodule.exports = Reply\n",
            "use.js": "const handle = require('./handle')\nconst Reply = require('./reply')\n"
            "function called() { handle() }\nfunction made() { new Reply().send() }\nfunction asked() { Reply.of() }\n",
        }
    )
    assert graph.edges(*CALLS) == {
        "called calls handle",
        "made instantiates Reply",
        "made calls Reply.send",
        "asked calls Reply.of",
    }
