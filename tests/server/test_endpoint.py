"""Calls run in a bounded pool; a call that is given up is told to stop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from sightline.server.app import App
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
