"""The MCP library's server, for HTTP and SSE: it carries what `protocol.py` says.

A tool call runs in a small pool of threads, so that at most `MAX_CALLS` work at once however many clients ask; a
cancelled call gives its answer up, tells the worker, and keeps its place in the pool until the worker has really
stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import mcp.types as wire
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from sightline.errors import SightlineError
from sightline.server.app import App
from sightline.server.mcp import protocol, revisions
from sightline.server.mcp.session import MAX_CALLS
from sightline.server.progress import PROGRESS_EVERY_S, Call, Steps
from sightline.visible import visible

_T = TypeVar("_T")

Request = ServerRequestContext[Any, Any]


def call_pool() -> ThreadPoolExecutor:
    """Threads for calls; several servers of one process share them."""
    return ThreadPoolExecutor(MAX_CALLS, thread_name_prefix="sightline-call")


def build(app: App, pool: ThreadPoolExecutor | None = None) -> Server[Any]:
    """Make the MCP server of an app, with threads of its own unless it shares some."""
    pool = pool or call_pool()

    async def list_tools(request: Request, _: wire.PaginatedRequestParams) -> dict[str, Any]:
        app.warm_soon()
        return _dressed(request, protocol.tool_list(structured=app.structured))

    async def call_tool(request: Request, params: wire.CallToolRequestParams) -> dict[str, Any]:
        def work(call: Call) -> dict[str, Any]:
            return protocol.call_tool(app, params.name, params.arguments or {}, call)

        return _dressed(request, await _in_pool(pool, work, app, request))

    async def list_resources(request: Request, _: wire.PaginatedRequestParams) -> dict[str, Any]:
        return _dressed(request, protocol.resource_list())

    async def list_templates(request: Request, _: wire.PaginatedRequestParams) -> dict[str, Any]:
        return _dressed(request, protocol.template_list())

    async def read_resource(request: Request, params: wire.ReadResourceRequestParams) -> dict[str, Any]:
        try:
            read = await _in_pool(pool, lambda _: protocol.read_resource(app, str(params.uri)), app)
            return _dressed(request, read)
        except SightlineError as error:
            raise MCPError(code=wire.INVALID_PARAMS, message=visible(str(error))) from error

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        app.warm_soon(later=True)
        yield {}

    server: Server[Any] = Server(**protocol.IDENTITY, instructions=app.instructions, lifespan=lifespan)
    server.middleware.clear()  # spans of every message, for an exporter that nobody has set up
    server.add_request_handler("tools/list", wire.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", wire.CallToolRequestParams, call_tool)
    server.add_request_handler("resources/list", wire.PaginatedRequestParams, list_resources)
    server.add_request_handler("resources/templates/list", wire.PaginatedRequestParams, list_templates)
    server.add_request_handler("resources/read", wire.ReadResourceRequestParams, read_resource)
    app.on_close(lambda: pool.shutdown(wait=False, cancel_futures=True))
    return server


def _dressed(request: Request, result: Mapping[str, Any]) -> dict[str, Any]:
    return dict(revisions.of_version(request.protocol_version).dressed(request.method, result))


async def _in_pool(
    pool: ThreadPoolExecutor, work: Callable[[Call], _T], app: App, request: Request | None = None
) -> _T:
    """Run work in the pool, with progress for the client while it takes long.

    When the caller gives up, or cannot be told how far it is, the work is told, and its result dropped.
    """
    call = Call()
    steps = Steps(app, call)
    future = asyncio.wrap_future(pool.submit(work, call))
    try:
        while request is not None and not (await asyncio.wait([future], timeout=PROGRESS_EVERY_S))[0]:
            await request.session.report_progress(*steps.next())
        return await future
    finally:
        call.cancelled.set()  # whoever is done does not look any more
