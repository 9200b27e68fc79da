"""What `search_and_scrape` takes for 5 and 10 pages, on loopback: against one search and one page
in the same run.

A server in a process of its own answers a search after 100 ms and every page of 50 KB after 100 ms;
each result is on a host of its own (127.0.0.x), whose robots.txt is known. The parts are measured
alone: a search, one page read, and the processor time of reading as many pages one after the other.
The goal is that all of it together takes no longer than 1.2 times (search + one page) and the
processor time of the pages, because they wait at the same time and not in turn. Nothing leaves the
machine, and nothing is written but to a temporary folder.

    python bench/search_and_scrape.py
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from webquarry._read.workers.pool import WorkerPool
from webquarry._search.models import Query
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools import load

LATENCY = 0.1
PAGE_BYTES = 50_000
HOSTS = [f"127.0.0.{number}" for number in range(1, 11)]
SIZES = (5, 10)
ROUNDS = 15
LIMIT = 1.2
QUERY = "tidal energy storage"

Work = Callable[[], Awaitable[None]]


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(int(sys.argv[2])))
        return 0
    with tempfile.TemporaryDirectory() as folder, serving(PAGE_BYTES) as port:
        return asyncio.run(measure(port, Path(folder)))


# The server


@contextmanager
def serving(size: int) -> Iterator[int]:
    """The port of a server in a process of its own, with pages of so many bytes."""
    command = [sys.executable, __file__, "--serve", str(size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield int(server.stdout.readline())
        finally:
            server.kill()


async def serve(size: int) -> None:
    """A search engine of SearXNG's kind, and ten sites, all behind one port."""
    bodies: dict[str, bytes] = {}

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                status, kind, body = answer(path, port, bodies)
                if status == 200:
                    await asyncio.sleep(LATENCY)
                start = (
                    f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n"
                )
                writer.write(start.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    first = await asyncio.start_server(handle, HOSTS[0], 0)
    port = first.sockets[0].getsockname()[1]
    others = [await asyncio.start_server(handle, host, port) for host in HOSTS[1:]]
    for number in range(len(HOSTS)):
        bodies[str(number)] = page(number, size)
    print(port, flush=True)
    await asyncio.gather(*(listening.serve_forever() for listening in [first, *others]))


def answer(path: str, port: int, bodies: dict[str, bytes]) -> tuple[int, str, bytes]:
    """`/search?q=... 7` names pages of round 7, `/7/3` is page 3 of them."""
    if path.startswith("/search"):
        number = path.partition("q=")[2].partition("&")[0].rpartition("+")[2]
        results = [
            {
                "title": f"Page {at}",
                "url": f"http://{host}:{port}/{number}/{at}",
                "content": "About tides.",
            }
            for at, host in enumerate(HOSTS)
        ]
        return 200, "application/json", json.dumps({"query": "", "results": results}).encode()
    if path == "/robots.txt":
        return 404, "text/plain", b""
    return 200, "text/html; charset=utf-8", bodies[path.rpartition("/")[2]]


def page(number: int, size: int) -> bytes:
    """An article in invented words, with a menu and a footer; the same for the same number."""
    chance = random.Random(number)
    syllables = ["ta", "ren", "mo", "lis", "ka", "den", "ro", "vel", "ti", "sun", "ber", "ga"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(1500)]
    words += ["the", "of", "and", "in", "is"] * 120 + ["tidal", "energy", "storage", "stores"] * 5
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in words[:60])
    parts = [
        "<!doctype html><html lang=en><head><title>Tidal page "
        f"{number}</title></head><body><nav><ul>{menu}</ul></nav>"
    ]
    parts.append(f"<main><article><h1>Tidal page {number}</h1>")
    length = sum(map(len, parts))
    while length < size - 200:
        sentences = [
            " ".join(chance.choices(words, k=chance.randint(6, 20))).capitalize() for _ in range(5)
        ]
        parts.append(
            f"<h2>{chance.choice(words)}</h2>" * (chance.random() < 0.2)
            + f"<p>{'. '.join(sentences)}.</p>"
        )
        length += len(parts[-1])
    parts.append("</article></main><footer>The end</footer></body></html>")
    return "".join(parts).encode()


# The measures


def environment(port: int, folder: Path) -> dict[str, str]:
    return {
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "SEARCH_PROVIDER": "searxng",
        "WEBQUARRY_ALLOW_NETWORKS": "127.0.0.0/8",
        "WEBQUARRY_CACHE_FOLDER": str(folder / "cache"),
        "HOME": str(folder),
    }


async def measure(port: int, folder: Path) -> int:
    environ = environment(port, folder)
    fresh = itertools.count()
    tool = load("research", "search_and_scrape")
    settings = Settings.from_environment(environ)
    async with Toolkit.open(settings, environ, runner="workers") as kit:

        async def search() -> None:
            found = await kit.router.route(Query(f"{QUERY} {next(fresh)}", 10))
            assert len(found.results) == len(HOSTS)

        async def read(at: int) -> None:
            await kit.pages.get(f"http://{HOSTS[at]}:{port}/{next(fresh)}/{at}")

        async def both(count: int) -> None:
            answer = await tool.call(kit, {"query": f"{QUERY} {next(fresh)}", "num_results": count})
            shown = answer.as_dict()
            assert len(shown["sources"]) == count, shown["scrapeFailures"]

        async def one_page() -> None:
            await read(next(fresh) % len(HOSTS))

        for at in range(
            len(HOSTS)
        ):  # robots.txt, connections, and all that is imported on first use
            await read(at)
        for count in SIZES:
            await both(count)

        def processor() -> float:
            """Seconds of this process and of those that read its pages."""
            assert isinstance(kit.runner, WorkerPool)
            return time.process_time() + sum(map(processor_seconds, kit.runner.pids))

        works = (search, one_page, read, both)
        good = [await compare(count, *works, processor) for count in SIZES]
    return 0 if all(good) else 1


async def compare(
    count: int,
    search: Work,
    one_page: Work,
    read: Callable[[int], Awaitable[None]],
    both: Callable[[int], Awaitable[None]],
    processor: Callable[[], float],
) -> bool:
    """Print one size; whether it keeps to the goal. The measures take turns; the least of each
    decides, because whatever else the machine does can only add to them, and the median of each is
    told.
    """

    async def one_after_the_other() -> None:
        for at in range(count):
            await read(at)

    async def together() -> None:
        await both(count)

    rounds: list[tuple[float, ...]] = [
        (
            await taken_by(search),
            await taken_by(one_page),
            await taken_by(one_after_the_other, processor),
            await taken_by(together),
        )
        for _ in range(ROUNDS)
    ]
    good = report(f"{count} pages", *(min(one[at] for one in rounds) for at in range(4)))
    report(
        f"{count} pages, median", *(statistics.median(one[at] for one in rounds) for at in range(4))
    )
    return good


def report(what: str, searching: float, reading: float, processor: float, taken: float) -> bool:
    """Print a comparison; whether it keeps to the goal."""
    alone = searching + reading
    goal = LIMIT * alone + processor
    print(
        f"{what}: {ms(taken)}; search {ms(searching)} + one page {ms(reading)}, CPU of the pages "
        f"{ms(processor)}; "
        f"goal {ms(goal)}: {'met' if taken <= goal else 'MISSED'} "
        f"({taken / alone:.2f} times search + one page, {(taken - processor) / alone:.2f} "
        "without the CPU)"
    )
    return taken <= goal


def processor_seconds(pid: int) -> float:
    """The processor time that another process has taken, as Linux tells it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def taken_by(work: Work, clock: Callable[[], float] = time.perf_counter) -> float:
    begin = clock()
    await work()
    return clock() - begin


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
