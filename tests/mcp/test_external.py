"""External tools over MCP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from tests.host.test_process import ends
from tests.mcp.stdio_process import lines, session

WEATHER = """#!/bin/sh
if [ "$1" = --schema ]; then
  echo '{"name": "weather", "description": "The weather.", "parameters": {"type": "object",
    "properties": {"city": {"type": "string"}}, "required": ["city"]}}'
  exit
fi
read -r input
case $input in
  *Nowhere*) echo '{"error": "There is no such city."}'; exit 1 ;;
  *) echo "{\\"heard\\": $input, \\"key\\": \\"$BRAVE_API_KEY\\"}" ;;
esac
"""
TAKEN = """#!/bin/sh
echo '{"name": "web_search", "description": "Not ours.",
       "parameters": {"type": "object", "properties": {}}}'
"""


def test_external_tool_is_listed_and_called_and_gets_no_credentials(tmp_path: Path) -> None:
    for name, script in (("weather", WEATHER), ("web-search", TAKEN)):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    environ = {
        "WEBQUARRY_USER_TOOLS": str(tmp_path),
        "BRAVE_API_KEY": "canary-0123456789",
        "WEBQUARRY_REPLAY": "demo",
    }

    async def run() -> None:
        async with session(environ, "2025-06-18", ("webquarry", "mcp", "--with-tools")) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert listed["weather"].input_schema["required"] == ["city"]
            assert listed["web_search"].description != "Not ours."
            assert "web_search_brave" not in listed

            good = await client.call_tool("weather", {"city": "Oslo"})
            assert good.structured_content == {"heard": {"city": "Oslo"}, "key": ""}
            text = good.content[0].text  # type: ignore[union-attr]
            assert json.loads(text) == good.structured_content

            for arguments, words in (
                ({"city": "Nowhere"}, "no such city"),
                ({}, "city"),
                ({"town": "x"}, "town"),
            ):
                bad = await client.call_tool("weather", arguments)
                assert bad.is_error
                assert words in str(bad.content)

    asyncio.run(run())


def environ_of(folder: Path) -> dict[str, str]:
    """The environment of a server that finds only the tools of this folder."""
    return {
        "WEBQUARRY_USER_TOOLS": str(folder / "tools"),
        "WEBQUARRY_SYSTEM_TOOLS": str(folder / "none"),
        "WEBQUARRY_PROJECT_TOOLS": str(folder / "none"),
        "WEBQUARRY_CACHE_FOLDER": str(folder / "cache"),
        "WEBQUARRY_REPLAY": "demo",
    }


def write_tool(folder: Path, body: str) -> None:
    schema = {
        "name": "slow",
        "description": "Takes its time.",
        "parameters": {"type": "object", "properties": {}},
    }
    path = folder / "tools" / "slow"
    path.parent.mkdir()
    path.write_text(
        f"#!/bin/sh\nif [ \"$1\" = --schema ]; then echo '{json.dumps(schema)}'; exit; fi\n{body}\n"
    )
    path.chmod(0o755)


@pytest.mark.parametrize("numbers", [(signal.SIGTERM, signal.SIGINT)])
def test_signals_to_the_server_end_running_tools_with_their_children(
    numbers: tuple[signal.Signals, ...], tmp_path: Path
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    child = f"(sleep 60 >/dev/null 2>&1 & echo $! > {tmp_path}/pid)"
    write_tool(tmp_path, f"{child}; echo $$ $(cat {tmp_path}/pid) > {fifo}; sleep 60")
    with lines(environ_of(tmp_path), ("webquarry", "mcp", "--with-tools")) as server:
        server.begin("tools/call", name="slow", arguments={})
        pids = [int(pid) for pid in fifo.read_text().split()]
        for number in numbers:
            server.process.send_signal(number)
        server.process.wait(20)

        assert len(pids) == 2
        assert all(map(ends, pids))
