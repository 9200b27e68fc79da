"""An MCP server in a process of its own, used with the SDK's client or line by line."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

SERVER = ("websearch-mcp",)
ME = types.Implementation(name="test", version="1")
PATIENCE = 30  # timeout of a test, in seconds


def command_of(command: tuple[str, ...]) -> list[str]:
    return [str(Path(sysconfig.get_path("scripts")) / command[0]), *command[1:]]


@asynccontextmanager
async def session(
    environ: Mapping[str, str], version: str, command: tuple[str, ...] = SERVER
) -> AsyncIterator[ClientSession]:
    """The SDK's client, connected to a new process with one revision of the protocol."""
    program, *arguments = command_of(command)
    parameters = StdioServerParameters(
        command=program, args=arguments, env=dict(os.environ) | dict(environ)
    )
    async with (
        stdio_client(parameters, sys.__stderr__ or sys.stderr) as (reading, writing),
        ClientSession(reading, writing, read_timeout_seconds=PATIENCE, client_info=ME) as client,
    ):
        await _agree(client, version)
        yield client


async def _agree(client: ClientSession, version: str) -> None:
    if version in MODERN_PROTOCOL_VERSIONS:
        client.adopt(types.DiscoverResult.model_validate(await client.send_discover(version)))
        return
    wanted = types.InitializeRequestParams(
        protocol_version=version, capabilities=types.ClientCapabilities(), client_info=ME
    )
    client.adopt(
        await client.send_request(types.InitializeRequest(params=wanted), types.InitializeResult)
    )
    await client.send_notification(types.InitializedNotification())


class Lines:
    """A server after the handshake of a revision, used line by line."""

    def __init__(self, process: subprocess.Popen[str], version: str) -> None:
        self.process = process
        self._number = 0
        self.ask(
            "initialize",
            protocolVersion=version,
            capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )
        self.tell("notifications/initialized")

    def write(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def tell(self, method: str, **params: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def begin(self, method: str, **params: Any) -> int:
        """Send a request without waiting for its response; return its id."""
        self._number += 1
        self.write(
            json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        )
        return self._number

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and return its result or error, which must be the next line."""
        number = self.begin(method, **params)
        answer = self.read()
        assert answer["id"] == number
        return answer.get("result") or answer["error"]

    def search(self, query: str) -> Any:
        return self.ask("tools/call", name="web_search", arguments={"query": query})

    def read(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def end(self) -> tuple[int, str, str]:
        """Close stdin; return the exit code and the rest of stdout and stderr."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@contextmanager
def lines(
    environ: Mapping[str, str], command: tuple[str, ...] = SERVER, version: str = "2025-06-18"
) -> Iterator[Lines]:
    """Start a server and kill it at the end."""
    process = subprocess.Popen(
        command_of(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ) | dict(environ),
        encoding="utf-8",
    )
    with process:
        try:
            yield Lines(process, version)
        finally:
            process.kill()


@asynccontextmanager
async def hanging_site() -> AsyncIterator[tuple[str, asyncio.Event, asyncio.Event]]:
    """A site that never responds, with events for a request and for its disconnect."""
    asked, left = asyncio.Event(), asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        while await reader.read(1024):
            pass
        left.set()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked, left
