"""What our MCP server costs beside the SDK it stands on, in the same run.

start     CPU time from spawn to the answer of tools/list, `webquarry mcp` against a bare low-level
SDK server call      CPU time of the server per cached web_search over stdio, against the same
result returned by the bare server end       time from the end of stdin to the end of the process
bytes     what one such result weighs on the wire in each --text mode

Prints ratios; fails when the start costs more than 15 percent extra, a call more than twice the
SDK's own cost, or the process is there for more than a second after its stdin was closed.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import Any

STARTS = 15
CALLS = 400
ROUNDS = 5
START_LIMIT = 1.15
CALL_LIMIT = 2.0
END_LIMIT = 1.0
QUERY = {"query": "tidal energy storage"}

# Gives back what it finds in a file: the list of tools, and the result of a call.
BARE = """
import asyncio, json, sys
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
known = json.load(open(sys.argv[1]))
listed = types.ListToolsResult.model_validate(known["list"])
result = known.get("result")
async def list_tools(context, params):
    return listed
async def call_tool(context, params):
    return types.CallToolResult.model_validate(result)
async def main():
    server = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
asyncio.run(main())
"""


class Process:
    """A server on stdio, after the handshake."""

    def __init__(self, command: list[str]) -> None:
        environ = dict(os.environ) | {"WEBQUARRY_REPLAY": "demo"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
        )
        self.received = 0
        self.ask(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        assert self._process.stdout
        self._write({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        line = self._process.stdout.readline()
        self.received = len(line)
        return json.loads(line)["result"]

    def cpu(self) -> float:
        """User and system time of the process so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> float:
        """Stop it; the CPU time it took in all."""
        before = os.times()
        self._process.kill()
        self._process.communicate()
        after = os.times()
        return (
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )

    def close(self) -> float:
        """Close its stdin; how long it takes to go."""
        assert self._process.stdin
        started = time.perf_counter()
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout
        self._process.stdout.close()
        return time.perf_counter() - started


def start_cost(command: list[str]) -> float:
    process = Process(command)
    process.ask("tools/list")
    return process.end()


def call_cost(process: Process) -> float:
    before = process.cpu()
    for _ in range(CALLS):
        process.ask("tools/call", name="web_search", arguments=QUERY)
    return (process.cpu() - before) / CALLS


def main() -> int:
    ours = [str(Path(sysconfig.get_path("scripts")) / "webquarry"), "mcp"]
    with tempfile.TemporaryDirectory() as folder:
        script, known = Path(folder, "bare.py"), Path(folder, "known.json")
        first = Process(ours)
        listed = first.ask("tools/list")
        result = first.ask("tools/call", name="web_search", arguments=QUERY)
        first.end()
        script.write_text(BARE)
        known.write_text(json.dumps({"list": listed, "result": result}))
        bare = [sys.executable, str(script), str(known)]
        start_cost(bare)
        pairs = [(start_cost(ours), start_cost(bare)) for _ in range(STARTS)]
        mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
        start_ratio = mine / theirs
        print(
            f"start: {mine * 1000:.0f} ms of CPU, bare SDK {theirs * 1000:.0f} ms; ratio "
            f"{start_ratio:.2f} (at most {START_LIMIT:g})"
        )
        server, control = Process(ours), Process(bare)
        call_cost(server), call_cost(control)
        pairs = [(call_cost(server), call_cost(control)) for _ in range(ROUNDS)]
        mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
        control.end()
        ended = server.close()
        call_ratio = mine / theirs
        print(
            f"call: {mine * 1000:.2f} ms of CPU, bare SDK {theirs * 1000:.2f} ms; ratio "
            f"{call_ratio:.2f} (at most {CALL_LIMIT:g})"
        )
        print(f"end: {ended:.2f} s after stdin was closed (at most {END_LIMIT:g})")
        for mode in ("json", "markdown", "digest"):
            process = Process([*ours, "--text", mode])
            process.ask("tools/call", name="web_search", arguments=QUERY)
            print(f"bytes: --text {mode}: {process.received:,}")
            process.end()
    return (
        0 if start_ratio <= START_LIMIT and call_ratio <= CALL_LIMIT and ended <= END_LIMIT else 1
    )


if __name__ == "__main__":
    sys.exit(main())
