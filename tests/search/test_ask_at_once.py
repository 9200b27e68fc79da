"""Provider `all`: everybody who is configured is asked at once, and one list comes of it."""

from __future__ import annotations

import pytest

from tests.search.engines import Engines, brave, called, failed, tavily
from webquarry._search.models import Result
from webquarry._search.paging import fuse
from webquarry.errors import WebquarryError

A, B, C = (f"https://{name}.example/" for name in "abc")


def hit(url: str, provider: str = "one", published: str | None = None) -> Result:
    return Result(url, url, "", provider, published)


def test_what_several_rank_well_comes_first_and_each_page_once() -> None:
    fused = fuse([[hit(A), hit(B)], [hit(C, "two"), hit(f"{B}?utm_source=x", "two", "2026-01-01")]])

    assert [result.url for result in fused] == [B, A, C]
    assert fused[0].published == "2026-01-01"


KEYS = {"BRAVE_API_KEY": "canary-brave-1234", "TAVILY_API_KEY": "canary-tavily-1234"}


def test_all_providers_are_asked_and_fused_with_a_note_on_the_requests() -> None:
    engines = Engines(brave=brave(A, B), tavily=tavily(B, C), duckduckgo=failed(500))

    found = called(engines, "web_search", KEYS, query="x", provider="all").as_dict()

    assert found["urls"][0] == B
    assert set(found["urls"]) == {A, B, C}
    assert {result["url"]: result["provider"] for result in found["results"]}[C] == "tavily"
    assert {"brave", "tavily", "duckduckgo"} == set(engines.names)


def test_the_answer_tells_who_was_asked_how_often() -> None:
    engines = Engines(brave=brave(A), tavily=tavily(C), duckduckgo=failed(500))

    answer = called(engines, "web_search", KEYS, query="x", provider="all")
    routing = answer.meta["webquarry/routing"]

    assert routing["providerUsed"] == "all"
    assert not routing["fallback"]
    (bill,) = [note for note in routing["notes"] if "at once" in note]
    assert "3 providers" in bill
    assert bill.endswith("billed or counted by Brave Search, Tavily.")
    assert answer.as_dict()["note"] == bill


def test_where_all_fail_the_error_names_them_all() -> None:
    engines = Engines(brave=failed(500), tavily=failed(500), duckduckgo=failed(500))

    with pytest.raises(WebquarryError) as caught:
        called(engines, "web_search", KEYS, query="x", provider="all")

    assert [attempt.provider for attempt in caught.value.attempts] == [
        "brave",
        "tavily",
        "duckduckgo",
    ]
