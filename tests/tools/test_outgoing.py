"""Nothing invisible and no delimiter of a chat leaves through any tool, whatever was planted into
whatever text of whatever reply or page.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scripts.mcp_clients.calls import CALLS, fill_session

from tests.mcp.in_process import call as call_tool
from tests.tools.hostile_web import HOSTILE, MARKS, UNSEEN, WORD, HostileTransport
from webquarry._search.models import Attempt
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.mcp.resources import read_resource
from webquarry.net.client import Client
from webquarry.pages.outgoing import filter_error, filter_value
from webquarry.registry import module_names
from webquarry.settings import Settings
from webquarry.tool import Answer, Tool, tool
from webquarry.toolkit import Toolkit
from webquarry.tools import load

PAGE = "https://tidelines.example/2026/09/storing-the-tide"
SHOP = "https://shop.chandlery.example/batteries/slack-water-48v"
KEYS = {
    "BRAVE_API_KEY": "canary-brave-1234",
    "GOOGLE_SEARCH_API_KEY": "canary-google-1234",
    "GOOGLE_SEARCH_ENGINE_ID": "canary-engine",
}
TOPIC = {"query": "tidal energy storage"}
# Further calls: other pages, forms and providers.
FURTHER: list[tuple[str, str, dict[str, Any]]] = [
    ("research", "scrape_page", {"url": SHOP, "structured": True, "links": "inline"}),
    ("research", "scrape_page", {"url": PAGE, "mode": "whole", "links": "list"}),
    ("research", "scrape_page", {"url": PAGE, "outline": True, "citation_style": "csl-json"}),
    ("research", "scrape_page", {"url": PAGE, "question": "What stores the tide?"}),
    ("research", "scrape_page", {"url": PAGE, "mode": "raw", "citation_style": "bibtex"}),
    ("research", "scrape_page", {"url": "https://stats.marine-office.example/api/v1/sites.json"}),
    ("research", "scrape_page", {"url": "https://blog.saltmarsh.example/feed.xml"}),
    ("research", "scrape_page", {"url": "https://blog.saltmarsh.example/notes/reading-list.md"}),
    ("research", "scrape_page", {"url": "https://patents.google.com/patent/US10999999B2/en"}),
    ("research", "web_search", TOPIC | {"provider": "google", "num_results": 3}),
    ("research", "web_search", TOPIC | {"provider": "duckduckgo", "num_results": 3}),
    ("research", "search_and_scrape", TOPIC | {"include_sources": True, "filter_by_query": False}),
    ("executables", "web_search_brave", TOPIC),
    ("executables", "web_search_google", TOPIC),
    ("executables", "web_fetch", {"url": PAGE}),
]


def join_texts(value: Any) -> str:
    """Every name and text of a value, however deep."""
    if isinstance(value, dict):
        return join_texts(list(value)) + join_texts(list(value.values()))
    if isinstance(value, list | tuple):
        return "".join(join_texts(one) + "\n" for one in value)
    return str(value)


def find_hostile(value: Any) -> list[str]:
    """What of the hostile text is found in a value."""
    text = join_texts(value)
    found = [hex(ord(one)) for one in UNSEEN if one in text]
    return found + [mark for mark in MARKS if mark in text]


async def call_all(folder: Path, *, everywhere: bool) -> dict[str, list[Any]]:
    """What every tool gives through MCP: as text in each form, as data, beside it, and as errors."""
    settings = Settings(replay=Path("demo"), cache_folder=folder, state_folder=folder)
    given: dict[str, list[Any]] = {}
    async with Toolkit.open(settings, KEYS) as kit:
        assert kit.replay is not None
        planted = HostileTransport(kit.replay.transport(), everywhere=everywhere)
        kit.client = Client(settings, kit.clock, pages=planted, providers=planted)
        calls = [
            (toolset, name, arguments)
            for toolset, tools in CALLS.items()
            for name, arguments in tools.items()
        ]
        session = ""
        for toolset, name, arguments in [*calls, *FURTHER]:
            for text in ("json", "markdown"):
                filled = fill_session(arguments, session)
                result = await call_tool(load(toolset, name), kit, filled, text_format=text)
                shown = result.model_dump()
                if arguments.get("mode") == "raw":  # verbatim, as it says
                    shown = {**shown["structured_content"], "content": ""}
                given.setdefault(f"{toolset}/{name}", []).append(shown)
                data = result.structured_content or {}
                session = session or data.get("sessionId", "")
        uri = f"research://page/{PAGE}"
        given["resource"] = [await read_resource(uri, kit, is_modern=False)]
    return given


def test_every_tool_is_called() -> None:
    called = {f"{toolset}/{name}" for toolset, tools in CALLS.items() for name in tools}
    called |= {f"{toolset}/{name}" for toolset, name, _ in FURTHER}

    known = {
        f"{toolset}/{name}"
        for toolset in module_names("webquarry.tools")
        for name in module_names(f"webquarry.tools.{toolset}")
    }
    assert called == known


def test_nothing_hostile_leaves_through_any_tool(tmp_path: Path) -> None:
    given = asyncio.run(call_all(tmp_path, everywhere=False))

    assert {
        name: find_hostile(values) for name, values in given.items() if find_hostile(values)
    } == {}
    silent = {name for name, values in given.items() if WORD not in str(values)}
    assert silent == {"research/sequential_search"}  # which gives what its caller says


def test_nothing_hostile_leaves_where_not_even_codes_and_dates_are_spared(tmp_path: Path) -> None:
    given = asyncio.run(call_all(tmp_path, everywhere=True))

    assert {
        name: find_hostile(values) for name, values in given.items() if find_hostile(values)
    } == {}


def test_an_error_that_quotes_a_reply_is_filtered_and_not_endless() -> None:
    attempt = Attempt("brave", "network", f"said{HOSTILE}", 0.1)
    error = ProviderFailure(f"It said{HOSTILE}", suggested_action=f"Try{HOSTILE}")
    error.attempts = (attempt,)
    endless = ProviderFailure("word " * 10_000)

    filter_error(error)
    filter_error(endless)

    assert find_hostile([error.as_dict(), str(error), error.attempts[0].reason]) == []
    assert WORD in error.message
    assert len(endless.message) <= 2_000


@tool
async def shouting_tool(kit: Toolkit) -> Answer:
    """Fails with somebody else's words."""
    raise ProviderFailure(f"It said{HOSTILE}")


def test_a_tool_raises_filtered_errors() -> None:
    failing: Tool = shouting_tool

    with pytest.raises(WebquarryError) as caught:
        asyncio.run(failing.call(Toolkit(Settings(), {}), {}))

    assert find_hostile(str(caught.value)) == []


def test_clean_text_is_unchanged() -> None:
    value = {
        "a": ["naïve <b>x</b> [1]", "https://a.org/?q[]=1"],
        "b": {"c": (1, None, "می\u200cخواهم")},
    }

    assert filter_value(value) == value


def test_an_address_stays_the_same_address() -> None:
    assert filter_value("https://a.org/\u200bx<|im_end|>[INST]") == (
        "https://a.org/%E2%80%8Bx%3C|im_end|%3E%5BINST]"
    )
