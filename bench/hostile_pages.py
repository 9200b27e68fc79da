"""What another caller notices while one caller reads ten hostile pages at once: a real HTTP server
with a token for each.

The pages are made to take their reader's time: blanks before the end of preformatted text, style
sheets of sibling selectors over thousands of elements, 15 MB of nested markup. Beside them the
other caller asks for a search that is kept (goal: below 50 ms) and reads small pages that are not
(goal: below 1 s). Told are the median and the worst of each, and what became of the ten. Everything
is on loopback; nothing is written but to a temporary folder.

    python bench/hostile_pages.py
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

from webquarry.mcp.auth import TokenFile

SEARCH_GOAL = 0.050  # seconds
PAGE_GOAL = 1.0
SECONDS = 12.0  # of asking beside the hostile pages
WARM_SECONDS = 3.0
AT_ONCE = 10
OTHER_HOST = "127.0.0.2"  # each host has its own pace, and the hostile one is busy
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
}
SMALL = b"<title>Small</title><main><h1>Small</h1><p>" + b"The tide turns twice a day. " * 40


def hostile_page(number: int) -> bytes:
    """One of three kinds, each different from the others of its kind."""
    mark = b"<title>%d</title>" % number
    match number % 3:
        case 0:
            return mark + b"<pre>" + b" " * 160_000 + b"x</pre>"
        case 1:
            rules = b"".join(b".a%d ~ p + p ~ p{display:none}" % rule for rule in range(400))
            return mark + b"<style>" + rules + b"</style>" + b"<p class=a1>a</p>" * 20_000
        case _:
            return mark + b"<div><p>A <b>bold</b> word.</p><ul><li>one</ul></div>" * 270_000


async def serve() -> None:
    """A search engine of SearXNG's kind, hostile pages and small ones, behind one port."""
    hostile = [hostile_page(number) for number in range(3)]

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                status, kind, body = "200 OK", "text/html; charset=utf-8", SMALL
                if path.startswith("/search"):
                    result = {"title": "Tides", "url": "http://127.0.0.1/", "content": "Tides."}
                    kind = "application/json"
                    body = json.dumps({"query": "", "results": [result]}).encode()
                elif path.startswith("/hostile/"):
                    body = hostile[int(path.rpartition("/")[2]) % 3]
                elif path == "/robots.txt":
                    status, body = "404 Not Found", b""
                start = (
                    f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                )
                writer.write(start.encode() + b"\r\n" + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    other = await asyncio.start_server(handle, OTHER_HOST, port)
    print(port, flush=True)
    await asyncio.gather(server.serve_forever(), other.serve_forever())


@contextmanager
def serving() -> Iterator[int]:
    """The port of the site, in a process of its own."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as site:
        try:
            assert site.stdout
            yield int(site.stdout.readline())
        finally:
            site.kill()


@contextmanager
def running(port: int, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Our server, and its address."""
    environ = dict(os.environ) | {
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "SEARCH_PROVIDER": "searxng",
        "WEBQUARRY_ALLOW_NETWORKS": "127.0.0.0/8",
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(folder / "tokens.json"),
        "WEBQUARRY_HTTP_MINUTE_LIMIT": "100000",
        "WEBQUARRY_CACHE_FOLDER": str(folder / "cache"),
        "HOME": str(folder),
    }
    command = [
        str(Path(sysconfig.get_path("scripts")) / "webquarry"),
        "mcp",
        "--http",
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    found = re.search(r"http://\S+/mcp", process.stderr.readline())
    if not found:
        sys.exit(f"the server did not start: {process.stderr.read()}")
    try:
        yield process, found[0]
    finally:
        process.terminate()
        started = time.perf_counter()
        process.communicate()
        print(f"SIGTERM was heard and done with in {time.perf_counter() - started:.2f} s")


class Caller:
    """Somebody with a token."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._client = httpx2.AsyncClient(trust_env=False, verify=False, timeout=120)
        self._headers = {
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Authorization": f"Bearer {token}",
        }

    async def call(self, name: str, arguments: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        """The seconds that a call took, and its result."""
        params = {"name": name, "arguments": arguments, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        started = time.perf_counter()
        answer = await self._client.post(
            self._url, content=json.dumps(message), headers=self._headers | {"Mcp-Name": name}
        )
        seconds = time.perf_counter() - started
        data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
        result: dict[str, Any] = json.loads(data[-1] if data else answer.text)["result"]
        return seconds, result


def outcome_of(result: dict[str, Any]) -> str:
    if not result.get("isError"):
        return "read"
    facts = json.loads(result["content"][-1]["text"])
    return str(facts["kind"])


async def measure(url: str, port: int, tokens: list[str]) -> int:
    hostile, other = Caller(url, tokens[0]), Caller(url, tokens[1])
    site, small = f"http://127.0.0.1:{port}", f"http://{OTHER_HOST}:{port}/small"
    search = {"query": "tidal energy storage"}
    await other.call("web_search", search)
    await other.call("scrape_page", {"url": f"{small}/first"})
    await asyncio.sleep(WARM_SECONDS)  # as a server is that has served both for a while
    alone, _ = await other.call("scrape_page", {"url": f"{small}/alone"})
    searches_alone = [(await other.call("web_search", search))[0] for _ in range(50)]

    began = time.perf_counter()
    attacks = []
    for number in range(AT_ONCE):
        address = f"{site}/hostile/{number}"
        attacks.append(asyncio.create_task(hostile.call("scrape_page", {"url": address})))
    searches: list[float] = []
    pages: list[float] = []
    while time.perf_counter() - began < SECONDS and not all(task.done() for task in attacks):
        seconds, result = await other.call("web_search", search)
        assert not result.get("isError"), result
        searches.append(seconds)
        seconds, result = await other.call("scrape_page", {"url": f"{small}/{len(pages)}"})
        assert not result.get("isError"), result
        pages.append(seconds)
        await asyncio.sleep(0.05)
    ended = [task.result() for task in attacks if task.done()]
    outcomes = Counter(outcome_of(result) for _, result in ended)
    outcomes["under way"] = AT_ONCE - len(ended)
    for task in attacks:
        task.cancel()
    await asyncio.gather(*attacks, return_exceptions=True)

    met = max(searches) < SEARCH_GOAL and max(pages) < PAGE_GOAL
    print(
        f"{AT_ONCE} hostile pages of one caller: {dict(+outcomes)} after "
        f"{time.perf_counter() - began:.1f} s\n"
        f"another's cached search, {len(searches)} times: median "
        f"{statistics.median(searches) * 1000:.1f} ms, worst {max(searches) * 1000:.1f} ms; alone "
        f"{statistics.median(searches_alone) * 1000:.1f} and {max(searches_alone) * 1000:.1f} ms\n"
        f"another's small page, {len(pages)} times: median {statistics.median(pages) * 1000:.0f} ms, "
        f"worst {max(pages) * 1000:.0f} ms; alone {alone * 1000:.0f} ms\n"
        f"goal {SEARCH_GOAL * 1000:.0f} ms and {PAGE_GOAL * 1000:.0f} ms: "
        f"{'met' if met else 'MISSED'}"
    )
    return 0 if met else 1


def main() -> int:
    if sys.argv[1:] == ["--serve"]:
        asyncio.run(serve())
        return 0
    with tempfile.TemporaryDirectory() as name, serving() as port:
        folder = Path(name)
        tokens = [TokenFile(folder / "tokens.json").add(caller) for caller in ("ada", "bram")]
        with running(port, folder) as (_, url):
            return asyncio.run(measure(url, port, tokens))


if __name__ == "__main__":
    sys.exit(main())
