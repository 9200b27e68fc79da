"""Resources, prompts and completion, with the SDK's client in the same process."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.mcp.in_process import MODERN, with_client
from webquarry.caller import serving
from webquarry.mcp.prompts import load_prompts

BOTH_ERAS = pytest.mark.parametrize("mode", ["legacy", MODERN])
SECRET = "canary-brave-0123456789"


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("BRAVE_API_KEY", SECRET)


def resource(uri: str, mode: str = "legacy") -> Any:
    async def read(client: Client) -> Any:
        (content,) = (await client.read_resource(uri)).contents
        assert isinstance(content, types.TextResourceContents)
        assert SECRET not in content.text
        return json.loads(content.text)

    return with_client(read, mode, "core")


def test_providers_are_listed_with_their_state_and_without_keys() -> None:
    providers = {one["name"]: one for one in resource("stats://providers")["providers"]}

    assert providers["brave"]["configured"] is True
    assert providers["tavily"]["configured"] is False
    assert providers["duckduckgo"]["state"] == "closed"


@BOTH_ERAS
def test_health_has_version_parts_and_cache(mode: str) -> None:
    health = resource("diagnostics://health", mode)

    assert health["status"] == "ok"
    assert {"version", "uptimeSeconds", "cache"} <= set(health)
    assert {"libxml2", "lenses"} <= {part["name"] for part in health["parts"]}


def test_health_hides_paths_and_the_cache_from_remote_callers() -> None:
    with serving("ada"):
        health = resource("diagnostics://health")

    assert health["status"] == "ok"
    assert {"name": "cache folder", "state": "ok"} in health["parts"]
    assert all(set(part) == {"name", "state"} for part in health["parts"])
    assert health["cache"] == []


@pytest.mark.parametrize(("mode", "code"), [("legacy", -32002), (MODERN, -32602)])
@pytest.mark.parametrize(
    "uri", ["research://artifact/" + "0" * 64, "lenses://nothing", "file:///etc/passwd"]
)
def test_unknown_resource_is_an_error_with_its_uri(mode: str, code: int, uri: str) -> None:
    async def work(client: Client) -> types.ErrorData:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        return caught.value.error

    error = with_client(work, mode, "core")

    assert (error.code, error.data) == (code, {"uri": uri})


def test_raw_page_is_linked_and_readable_while_clean_text_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBQUARRY_LINK_THRESHOLD_BYTES", "1000")

    async def work(client: Client) -> tuple[Any, Any, Any]:
        found = await client.call_tool("web_search", {"query": "tidal energy storage"})
        assert isinstance(found.structured_content, dict)
        page = found.structured_content["urls"][0]
        cleaned = await client.call_tool("scrape_page", {"url": page})
        result = await client.call_tool("scrape_page", {"url": page, "mode": "raw"})
        (link,) = [part for part in result.content if isinstance(part, types.ResourceLink)]
        (content,) = (await client.read_resource(str(link.uri))).contents
        assert isinstance(content, types.TextResourceContents)
        return cleaned, result, json.loads(content.text)

    cleaned, result, whole = with_client(work, set_name="core")

    assert "linked" not in cleaned.structured_content
    assert len(str(cleaned.structured_content)) > 1000
    assert result.structured_content["linked"] is True
    assert whole["raw"] is True
    assert whole["content"]
    assert result.meta
    assert set(result.meta) >= {"webquarry/cache", "webquarry/routing"}


# --- prompts and completion


@pytest.mark.parametrize("name", load_prompts())
def test_prompt_is_filled_in_and_braces_in_arguments_are_literal(name: str) -> None:
    (required,) = [one["name"] for one in load_prompts()[name]["arguments"] if one["required"]]

    async def work(client: Client) -> types.GetPromptResult:
        return await client.get_prompt(name, {required: "otters {lens} {0}", "lens": "academic"})

    (message,) = with_client(work, set_name="core").messages
    assert isinstance(message.content, types.TextContent)

    assert "otters {lens} {0}" in message.content.text
    assert message.content.text.endswith("Search with the lens academic first.")


@pytest.mark.parametrize(
    ("name", "arguments"), [("nobody", {}), ("fact-check", {}), ("fact-check", {"claim": " "})]
)
def test_unknown_prompt_or_missing_argument_is_an_error(
    name: str, arguments: dict[str, str]
) -> None:
    async def work(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)
        return caught.value.error.code

    assert with_client(work, set_name="core") == -32602


@pytest.mark.parametrize(
    ("argument", "typed", "found"),
    [
        ("lens", "aca", ["academic"]),
        ("provider", "duck", ["duckduckgo"]),
        ("provider", "DUCK", ["duckduckgo"]),
    ],
)
def test_names_of_lenses_and_providers_are_completed(
    argument: str, typed: str, found: list[str]
) -> None:
    async def work(client: Client) -> list[str]:
        prompt = types.PromptReference(name="comprehensive-research")
        return (await client.complete(prompt, {"name": argument, "value": typed})).completion.values

    assert with_client(work, set_name="core") == found
