"""What the engine adds to a search, on loopback with recorded replies: as ratios to bare work in
the same run.

A server in a process of its own gives DuckDuckGo's recorded page to everybody. An uncached search
is compared with a bare httpx2 GET of the same bytes, fifty at once with fifty of those, a cached
one (through the library, and over MCP on stdio with the SDK's client) with a bare SQLite read of a
row of the same size. The measures take turns; medians are printed. The pauses that politeness asks
for are off. Nothing leaves the machine, and nothing is written but to a temporary folder.

    python bench/search.py
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx2

import webquarry
from webquarry._search.models import Query
from webquarry.clock import Clock
from webquarry.settings import Settings
from webquarry.store.cache import Cache
from webquarry.store.disk_cache import DiskStore
from webquarry.tool import TextAnswer
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.tools.duckduckgo import own_settings

REPLY = Path(__file__).parent.parent / "tests" / "search" / "replies" / "duckduckgo" / "ok_200.html"
RESULTS = 4  # on the recorded page; with more it would be asked for a second one
ROUNDS = 101
CROWDS = 11
CROWD = 50
FREE = {"WEBSEARCH_RATE_LIMIT_MS": "0"}

Work = Callable[[], Awaitable[None]]


def main() -> int:
    if sys.argv[1:] == ["--serve"]:
        asyncio.run(serve())
        return 0
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
        ) as server,
    ):
        try:
            assert server.stdout
            origin = server.stdout.readline().strip()
            show(asyncio.run(measure(origin, Path(folder))))
        finally:
            server.kill()
    return 0


async def serve() -> None:
    """The server: whatever is asked, the same page, on connections that stay open."""
    body = REPLY.read_bytes()
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (
        len(body),
        body,
    )

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length or 0))
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    listening = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=4 * CROWD)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", flush=True)
    await listening.serve_forever()


async def measure(origin: str, folder: Path) -> dict[str, float]:
    """The median of every measure, in seconds."""
    environ = FREE | {
        "WEBQUARRY_DUCKDUCKGO_HTML_URL": origin,
        "WEBQUARRY_CACHE_FOLDER": str(folder / "cache"),
        "HOME": str(folder),
    }
    settings = own_settings(Settings.from_environment(environ)).replace(
        host_concurrency=CROWD, host_requests_per_second=100_000
    )
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        limits = httpx2.Limits(max_connections=CROWD, max_keepalive_connections=CROWD)
        bare = await enter(httpx2.AsyncClient(limits=limits, trust_env=False))
        kit = await enter(Toolkit.open(settings, environ))
        from_disk = await enter(disk_only(settings, environ))
        quarry = await enter(webquarry.open(settings, toolset="duckduckgo", environ=environ))
        program = str(Path(sysconfig.get_path("scripts")) / "websearch-mcp")
        from mcp import Client
        from mcp.client.stdio import StdioServerParameters

        client = await enter(Client(StdioServerParameters(command=program, env=environ)))
        row = await enter(sqlite_row(folder / "bare.sqlite3", await kept_bytes(kit)))
        number = itertools.count()

        async def get() -> None:
            assert (await bare.get(origin)).status_code == 200

        async def search() -> None:
            found = await kit.router.route(
                Query(f"uncached {next(number)}", RESULTS), provider="duckduckgo"
            )
            assert len(found.results) == RESULTS
            assert not found.cached

        async def ask_library() -> None:
            is_cached(await quarry.web_search(query="kept", max_results=RESULTS))

        async def ask_disk() -> None:
            is_cached(
                await load("duckduckgo", "web_search").call(
                    from_disk, {"query": "kept", "max_results": RESULTS}
                )
            )

        async def ask_mcp() -> None:
            result = await client.call_tool("web_search", {"query": "kept", "max_results": RESULTS})
            assert (result.meta or {})["webquarry/cache"]["cached"]

        async def read_row() -> None:
            row()

        for warm in (get, search, ask_library, ask_disk, ask_mcp, read_row):
            await warm()
        medians = await take_turns(
            ROUNDS,
            {
                "bare GET": get,
                "uncached search": search,
                "bare SQLite read": read_row,
                "cached, library (memory)": ask_library,
                "cached, library (disk)": ask_disk,
                "cached, MCP stdio": ask_mcp,
            },
        )
        crowds = {
            f"{CROWD} bare GETs at once": crowd(get),
            f"{CROWD} searches at once": crowd(search),
        }
        return medians | await take_turns(CROWDS, crowds)


async def take_turns(rounds: int, works: dict[str, Work]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            begin = time.perf_counter()
            await work()
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(taken) for name, taken in times.items()}


def crowd(work: Work) -> Work:
    async def run() -> None:
        await asyncio.gather(*(work() for _ in range(CROWD)))

    return run


def is_cached(answer: webquarry.Answer) -> None:
    assert isinstance(answer, TextAnswer)
    assert answer.meta["webquarry/cache"]["cached"]
    assert answer.text.endswith(f"_Source: DuckDuckGo ({RESULTS} results)_")


async def kept_bytes(kit: Toolkit) -> int:
    """Search once, so that every door finds the answer kept; how many bytes it takes on disk."""
    await load("duckduckgo", "web_search").call(kit, {"query": "kept", "max_results": RESULTS})
    (disk,) = [stats for stats in await kit.cache.stats() if stats.name == "disk"]
    return disk.bytes


@asynccontextmanager
async def disk_only(settings: Settings, environ: dict[str, str]) -> AsyncIterator[Toolkit]:
    """A toolkit without the store in memory, as every process is at its start."""
    assert settings.cache_folder
    async with Toolkit.open(settings, environ) as kit:
        kit.__dict__["cache"] = Cache(
            [DiskStore(settings.cache_folder, settings.cache_max_bytes)], Clock()
        )
        yield kit


@asynccontextmanager
async def sqlite_row(path: Path, size: int) -> AsyncIterator[Callable[[], bytes]]:
    """A bare read of a row of so many bytes by its key, from a file like that of the cache."""
    database = sqlite3.connect(path)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(
            "CREATE TABLE entries (name BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
        )
        database.execute("INSERT INTO entries VALUES (?, ?)", (b"name", os.urandom(size)))
        database.commit()
        yield lambda: bytes(
            database.execute("SELECT value FROM entries WHERE name = ?", (b"name",)).fetchone()[0]
        )
    finally:
        database.close()


def show(medians: dict[str, float]) -> None:
    unit = ""
    for name, seconds in medians.items():
        unit = name if "bare" in name else unit
        ratio = seconds / medians[unit]
        print(f"{name:26} {seconds * 1000:9.3f} ms  {ratio:8.2f} x {unit}")
    added = medians["uncached search"] - medians["bare GET"]
    print(
        f"added to an uncached search: {added * 1000:.3f} ms, {added / medians['bare GET']:.2f} "
        "x bare GET"
    )


if __name__ == "__main__":
    sys.exit(main())
