"""The methods of the server, with the SDK's client in the same process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.mcp.in_process import MODERN, call, text_of, with_client
from webquarry.errors import RateLimited
from webquarry.secret import Secret
from webquarry.settings import Settings
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit

BOTH_ERAS = pytest.mark.parametrize("mode", ["legacy", MODERN])


class Count(Answer):
    """A structured answer."""

    count: int


def run_tool(function: Callable[..., Awaitable[Answer]]) -> types.CallToolResult:
    return asyncio.run(call(function, Toolkit(Settings(), {})))


def test_failure_is_a_sentence_followed_by_its_facts() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise RateLimited("Slow down.", retry_after_seconds=7)

    result = run_tool(counting)

    assert result.is_error
    assert text_of(result) == "Slow down. Wait 7 seconds and try again, or name another provider."
    assert json.loads(text_of(result, 1)) == {
        "kind": "rate_limited",
        "retryable": True,
        "retryAfterSeconds": 7,
        "suggestedAction": "Wait 7 seconds and try again, or name another provider.",
    }


def test_unexpected_exception_is_named_without_its_message() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise ZeroDivisionError("canary-5f1e")

    result = run_tool(counting)

    assert result.is_error
    assert text_of(result).startswith("The tool counting failed: ZeroDivisionError.")
    assert "canary" not in str(result)


def test_secrets_are_redacted_in_errors() -> None:
    secret = Secret("canary-key-8d21f0")

    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise RateLimited(
            f"Not so fast with {secret.reveal()}.", suggested_action=f"Replace {secret.reveal()}."
        )

    assert secret.reveal() not in str(run_tool(counting))


def test_cancellation_is_not_reported_as_failure() -> None:
    async def counting(kit: Toolkit) -> Count:
        """Count."""
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run_tool(counting)


@BOTH_ERAS
def test_unknown_tool_is_a_protocol_error_that_names_the_known_tools(mode: str) -> None:
    async def work(client: Client) -> types.ErrorData:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("nobody", {})
        return caught.value.error

    error = with_client(work, mode, "duckduckgo")

    assert (error.code, error.message) == (-32602, "Unknown tool: nobody")
    assert error.data == {"known": ["web_search", "instant_answer"]}


@BOTH_ERAS
@pytest.mark.parametrize(
    "arguments", [None, {}, {"query": 3}, {"query": None}, {"query": "x", "limit": 3}]
)
def test_invalid_arguments_are_a_tool_error(mode: str, arguments: dict[str, Any] | None) -> None:
    async def work(client: Client) -> types.CallToolResult:
        return await client.call_tool("web_search", arguments)

    result = with_client(work, mode, "duckduckgo")

    assert result.is_error
    assert "The field '" in text_of(result)
