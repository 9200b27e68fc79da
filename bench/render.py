"""The browser: time to start, a first page (cold), further pages (warm), memory of the process tree,
and the same by Playwright with the same browser, where a Python has it.

The page fills itself in after a timer of 50 ms and three requests, one after the other, all on
loopback. Cold is from nothing to the page's tree; warm is one page in a browser that runs. Memory is
the proportional set size (PSS) of all its processes while a page is open. Goals: headless shell warm
.35 s, cold 1 s, 250 MB; full Chromium .6 s, 2.5 s, 400 MB. The machine is shared: trust ratios.

    python bench/render.py [--pages 20] [--playwright /path/to/python] [--kills 0]

`--kills 200` also kills a process of ours 200 times at random moments, and counts what is left 2 s
later.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path

from webquarry._read.browser.chromium import find_program
from webquarry._read.browser.renderer import PageRenderer
from webquarry._read.browser.snapshot import read_snapshot
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.settings import Settings

GOALS = {"shell": (0.35, 1.0, 250), "full": (0.6, 2.5, 400)}  # warm, cold, megabytes
NAMES = ("chromium-headless-shell", "chromium")
TEXT = "The third answer was ninety litres."
PAGE = f"""<!doctype html><html><head><title>Bench</title></head><body><div id="a"></div><script>
setTimeout(async () => {{
  for (const name of ["one", "two", "three"]) await fetch("/" + name).then(r => r.text());
  document.getElementById("a").innerHTML = "<h1>Bench</h1><p>{TEXT}</p>" + "<p>More.</p>".repeat(50);
}}, 50)</script></body></html>"""
READ_FOR_EVER = """
import asyncio, sys
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry._read.browser.renderer import PageRenderer
from webquarry.settings import Settings
async def main():
    settings = Settings(browser=sys.argv[2], allow_networks=[ip_network("127.0.0.0/8")], robots=False)
    async with Client(settings, Clock()) as client:
        renderer = PageRenderer(client, settings)
        while True:
            await renderer.render(sys.argv[1], None)
asyncio.run(main())
"""
PLAYWRIGHT = """
import json, sys, time
from pathlib import Path
from playwright.sync_api import sync_playwright
url, program, pages = sys.argv[1], sys.argv[2], int(sys.argv[3])
def pss(root):
    kids = {}
    for d in Path("/proc").glob("[0-9]*"):
        try:
            kids.setdefault(int((d / "stat").read_text().rsplit(")", 1)[1].split()[1]), []).append(int(d.name))
        except OSError: pass
    todo, total = list(kids.get(root, [])), 0
    while todo:
        pid = todo.pop(); todo += kids.get(pid, [])
        try:
            total += int(next(l for l in open(f"/proc/{pid}/smaps_rollup") if l.startswith("Pss:")).split()[1])
        except (OSError, StopIteration): pass
    return total / 1000
begun = time.perf_counter()
with sync_playwright() as p:
    browser = p.chromium.launch(executable_path=program, args=["--no-sandbox"])
    started = time.perf_counter() - begun
    def one(measure=False):
        context = browser.new_context(); page = context.new_page()
        page.goto(url); page.wait_for_selector("h1"); page.content()
        size = pss(__import__("os").getpid()) if measure else 0
        context.close(); return size
    one(); cold = time.perf_counter() - begun
    times = []
    for _ in range(pages):
        t = time.perf_counter(); one(); times.append(time.perf_counter() - t)
    print(json.dumps({"start": started, "cold": cold, "times": times, "mb": one(True)}))
    browser.close()
"""


@contextmanager
def serve() -> Iterator[str]:
    """The page, on loopback."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # One packet an answer: else each waits 40 ms for a delayed acknowledgement.
        wbufsize = 1 << 16

        def do_GET(self) -> None:
            body = PAGE.encode() if self.path == "/" else b"answer"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()


def measure_pss(processes: list[int]) -> float:
    """Megabytes that processes take, what they share parted among them."""
    total = 0
    for process in processes:
        try:
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        except OSError:
            pass
    return total / 1000


async def measure(url: str, program: str, pages: int) -> dict[str, object]:
    """Times and memory of our own browser."""
    settings = Settings(
        browser=program,
        allow_networks=[ip_network("127.0.0.0/8")],
        robots=False,
        host_requests_per_second=1000,
    )
    async with Client(settings, Clock()) as client:
        renderer = PageRenderer(client, settings)
        try:
            begun = time.perf_counter()
            await renderer.start()
            started = time.perf_counter() - begun
            rendered = await renderer.render(url, None)
            cold = time.perf_counter() - begun
            assert TEXT.encode() in read_snapshot(rendered.reply).body
            times = []
            for _ in range(pages):
                begun = time.perf_counter()
                await renderer.render(url, None)
                times.append(time.perf_counter() - begun)
            size = await measure_with_page(renderer, url)
        finally:
            await renderer.aclose()
    return {"start": started, "cold": cold, "times": times, "mb": size}


async def measure_with_page(renderer: PageRenderer, url: str) -> float:
    """The most memory that the tree takes while a page is rendered."""
    browser = renderer._browser
    assert browser is not None
    work = asyncio.ensure_future(renderer.render(url, None))
    most = 0.0
    while not work.done():
        await asyncio.sleep(0.02)
        most = max(most, measure_pss(browser.process.list_processes()))
    await work
    return most


def measure_playwright(python: str, url: str, program: str, pages: int) -> dict[str, object] | None:
    done = subprocess.run(
        [python, "-c", PLAYWRIGHT, url, program, str(pages)], capture_output=True, text=True
    )
    if done.returncode:
        print(f"  Playwright failed: {done.stderr.strip().splitlines()[-1:]}")
        return None
    figures: dict[str, object] = json.loads(done.stdout)
    return figures


def show(name: str, found: dict[str, object]) -> tuple[float, float, float]:
    times = sorted(found["times"])  # type: ignore[call-overload]
    warm = statistics.median(times)
    p90 = times[int(len(times) * 0.9)]
    print(
        f"  {name:11} start {found['start']:.2f} s, cold {found['cold']:.2f} s, warm {warm:.2f} s "
        f"(p90 {p90:.2f}), {found['mb']:.0f} MB"
    )
    return warm, float(found["cold"]), float(found["mb"])  # type: ignore[arg-type]


def list_browsers(folder: Path) -> int:
    """How many processes have their profile in a folder."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            count += f"--user-data-dir={folder}".encode() in (entry / "cmdline").read_bytes()
    return count


def kill_often(url: str, program: str, times: int) -> int:
    """Kill a process that renders, at random moments; how many processes are left 2 s later."""
    place = Path(tempfile.mkdtemp(prefix="wq-bench-"))
    place.chmod(0o711)
    left = 0
    for _ in range(times):
        child = subprocess.Popen(
            [sys.executable, "-c", READ_FOR_EVER, url, program],
            env={**os.environ, "TMPDIR": str(place)},
        )
        time.sleep(random.uniform(0.3, 3))
        child.kill()
        child.wait()
        end = time.monotonic() + 2
        while list_browsers(place) and time.monotonic() < end:
            time.sleep(0.05)
        left += list_browsers(place)
    subprocess.run(["rm", "-rf", str(place)], check=False)
    return left


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--playwright", help="a Python that has it")
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    python = options.playwright
    if python is None and importlib.util.find_spec("playwright"):
        python = sys.executable
    programs = [find_program(Settings(browser=name)) for name in NAMES]
    if not any(programs):
        print("no Chromium is installed: nothing to measure")
    with serve() as url:
        for program in filter(None, programs):
            kind = "shell" if "shell" in program else "full"
            goal = GOALS[kind]
            print(f"{program} (goals: warm {goal[0]} s, cold {goal[1]} s, {goal[2]} MB)")
            ours = show("webquarry", asyncio.run(measure(url, program, options.pages)))
            if python is not None:
                other = measure_playwright(python, url, program, options.pages)
                if other is not None:
                    theirs = show("playwright", other)
                    ratios = [mine / others for mine, others in zip(ours, theirs, strict=True)]
                    print("  ratio       warm {:.2f}, cold {:.2f}, memory {:.2f}".format(*ratios))
            if options.kills:
                left = kill_often(url, program, options.kills)
                print(f"  {options.kills} kills: {left} processes left 2 s later")


if __name__ == "__main__":
    main()
