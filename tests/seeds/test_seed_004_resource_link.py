"""Seed 004, "Large-Payload Linking (resource_link)": a content type of 2025-06-18, so that clients
which agreed on an older revision are told the address in words. Each session is a real one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.mcp.http_process import Served, http_server, message_in
from tests.mcp.stdio_process import session

pytestmark = pytest.mark.slow

OLD = ("2024-11-05", "2025-03-26")
OLD_KINDS = {"text", "image", "resource"}  # of content in every revision
ENVIRON = {"WEBQUARRY_REPLAY": "demo", "WEBQUARRY_LINK_THRESHOLD_BYTES": "1000"}
PAGE = {"url": "https://wiki.openwaters.example/wiki/Tidal_energy_storage", "mode": "raw"}


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with http_server(ENVIRON) as server:
        yield server


def check_content(content: list[dict[str, Any]], version: str | None) -> str:
    """The content is of the kinds that the revision knows, and tells where the whole result is:
    that address.
    """
    address = str(json.loads(content[0]["text"])["resource"])
    kinds = {part["type"] for part in content}
    if version is None or version in OLD:
        assert kinds <= OLD_KINDS
        assert f"Read {address} with resources/read" in content[-1]["text"]
    else:
        (link,) = [part for part in content if part["type"] == "resource_link"]
        assert link["uri"] == address
    # Whatever follows no address is told how to go on with a tool.
    assert "Call scrape_page with" in content[1]["text"]
    return address


@pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)
def test_resource_link_is_sent_by_the_agreed_revision_on_stdio(version: str) -> None:
    async def run() -> None:
        async with session(ENVIRON, version, ("webquarry", "mcp")) as client:
            result = await client.call_tool("scrape_page", PAGE)
            assert isinstance(result, types.CallToolResult)
            content = [part.model_dump(mode="json", by_alias=True) for part in result.content]
            address = check_content(content, version)
            (whole,) = (await client.read_resource(address)).contents
            assert isinstance(whole, types.TextResourceContents)
            assert json.loads(whole.text)["raw"] is True

    asyncio.run(run())


@pytest.mark.parametrize("version", [None, *OLD, "2025-06-18", "2025-11-25"])
def test_resource_link_is_sent_by_the_agreed_revision_over_http(
    served: Served, version: str | None
) -> None:
    """The header came with 2025-06-18: who sends none is taken for a client of 2025-03-26."""
    headers = {} if version is None else {"MCP-Protocol-Version": version}
    call = {"name": "scrape_page", "arguments": PAGE}
    answer = message_in(served.post("tools/call", call, headers=headers).text)
    address = check_content(answer["result"]["content"], version)
    read = message_in(served.post("resources/read", {"uri": address}, headers=headers).text)

    assert json.loads(read["result"]["contents"][0]["text"])["raw"] is True
