"""The MCP server itself: tools, resources and instructions, whatever transport carries them.

Listing tools and resources never waits for the index or for a heavy import. A tool call runs in a small pool of
threads, so that at most `MAX_CALLS` work at once however many clients ask; a cancelled call gives its answer up, tells
the worker, and keeps its place in the pool until the worker has really stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import mcp.types as wire
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import sightline
from sightline.errors import SightlineError
from sightline.server import arguments, resources, schema, tools
from sightline.server.app import App
from sightline.server.progress import Call

MAX_CALLS = 8  # the core releases the GIL in its searches, but two cores do not answer faster with more
_PROGRESS_EVERY_S = 0.25
_logger = logging.getLogger(__name__)
_T = TypeVar("_T")

Request = ServerRequestContext[Any, Any]


def build(app: App) -> Server[Any]:
    """Make the MCP server of an app."""
    pool = ThreadPoolExecutor(MAX_CALLS, thread_name_prefix="sightline-call")
    tool_list = wire.ListToolsResult(tools=[_wire_tool(tool) for tool in tools.TOOLS])

    async def list_tools(_: Request, __: wire.PaginatedRequestParams | None) -> wire.ListToolsResult:
        app.warm_soon()
        return tool_list

    async def call_tool(request: Request, params: wire.CallToolRequestParams) -> wire.CallToolResult:
        try:
            tool = tools.tool_named(params.name)
            given = arguments.check(tool.arguments, params.arguments or {})
            answer = await _in_pool(pool, lambda call: _answer(app, tool, given, call), app, request)
        except SightlineError as error:
            return _error_result(str(error))
        except Exception:
            _logger.exception("tool %r failed", params.name)
            return _error_result(f"{params.name} failed unexpectedly; the server's log on stderr has the details")
        return wire.CallToolResult(
            content=[wire.TextContent(type="text", text=answer.text)], structured_content=dict(answer.payload)
        )

    async def list_resources(_: Request, __: wire.PaginatedRequestParams | None) -> wire.ListResourcesResult:
        return wire.ListResourcesResult(resources=resources.RESOURCES)

    async def list_templates(_: Request, __: wire.PaginatedRequestParams | None) -> wire.ListResourceTemplatesResult:
        return wire.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)

    async def read_resource(_: Request, params: wire.ReadResourceRequestParams) -> wire.ReadResourceResult:
        try:
            content = await _in_pool(pool, lambda _: resources.read(app, str(params.uri)), app)
        except SightlineError as error:
            raise MCPError(code=wire.INVALID_PARAMS, message=str(error)) from error
        text = wire.TextResourceContents(uri=params.uri, mime_type=content.mime_type, text=content.text)
        return wire.ReadResourceResult(contents=[text])

    @asynccontextmanager
    async def lifespan(_: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        app.warm_soon(later=True)
        yield {}

    server: Server[Any] = Server(
        "sightline",
        version=sightline.__version__,
        title="Sightline",
        instructions=tools.INSTRUCTIONS,
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )
    app.on_close(lambda: pool.shutdown(wait=False, cancel_futures=True))
    return server


def _wire_tool(tool: tools.Tool) -> wire.Tool:
    return wire.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=arguments.input_schema(tool.arguments),
        output_schema=schema.output_schema(tool.output),
        annotations=wire.ToolAnnotations(
            title=tool.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _error_result(text: str) -> wire.CallToolResult:
    return wire.CallToolResult(content=[wire.TextContent(type="text", text=text)], is_error=True)


def _answer(app: App, tool: tools.Tool, given: dict[str, Any], call: Call) -> tools.Answer:
    app.wait_answerable(given.get("root"), call)
    return tool.run(app, given, call)


async def _in_pool(
    pool: ThreadPoolExecutor, work: Callable[[Call], _T], app: App, request: Request | None = None
) -> _T:
    """Run work in the pool, with progress for the client while it takes long.

    When the caller gives up, the work is told, and its result dropped.
    """
    call = Call()
    future = asyncio.wrap_future(pool.submit(work, call))
    reported = 0.0
    try:
        while request is not None and not (await asyncio.wait([future], timeout=_PROGRESS_EVERY_S))[0]:
            done, total, what = app.progress()
            if call.doing:  # the index is no longer waited for
                done, total, what = 0, 0, call.doing
            reported = max(done, reported + 1)  # a client may rely on progress to grow
            await request.session.report_progress(reported, max(total, reported) if total else None, what)
        return await future
    except asyncio.CancelledError:
        call.cancelled.set()
        raise
