"""Our MCP server over HTTP in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from tests.mcp.stdio_process import command_of

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
MODERN = "2026-07-28"


class Served:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url

    def post(
        self, method: str, params: Mapping[str, Any] | None = None, **options: Any
    ) -> httpx2.Response:
        """Send a request of a revision with a handshake, but without the handshake."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
        headers = HEADERS | options.pop("headers", {})
        url = options.pop("url", self.url)
        return httpx2.post(url, json=body, headers=headers, timeout=30, trust_env=False, **options)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the result of a request."""
        response = self.post(method, params)
        assert response.status_code == 200, response.text
        return message_in(response.text)["result"]

    def get(self, path: str, **headers: str) -> httpx2.Response:
        url = self.url.replace("/mcp", path)
        return httpx2.get(url, headers=headers, timeout=30, trust_env=False)

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self) -> str:
        """End the server and return what it has logged since the line with its address."""
        self.process.terminate()
        assert self.process.stderr
        log = self.process.stderr.read()  # communicate() would lose what is buffered here
        self.process.wait(60)
        return log


def message_in(text: str) -> Any:
    """Return the last message of a response, whether it is JSON or an event stream."""
    lines = [
        line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")
    ]
    return json.loads(lines[-1] if lines else text)


def modern(method: str, **params: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Return body and headers of a request of 2026-07-28."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    meta |= params.pop("meta", {})
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = HEADERS | {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    return body, headers | ({"Mcp-Name": params["name"]} if "name" in params else {})


@contextmanager
def http_server(environ: Mapping[str, str], *flags: str) -> Iterator[Served]:
    """Start a server on a free port and kill it at the end."""
    process = subprocess.Popen(
        command_of(("webquarry", "mcp", "--http", "--port", "0", *flags)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ) | dict(environ),
        encoding="utf-8",
    )
    with process:
        try:
            assert process.stderr
            line = process.stderr.readline()
            found = re.search(r"http://\S+/mcp", line)
            assert found, line
            yield Served(process, found[0])
        finally:
            process.kill()
