"""A way through what is no call is told, with the lines it rests on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import ResearchResult, research
from sightline.store import Snapshot

Build = Callable[[Mapping[str, str]], Snapshot]

STORED = {
    "watcher.ts": (
        "export class Watcher {\n"
        "  private _onRerun: ((file: string) => void)[] = []\n\n"
        "  onRerun(cb: (file: string) => void): this {\n    this._onRerun.push(cb)\n    return this\n  }\n\n"
        "  onFileChange(file: string): void {\n    this.scheduleRerun(file)\n  }\n\n"
        "  private scheduleRerun(file: string): void {\n    this._onRerun.forEach(cb => cb(file))\n  }\n\n"
        "  register(source: any): void {\n    source.on('change', this.onFileChange)\n  }\n}\n"
    ),
    "core.ts": (
        "import { Watcher } from './watcher'\n\n"
        "export class Core {\n  watcher: Watcher\n\n"
        "  constructor() {\n    this.watcher = new Watcher().onRerun(file =>\n      this.rerun(file),\n    )\n  }\n\n"
        "  rerun(file: string): void {\n    this.runFiles([file])\n  }\n\n"
        "  runFiles(files: string[]): void {}\n}\n"
    ),
}
LOOPED = {
    "bus.py": (
        "class Bus:\n    def __init__(self):\n        self._listeners = []\n\n"
        "    def add(self, listener):\n        self._listeners.append(listener)\n\n"
        "    def shout(self, what):\n        for listener in self._listeners:\n            listener(what)\n"
    ),
    "app.py": (
        "from bus import Bus\n\n\ndef wire(bus: Bus):\n    bus.add(handle)\n\n\n"
        "def handle(what):\n    execute(what)\n\n\ndef execute(what): pass\n"
    ),
}
EMITTED = {
    "a.js": "function begin(bus) {\n  bus.emit('job:done', 1)\n}\n",
    "b.js": (
        "function wire(bus) {\n  bus.on('job:done', finish)\n}\n\n"
        "function finish() {\n  store()\n}\n\nfunction store() {}\n"
    ),
}


def way(result: ResearchResult) -> str:
    return "\n".join(line for part in result.sections if part.title == "Way" for line in part.lines)


@pytest.mark.parametrize(
    ("files", "question", "lines"),
    [
        (
            STORED,
            "how does Watcher.onFileChange reach Core.runFiles?",
            [
                "→ Watcher.scheduleRerun  at watcher.ts:10",
                "⇢ calls what is stored in `_onRerun`  watcher.ts:14  | this._onRerun.forEach(cb => cb(file))",
                "stored  watcher.ts:5",
                "handed over by Core.constructor  core.ts:7",
                "→ Core.rerun  core.ts:12",
                "→ Core.runFiles  at core.ts:13",
            ],
        ),
        (
            STORED,
            "how does Watcher.register reach Core.runFiles?",
            ["⇢ registers Watcher.onFileChange for `change`  at watcher.ts:18", "⇢ calls what is stored in `_onRerun`"],
        ),
        (
            LOOPED,
            "how does Bus.shout reach execute?",
            [
                "⇢ calls what is stored in `_listeners`  bus.py:9",
                "stored  bus.py:6",
                "handed over by wire  app.py:5",
                "→ handle",
            ],
        ),
        (
            EMITTED,
            "how does begin reach store?",
            [
                "⇢ calls who listens for `job:done`  a.js:2",
                "handed over by wire  b.js:2",
                "→ finish  b.js:5",
                "→ store",
            ],
        ),
    ],
)
def test_a_way_through_what_is_no_call_is_told(
    build: Build, embedder: Embedder, files: dict[str, str], question: str, lines: list[str]
) -> None:
    result = research(build(files), question, embedder=embedder)

    places = [way(result).find(line) for line in lines]
    assert all(place >= 0 for place in places), result.text
    assert places == sorted(places)
    assert "read off the source and not resolved" in result.text


def test_an_end_that_calls_something_by_its_name_is_said(build: Build, embedder: Embedder) -> None:
    files = {
        "a.py": "def begin(thing, name):\n    getattr(thing, name)()\n",
        "b.py": "def other():\n    last()\n\n\ndef last(): pass\n",
    }
    result = research(build(files), "how does begin reach last?", embedder=embedder)

    assert "No way from begin to last" in result.text
    assert "begin calls something by its name at run time  a.py:2  | getattr(thing, name)()" in result.text


def test_a_name_in_a_string_is_handed_to_nobody(build: Build, embedder: Embedder) -> None:
    files = {
        "a.ts": "export function begin(log: any) {\n  log(`one ${\n    log\n  } during the test run.`)\n}\n",
        "b.ts": "export function run() {\n  last()\n}\n\nfunction last() {}\n",
    }
    result = research(build(files), "how does begin reach last?", embedder=embedder)

    assert "No way" in result.text
    assert "is said" not in result.text


def test_a_condition_or_a_comparison_hands_nothing_on(build: Build, embedder: Embedder) -> None:
    files = {
        "a.js": "function begin(mode) {\n  let rerun = false\n  if (rerun) {\n    return mode == rerun\n  }\n}\n",
        "b.js": "export function setup() {\n  function rerun() {\n    finish()\n  }\n  return rerun\n}\n\n"
        "export function finish() {}\n",
    }
    result = research(build(files), "how does begin reach finish?", embedder=embedder)

    assert result.text.startswith("No way from begin to finish")


def test_what_is_called_after_a_registration_is_not_what_was_handed_over(build: Build, embedder: Embedder) -> None:
    files = {
        **STORED,
        "core.ts": STORED["core.ts"].replace("    )\n  }\n", "    )\n    this.other()\n  }\n\n  other(): void {}\n"),
    }
    result = research(build(files), "how does Watcher.onFileChange reach Core.other?", embedder=embedder)

    assert "⇢ calls what is stored" not in way(result)


def test_no_way_leads_through_tests(build: Build, embedder: Embedder) -> None:
    files = {
        "marks.py": "def mark(function):\n    return function\n",
        "engine.py": "class Engine:\n    def run(self): pass\n",
        "tests/test_engine.py": (
            "from engine import Engine\nfrom marks import mark\n\n\n@mark\ndef test_run():\n    Engine().run()\n"
        ),
    }
    result = research(build(files), "how does mark reach Engine.run?", embedder=embedder)

    assert "No way from mark to Engine.run" in result.text


def test_callers_name_who_registers_a_function_apart_from_who_calls_it(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "app.py": "def on_change(x):\n    pass\n\n\ndef direct():\n    on_change(1)\n\n\n"
            "def setup(bus):\n    bus.on('change', on_change)\n    bus.off('change', on_change)\n",
            "only.py": "def handler():\n    pass\n\n\nTABLE = {'x': handler}\n",
        }
    )

    called = research(snapshot, "what calls on_change?", embedder=embedder).text
    callers, _, registered = called.partition("is registered by")
    assert "1 proven, registered at 1 place" in callers
    assert "direct" in callers
    assert "⇢ setup for `change`  app.py:10  | bus.on('change', on_change)" in registered
    assert "app.py:11" not in registered.partition("##")[0]

    kept = research(snapshot, "what calls handler?", embedder=embedder).text
    assert "0 proven, registered at 1 place" in kept
    assert "⇢ only for `x`  only.py:5" in kept


def test_a_way_goes_through_a_registration_where_no_call_makes_one(build: Build, embedder: Embedder) -> None:
    snapshot = build(
        {
            "app.py": "def last():\n    pass\n\n\ndef on_change(x):\n    last()\n\n\n"
            "def setup(bus):\n    bus.on('change', on_change)\n",
        }
    )

    text = research(snapshot, "how does setup reach last?", embedder=embedder).text

    assert "setup reaches last in 2 steps along calls and registrations" in text
    assert "⇢ registers on_change for `change`  at app.py:10" in text
    assert "→ last  at app.py:6" in text
