"""The MCP server over a tool set, with the SDK's client in the same process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from webquarry.calls.receipt import RECEIPT_META, digest_text, make_receipt
from webquarry.errors import RateLimited
from webquarry.secret import Secret
from webquarry.settings import Settings
from webquarry.surfaces.mcp import server as door
from webquarry.surfaces.mcp.calling import call_tool
from webquarry.surfaces.mcp.listing import ServedTools, describe, read_settings
from webquarry.surfaces.mcp.server import build_server
from webquarry.tool import Answer, TextAnswer, Tool, load
from webquarry.toolkit import Toolkit

BOTH_ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


class Count(Answer):
    """So many."""

    count: int


def run_tool(function: Callable[..., Awaitable[Answer]]) -> types.CallToolResult:
    """What the server makes of a tool with this function."""
    return asyncio.run(call_tool(Tool(function), Toolkit(Settings(), {}), {}))


def text_in(result: types.CallToolResult, place: int = 0) -> str:
    content = result.content[place]
    assert isinstance(content, types.TextContent)
    return content.text


def test_an_answer_with_structure_is_given_as_data_and_as_text() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        return Count(count=3).add_meta(cache={"cached": False})

    result = run_tool(counting)

    assert result.structured_content == {"count": 3}
    assert json.loads(text_in(result)) == {"count": 3}
    receipt = make_receipt("counting", {}, digest_text('{"count":3}'))
    assert result.meta == {"webquarry/cache": {"cached": False}, RECEIPT_META: receipt}
    assert not result.is_error


def test_an_answer_that_is_text_is_given_as_that_text_alone() -> None:
    async def telling(kit: Toolkit) -> TextAnswer:
        """Tell."""
        return TextAnswer(text="# Title")

    result = run_tool(telling)

    assert (text_in(result), len(result.content), result.structured_content) == ("# Title", 1, None)


def test_a_failure_is_a_sentence_and_then_its_facts() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise RateLimited("Slow down.", retry_after_seconds=7)

    result = run_tool(counting)

    assert result.is_error
    assert text_in(result) == "Slow down. Wait 7 seconds and try again, or name another provider."
    assert json.loads(text_in(result, 1)) == {
        "kind": "rate_limited",
        "retryable": True,
        "retryAfterSeconds": 7,
        "suggestedAction": "Wait 7 seconds and try again, or name another provider.",
    }


def test_a_failure_of_a_tool_that_speaks_in_text_is_the_sentence_alone() -> None:
    async def telling(kit: Toolkit) -> TextAnswer:
        """Tell."""
        raise RateLimited("Slow down.", suggested_action="")

    result = run_tool(telling)

    assert (result.is_error, len(result.content), text_in(result)) == (True, 1, "Slow down.")


def test_what_nobody_foresaw_is_told_by_its_kind_and_not_by_its_words() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise ZeroDivisionError("canary-5f1e")

    result = run_tool(counting)

    assert result.is_error
    assert text_in(result).startswith("The tool counting failed: ZeroDivisionError.")
    assert "canary" not in str(result)


def test_no_secret_is_in_an_error() -> None:
    secret = Secret("canary-key-8d21f0")

    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise RateLimited(
            f"Not so fast with {secret.reveal()}.", suggested_action=f"Replace {secret.reveal()}."
        )

    assert secret.reveal() not in str(run_tool(counting))


def test_cancellation_is_not_taken_for_a_failure() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_tool(counting)


@BOTH_ERAS
def test_an_unknown_tool_is_an_error_of_the_protocol_that_names_those_there_are(mode: str) -> None:
    async def run() -> types.ErrorData:
        async with Client(build_server("test", "duckduckgo"), mode=mode) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("nobody", {})
            return caught.value.error

    error = asyncio.run(run())

    assert (error.code, error.message) == (-32602, "Unknown tool: nobody")
    assert error.data == {"known": ["web_search", "instant_answer"]}


@BOTH_ERAS
@pytest.mark.parametrize(
    "arguments", [None, {}, {"query": 3}, {"query": None}, {"query": "x", "limit": 3}]
)
def test_arguments_that_do_not_fit_are_a_result_that_a_model_can_learn_from(
    mode: str, arguments: dict[str, Any] | None
) -> None:
    async def run() -> types.CallToolResult:
        async with Client(build_server("test", "duckduckgo"), mode=mode) as client:
            return await client.call_tool("web_search", arguments)

    result = asyncio.run(run())

    assert result.is_error
    assert "The field '" in text_in(result)


def test_a_set_lists_its_tools_in_its_own_order_and_the_rest_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert list(ServedTools("duckduckgo")) == ["web_search", "instant_answer"]
    assert list(ServedTools("executables")) == [
        "web_fetch",
        "web_search_brave",
        "web_search_google",
    ]
    monkeypatch.setattr("webquarry.tools.executables.ORDER", ("web_search_google",), raising=False)
    assert list(ServedTools("executables")) == [
        "web_search_google",
        "web_fetch",
        "web_search_brave",
    ]


def test_a_tool_with_structure_is_listed_with_its_output_and_as_one_that_changes_nothing() -> None:
    listed = describe(load("executables", "web_search_brave"))

    assert listed.output_schema is not None
    assert listed.annotations is not None
    assert listed.annotations.read_only_hint


@BOTH_ERAS
def test_every_set_can_be_listed_with_its_keys_in_the_order_they_are_written(mode: str) -> None:
    async def run() -> list[types.Tool]:
        async with Client(build_server("test", "research"), mode=mode) as client:
            return (await client.list_tools()).tools

    for tool in asyncio.run(run()):
        assert tool.description
        keys = [key for key in tool.input_schema if key != "required"]  # absent where nothing is
        assert keys == ["type", "properties", "additionalProperties"]
        if "required" in tool.input_schema:
            assert list(tool.input_schema)[2] == "required"


def test_a_set_without_settings_of_its_own_gets_those_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBSEARCH_TIMEOUT_SECS", "3")

    assert read_settings("research").timeout_seconds == 30
    assert read_settings("duckduckgo").timeout_seconds == 3


def test_the_toolkit_of_a_server_is_closed_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    kits: list[Toolkit] = []
    closed: list[Toolkit] = []

    class Watched(Toolkit):
        async def aclose(self) -> None:
            closed.append(self)
            await super().aclose()

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            kits.append(self)

    monkeypatch.setattr(door, "Toolkit", Watched)

    async def run() -> None:
        async with Client(build_server("test", "duckduckgo"), mode="legacy") as client:
            await client.list_tools()
            assert closed == []

    asyncio.run(run())

    assert len(kits) == 1
    assert closed == kits
