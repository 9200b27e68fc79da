"""The longest pause of the event loop while pages of all kinds are read by several callers, beside
a ping.

A heart beats every millisecond on the loop that serves; its longest pause is what a ping of anybody
would have waited. The same heart beats in a process that does nothing else, and tells what the
machine itself adds. Each kind of page is read, cut and made into the result of an MCP call, as a
server does it: large pages, hostile ones, bytes, documents, ten pages at once. The goal is 20 ms
beyond the idle process. Everything is on loopback.

    python bench/loop_pause.py
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from echo_job import echo
from hostile_pages import hostile_page
from search_and_scrape import QUERY, environment, page
from search_and_scrape import serving as serving_pages

from webquarry._read.workers.job import Job
from webquarry.mcp.calls import call_tool, load_tool
from webquarry.mcp.protocol import LATEST_HANDSHAKE, Message, Request, Session
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit

GOAL = 0.020  # seconds
HAND_OVER_GOAL = 0.0005
BEAT = 0.001
LARGE = 7_000_000  # bytes
PAPER = Path(__file__).parent.parent / "tests" / "read" / "formats" / "samples" / "paper.pdf"
# Ends when its stdin does, which a thread waits for.
IDLE = f"""
import sys, threading, time
worst, last, going = 0.0, time.perf_counter(), True
def wait():
    global going
    sys.stdin.read()
    going = False
threading.Thread(target=wait, daemon=True).start()
print("beating", flush=True)
while going:
    time.sleep({BEAT})
    now = time.perf_counter()
    worst, last = max(worst, now - last - {BEAT}), now
print(worst)
"""


async def send(message: Message) -> None:
    """No call asks for progress."""


class Heart:
    """Beats on the loop, and knows its longest pause."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def beat(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(BEAT)
            now = time.perf_counter()
            self.longest = max(self.longest, now - last - BEAT)
            last = now


async def pause_of(work: Awaitable[Any]) -> tuple[float, float, float]:
    """The longest pause while something is done, that of a process that does nothing, and the
    seconds it took.
    """
    idle = await asyncio.create_subprocess_exec(
        sys.executable, "-c", IDLE, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert idle.stdin is not None
    assert idle.stdout is not None
    await idle.stdout.readline()
    heart = Heart()
    beating = asyncio.create_task(heart.beat())
    started = time.perf_counter()
    await work
    seconds = time.perf_counter() - started
    beating.cancel()
    idle.stdin.close()
    told = float((await idle.stdout.read()).split()[-1])
    await idle.wait()
    return heart.longest, told, seconds


async def measure_hand_over(kit: Toolkit) -> bool:
    """Print what it takes to hand 50 KB to a warm worker and back; whether it keeps to the goal."""
    job = Job(echo, {}, bytes(50_000))
    await kit.runner.run(job)
    taken = []
    for _ in range(200):
        started = time.perf_counter()
        await kit.runner.run(job)
        taken.append(time.perf_counter() - started)
    print(
        f"50 KB to a worker and back: {min(taken) * 1000:.2f} ms, median "
        f"{statistics.median(taken) * 1000:.2f} ms; goal {HAND_OVER_GOAL * 1000:.1f} ms"
    )
    return min(taken) < HAND_OVER_GOAL


async def measure(port: int, site: int, folder: Path) -> int:
    environ = environment(port, folder)
    settings = Settings.from_environment(environ).replace(read_cpu_seconds=5)
    fresh = itertools.count()
    async with Toolkit.open(settings, environ, runner="workers") as kit:

        async def call(name: str, **arguments: Any) -> None:
            tool = await load_tool("research", name)
            params = {"name": name, "arguments": arguments}
            request = Request(Session(LATEST_HANDSHAKE), 1, "tools/call", params, send)
            (await call_tool(tool, kit, arguments, request)).encode()

        def read(path: str, **arguments: Any) -> Callable[[], Awaitable[None]]:
            async def work() -> None:
                url = f"http://127.0.0.1:{site}/{path}/{next(fresh)}"
                await call("scrape_page", url=url, **arguments)

            return work

        async def four_hostile() -> None:
            await asyncio.gather(*(read(f"hostile{kind}")() for kind in (0, 1, 2, 0)))

        async def ten_large() -> None:
            await call("search_and_scrape", query=f"{QUERY} {next(fresh)}", num_results=10)

        kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "first page of a process": read("small"),
            "small page": read("small"),
            "7 MB page, its beginning": read("large"),
            "7 MB page, 5 MB of it as the answer": read("large", max_length=5_000_000),
            "7 MB page, by a question": read("large", question="What stores tidal energy?"),
            "7 MB page as bytes": read("large", mode="raw", max_length=5_000_000),
            "PDF": read("paper"),
            "four hostile pages at once": four_hostile,
            "ten 7 MB pages at once": ten_large,
        }
        good = await measure_hand_over(kit)
        for name, work in kinds.items():
            pause, idle, seconds = await pause_of(work())
            good = good and pause - idle < GOAL
            print(
                f"{name}: longest pause {pause * 1000:.1f} ms in {seconds:.1f} s; a process that "
                f"does nothing {idle * 1000:.1f} ms"
            )
    print(f"goal {GOAL * 1000:.0f} ms beyond what the machine adds: {'met' if good else 'MISSED'}")
    return 0 if good else 1


async def serve() -> None:
    """The pages, behind one port, in a process of their own."""
    small, large = page(1, 20_000), page(2, LARGE)
    bodies = {"small": small, "large": large, "paper": PAPER.read_bytes()}
    for number in range(3):
        bodies[f"hostile{number}"] = hostile_page(number)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                name = head.split(" ", 2)[1].split("/")[1]
                status, body = "404 Not Found", b""
                if name in bodies:
                    status, body = "200 OK", bodies[name]
                kind = "application/pdf" if name == "paper" else "text/html; charset=utf-8"
                start = (
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                )
                writer.write(start.encode() + b"\r\n" + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> int:
    if sys.argv[1:] == ["--serve"]:
        asyncio.run(serve())
        return 0
    command = [sys.executable, __file__, "--serve"]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving_pages(LARGE) as port,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as site,
    ):
        assert site.stdout
        try:
            return asyncio.run(measure(port, int(site.stdout.readline()), Path(folder)))
        finally:
            site.kill()


if __name__ == "__main__":
    sys.exit(main())
