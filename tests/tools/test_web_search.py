"""The two search tools cannot drift apart."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from webquarry._search.models import Query, Result
from webquarry.tool import Tool
from webquarry.tools.executables.web_search_brave import web_search_brave
from webquarry.tools.executables.web_search_google import web_search_google

TOOLS = {"brave": web_search_brave, "google": web_search_google}


def test_their_arguments_and_answers_are_the_same() -> None:
    assert web_search_brave.parameters == web_search_google.parameters
    assert web_search_brave.answer is web_search_google.answer


@pytest.mark.parametrize("name", TOOLS)
def test_each_asks_its_own_provider_and_maps_what_comes_back(name: str) -> None:
    asked: list[tuple[str, Query]] = []

    async def search(provider: str, query: Query, notes: list[str]) -> list[Result]:
        asked.append((provider, query))
        return [
            Result("T", "https://a.example/", "S", provider, "2026-01-16"),
            Result("U", "https://b.example/", "", provider),
        ]

    kit: Any = SimpleNamespace(router=SimpleNamespace(search=search))
    tool: Tool = TOOLS[name]
    answer = asyncio.run(
        tool.call(kit, {"query": "x y", "allowed_domains": ["a.example"], "blocked_domains": []})
    )

    assert asked == [(name, Query("x y", allowed_domains=("a.example",)))]
    assert answer.model_dump(exclude_none=True) == {
        "results": [
            {
                "title": "T",
                "url": "https://a.example/",
                "description": "S",
                "published_date": "2026-01-16T00:00:00",
            },
            {"title": "U", "url": "https://b.example/", "description": ""},
        ]
    }
