"""Servers of the documents: started, asked once, stopped.

    python -m tests.documents.servers http COMMAND ...       a server that is told its --port
    python -m tests.documents.servers stdio COMMAND ...      an MCP server on stdin and stdout
    python -m tests.documents.servers claude mcp add ...     what Claude Code would start
    python -m tests.documents.servers clients FILE           every server that a client's file names

One that does not answer, or does not end well, ends this with an error.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from itertools import pairwise
from pathlib import Path
from typing import Any

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "a reader", "version": "1"},
}


def ask_http(command: list[str]) -> None:
    """Start a server on a free port, ask whether it lives, and end it by SIGTERM."""
    port = _find_free_port()
    if "--port" in command:
        place = command.index("--port") + 1
        command = [*command[:place], str(port), *command[place + 1 :]]
    environ = os.environ | {"PORT": str(port)}
    server = subprocess.Popen(command, env=environ)
    try:
        assert _is_alive(server, f"http://127.0.0.1:{port}/health/live"), "it did not answer"
    finally:
        server.terminate()
        code = server.wait()
    assert code == 0, f"it ended with {code}"


def _find_free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _is_alive(server: subprocess.Popen[bytes], url: str) -> bool:
    """Ask until it answers, or has ended."""
    while True:
        try:
            server.wait(0.1)
        except subprocess.TimeoutExpired:
            pass
        else:
            return False
        try:
            with urllib.request.urlopen(url) as reply:
                return bool(reply.status == 200)
        except urllib.error.URLError:
            continue


def ask_stdio(command: list[str], environ: dict[str, str] | None = None) -> None:
    """Start a server, let it name its tools, and close its stdin."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    sent = "".join(json.dumps(message) + "\n" for message in messages)
    ended = subprocess.run(
        command,
        input=sent,
        env=os.environ | (environ or {}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    tools = [answer["result"]["tools"] for answer in answers if answer.get("id") == 2]
    assert tools, "it named no tools"
    assert tools[0], "it has no tools"


def ask_claude(arguments: list[str]) -> None:
    """`claude mcp add NAME -- COMMAND` starts the command; a server elsewhere is only noted."""
    assert arguments[:2] == ["mcp", "add"], arguments
    if "--" not in arguments:
        assert "--transport" in arguments, arguments
        return
    place = arguments.index("--")
    options, command = arguments[:place], arguments[place + 1 :]
    given = [value for flag, value in pairwise(options) if flag == "--env"]
    ask_stdio(command, dict(pair.split("=", 1) for pair in given))


def ask_clients(file: Path) -> None:
    """Start every server that the file of a client names."""
    text = file.read_text("utf-8")
    data: dict[str, Any] = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    for kind in ("servers", "mcpServers", "mcp_servers"):
        for server in data.get(kind, {}).values():
            ask_stdio([server["command"], *server.get("args", [])], server.get("env"))


def main() -> None:
    what, *arguments = sys.argv[1:]
    if what == "http":
        ask_http(arguments)
    elif what == "stdio":
        ask_stdio(arguments)
    elif what == "claude":
        ask_claude(arguments)
    else:
        ask_clients(Path(arguments[0]))


if __name__ == "__main__":
    main()
