"""Cache keys hold every argument that affects an answer: the arguments are read off the signature,
and each is flipped.

A parameter that is added later is flipped too, so it cannot be forgotten. A tool that keeps its
answers is added to CALLS, with the arguments it cannot do without.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest

from tests.search.engines import KEYS, Engines, brave, called, google, tavily
from tests.search.scholarly.test_scholarly_finder import indexes
from webquarry.store.cache import Cache, CachedValue, Made
from webquarry.tools import load
from webquarry.tools.research._search import NOT_IN_KEY

CALLS: dict[str, dict[str, Any]] = {
    "web_search": {"query": "tides"},
    "instant_answer": {"query": "tides"},
    "patent_search": {"query": "tides", "provider": "lens"},
    "academic_search": {"query": "tides"},
}
# Other values for parameters that do not take any text.
VALUES = {
    "language": "de",
    "country": "DE",
    "site": "a.org",
    "lens": "news",
    "provider": "tavily",
    "patent_office": "EP",
    "cpc_code": "F03B",
    "year_from": 2001,
    "year_to": 2025,
}
OF_ONE_TOOL = {("academic_search", "provider"): "arxiv"}
A = "https://a.org/"
PATENTS = httpx2.Response(200, json={"total": 0, "data": []})
INSTANT = httpx2.Response(200, json={"AbstractText": "x", "RelatedTopics": []})
PARAMETERS = [
    (tool, name) for tool in CALLS for name in load("research", tool).parameters["properties"]
]


def flipped(tool: str, name: str) -> Any:
    """Another value for a parameter than the one it has in CALLS, or by default."""
    schema = load("research", tool).parameters["properties"][name]
    now = CALLS[tool].get(name, schema.get("default"))
    if name in VALUES:
        return OF_ONE_TOOL.get((tool, name), VALUES[name])
    if "enum" in schema:
        return next(value for value in schema["enum"] if value != now)
    if schema["type"] == "integer":
        return next(value for value in range(schema.get("minimum", 0), 100) if value != now)
    if schema["type"] == "boolean":
        return not now
    return f"not {now}"


def keys_of(monkeypatch: pytest.MonkeyPatch, tool: str, **arguments: Any) -> list[str]:
    """The keys under which a call looks for its answer."""
    keys = []
    real = Cache.get_or_make

    async def get_or_make(
        self: Cache, key: str, make: Callable[[], Awaitable[Made]], *, fresh: bool = False
    ) -> CachedValue:
        keys.append(key)
        return await real(self, key, make, fresh=fresh)

    engines = Engines(
        brave=brave(A),
        tavily=tavily(A),
        google=google(A),
        instant=INSTANT,
        lens=PATENTS,
        **indexes().replies,
    )
    with monkeypatch.context() as patch:
        patch.setattr(Cache, "get_or_make", get_or_make)
        patch.setattr("webquarry.tool.record_call", lambda *call: call[-1]())  # there is no session
        called(
            engines,
            tool,
            KEYS | {"SEARCH_PROVIDER": "brave", "LENS_API_TOKEN": "canary-lens-1234"},
            **CALLS[tool] | arguments,
        )
    return keys


@pytest.mark.parametrize(("tool", "name"), PARAMETERS)
def test_an_argument_changes_the_key_unless_it_is_named_as_one_that_affects_nothing(
    monkeypatch: pytest.MonkeyPatch, tool: str, name: str
) -> None:
    before, after = (
        keys_of(monkeypatch, tool),
        keys_of(monkeypatch, tool, **{name: flipped(tool, name)}),
    )

    assert len(before) == 1
    assert (before == after) is (name in NOT_IN_KEY)


def test_two_tools_never_share_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [key for tool in CALLS for key in keys_of(monkeypatch, tool)]

    assert len(set(keys)) == len(CALLS)
