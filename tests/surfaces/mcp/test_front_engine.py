"""The engine behind the front: what opening it loads, when, and what becomes of calls where it
cannot be opened.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.surfaces.mcp.front_messages import SEARCH, request, shake_hands
from tests.surfaces.mcp.stdio_process import PATIENCE, lines
from webquarry.surfaces.mcp.front.light_arguments import read_arguments
from webquarry.surfaces.mcp.front.serving import FrontOptions, FrontServer

NOT_FOR_A_SEARCH = ("lxml", "numpy", "webquarry.evidence.language.terms", "webquarry.read.css")


def run_code(code: str, said: list[Any], **environ: str) -> tuple[list[Any], str]:
    """What a server that is started by some code answers to these messages, and its stderr."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(json.dumps(message) + "\n" for message in said),
        env=dict(os.environ) | environ,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


CALLS = [
    *shake_hands("2025-06-18"),
    request(1, "tools/call", SEARCH),
    request(2, "ping"),
    request(3, "tools/call", SEARCH),
]

FAILS_ONCE = """
import sys
import webquarry.surfaces.mcp.stdio as stdio
really_prepare = stdio.prepare
times = []
def prepare(*arguments):
    from webquarry.errors import BadInput
    times.append(1)
    if len(times) == 1:
        raise BadInput("The engine is away.", suggested_action="Wait for it.")
    return really_prepare(*arguments)
stdio.prepare = prepare
sys.exit(stdio.run("webquarry", "research"))
"""


def test_an_engine_that_cannot_be_opened_is_told_to_who_calls_and_tried_again(
    tmp_path: Path,
) -> None:
    answers, _ = run_code(FAILS_ONCE, CALLS, WEBQUARRY_REPLAY="demo", HOME=str(tmp_path))
    by_id = {answer["id"]: answer["result"] for answer in answers}

    assert by_id[1]["isError"] is True
    assert by_id[1]["content"][0]["text"] == "The engine is away. Wait for it."
    assert by_id[2] == {}
    assert by_id[3]["isError"] is False


CANNOT_IMPORT = """
import sys
import webquarry.surfaces.mcp.listing as listing
def load(package, name):
    raise ImportError("no such library")
listing.load = load
import webquarry.surfaces.mcp.stdio as stdio
sys.exit(stdio.run("webquarry", "research"))
"""


def test_a_tool_that_cannot_be_imported_costs_only_its_own_calls(tmp_path: Path) -> None:
    answers, errors = run_code(CANNOT_IMPORT, CALLS, WEBQUARRY_REPLAY="demo", HOME=str(tmp_path))
    by_id = {answer["id"]: answer for answer in answers}

    assert by_id[1]["error"] == {"code": -32603, "message": "The server failed: ImportError."}
    assert by_id[2]["result"] == {}
    assert by_id[3]["error"]["code"] == -32603
    assert "no such library" in errors


def test_a_search_loads_nothing_that_only_pages_claims_and_other_providers_need() -> None:
    code = (
        "import sys, webquarry.surfaces.mcp.front.serving\n"
        "from webquarry.settings import Settings\n"
        "from webquarry.tool import load\n"
        "from webquarry.toolkit import Toolkit\n"
        "kit = Toolkit(Settings(), {})\n"
        "load('research', 'web_search').arguments\n"
        "kit.router.providers()\n"
        f"print([name for name in {NOT_FOR_A_SEARCH!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        (["mcp"], ("webquarry", "research", None)),
        (["mcp", "--toolset", "core"], ("webquarry", "core", None)),
        (["mcp", "--toolset=duckduckgo"], ("websearch-mcp", "duckduckgo", None)),
        (["mcp", "--text", "markdown", "--toolset", "core"], ("webquarry", "core", "markdown")),
        (["mcp", "--toolset", "nobody"], None),
        (["mcp", "--toolset"], None),
        (["mcp", "--text", "loud"], None),
        (["mcp", "--toolset", "core", "--toolset", "core"], None),
        (["mcp", "--with-tools"], None),
        (["mcp", "--http"], None),
        (["mcp", "install"], None),
        (["search", "--toolset", "core"], None),
        ([], None),
    ],
)
def test_the_flags_that_clients_are_told_are_read_without_the_command_line(
    arguments: list[str], served: tuple[str, str, str | None] | None
) -> None:
    assert read_arguments(arguments) == served


def test_a_repeated_call_is_answered_in_the_same_bytes_but_for_its_age(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path)}
    with lines(environ, ("webquarry", "mcp")) as server:
        first, second, third = (server.ask("tools/call", **SEARCH) for _ in range(3))

    assert first["_meta"]["webquarry/cache"]["cached"] is False
    assert second["_meta"]["webquarry/cache"]["cached"] is True
    assert second == third
    assert second["content"] == first["content"]
    assert second["structuredContent"] == first["structuredContent"]


EARLY = """
import sys
import webquarry.surfaces.mcp.stdio as stdio
code = stdio.run("webquarry", "research", with_tools=True)
print("with the SDK:", "webquarry.surfaces.mcp.server" in sys.modules, file=sys.stderr)
sys.exit(code)
"""


def test_a_server_that_is_opened_before_the_handshake_needs_no_other_one_for_it(
    tmp_path: Path,
) -> None:
    answers, errors = run_code(EARLY, CALLS, WEBQUARRY_REPLAY="demo", HOME=str(tmp_path))

    assert {answer["id"] for answer in answers if "result" in answer} == {"hello", 1, 2, 3}
    assert "with the SDK: False" in errors


WARM = """
import os, sys, threading
import webquarry.surfaces.mcp.stdio as stdio
from webquarry.toolkit import Toolkit
really_warm = Toolkit.warm_up
async def warm_up(kit):
    await really_warm(kit)
    opened = [name for name in ("router", "cache", "reader", "runner") if name in vars(kit)]
    print("opened", opened, file=sys.stderr, flush=True)
Toolkit.warm_up = warm_up
sys.exit(stdio.run("webquarry", "research"))
"""


def test_a_warm_server_has_opened_what_searching_and_reading_need(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "HOME": str(tmp_path), "WEBQUARRY_MCP_WARM": "1"}
    said = [*shake_hands("2025-06-18"), request(1, "tools/call", SEARCH)]
    environ["WEBQUARRY_MCP_GRACE_SECONDS"] = "20"
    answers, errors = run_code(WARM, said, **environ)

    assert answers[-1]["result"]["isError"] is False
    assert "opened ['router', 'cache', 'reader', 'runner']" in errors


@pytest.mark.parametrize(
    ("seconds_ago", "under_way", "is_prepared"), [(2.0, 0, True), (0.2, 0, False), (2.0, 1, False)]
)
def test_a_process_that_reads_is_started_when_nothing_is_asked_any_more(
    seconds_ago: float, under_way: int, is_prepared: bool
) -> None:
    """The start of one takes a whole core from those who go on searching."""
    prepared: list[str] = []
    kit = SimpleNamespace(
        settings=SimpleNamespace(mcp_text="json"),
        runner=SimpleNamespace(prepare=lambda: prepared.append("a process")),
    )
    listed = SimpleNamespace(server_info={}, tools=("web_search", "scrape_page"))
    options = FrontOptions("webquarry", "research")
    protocol = SimpleNamespace(prepared=listed)

    async def look() -> None:
        server = FrontServer(options, kit, protocol, None, None)  # type: ignore[arg-type]
        server._answered_at = asyncio.get_running_loop().time() - seconds_ago
        server._calls = dict.fromkeys(range(under_way))  # type: ignore[assignment]
        server._prepare_reading()

    asyncio.run(look())
    assert prepared == ["a process"] * is_prepared
