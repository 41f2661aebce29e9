"""A question that names the function to begin with is answered by what that leads to, to the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sightline.embed import Embedder
from sightline.retrieval.research import research
from sightline.retrieval.research.prose import begins, outside_names
from sightline.store import Snapshot
from tests.research.test_chain import in_order, section

Build = Callable[[Mapping[str, str]], Snapshot]

SITE = {
    "lib/build.rb": (
        "class Build\n"
        "  def self.process(options)\n"
        "    site = Site.new(options)\n"
        "    run_site(site)\n"
        "  end\n\n"
        "  def self.run_site(site)\n"
        "    site.process\n"
        "  rescue StandardError => e\n"
        "    warn e.message\n"
        "  end\n"
        "end\n"
    ),
    "lib/site.rb": (
        "class Site\n"
        "  def initialize(options)\n    @options = options\n  end\n\n"
        "  def process\n    reset\n    read\n    render\n    write\n  end\n\n"
        "  def reset\n    @pages = []\n  end\n\n"
        "  def read\n    @pages << 1\n  end\n\n"
        "  def render\n    @pages.map(&:to_s)\n  end\n\n"
        "  def write\n    @pages.each { |page| puts page }\n  end\n"
        "end\n"
    ),
    "lib/other.rb": "class Other\n  def process\n    1\n  end\nend\n",
}
LEFT_TO_OTHERS = {
    "base.rb": (
        "module Base\n"
        "  def start(args)\n    dispatch(args)\n  end\n\n"
        "  def dispatch(args)\n    raise NotImplementedError\n  end\n"
        "end\n"
    ),
    "runner.rb": (
        "class Runner\n"
        "  def dispatch(args)\n"
        "    command = Command.new\n    command.run(args)\n  end\n"
        "end\n\n"
        "class Command\n"
        "  def run(args)\n    name = args.first\n    self.__send__(name, *args)\n  end\n"
        "end\n"
    ),
}
OUTSIDE = {
    "api.py": "import sessions\n\n\ndef get(url):\n    return sessions.Session().request(url)\n",
    "sessions.py": (
        "class Session:\n"
        "    def request(self, url):\n        adapter = self.adapter_for(url)\n        return adapter.send(url)\n\n"
        "    def adapter_for(self, url):\n        return self.adapters[url]\n"
    ),
    "adapters.py": (
        "class HTTPAdapter:\n"
        "    def send(self, url):\n        conn = self.connect(url)\n        return conn.urlopen(url)\n\n"
        "    def connect(self, url):\n        return url\n"
    ),
    "other.py": "class Mail:\n    def send(self, text):\n        return text\n",
}
FIELDS = {
    "command.go": (
        "package cli\n\n"
        "type Command struct {\n\tRun func(args []string)\n\tRunE func(args []string) error\n}\n\n"
        "func (c *Command) Execute(args []string) error {\n\treturn c.execute(args)\n}\n\n"
        "func (c *Command) execute(args []string) error {\n"
        "\tc.parse(args)\n"
        "\tif c.RunE != nil {\n\t\treturn c.RunE(args)\n\t}\n"
        "\tc.Run(args)\n\treturn nil\n}\n\n"
        "func (c *Command) parse(args []string) {\n\tprintln(args)\n}\n"
    )
}
HANDLERS = {
    "src/Client.php": (
        "<?php\nclass Client {\n"
        "    public function request($uri) {\n        return $this->transfer($uri, $this->options);\n    }\n"
        "    private function transfer($uri, $options) {\n"
        "        $handler = $options['handler'];\n        return $handler($uri, $options);\n    }\n}\n"
    ),
    "src/CurlHandler.php": (
        "<?php\nclass CurlHandler {\n"
        "    public function __invoke($uri, $options) {\n        return \\curl_exec($uri);\n    }\n}\n"
    ),
}
LOGGER = {
    "Logger.php": (
        "<?php\nclass Logger {\n    private array $handlers;\n"
        "    public function info($message) {\n        $this->addRecord($message);\n    }\n"
        "    public function addRecord($message) {\n"
        "        foreach ($this->handlers as $handler) {\n"
        "            $handler->handle($message);\n        }\n    }\n}\n"
    ),
    "Handlers.php": (
        "<?php\ninterface HandlerInterface {\n    public function handle($message);\n}\n"
        "class StreamHandler implements HandlerInterface {\n"
        "    public function handle($message) {\n        $this->write($message);\n    }\n"
        "    public function write($message) {\n        fwrite($this->stream, $message);\n    }\n}\n"
    ),
}
MACROS = {
    "fs.c": (
        "static void submit(int work) { work++; }\n\n"
        "#define POST do { submit(1); } while (0)\n\n"
        "int fs_read(int file) {\n  if (file < 0)\n    return -1;\n  POST;\n  return 0;\n}\n"
    )
}


def test_a_call_of_what_has_no_type_goes_on_by_the_name_of_its_receiver(build: Build, embedder: Embedder) -> None:
    result = research(build(SITE), "What happens in order when Build.process is called?", embedder=embedder)
    chain = section(result, "In order")

    assert in_order(
        chain,
        "Build.process  lib/build.rb:2",
        ":4 → Build.run_site (:7)  | run_site(site)",
        ":8 ~ Site.process (lib/site.rb:6)  | site.process",
    ), result.text
    assert "Other.process" not in chain
    assert "~: likely by its name" in result.text.splitlines()[0]


def test_a_short_function_of_calls_is_told_with_all_of_them(build: Build, embedder: Embedder) -> None:
    result = research(build(SITE), "What happens in order when Build.process is called?", embedder=embedder)

    assert in_order(section(result, "In order"), "Site.reset", "Site.read", "Site.render", "Site.write"), result.text


def test_what_a_function_leaves_to_others_and_what_is_called_by_its_name_are_told(
    build: Build, embedder: Embedder
) -> None:
    question = "How does a command line end up in the method of a class, in order from Base.start?"
    result = research(build(LEFT_TO_OTHERS), question, embedder=embedder)

    assert in_order(
        section(result, "In order"),
        "Base.dispatch",
        "~ may run Runner.dispatch (runner.rb:2)",
        "Command.run (:9)",
        "calls  | self.__send__(name, *args)",
    ), result.text


@pytest.mark.parametrize("question", ["How does api.get end up in urllib3's urlopen, in order?"])
def test_a_chain_may_end_in_a_function_of_another_library(build: Build, embedder: Embedder, question: str) -> None:
    result = research(build(OUTSIDE), question, embedder=embedder)

    assert in_order(
        section(result, "In order"),
        "get  api.py:4",
        "Session.request (sessions.py:2)",
        ":4 ~ HTTPAdapter.send (adapters.py:2)  | return adapter.send(url)",
        ":4 → urlopen, outside of this root  | return conn.urlopen(url)",
    ), result.text
    assert "Mail.send" not in result.text


def test_calls_of_fields_that_say_what_is_asked_are_quoted(build: Build, embedder: Embedder) -> None:
    question = "What happens in order when Command.Execute is called, until the user's Run function is invoked?"
    result = research(build(FIELDS), question, embedder=embedder)

    assert in_order(
        section(result, "In order"), "Command.execute (:12)", "calls  | return c.RunE(args)", "calls  | c.Run(args)"
    ), result.text


def test_a_value_that_is_called_leads_to_the_type_of_its_name(build: Build, embedder: Embedder) -> None:
    result = research(build(HANDLERS), "How does Client::request end up in curl_exec, in order?", embedder=embedder)

    assert in_order(
        section(result, "In order"),
        "Client.transfer",
        "~ CurlHandler.__invoke (src/CurlHandler.php:3)  | return $handler($uri, $options);",
        "→ curl_exec, outside of this root",
    ), result.text


def test_a_way_between_two_names_may_have_a_likely_step(build: Build, embedder: Embedder) -> None:
    result = research(build(LOGGER), "How does Logger::info end up in StreamHandler::write?", embedder=embedder)

    assert "reaches StreamHandler.write in 4 steps, 1 of which only a name makes likely (~)." in result.text
    assert in_order(
        section(result, "In order"),
        "~ HandlerInterface.handle",
        "⇢ may run StreamHandler.handle",
        "→ StreamHandler.write",
    ), result.text


def test_a_macro_that_stands_alone_is_a_step(build: Build, embedder: Embedder) -> None:
    result = research(build(MACROS), "What happens in order when fs_read is called?", embedder=embedder)

    assert in_order(section(result, "In order"), "~ POST (:3)", "submit (:1)"), result.text


def test_a_parameter_or_a_word_of_documentation_hands_on_no_function(build: Build, embedder: Embedder) -> None:
    files = {
        "client.py": (
            "def send(request):\n"
            '    """Send it.\n\n    Args:\n        request: the request (default)\n    """\n'
            "    with context(request=request):\n        return transmit(request)\n\n\n"
            "def context(request):\n    return request\n\n\n"
            "def transmit(request):\n    return request\n"
        ),
        "others.py": "def request(url):\n    return url\n\n\ndef default(value):\n    return value\n",
    }
    result = research(build(files), "What happens in order when send is called?", embedder=embedder)

    assert "transmit" in result.text
    assert "others.py" not in section(result, "In order"), result.text


def test_what_a_question_begins_with_is_read_off_its_words() -> None:
    assert begins("in order from `Thor.start`?") == ["Thor.start"]
    assert begins("the functions in order from routeHandler in lib/route.js") == ["routeHandler"]
    assert begins("What happens in order when Command.Execute is called, until Run is invoked?")[0] == "Command.Execute"
    assert begins("From wsgi_app to the view function: which run?") == ["wsgi_app"]
    assert outside_names("urllib3's urlopen") == ["urlopen"]
    assert outside_names("the call of curl_exec there") == ["there", "curl_exec"]


def test_a_class_that_a_module_hands_out_as_an_expression_has_its_methods(build: Build, embedder: Embedder) -> None:
    files = {
        "application.js": (
            "module.exports = class Application extends Emitter {\n"
            "  callback () {\n"
            "    const handle = (req, res) => this.handleRequest(this.createContext(req, res))\n"
            "    return handle\n  }\n\n"
            "  createContext (req, res) {\n    return { req, res }\n  }\n\n"
            "  handleRequest (ctx) {\n    return ctx\n  }\n"
            "}\n"
        )
    }
    text = research(build(files), "Which functions call `createContext`?", embedder=embedder).text

    assert text.startswith("Callers of method Application.createContext (application.js:7): 1 proven"), text


def test_a_line_of_two_calls_is_quoted_once(build: Build, embedder: Embedder) -> None:
    code = (
        "def render(name):\n    return finish(load(name))\n\n\n"
        "def load(name):\n    text = open(name).read()\n    return text.strip()\n\n\n"
        "def finish(text):\n    lines = text.splitlines()\n    return lines[0]\n"
    )
    question = "How is a name rendered, functions in order from `render`?"
    text = section(research(build({"a.py": code}), question, embedder=embedder), "In order")

    assert "→ load (:5)" in text
    assert "→ finish (:10)" in text
    assert text.count("| return finish(load(name))") == 1


def test_a_chain_goes_on_in_the_job_that_is_queued_and_says_that_it_is_no_call(
    build: Build, embedder: Embedder
) -> None:
    snapshot = build(
        {
            "post.rb": "class Post\n  def call(status)\n    publish(status)\n  end\n\n"
            "  def publish(status)\n    SpreadWorker.perform_async(status)\n  end\nend\n",
            "spread_worker.rb": "class SpreadWorker\n  include Sidekiq::Worker\n\n"
            "  def perform(status)\n    insert_into_feed(status)\n  end\n\n"
            "  def insert_into_feed(status)\n    redis.zadd(status)\n  end\nend\n",
        }
    )
    answer = research(snapshot, "the chain from `Post#call` to the status in the feed", embedder=embedder).text
    assert "⇢ queues SpreadWorker.perform (spread_worker.rb:4)  | SpreadWorker.perform_async(status)" in answer
    assert answer.index("queues SpreadWorker.perform") < answer.index("SpreadWorker.insert_into_feed")
