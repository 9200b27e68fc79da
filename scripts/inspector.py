"""The Inspector's page before our MCP server on the recorded web, in a browser: what its Apps tab
shows of a tool.

    with start_inspector(work, environ) as address: ...
    frame = open_app(page, address, {"sessionId": ...})

Needs npm and its registry; the packages are kept in the work folder.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Frame, Page, expect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.mcp_clients.packages import install_npm, node_environment  # noqa: E402
from scripts.mcp_clients.serving import OURS  # noqa: E402

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
TOOL_TITLE = "Show research"
_PORTS = ("CLIENT_PORT", "MCP_SANDBOX_PORT", "MCP_APP_ORIGIN_PORT")
_START_SECONDS = 60
_END_SECONDS = 20
_TOKEN = "inspector"


@contextmanager
def start_inspector(work: Path, environ: dict[str, str], era: str = "legacy") -> Iterator[str]:
    """The address of the Inspector, which starts our server with this environment when it is told
    to connect. `era` is which revisions of the protocol it speaks: legacy, auto or modern.
    """
    node = node_environment(work)
    folder = install_npm(work / "inspector", [INSPECTOR], node)
    server = {"type": "stdio", "command": OURS, "args": ["mcp"], "env": environ, "protocolEra": era}
    config = Path(environ["HOME"]) / "inspector.json"
    config.write_text(json.dumps({"mcpServers": {"webquarry": server}}), "utf-8")
    ports = dict(zip(_PORTS, map(str, find_ports(len(_PORTS))), strict=True))
    settings = {
        "PATH": node["PATH"],
        "HOME": environ["HOME"],
        "MCP_INSPECTOR_API_TOKEN": _TOKEN,
        "MCP_AUTO_OPEN_ENABLED": "false",
        "MCP_INSPECTOR_SECRET_STORE": "memory",
        **ports,
    }
    program = folder / "node_modules" / ".bin" / "mcp-inspector"
    command = ["node", str(program), "--web", "--config", str(config), "--server", "webquarry"]
    said = config.with_suffix(".log")
    with said.open("wb") as log:
        process = subprocess.Popen(
            command,
            env=settings,
            cwd=environ["HOME"],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    address = f"http://127.0.0.1:{ports['CLIENT_PORT']}"
    try:
        if not _is_there(address, process):
            words = said.read_text("utf-8", "replace")[-1000:]
            raise RuntimeError(f"The Inspector did not start: {words}")
        yield f"{address}/?MCP_INSPECTOR_API_TOKEN={_TOKEN}"
    finally:
        end_group(process)


def find_ports(number: int) -> list[int]:
    """Ports that are free now, each another one."""
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
            return


def _is_there(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Wait until somebody answers; whether that was in time."""
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return True
        except (OSError, urllib.error.URLError):
            time.sleep(0.2)
    return False


def open_app(page: Page, address: str, arguments: dict[str, str]) -> Frame:
    """Connect, choose our tool in the Apps tab, fill in its form and open its app: its frame."""
    page.goto(address)
    page.get_by_role("switch").first.click(force=True)
    page.get_by_text("Apps", exact=True).first.click()
    page.get_by_text(TOOL_TITLE, exact=True).first.click()
    for name, value in arguments.items():
        page.get_by_label(name).first.fill(value)
    page.get_by_role("button", name="Open App").click()
    expect(page.locator("iframe")).to_have_count(1)
    return find_app(page)


def find_app(page: Page) -> Frame:
    """The frame of the app: the innermost."""
    inner = page.frame_locator("iframe").frame_locator("iframe")
    inner.locator("#main").wait_for()
    return page.frames[-1]
