"""The four APIs by which agents ask their models: how tools, results and answers look in each.

A shape reads a request (which tools are offered, which results of calls it holds) and writes the model's reply: a
call of a tool, or a last word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

WORD = "done"
JSON, STREAM = "application/json", "text/event-stream"
Request = Mapping[str, Any]
Reply = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as the model is offered it."""

    name: str  # as the model calls it
    space: str  # the group of tools it belongs to, where an API has such groups
    definition: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model is to ask for."""

    tool: Offered
    arguments: Mapping[str, Any]
    number: int


class Shape(Protocol):
    """One API."""

    def handles(self, path: str) -> bool:
        """Whether a request to this path asks for a model's reply."""

    def offered(self, request: Request) -> list[Offered]:
        """The tools that the model may call."""

    def results(self, request: Request) -> list[str]:
        """What calls have answered so far, as the model reads it."""

    def reply(self, path: str, request: Request, call: ToolCall | None) -> Reply:
        """The model's reply: a call, or the last word."""


class Messages:
    """Anthropic's Messages."""

    def handles(self, path: str) -> bool:
        """Whether a request to this path asks for a model's reply."""
        return path.startswith("/v1/messages") and "count_tokens" not in path

    def offered(self, request: Request) -> list[Offered]:
        """The tools that the model may call."""
        return [Offered(tool.get("name", ""), "", tool) for tool in request.get("tools") or ()]

    def results(self, request: Request) -> list[str]:
        """What calls have answered so far, as the model reads it."""
        parts = (part for message in request.get("messages", ()) for part in _parts(message.get("content")))
        return [_text(part.get("content")) for part in parts if part.get("type") == "tool_result"]

    def reply(self, path: str, request: Request, call: ToolCall | None) -> Reply:
        """The model's reply: a call, or the last word."""
        block: dict[str, Any] = {"type": "text", "text": WORD}
        delta: dict[str, Any] = {"type": "text_delta", "text": WORD}
        empty: dict[str, Any] = {"type": "text", "text": ""}
        if call is not None:
            empty = {"type": "tool_use", "id": f"toolu_{call.number}", "name": call.tool.name, "input": {}}
            block = {**empty, "input": call.arguments}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        reason = "end_turn" if call is None else "tool_use"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request.get("model", ""),
            "usage": usage,
        }
        if not request.get("stream"):
            return JSON, _bytes({**message, "content": [block], "stop_reason": reason, "stop_sequence": None})
        begun = {**message, "content": [], "stop_reason": None, "stop_sequence": None}
        ended = {"stop_reason": reason, "stop_sequence": None}
        return STREAM, _named_events(
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )


class Responses:
    """OpenAI's Responses."""

    def handles(self, path: str) -> bool:
        """Whether a request to this path asks for a model's reply."""
        return path.startswith("/v1/responses")

    def offered(self, request: Request) -> list[Offered]:
        """The tools that the model may call."""
        found = []
        for tool in request.get("tools") or ():
            if tool.get("type") == "namespace":
                found += [
                    Offered(inner.get("name", ""), tool.get("name", ""), inner) for inner in tool.get("tools", ())
                ]
            else:
                found.append(Offered(tool.get("name", ""), "", tool))
        return found

    def results(self, request: Request) -> list[str]:
        """What calls have answered so far, as the model reads it."""
        items = request.get("input", ())
        outputs = [item for item in items if isinstance(item, dict) and item.get("type") == "function_call_output"]
        return [_text(item.get("output")) for item in outputs]

    def reply(self, path: str, request: Request, call: ToolCall | None) -> Reply:
        """The model's reply: a call, or the last word."""
        item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        item["content"] = [{"type": "output_text", "text": WORD, "annotations": []}]
        if call is not None:
            item = {"type": "function_call", "id": f"fc_{call.number}", "call_id": f"call_{call.number}"}
            item |= {"name": call.tool.name, "arguments": json.dumps(call.arguments), "status": "completed"}
            item |= {"namespace": call.tool.space} if call.tool.space else {}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage}
        if not request.get("stream"):
            return JSON, _bytes(response)
        return STREAM, _named_events(
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        )


class Chat:
    """OpenAI's Chat Completions."""

    def handles(self, path: str) -> bool:
        """Whether a request to this path asks for a model's reply."""
        return path.startswith("/v1/chat/completions")

    def offered(self, request: Request) -> list[Offered]:
        """The tools that the model may call."""
        return [Offered(tool.get("function", {}).get("name", ""), "", tool) for tool in request.get("tools") or ()]

    def results(self, request: Request) -> list[str]:
        """What calls have answered so far, as the model reads it."""
        return [_text(m.get("content")) for m in request.get("messages", ()) if m.get("role") == "tool"]

    def reply(self, path: str, request: Request, call: ToolCall | None) -> Reply:
        """The model's reply: a call, or the last word."""
        message: dict[str, Any] = {"role": "assistant", "content": WORD}
        if call is not None:
            function = {"name": call.tool.name, "arguments": json.dumps(call.arguments)}
            asked = {"index": 0, "id": f"call_{call.number}", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [asked]}
        reason = "stop" if call is None else "tool_calls"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "chat_1", "created": 1, "model": request.get("model", "")}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return JSON, _bytes({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        head["object"] = "chat.completion.chunk"
        pieces: Sequence[Mapping[str, Any]] = (
            {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
        )
        return STREAM, _events(pieces) + b"data: [DONE]\n\n"


class Generate:
    """Gemini's generateContent."""

    def handles(self, path: str) -> bool:
        """Whether a request to this path asks for a model's reply."""
        return "enerateContent" in path

    def offered(self, request: Request) -> list[Offered]:
        """The tools that the model may call."""
        groups = request.get("tools") or ()
        return [Offered(d.get("name", ""), "", d) for group in groups for d in group.get("functionDeclarations", ())]

    def results(self, request: Request) -> list[str]:
        """What calls have answered so far, as the model reads it."""
        parts = (part for content in request.get("contents", ()) for part in content.get("parts", ()))
        return [_text(part["functionResponse"].get("response")) for part in parts if "functionResponse" in part]

    def reply(self, path: str, request: Request, call: ToolCall | None) -> Reply:
        """The model's reply: a call, or the last word."""
        part: dict[str, Any] = {"text": WORD}
        if call is not None:
            part = {"functionCall": {"name": call.tool.name, "args": call.arguments}}
        answer = {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        }
        return (STREAM, _events([answer])) if "alt=sse" in path else (JSON, _bytes(answer))


SHAPES: Sequence[Shape] = (Messages(), Responses(), Chat(), Generate())


def _parts(content: Any) -> Iterable[Mapping[str, Any]]:
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else ()


def _text(content: Any) -> str:
    """What the model reads of a result: a plain string, the text of its parts, or JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part.get("text"), str) for part in _parts(content)):
        return "".join(part["text"] for part in _parts(content))
    if isinstance(content, dict) and isinstance(content.get("output"), str) and len(content) == 1:
        return str(content["output"])
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _bytes(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode()


def _events(values: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(b"data: " + _bytes(value) + b"\n\n" for value in values)


def _named_events(*values: Mapping[str, Any]) -> bytes:
    return b"".join(b"event: " + value["type"].encode() + b"\n" + _events([value]) for value in values)
