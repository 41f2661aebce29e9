"""MCP behind the page, loaded when somebody first speaks it: its import takes most of a second, and whoever opens the
page does not want it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Later:
    """Stands for an ASGI application until it is asked for; then runs it from its start-up to its end."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._app: ASGIApp | None = None
        self._lock = asyncio.Lock()
        self._ending = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        app = await self._ready()
        await app(scope, receive, send)

    async def _ready(self) -> ASGIApp:
        async with self._lock:
            if self._app is None:
                app = await asyncio.to_thread(self._make)
                started = asyncio.get_running_loop().create_future()
                self._running = asyncio.create_task(self._run(app, started))
                await asyncio.wait([started, self._running], return_when=asyncio.FIRST_COMPLETED)
                if not started.done():
                    await self._running  # says why it did not start
                self._app = app
        return self._app

    async def _run(self, app: Any, started: asyncio.Future[None]) -> None:
        async with app.router.lifespan_context(app):
            started.set_result(None)
            await self._ending.wait()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._ending.set()
        if self._running is not None:
            await self._running
        await send({"type": "lifespan.shutdown.complete"})
