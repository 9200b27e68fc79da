"""Many and misbehaving clients of the HTTP server, and signals under load, on loopback.

    python bench/http_clients.py [--quick]

Prints, with the resident memory of the server and its worker processes:

- 256 clients with cached searches: requests per second, latencies, errors;
- 200 clients that send requests and do not read: memory, time until all are closed;
- clients that send half of the headers or of the body: time until they are closed;
- SIGTERM under load, over HTTP and stdio: calls in progress that are answered, new requests that
  are refused, seconds until the process ends; a second SIGTERM; an idle server.

`--quick` leaves out what waits for the timeouts of a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

CLIENTS = 256
SILENT_CLIENTS = 200
SECONDS = 10.0
CALLS = 16  # in progress when the signal arrives
SLOW_SECONDS = 3.0  # of the page that they fetch
MEGABYTE = 1024 * 1024
HEADERS = (
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Accept: application/json, text/event-stream\r\n"
)
SEARCH = ("web_search", {"query": "tidal energy storage"})


def message(method: str, params: Mapping[str, Any], number: int = 1) -> bytes:
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(body).encode()


def call(tool: str, arguments: Mapping[str, Any], number: int = 1) -> bytes:
    return message("tools/call", {"name": tool, "arguments": arguments}, number)


def request(body: bytes) -> bytes:
    return f"{HEADERS}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Server:
    """A running server, over HTTP or stdio."""

    def __init__(self, process: subprocess.Popen[bytes], port: int = 0) -> None:
        self.process = process
        self.port = port

    def memory(self) -> str:
        """Return the resident memory of the process and of its descendants."""
        own, *others = (read_memory(one) for one in descendants(self.process.pid))
        return f"{own:.0f} MB, with workers {own + sum(others):.0f} MB"

    def stop(self) -> float:
        """Send SIGTERM; return the seconds until the process has ended."""
        started = time.perf_counter()
        self.process.terminate()
        self.process.wait(60)
        return time.perf_counter() - started


def descendants(process: int) -> Iterator[int]:
    yield process
    with contextlib.suppress(OSError):
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from descendants(int(child))


def read_memory(process: int) -> float:
    with contextlib.suppress(OSError):
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return 0.0


@contextmanager
def running(*flags: str, **environ: str) -> Iterator[Server]:
    """Start a server in a folder of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [str(Path(sysconfig.get_path("scripts")) / "webquarry"), "mcp", *flags],
            env={"PATH": os.environ["PATH"], "HOME": folder, **environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if "--http" in flags else None,
        )
        try:
            if process.stderr is None:
                yield Server(process)
                return
            line = process.stderr.readline().decode()
            found = re.search(r"http://\S+:(\d+)/mcp", line)
            if found is None:
                raise SystemExit(f"the server did not start: {line}")
            yield Server(process, int(found[1]))
        finally:
            process.kill()
            process.communicate()


async def exchange(port: int, body: bytes) -> str:
    """Send a request on a new connection; return the status and the end of the response."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return "connection refused"
    with contextlib.closing(writer):
        try:
            writer.write(request(body))
            return await read_response(reader)
        except (OSError, asyncio.IncompleteReadError):
            return "connection closed"


async def read_response(reader: asyncio.StreamReader) -> str:
    """Return the status of a response with a length."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = re.search(r"content-length: (\d+)", head)
    text = await reader.readexactly(int(length[1])) if length else b""
    status = head.split()[1]
    return f"{status} with an error" if b'"isError":true' in text else status


async def measure_concurrent_clients(seconds: float) -> None:
    with running("--http", "--port", "0", WEBQUARRY_REPLAY="demo") as server:
        await exchange(server.port, call(*SEARCH))
        latencies: list[float] = []
        statuses: dict[str, int] = {}
        end = time.perf_counter() + seconds

        async def client() -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            while time.perf_counter() < end:
                started = time.perf_counter()
                writer.write(request(call(*SEARCH)))
                status = await read_response(reader)
                latencies.append(time.perf_counter() - started)
                statuses[status] = statuses.get(status, 0) + 1
            writer.close()

        started = time.perf_counter()
        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        rate = len(latencies) / (time.perf_counter() - started)
        p50, p99 = (1000 * statistics.quantiles(latencies, n=100)[at] for at in (49, 98))
        print(
            f"{CLIENTS} clients: {rate:.0f} cached searches/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
            f"slowest {1000 * max(latencies):.0f} ms, statuses {statuses}, {server.memory()}"
        )


async def until_closed(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(OSError):
        while await reader.read(MEGABYTE):
            pass


async def measure_silent_clients() -> None:
    with running("--http", "--port", "0", WEBQUARRY_REPLAY="demo") as server:
        await exchange(server.port, call(*SEARCH))
        before = server.memory()
        requests = request(message("tools/list", {})) * 16
        connections = []
        started = time.perf_counter()
        for _ in range(SILENT_CLIENTS):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", server.port))
            client.sendall(requests)
            connections.append(client)
        largest = 0.0
        others = []
        while any(count_established(server.port)):
            largest = max(largest, read_memory(server.process.pid))
            asked = time.perf_counter()
            await exchange(server.port, call(*SEARCH))
            others.append(time.perf_counter() - asked)
            await asyncio.sleep(0.5)
        print(
            f"{SILENT_CLIENTS} clients that do not read, 16 x tools/list each: all closed after "
            f"{time.perf_counter() - started:.0f} s, before {before}, at most {largest:.0f} MB, "
            f"after {server.memory()}; searches of others meanwhile: p50 "
            f"{1000 * statistics.median(others):.0f} ms, slowest {1000 * max(others):.0f} ms"
        )
        for client in connections:
            client.close()


def count_established(port: int) -> Iterator[str]:
    """Yield the established connections at the server's side."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, _, state = line.split()[1:4]
        if local.endswith(f":{port:04X}") and state == "01":
            yield line


async def measure_half_requests() -> None:
    with running("--http", "--port", "0", WEBQUARRY_REPLAY="demo") as server:
        body = call(*SEARCH)
        halves = {
            "nothing": b"",
            "half of the headers": HEADERS[:40].encode(),
            "half of the body": request(body)[: -len(body) // 2],
            "headers of a body that never comes": request(body)[: -len(body)],
        }

        async def measure(name: str, data: bytes) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            started = time.perf_counter()
            writer.write(data)
            received = await reader.read(100)
            status = received.split(b"\r\n")[0].decode() or "no response"
            await until_closed(reader)
            writer.close()
            print(f"a client that sends {name}: {status}, {time.perf_counter() - started:.1f} s")

        await asyncio.gather(*(measure(name, data) for name, data in halves.items()))


@asynccontextmanager
async def slow_site() -> AsyncIterator[str]:
    """A site whose pages take some seconds."""

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        disconnected = (OSError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with contextlib.closing(writer), contextlib.suppress(*disconnected):
            await reader.readuntil(b"\r\n\r\n")
            await asyncio.sleep(SLOW_SECONDS)
            page = b"<title>Page</title><p>" + b"A paragraph with some words. " * 50
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
            writer.write(head % len(page) + page)
            await writer.drain()

    async with await asyncio.start_server(respond, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


SLOW = {
    "WEBQUARRY_ALLOW_PRIVATE": "1",
    "WEBQUARRY_ROBOTS": "0",
}


def count(outcomes: list[str]) -> dict[str, int]:
    return {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))}


async def wait_for_end(process: subprocess.Popen[bytes]) -> float:
    """Return the time at which the process has ended."""
    await asyncio.to_thread(process.wait, 60)
    return time.perf_counter()


async def measure_http_shutdown(*, signals: int, flags: tuple[str, ...] = ()) -> None:
    async with slow_site() as site:
        with running("--http", "--port", "0", *flags, **SLOW) as server:
            await asyncio.gather(*(exchange(server.port, message("ping", {})) for _ in range(8)))
            bodies = [call("scrape_page", {"url": f"{site}/{n}"}) for n in range(CALLS)]
            calls = [asyncio.create_task(exchange(server.port, body)) for body in bodies]
            await asyncio.sleep(SLOW_SECONDS * 0.7)
            started = time.perf_counter()
            for _ in range(signals):
                server.process.terminate()
                await asyncio.sleep(0.2)
            refused = await asyncio.gather(*(exchange(server.port, body) for body in bodies[:5]))
            ended = await wait_for_end(server.process)
            outcomes = await asyncio.gather(*calls)
    print(
        f"HTTP {' '.join(flags)}, {CALLS} calls in progress, {signals} x SIGTERM: calls "
        f"{count(outcomes)}, new requests {count(refused)}, ended after {ended - started:.2f} s, "
        f"exit code {server.process.returncode}"
    )


async def measure_stdio_shutdown(*, signals: int) -> None:
    async with slow_site() as site:
        with running(**SLOW) as server:
            stdin, stdout = server.process.stdin, server.process.stdout
            assert stdin
            assert stdout
            client = {"name": "bench", "version": "1"}
            params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            lines = [message("initialize", params, 1000)]
            lines += [call("scrape_page", {"url": f"{site}/{n}"}, n) for n in range(CALLS)]
            stdin.write(b"\n".join(lines) + b"\n")
            stdin.flush()
            await asyncio.sleep(SLOW_SECONDS * 0.9)  # includes the start
            started = time.perf_counter()
            for _ in range(signals):
                server.process.terminate()
                await asyncio.sleep(0.2)
            with contextlib.suppress(BrokenPipeError):
                stdin.write(call("scrape_page", {"url": f"{site}/new"}, 2000) + b"\n")
                stdin.flush()
            text = await asyncio.to_thread(stdout.read)
            ended = await wait_for_end(server.process)
            answers = [json.loads(line) for line in text.splitlines()]
    outcomes = [
        "error" if "error" in one or one["result"].get("isError") else "result"
        for one in answers
        if one["id"] < CALLS
    ]
    print(
        f"stdio, {CALLS} calls in progress, {signals} x SIGTERM: calls {count(outcomes)}, new "
        f"requests answered {sum(one['id'] == 2000 for one in answers)}, ended after "
        f"{ended - started:.2f} s, exit code {server.process.returncode}"
    )


async def measure_idle_shutdown() -> None:
    for flags in ((), ("--workers", "2")):
        seconds = []
        for _ in range(3):
            with running("--http", "--port", "0", *flags, WEBQUARRY_REPLAY="demo") as server:
                await exchange(server.port, call(*SEARCH))
                seconds.append(server.stop())
        print(f"HTTP {' '.join(flags)}, idle, SIGTERM: {format_seconds(seconds)}")
    for name, tail in (("after the handshake", b""), ("after a search", call(*SEARCH, 2) + b"\n")):
        seconds = []
        for _ in range(3):
            with running(WEBQUARRY_REPLAY="demo") as server:
                assert server.process.stdin
                assert server.process.stdout
                client = {"name": "bench", "version": "1"}
                params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
                server.process.stdin.write(message("initialize", params) + b"\n" + tail)
                server.process.stdin.flush()
                for _ in range(2 if tail else 1):
                    server.process.stdout.readline()
                seconds.append(server.stop())
        print(f"stdio, idle {name}, SIGTERM: {format_seconds(seconds)}")


def format_seconds(seconds: list[float]) -> str:
    return "ended after " + ", ".join(f"{one:.2f}" for one in seconds) + " s"


async def run(quick: bool) -> None:
    await measure_concurrent_clients(SECONDS)
    await measure_idle_shutdown()
    for signals in (1, 2):
        await measure_http_shutdown(signals=signals)
        await measure_http_shutdown(signals=signals, flags=("--workers", "2"))
        await measure_stdio_shutdown(signals=signals)
    if not quick:
        await measure_half_requests()
        await measure_silent_clients()


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="leave out what takes a minute")
    asyncio.run(run(parser.parse_args().quick))


if __name__ == "__main__":
    main()
