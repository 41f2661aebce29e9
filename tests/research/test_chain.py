"""Questions about what comes after what are answered by a chain, every step with the line that makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import ResearchResult, research
from sightline.retrieval.research.prose import about, asks_order, ends, named_in
from sightline.retrieval.research.question import readings
from sightline.store import Snapshot
from tests.research.test_indirect import STORED

Build = Callable[[Mapping[str, str]], Snapshot]

DECORATED = {
    "validators.py": (
        "from proxies import Proxy\n\n\n"
        "def model_validator(mode):\n"
        "    def dec(function):\n        return Proxy(function, mode)\n\n    return dec\n"
    ),
    "proxies.py": (
        "class Proxy:\n    def __init__(self, function, mode):\n        self.function, self.mode = function, mode\n"
    ),
    "schema.py": (
        "from proxies import Proxy\n\n\n"
        "def build_schema(cls):\n    validators = collect_validators(cls)\n"
        "    return apply_validators(cls, validators)\n\n\n"
        "def collect_validators(cls):\n"
        "    return [value for value in vars(cls).values() if isinstance(value, Proxy)]\n\n\n"
        "def apply_validators(schema, validators):\n"
        "    for validator in validators:\n        schema = (validator.mode, schema)\n    return schema\n"
    ),
    "tests/test_schema.py": "from schema import build_schema\n\n\ndef test_build():\n    build_schema(object)\n",
}
CHOSEN = {
    "App.hs": (
        "module App where\n\nimport Format\n\n"
        "convert :: [String] -> Maybe String -> String\n"
        "convert sources from =\n"
        "  case from of\n"
        "    Just name -> name\n"
        "    Nothing -> case formatFromPaths sources of\n"
        "      Just name -> name\n"
        "      Nothing -> \"markdown\"\n"
    ),
    "Format.hs": (
        "module Format where\n\n"
        "-- | The input format by the extension of a file.\n"
        "formatFromPaths :: [String] -> Maybe String\n"
        "formatFromPaths = firstJust . map formatFromPath\n\n"
        "formatFromPath :: String -> Maybe String\n"
        "formatFromPath path = case extension path of\n"
        "  \".rst\" -> Just \"rst\"\n"
        "  _ -> Nothing\n"
    ),
}  # fmt: skip


def section(result: ResearchResult, title: str) -> str:
    return "\n".join(line for part in result.sections if part.title == title for line in part.lines)


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return all(place >= 0 for place in places) and places == sorted(places)


@pytest.mark.parametrize(
    "question",
    [
        "the chain of functions from the event of a changed file to running the files again?",
        "how does a file change end up in a re-run of files, functions in order",
        "from a file change to the run of the files",
    ],
)
def test_a_chain_between_two_descriptions_goes_through_a_stored_callback(
    build: Build, embedder: Embedder, question: str
) -> None:
    chain = section(research(build(STORED), question, embedder=embedder), "In order")

    assert in_order(
        chain,
        ":10 → Watcher.scheduleRerun (:13",
        ":14 ⇢ calls what is stored in `_onRerun`  | this._onRerun.forEach(cb => cb(file))",
        "stored :5",
        "handed over by Core.constructor core.ts:7",
        "⇢ Core.rerun (core.ts:12",
        ":13 → Core.runFiles (:16)  | this.runFiles([file])",
    ), chain


def test_what_is_made_here_and_asked_for_there_is_a_step_of_a_chain(build: Build, embedder: Embedder) -> None:
    question = (
        "How does a model_validator(mode='before') end up in the schema: the functions that collect and apply it?"
    )
    result = research(build(DECORATED), question, embedder=embedder)
    chain = section(result, "In order")

    assert in_order(
        chain,
        "model_validator  validators.py:4",
        ":5 defines model_validator.dec",
        ":6 ⇢ makes Proxy, asked for by collect_validators (schema.py:10)",
        "build_schema  schema.py:4",
        ":5 → collect_validators (:9)  | validators = collect_validators(cls)",
        ":6 → apply_validators (:13)  | return apply_validators(cls, validators)",
    ), result.text
    assert "test_build" not in chain


@pytest.mark.parametrize("question", ["how is the format chosen from the path's extension when none is given?"])
def test_an_open_question_shows_the_branch_that_decides(build: Build, embedder: Embedder, question: str) -> None:
    result = research(build(CHOSEN), question, embedder=embedder)

    assert ":9 → formatFromPaths (Format.hs:4" in section(result, "In order"), result.text
    assert "⇢ hands on formatFromPath (:7)" in section(result, "In order")
    assert "    9     Nothing -> case formatFromPaths sources of" in section(result, "Source")


def test_of_a_long_function_the_lines_are_shown_that_decide(build: Build, embedder: Embedder) -> None:
    filler = "".join(f"    step_{number} = {number}\n" for number in range(40))
    body = (
        "def prepare_upload(path):\n"
        + filler
        + "    if path.endswith('.gz'):\n        codec = 'gzip'\n    else:\n        codec = 'none'\n"
        + filler
        + "    return codec\n"
    )
    result = research(build({"upload.py": body}), "how is the codec of an upload path decided?", embedder=embedder)

    assert "   42     if path.endswith('.gz'):" in section(result, "Source"), result.text


def test_an_end_that_is_only_described_is_no_missing_symbol(build: Build, embedder: Embedder) -> None:
    files = {
        "flags.py": "def parse_flags(line):\n    return build_searcher(line.split())\n\n\n"
        "def build_searcher(flags):\n    return Searcher(flags)\n\n\n"
        "class Searcher:\n    def __init__(self, flags):\n        self.flags = flags\n"
    }
    result = research(build(files), "how do parsed command line flags end up in the Searcher?", embedder=embedder)

    assert "There is no symbol" not in result.text
    chain = section(result, "In order")
    assert in_order(chain, "parse_flags", ":2 → build_searcher", ":6 → Searcher.__init__"), chain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the chain from a changed file to the re-run of tests?", ("a changed file", "the re-run of tests")),
        ("How does a flag end up in the searcher: functions, in order?", ("a flag", "the searcher")),
        ("how does a request get to the controller, with file:line", ("a request", "the controller")),
        ("who calls login", None),
        ("where are passwords checked", None),
    ],
)
def test_the_ends_of_a_chain_are_read_off_the_question(text: str, expected: tuple[str, str] | None) -> None:
    assert ends(text) == expected


def test_names_are_found_anywhere_in_prose() -> None:
    assert named_in("how does a model_validator(mode='before') reach `apply`, via Graph.walk?") == [
        "model_validator",
        "apply",
        "Graph.walk",
    ]
    assert named_in("how is the reader chosen when no option is given") == []


def test_words_that_only_ask_are_no_words_to_search_for() -> None:
    assert about("the chain of functions from start to re-run, in order") == "from start to re-run rerun"
    assert asks_order("list the calls in order")
    assert not asks_order("where are passwords checked")


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("which functions call foo_bar or baz_qux?", "callers", ["foo_bar", "baz_qux"]),
        ("what implements `Sink`, `Matcher` and `Printer`", "implementations", ["Sink", "Matcher", "Printer"]),
        ("who calls login and what does it return", "callers", ["login"]),
    ],
)
def test_several_names_of_one_question_are_several_subjects(text: str, kind: str, names: list[str]) -> None:
    first = readings(text)[0]
    assert (first.kind, [subject.name for subject in first.subjects]) == (kind, names)


def test_two_names_are_answered_for_one_after_the_other(build: Build, embedder: Embedder) -> None:
    files = {"a.py": "def load_it(): pass\n\n\ndef save_it(): pass\n\n\ndef main():\n    load_it()\n    save_it()\n"}
    result = research(build(files), "which functions call load_it or save_it?", embedder=embedder)

    assert "main (:7)  a.py:8  | load_it()" in section(result, "Callers of load_it")
    assert "main (:7)  a.py:9  | save_it()" in section(result, "Callers of save_it")


def test_an_impl_for_what_is_no_symbol_of_the_root_is_an_implementation(build: Build, embedder: Embedder) -> None:
    files = {
        "src/sink.rs": (
            "pub trait Sink {\n    fn end(&self);\n}\n\n"
            "impl<'a, S: Sink> Sink for &'a mut S {\n    fn end(&self) {}\n}\n\n"
            "impl<S: Sink + ?Sized> Sink for Box<S> {\n    fn end(&self) {}\n}\n\n"
            "pub struct File;\n\nimpl Sink for File {\n    fn end(&self) {}\n}\n\n"
            "// impl Sink for Nothing {}\n"
        ),
        "src/other.rs": "impl futures::Sink for Vec<u8> {\n    fn end(&self) {}\n}\n",
    }
    result = research(build(files), "which types implement Sink?", embedder=embedder)
    listed = section(result, "Implementations of Sink")

    assert "trait Sink (src/sink.rs:1) has 3 direct implementations" in result.text
    assert "impl Sink for &'a mut S  src/sink.rs:5" in listed
    assert "impl Sink for Box<S>  src/sink.rs:9" in listed
    assert "struct File" in listed
    assert "Vec<u8>" not in listed
    assert "Nothing" not in listed


def test_every_call_is_quoted_and_callers_of_callers_are_left_out_if_calls_are_asked_for(
    build: Build, embedder: Embedder
) -> None:
    files = {
        "a.py": "def check(): pass\n\n\ndef one():\n    check()\n\n\ndef two():\n    if True:\n        check()\n\n\n"
        "def top():\n    one()\n"
    }
    snapshot = build(files)
    direct = research(snapshot, "who calls check, with file:line of every call", embedder=embedder)
    whole = research(snapshot, "who calls check", embedder=embedder)

    assert "one (:4) :5  | check()" in section(direct, "Callers of check")
    assert "two (:8) :10  | check()" in section(direct, "Callers of check")
    assert "top" not in section(direct, "Callers of check")
    assert "← top (:13) :14  | one()" in section(whole, "Callers of check")


def test_what_is_described_is_shown_with_the_lines_that_show_it(build: Build, embedder: Embedder) -> None:
    files = {
        "limits.py": "def too_slow(transfer):\n    '''Checks that a transfer is below the low speed limit.'''\n"
        "    return transfer.speed < transfer.low_speed_limit\n",
        "loop.py": "from limits import too_slow\n\n\ndef step(transfer):\n    return too_slow(transfer)\n",
    }
    question = "Which function checks that a transfer is below the low speed limit, and who calls it?"
    result = research(build(files), question, embedder=embedder)

    assert "    3     return transfer.speed < transfer.low_speed_limit" in section(result, "What is described")


INTERCEPTED = {
    "call.py": (
        "from chain import Chain\n\n\n"
        "class Call:\n    def execute(self):\n        return self.respond()\n\n"
        "    def respond(self):\n        return Chain().proceed(self)\n"
    ),
    "chain.py": (
        "from interceptors import Interceptor\n\n\n"
        "class Chain:\n    first: Interceptor\n\n    def proceed(self, request):\n"
        "        return self.first.intercept(request)\n"
    ),
    "interceptors.py": (
        "class Interceptor:\n    def intercept(self, request): ...\n"
    ),
    "server.py": (
        "from exchange import Exchange\nfrom interceptors import Interceptor\n\n\n"
        "class CallServer(Interceptor):\n    exchange: Exchange\n\n"
        "    def intercept(self, request):\n        self.exchange.begin(request)\n"
    ),
    "exchange.py": (
        "from codec import Codec\n\n\n"
        "class Exchange:\n    codec: Codec\n\n    def begin(self, request):\n        self.codec.start(request)\n"
    ),
    "codec.py": (
        "class Codec:\n    def start(self, request): ...\n\n\n"
        "class LineCodec(Codec):\n    def start(self, request):\n        self.write_request_headers(request)\n\n"
        "    def write_request_headers(self, request):\n        \"\"\"Write headers to the wire.\"\"\"\n"
    ),
    "samples/dated.py": (
        "from interceptors import Interceptor\nfrom headers import headers\n\n\n"
        "class Dated(Interceptor):\n    def intercept(self, request):\n        return headers(request)\n"
    ),
    "headers.py": "def headers(request):\n    \"\"\"The headers of a request.\"\"\"\n    return request.headers\n",
}  # fmt: skip


def test_a_long_way_from_what_is_named_leads_to_what_is_described(build: Build, embedder: Embedder) -> None:
    """And not only to a nearer end that is less likely, by way of an example."""
    question = "What is the chain of functions from `Call.execute()` to the request headers being written to the wire?"
    result = research(build(INTERCEPTED), question, embedder=embedder)
    chain = section(result, "In order")

    assert in_order(
        chain, "Call.execute", "Call.respond", "Chain.proceed", "Interceptor.intercept", "may run CallServer.intercept",
        "Exchange.begin", "Codec.start", "may run LineCodec.start", "LineCodec.write_request_headers",
    ), result.text  # fmt: skip
    assert "in the order of the calls" in result.text.splitlines()[0]


def test_an_end_that_is_nearly_another_name_is_looked_for_and_not_taken_for_it(
    build: Build, embedder: Embedder
) -> None:
    """`Run` is a field that holds a function, and no symbol; `Runnable` only looks like it."""
    files = {
        "command.go": (
            "package cobra\n\n"
            "type Command struct {\n\tRun func(args []string)\n}\n\n"
            "func (c *Command) Runnable() bool { return c.Run != nil }\n\n"
            "func (c *Command) Execute() error { return c.ExecuteC() }\n\n"
            "func (c *Command) ExecuteC() error {\n\tcmd := c.Find()\n\treturn cmd.execute()\n}\n\n"
            "func (c *Command) Find() *Command { return c }\n\n"
            "func (c *Command) execute() error {\n\tif c.Runnable() {\n\t\tc.Run(nil)\n\t}\n\treturn nil\n}\n"
        )
    }
    question = "How does `Command.Execute` find the subcommand and come to call its `Run`: the functions in order"
    result = research(build(files), question, embedder=embedder)

    assert "was read as" not in result.text
    assert in_order(
        section(result, "In order"), "Command.Execute", "Command.ExecuteC", "Command.Find", "Command.execute"
    )
