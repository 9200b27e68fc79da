"""What a cached web_search over HTTP costs beside a bare SDK server that gives back the same
result, in the same run.

For 1, 16 and 64 clients, each on a connection of its own: requests per second and CPU per request
of each server, ours with tokens, limits, request ids and figures on, the bare one with nothing, and
the ratio of the two. A second pair is ours with the results in a Redis, when there is a
redis-server.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2

from webquarry.mcp.auth import TokenFile

CLIENTS = (1, 16, 64)
SECONDS = 6.0
ROUNDS = 3
PARAMS = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "web_search",
}
BODY = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": PARAMS | {"_meta": META}}
).encode()

# Gives back what it finds in a file.
BARE = """
import asyncio, json, sys, socket
import mcp_types as types, uvicorn
from mcp.server.lowlevel.server import Server
known = json.load(open(sys.argv[1]))
async def list_tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="web_search", input_schema={"type": "object"})])
async def call_tool(context, params):
    return types.CallToolResult.model_validate(known)
server = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
listening = socket.create_server(("127.0.0.1", 0))
listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
config = uvicorn.Config(server.streamable_http_app(stateless_http=True), log_config=None, access_log=False, http="h11")
asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
"""


class Server:
    """A running server, and how to ask it."""

    def __init__(self, process: subprocess.Popen[str], url: str, token: str | None) -> None:
        self.process = process
        self.url = url
        self.headers = HEADERS | ({"Authorization": f"Bearer {token}"} if token else {})

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def load(self, clients: int, seconds: float) -> tuple[float, float]:
        """Requests per second, and CPU per request."""
        done = 0
        end = time.perf_counter() + seconds

        async def client() -> None:
            nonlocal done
            async with httpx2.AsyncClient(
                trust_env=False, verify=False, headers=self.headers, timeout=60
            ) as session:
                while time.perf_counter() < end:
                    answer = await session.post(self.url, content=BODY)
                    assert answer.status_code == 200, answer.text
                    done += 1

        before, started = self.cpu(), time.perf_counter()
        await asyncio.gather(*(client() for _ in range(clients)))
        return done / (time.perf_counter() - started), (self.cpu() - before) / done


@contextmanager
def running(
    command: list[str], environ: Mapping[str, str], token: str | None = None
) -> Iterator[Server]:
    process = subprocess.Popen(
        command, env=dict(os.environ) | dict(environ), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    line = process.stderr.readline()
    found = re.search(r"http://\S+/mcp", line)
    if not found:
        sys.exit(f"the server did not start: {line}{process.stderr.read()}")
    try:
        yield Server(process, found[0], token)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        ["redis-server", "--port", str(port), "--save", "", "--dir", str(folder)],
        stdout=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.kill()
        process.wait()


def compared(name: str, ours: Server, bare: Server) -> None:
    for clients in CLIENTS:
        rounds: list[tuple[tuple[float, float], tuple[float, float]]] = []
        for _ in range(ROUNDS):
            rounds.append(
                (
                    asyncio.run(ours.load(clients, SECONDS / ROUNDS)),
                    asyncio.run(bare.load(clients, SECONDS / ROUNDS)),
                )
            )
        mine, theirs = (
            [statistics.median(column) for column in zip(*side, strict=True)]
            for side in zip(*rounds, strict=True)
        )
        print(
            f"{name}, {clients:2} clients: {mine[0]:5.0f} requests/s, {mine[1] * 1000:.2f} ms of "
            "CPU each; "
            f"bare SDK {theirs[0]:5.0f}/s, {theirs[1] * 1000:.2f} ms; "
            f"ratio {mine[0] / theirs[0]:.2f} of its rate, {mine[1] / theirs[1]:.2f} of its CPU"
        )


def first_result(server: Server) -> Any:
    answer = httpx2.post(
        server.url, content=BODY, headers=server.headers, timeout=60, trust_env=False
    )
    lines = [
        line.removeprefix("data: ")
        for line in answer.text.splitlines()
        if line.startswith("data: {")
    ]
    return json.loads(lines[-1] if lines else answer.text)["result"]


def main() -> int:
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        token = TokenFile(folder / "tokens.json").add("bench")
        ours = [
            str(Path(sysconfig.get_path("scripts")) / "webquarry"),
            "mcp",
            "--http",
            "--port",
            "0",
        ]
        environ = {
            "WEBQUARRY_REPLAY": "demo",
            "WEBQUARRY_HTTP_AUTH": "token",
            "WEBQUARRY_TOKENS_FILE": str(folder / "tokens.json"),
            "WEBQUARRY_HTTP_MINUTE_LIMIT": "10000000",
        }
        server = stack.enter_context(running(ours, environ, token))
        (folder / "known.json").write_text(json.dumps(first_result(server)))
        (folder / "bare.py").write_text(BARE)
        bare = stack.enter_context(
            running([sys.executable, str(folder / "bare.py"), str(folder / "known.json")], {})
        )
        compared("one server", server, bare)
        if shutil.which("redis-server"):
            address = stack.enter_context(redis(folder))
            shared = environ | {"WEBQUARRY_REDIS_URL": address, "WEBQUARRY_STORE_KEY": "ab" * 32}
            server = stack.enter_context(running(ours, shared, token))
            first_result(server)
            compared("with Redis", server, bare)
    return 0


if __name__ == "__main__":
    sys.exit(main())
