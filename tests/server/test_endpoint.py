"""Calls run in a bounded pool; a call that is given up is told to stop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from sightline.server.app import App
from sightline.server.mcp import endpoint
from sightline.server.mcp.endpoint import _in_pool
from sightline.server.progress import Call


def test_a_cancelled_call_tells_the_worker_and_keeps_its_place_until_it_stopped() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(under_way: Call) -> str:
        begun.set()
        assert under_way.cancelled.wait(60)
        stopped.set()
        return "nobody wants this"

    async def main() -> None:
        with ThreadPoolExecutor(1) as pool:
            call = asyncio.create_task(_in_pool(pool, work, App([])))
            await asyncio.to_thread(begun.wait, 60)
            call.cancel()
            results = await asyncio.gather(call, return_exceptions=True)
            assert isinstance(results[0], asyncio.CancelledError)
            assert await _in_pool(pool, lambda _: "next", App([])) == "next", "the pool serves the next call"
            assert stopped.is_set()

    asyncio.run(main())


def test_a_client_that_cannot_be_told_how_far_its_call_is_ends_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "PROGRESS_EVERY_S", 0.01)
    stopped = threading.Event()

    def work(under_way: Call) -> str:
        assert under_way.cancelled.wait(60)
        stopped.set()
        return "nobody wants this"

    async def gone(*_: object) -> None:
        raise ConnectionError("the stream is closed")

    async def main() -> None:
        request: Any = SimpleNamespace(session=SimpleNamespace(report_progress=gone))
        app = SimpleNamespace(progress=lambda: (0, 0, "starting"))
        with ThreadPoolExecutor(1) as pool, pytest.raises(ConnectionError):
            await _in_pool(pool, work, app, request)  # type: ignore[arg-type]
        assert stopped.is_set()

    asyncio.run(main())
