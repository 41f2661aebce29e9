"""A client's conversation, line by line: requests are answered, calls run in a small pool of threads.

stdio speaks MCP here rather than through the MCP library, which takes most of a second to import before the first
answer and turns every answer over four times; HTTP and SSE, where processes live long, go through the library. A test
holds both to the same answers.

Listing never waits for the index or for a heavy import. At most `MAX_CALLS` calls work at once; one that is cancelled
is told, is not answered, and keeps its place in the pool until it has really stopped.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from sightline.errors import SightlineError
from sightline.server.mcp import jsonrpc, protocol, revisions
from sightline.server.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, SERVER_BUSY, Refusal, RequestId
from sightline.server.progress import PROGRESS_EVERY_S, Call, CallCancelledError, Steps
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.server.app import App

MAX_CALLS = 8  # the core releases the GIL in its searches, but two cores do not answer faster with more
MAX_WAITING = 1_000  # calls of one client; no agent has as many, and every one of them takes memory
_STILL_WANTED_S = 0.1  # between two looks at whether anybody waits for the last answers
_CALLS = ("tools/call", "resources/read")  # what may take long
_AT_ONCE = ("initialize", "server/discover", "ping", "tools/list", "resources/list", "resources/templates/list")
_logger = logging.getLogger(__name__)


class Session:
    """One client. `receive` takes its lines in order; `send` is called from several threads."""

    def __init__(self, app: App, send: Callable[[bytes], None]) -> None:
        self._app, self._send = app, send
        self._revision: revisions.Revision | None = None
        self._pool = ThreadPoolExecutor(MAX_CALLS, thread_name_prefix="sightline-call")
        self._lock = threading.Lock()
        self._running: set[_Running] = set()
        self._reporting = False

    def receive(self, line: bytes) -> None:
        """Take one message; whatever it is, there is no error but the one it is answered with."""
        number: RequestId | None = None
        try:
            message = jsonrpc.parse(line)
            number = message.get("id")
            self._receive(message)
        except Refusal as refusal:
            self._send(jsonrpc.refused(refusal, number))
        except BaseException:  # a line that we stumble over, by a panic in Rust too, must not be the last
            _logger.exception("a message could not be handled")
            self._send(jsonrpc.refused(Refusal(INTERNAL_ERROR, "this message could not be handled"), number))

    def _receive(self, message: Mapping[str, Any]) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            return  # a response, and we never asked anything
        if "id" not in message:
            self._note(method, params)
        else:
            self._request(message["id"], method, params)

    def finish(self, timeout_s: float, *, wanted: Callable[[], bool] = lambda: True) -> None:
        """Give the calls under way a moment to be answered while that is wanted, and end those that are not."""
        with self._lock:
            waiting = {running.future for running in self._running if running.future is not None}
        deadline = time.monotonic() + timeout_s
        while waiting and wanted() and (left := deadline - time.monotonic()) > 0:
            waiting = wait(waiting, min(left, _STILL_WANTED_S)).not_done
        with self._lock:
            for running in self._running:
                running.call.cancelled.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _note(self, method: str, params: Mapping[str, Any]) -> None:
        """A notification; the only one that asks for something is a cancellation."""
        if method != "notifications/cancelled":
            return
        number = params.get("requestId")
        with self._lock:
            for running in self._running:
                if running.number == number and type(running.number) is type(number):
                    running.call.cancelled.set()

    def _request(self, number: RequestId, method: str, params: Mapping[str, Any]) -> None:
        if method not in _CALLS and method not in _AT_ONCE:
            raise revisions.unknown_method(method)  # and it does not decide how the conversation goes on
        if self._revision is None:
            self._revision = revisions.opened_by(method, params)
        self._revision.admit(method, params)
        check_params(method, params)
        if method in _CALLS:
            self._begin(number, method, params, self._revision)
        else:
            self._send(
                jsonrpc.answer(number, self._revision.dressed(method, self._at_once(method, params, self._revision)))
            )

    def _at_once(self, method: str, params: Mapping[str, Any], revision: revisions.Revision) -> Mapping[str, Any]:
        match method:
            case "initialize" if isinstance(revision, revisions.Handshake):
                return revision.greet(params, self._app.instructions)
            case "server/discover" if isinstance(revision, revisions.Stateless):
                return revision.discover(self._app.instructions)
            case "ping":
                return {}
            case "tools/list":
                self._app.warm_soon()
                return protocol.tool_list(structured=self._app.structured)
            case "resources/list":
                return protocol.resource_list()
            case "resources/templates/list":
                return protocol.template_list()
            case _:
                raise revisions.unknown_method(method)

    def _begin(self, number: RequestId, method: str, params: Mapping[str, Any], revision: revisions.Revision) -> None:
        running = _Running(self._app, number, _progress_token(params))
        with self._lock:
            if len(self._running) >= MAX_WAITING:
                raise Refusal(SERVER_BUSY, f"{MAX_WAITING:,} calls are waiting; read their answers first")
            self._running.add(running)
            report = running.token is not None and not self._reporting
            self._reporting = self._reporting or report
        if report:
            threading.Thread(target=self._report, name="sightline-progress", daemon=True).start()
        running.future = self._pool.submit(self._run, running, method, params, revision)

    def _run(self, running: _Running, method: str, params: Mapping[str, Any], revision: revisions.Revision) -> None:
        line = self._answer(running.number, method, params, revision, running.call)
        with running.lock:
            running.done = True
        if line is not None and not running.call.cancelled.is_set():
            self._send(line)
        with self._lock:
            self._running.remove(running)

    def _answer(
        self, number: RequestId, method: str, params: Mapping[str, Any], revision: revisions.Revision, call: Call
    ) -> bytes | None:
        """The line that answers a call; None when nobody wants it any more."""
        try:
            call.check()
            if method == "tools/call":
                result = protocol.call_tool(self._app, params["name"], params.get("arguments") or {}, call)
            else:
                result = protocol.read_resource(self._app, params["uri"])
            return jsonrpc.answer(number, revision.dressed(method, result))
        except CallCancelledError:
            return None
        except SightlineError as error:
            return jsonrpc.refused(Refusal(INVALID_PARAMS, visible(str(error))), number)
        except BaseException:  # as above: whatever happens, the request is answered
            _logger.exception("%s failed", method)
            return jsonrpc.refused(
                Refusal(INTERNAL_ERROR, f"{method} failed; the server's log has the details"), number
            )

    def _report(self) -> None:
        """Tell clients that want to know how far their calls are, as long as there are such calls."""
        while True:
            time.sleep(PROGRESS_EVERY_S)
            with self._lock:
                asked = [running for running in self._running if running.token is not None]
                if not asked:
                    self._reporting = False
                    return
            for running in asked:
                with running.lock:
                    if not running.done and not running.call.cancelled.is_set():
                        self._send(jsonrpc.notification("notifications/progress", running.progress()))


class _Running:
    """A call under way."""

    def __init__(self, app: App, number: RequestId, token: RequestId | None) -> None:
        self.number, self.call, self.token = number, Call(), token
        self.future: Future[None] | None = None
        self.lock, self.done = threading.Lock(), False  # no progress after the answer
        self._steps = Steps(app, self.call)

    def progress(self) -> dict[str, Any]:
        """How far it is, as MCP says it."""
        done, total, what = self._steps.next()
        return {
            "progressToken": self.token,
            "progress": done,
            "message": what,
            **({"total": total} if total is not None else {}),
        }


def check_params(method: str, params: Mapping[str, Any]) -> None:
    """Refusal when a request lacks what its method needs."""
    if not isinstance(params.get("_meta", {}), dict):
        raise Refusal(INVALID_PARAMS, "_meta is an object")
    if method.endswith("/list") and not isinstance(params.get("cursor"), str | None):
        raise Refusal(INVALID_PARAMS, "cursor is a string")
    if method == "tools/call":
        if not isinstance(params.get("name"), str):
            raise Refusal(INVALID_PARAMS, "tools/call needs the name of a tool")
        if not isinstance(params.get("arguments"), dict | None):
            raise Refusal(INVALID_PARAMS, "the arguments of a tool are an object")
    if method == "resources/read" and not isinstance(params.get("uri"), str):
        raise Refusal(INVALID_PARAMS, "resources/read needs a uri")


def _progress_token(params: Mapping[str, Any]) -> RequestId | None:
    token = params.get("_meta", {}).get("progressToken")
    return token if isinstance(token, int | str) and not isinstance(token, bool) else None
