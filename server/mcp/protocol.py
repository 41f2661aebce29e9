"""What we say in MCP, as plain dictionaries: who we are, what we offer, and the results of calls.

One source for all transports. stdio speaks these dictionaries itself (`session.py`); over HTTP the MCP library carries
them (`endpoint.py`).
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import sightline
from sightline.errors import SightlineError
from sightline.server import arguments, tools, usage
from sightline.server.answers import schema
from sightline.server.mcp import resources
from sightline.server.progress import Call, CallCancelledError
from sightline.visible import visible

if TYPE_CHECKING:
    from sightline.server.app import App

IDENTITY: Mapping[str, Any] = {"name": "sightline", "title": "Sightline", "version": sightline.__version__}
CAPABILITIES: Mapping[str, Any] = {
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
_logger = logging.getLogger(__name__)


@functools.cache
def tool_list(*, structured: bool) -> dict[str, Any]:
    """The answer to `tools/list`."""
    return {"tools": [_described(tool, structured=structured) for tool in tools.TOOLS]}


def resource_list() -> dict[str, Any]:
    """The answer to `resources/list`."""
    return {"resources": [dict(resource) for resource in resources.RESOURCES]}


def template_list() -> dict[str, Any]:
    """The answer to `resources/templates/list`."""
    return {"resourceTemplates": [dict(template) for template in resources.TEMPLATES]}


def call_tool(app: App, name: str, given: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Check the arguments, run the tool, and say what came of it; only a call that is given up raises."""
    began = time.perf_counter()
    try:
        tool = tools.tool_named(name)
        values = arguments.check(tool.arguments, given)
        app.wait_answerable(values["root"], call)
        answer = tool.run(app, values, call)
        result: dict[str, Any] = {"content": [_text(answer.text)], "isError": False}
        if app.structured:
            result["structuredContent"] = answer.payload
        _log(app, tool, values, answer, began)
    except CallCancelledError:
        raise
    except SightlineError as error:
        return _failed(str(error))
    except BaseException:  # a panic in Rust is no Exception, and a call without an answer hangs its client
        _logger.exception("tool %r failed", name)
        return _failed(f"{name} failed unexpectedly; the server's log on stderr has the details")
    return result


def _log(app: App, tool: tools.Tool, values: Mapping[str, Any], answer: tools.Answer, began: float) -> None:
    if app.usage is None:
        return
    roots = [(root.name, root.config.root) for root in app.choose(values["root"])]
    asked = str(values[tool.subject.name])
    named = ", ".join(str(folder) for _, folder in roots)
    call = usage.answered(named, tool.name, asked, began, answer.text, found=answer.found)
    app.usage.note(usage.Note(call, answer.text, answer.make_payload, roots))


def read_resource(app: App, uri: str) -> dict[str, Any]:
    """The answer to `resources/read`; QueryError when there is nothing of this address."""
    try:
        content = resources.read(app, uri)
    except Exception:
        raise
    except BaseException as panic:  # what runs this call can answer an Exception, and nothing else
        raise RuntimeError(f"reading {uri[:200]!r} failed") from panic
    return {"contents": [{"mimeType": content.mime_type, "text": content.text, "uri": uri}]}


def _described(tool: tools.Tool, *, structured: bool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": arguments.input_schema(tool.arguments),
        **({"outputSchema": schema.output_schema(tool.output)} if structured else {}),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }


def _failed(text: str) -> dict[str, Any]:
    return {"content": [_text(visible(text))], "isError": True}


def _text(text: str) -> dict[str, str]:
    return {"text": text, "type": "text"}
