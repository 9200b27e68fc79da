"""Servers that are asked over MCP, and what their processes cost: processor time and memory of the
whole tree, as Linux tells them.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REVISION = "2025-06-18"
_PATIENCE = 60.0  # seconds for one answer
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR")


@dataclass(frozen=True)
class Contestant:
    """A server that takes part: how it is started, and how its tools take their arguments."""

    name: str
    command: list[str]
    environ: dict[str, str] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)  # further arguments
    page: dict[str, Any] = field(default_factory=dict)


class Tree:
    """A process and those that it started."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def list_pids(self) -> list[int]:
        found, rest = [], [self._pid]
        while rest:
            pid = rest.pop()
            found.append(pid)
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    rest += [int(child) for child in (task / "children").read_text().split()]
        return found

    def measure_cpu(self) -> float:
        """Seconds that all threads have worked."""
        nanoseconds = 0
        for pid in self.list_pids():
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    nanoseconds += int((task / "schedstat").read_text().split()[0])
        return nanoseconds / 1e9

    def measure_memory(self) -> float:
        """Megabytes, what several share counted once (PSS)."""
        kilobytes = 0
        for pid in self.list_pids():
            with suppress(OSError):
                for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        kilobytes += int(line.split()[1])
        return kilobytes / 1024


class Connection:
    """A server on stdin and stdout, after the handshake."""

    def __init__(self, contestant: Contestant, web_port: int) -> None:
        self.contestant = contestant
        self._folder = tempfile.mkdtemp(prefix="peers")
        self._buffer = bytearray()
        self._last_id = 1000
        environ = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environ["HOME"] = self._folder
        for name, value in contestant.environ.items():
            environ[name] = value.format(port=web_port, folder=self._folder)
        self.started_at = time.perf_counter()
        self._process = subprocess.Popen(
            contestant.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ,
            cwd=self._folder,
            bufsize=0,
        )
        self.tree = Tree(self._process.pid)
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion=REVISION, capabilities={}, clientInfo=client)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list")

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        rest = memoryview(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        while rest:
            rest = rest[os.write(self._process.stdin.fileno(), rest) :]

    def send(self, method: str, **params: Any) -> int:
        """Send a request; its id comes back."""
        self._last_id += 1
        self._write({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def receive(self, id: int) -> bytes:
        """The answer to a request, as it came; answers to others are dropped."""
        mark = b'"id":%d' % id
        while True:
            line = self._read_line()
            if mark in line[:60] or mark in line[-60:]:
                return line

    def wait_for_all(self, ids: list[int]) -> None:
        """Wait until several requests are answered, in whatever order."""
        marks = [b'"id":%d' % id for id in ids]
        while marks:
            line = self._read_line()
            ends = line[:60] + line[-60:]
            marks = [mark for mark in marks if mark not in ends]

    def _read_line(self) -> bytes:
        assert self._process.stdout
        descriptor = self._process.stdout.fileno()
        looked_at = 0
        while True:
            end = self._buffer.find(b"\n", looked_at)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line
            looked_at = len(self._buffer)
            if not select.select([descriptor], [], [], _PATIENCE)[0]:
                raise RuntimeError(f"{self.contestant.name} did not answer")
            piece = os.read(descriptor, 1 << 20)
            if not piece:
                raise RuntimeError(f"{self.contestant.name} has ended")
            self._buffer += piece

    def ask(self, method: str, **params: Any) -> bytes:
        return self.receive(self.send(method, **params))

    def call(self, tool: str, arguments: dict[str, Any], must_hold: str) -> bytes:
        """The answer of a tool, which must hold some text."""
        answer = self.ask("tools/call", name=tool, arguments=arguments)
        if must_hold.encode() not in answer:
            raise RuntimeError(f"{self.contestant.name}: {tool} answered {answer[:300]!r}")
        return answer

    def search(self, query: str, count: int = 10) -> bytes:
        more = self.contestant.search
        return self.call("web_search", {"query": query, "num_results": count, **more}, "/page/")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def connect(contestant: Contestant, web_port: int) -> Iterator[Connection]:
    """A server for the time of a block."""
    connection = Connection(contestant, web_port)
    try:
        yield connection
    finally:
        connection.close()
