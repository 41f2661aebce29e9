"""Calls run in a bounded pool; a call that is given up is told to stop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sightline.server.app import App
from sightline.server.endpoint import _in_pool
from sightline.server.progress import Call


def test_a_cancelled_call_tells_the_worker_and_keeps_its_place_until_it_stopped() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(under_way: Call) -> str:
        begun.set()
        assert under_way.cancelled.wait(10)
        stopped.set()
        return "nobody wants this"

    async def main() -> None:
        with ThreadPoolExecutor(1) as pool:
            call = asyncio.create_task(_in_pool(pool, work, App([])))
            await asyncio.to_thread(begun.wait, 10)
            call.cancel()
            results = await asyncio.gather(call, return_exceptions=True)
            assert isinstance(results[0], asyncio.CancelledError)
            assert await _in_pool(pool, lambda _: "next", App([])) == "next", "the pool serves the next call"
            assert stopped.is_set()

    asyncio.run(main())


def test_listing_tools_needs_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom sightline.server.app import App\nfrom sightline.server.endpoint import build\n"
        f"build(App.open([{str(tmp_path)!r}], index_dir={str(tmp_path / 'x')!r}))\n"
        "heavy = {'lancedb', 'lance', 'pyarrow', 'tantivy', 'tree_sitter', 'fastembed', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
