"""The explorer in Debian's Chromium: first paint, search as you type, frames of a large graph.

    scripts/bench explorer PATH --start SYMBOL [--index-dir DIR] [--nodes 2000] [--rounds 5]

The folder is indexed first. `start` is from the command to the address it prints; `paint` from opening the page to its
first content, `field` to the field that can be typed into: of the first page, then the best and the median of all. A
search is timed in the page from asking to the hits being drawn (without the 90 ms of quiet that typing waits for).
Frames are counted while the picture of the graph is dragged for five seconds, while it is still being laid out and
after it has settled. Without a graphics card the browser draws with the processor, so what a frame takes of it is told
too: of the page's own thread, and of all processes of the browser. Beside other work only these say something.
"""

from __future__ import annotations

import argparse
import contextlib
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
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
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
        print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
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
    paints: list[float] = []
    fields: list[float] = []
    for number in range(given.rounds):
        page = opened(browser, url)
        page.wait_for_selector("main input")
        fields.append(page.evaluate("performance.now()"))
        painted = page.wait_for_function(PAINTED)  # a busy machine tells of the paint only later
        paints.append(painted.json_value())
        if number < given.rounds - 1:
            page.context.close()
    print(f"first page: paint {paints[0]:.0f} ms, field within {fields[0]:.0f} ms")
    print(f"{given.rounds} pages: paint {best(paints)} ms, field within {best(fields)} ms")
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
    moving, *moving_ms = dragged(page, metrics)
    page.wait_for_timeout(25_000)
    settled, *settled_ms = dragged(page, metrics)
    still = counted(page.evaluate(COUNT, 3_000))
    print(
        f"frames a second: {moving:.0f} while it is laid out, {settled:.0f} when it has settled, {still:.0f} untouched"
    )
    for name, own, whole in (("laid out", *moving_ms), ("settled", *settled_ms)):
        print(
            f"processor time of a frame, {name}: {own:.1f} ms of the page's own thread, {whole:.1f} ms of the browser"
        )


def dragged(page: Page, metrics: CDPSession) -> tuple[float, float, float]:
    """Frames a second while the picture follows the mouse, and what a frame takes of the page's thread and of all."""
    before, before_all = busy_s(metrics), browser_s()
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
    frame_ms = 1000 / (len(at) - 1)
    return counted(at), (busy_s(metrics) - before) * frame_ms, (browser_s() - before_all) * frame_ms


def busy_s(metrics: CDPSession) -> float:
    """Processor time of the page's own thread since it was opened."""
    found = metrics.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def browser_s() -> float:
    """Processor time of all processes of the browser so far; 0 where the system does not tell (it is not Linux)."""
    used = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            name, _, rest = stat.read_text(errors="replace").rpartition(")")
            fields = rest.split()
            used += int(fields[11]) + int(fields[12]) if "(chrom" in name else 0
    return used / os.sysconf("SC_CLK_TCK")


def counted(at: list[float]) -> float:
    """Frames a second from the times of frames."""
    return (len(at) - 1) / (at[-1] - at[0]) * 1000


def best(values: list[float]) -> str:
    """The best and the median."""
    return f"{min(values):.0f} / {statistics.median(values):.0f}"


def spread(values: list[float]) -> str:
    """The best, median and 95th percentile."""
    return (
        f"best {min(values):.0f}, p50 {statistics.median(values):.0f}, p95 {statistics.quantiles(values, n=20)[-1]:.0f}"
    )


if __name__ == "__main__":
    main()
