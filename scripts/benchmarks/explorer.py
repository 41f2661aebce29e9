"""The explorer in Debian's Chromium: first paint, search as you type, frames of a large graph.

    scripts/bench explorer PATH --start SYMBOL [--index-dir DIR] [--nodes 2000] [--rounds 5]

The folder is indexed first. `start` is from the command to the address it prints; `paint` from opening the page to its
first content, `field` to the field that can be typed into. A search is timed in the page from asking to the hits being
drawn (without the 90 ms of quiet that typing waits for), `server` is the part of the tool. Frames are counted while the
picture of the graph is dragged for five seconds, after it has settled and while it is still being laid out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

QUERIES = (
    "where is the configuration read",
    "handle an error and report it",
    "parse the arguments",
    "retry when the connection fails",
    "compare two versions",
    "start and stop a background thread",
)
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
DRAG_S = 5
COUNT = """(ms) => new Promise((done) => {
    const at = [];
    const step = (now) => { at.push(now); now - at[0] < ms ? requestAnimationFrame(step) : done(at); };
    requestAnimationFrame(step);
})"""


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--start", required=True, help="the symbol whose neighbourhood is drawn")
    parser.add_argument("--index-dir", type=Path)
    parser.add_argument("--nodes", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    environment = os.environ | ({"SIGHTLINE_INDEX_DIR": str(given.index_dir)} if given.index_dir else {})
    command = [sys.executable, "-m", "sightline.server"]
    subprocess.run([*command, "index", str(given.path)], env=environment, check=True)
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "ui", str(given.path), "--no-open"], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        url = next(found[1] for line in process.stderr if (found := re.search(r"explorer is at (\S+)", line)))
        print(f"start {time.perf_counter() - began:.2f} s")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            measure(browser, url, given)
            browser.close()
    finally:
        process.terminate()
        process.wait()


def measure(browser: Browser, url: str, given: argparse.Namespace) -> None:
    """Everything that is seen in the page."""
    for number in range(given.rounds):
        page = opened(browser, url)
        page.wait_for_selector("main input")
        field = page.evaluate("performance.now()")
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"{'first page' if not number else 'next page'}: paint {paint:.0f} ms, field within {field:.0f} ms")
        if number < given.rounds - 1:
            page.context.close()
    searches(page, given.rounds)
    page.context.close()
    frames(opened(browser, url), given)


def opened(browser: Browser, url: str) -> Page:
    """A page of a browser that has been nowhere."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(120_000)
    page.goto(url)
    return page


def searches(page: Page, rounds: int) -> None:
    """Queries typed one after the other."""
    for query in QUERIES * rounds:
        before = page.evaluate("performance.getEntriesByName('search').length")
        page.fill("main input[type=search]", query)
        page.wait_for_function("n => performance.getEntriesByName('search').length > n", arg=before)
    took = page.evaluate("performance.getEntriesByName('search').map(e => e.duration)")[len(QUERIES) :]
    chunks = page.evaluate("document.querySelector('.summary').textContent")
    print(f"search: {spread(took)} ms over {len(took)} queries; the last one: {chunks.split('·')[1].strip()}")


def frames(page: Page, given: argparse.Namespace) -> None:
    """The graph, dragged."""
    page.wait_for_selector("main input")
    page.evaluate(
        "([start, most]) => { location.hash = `#/graph?depth=4&most=${most}&start=${encodeURIComponent(start)}`; }",
        [given.start, str(given.nodes)],
    )
    page.wait_for_selector(".beside li")
    print(page.inner_text(".summary").split(" · ")[1])
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    moving, moving_ms = dragged(page, metrics)
    page.wait_for_timeout(25_000)
    settled, settled_ms = dragged(page, metrics)
    still = counted(page.evaluate(COUNT, 3_000))
    print(
        f"frames a second: {moving:.0f} while it is laid out, {settled:.0f} when it has settled, {still:.0f} untouched"
    )
    print(f"the page's own processor time: {moving_ms:.1f} and {settled_ms:.1f} ms a frame; the rest is drawing")


def dragged(page: Page, metrics: CDPSession) -> tuple[float, float]:
    """Frames a second while the picture follows the mouse, and what a frame takes of the page's own thread."""
    before = busy_s(metrics)
    box = page.locator(".stage").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate("ms => { window.counted = (" + COUNT + ")(ms); }", DRAG_S * 1000)
    page.mouse.move(x, y)
    page.mouse.down()
    until = time.monotonic() + DRAG_S
    step = 0
    while time.monotonic() < until:
        step += 1
        page.mouse.move(x + (step % 40) * 4 - 80, y + (step % 25) * 4 - 50)
    page.mouse.up()
    at = page.evaluate("window.counted")
    return counted(at), (busy_s(metrics) - before) / (len(at) - 1) * 1000


def busy_s(metrics: CDPSession) -> float:
    """Processor time of the page's own thread since it was opened."""
    found = metrics.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def counted(at: list[float]) -> float:
    """Frames a second from the times of frames."""
    return (len(at) - 1) / (at[-1] - at[0]) * 1000


def spread(values: list[float]) -> str:
    """Median and 95th percentile."""
    return f"p50 {statistics.median(values):.0f} / p95 {statistics.quantiles(values, n=20)[-1]:.0f}"


if __name__ == "__main__":
    main()
