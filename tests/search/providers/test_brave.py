"""Brave: requests as its API takes them, replies as it gives them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.search.replies import recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.brave import Brave
from webquarry.clock import FrozenClock
from webquarry.errors import (
    AuthFailure,
    BadInput,
    ProviderFailure,
    RateLimited,
    describe_wait,
)
from webquarry.settings import Settings

SENTENCE = (
    "Authentication required: BRAVE_API_KEY not found. Set environment variable or create "
    "~/.config/ikigai/brave-api-key file. Get API key from https://brave.com/search/api/"
)


@pytest.fixture
def brave() -> Brave:
    return Brave.configure(
        Settings.from_environment({}), {"BRAVE_API_KEY": "brave-key-1234", "HOME": "/nonexistent"}
    )


def parameters(brave: Brave, query: Query) -> dict[str, str]:
    return dict(brave.build_request(query).url.params)


def one_hit(**fields: Any) -> Any:
    hit = {"title": "T", "url": "https://a.example/", "description": "D", **fields}
    return {"query": {"original": "x"}, "web": {"results": [hit]}}


def test_the_request_is_the_documented_one(brave: Brave) -> None:
    request = brave.build_request(Query("tidal turbine", page=2))

    assert request.method == "GET"
    assert str(request.url).startswith("https://api.search.brave.com/res/v1/web/search?")
    assert request.headers["x-subscription-token"] == "brave-key-1234"
    assert request.headers["accept"] == "application/json"
    assert dict(request.url.params) == {
        "q": "tidal turbine",
        "count": "10",
        "offset": "2",
        "text_decorations": "false",
        "result_filter": "web,query",
    }


@pytest.mark.parametrize(
    "origin",
    [
        "nonsense",
        "ftp://a.example",
        "http://[::1",
    ],
)
def test_an_origin_that_is_no_web_address_is_bad_input_that_names_the_setting(origin: str) -> None:
    provider = Brave.configure(
        Settings.from_environment({"WEBQUARRY_BRAVE_URL": origin}),
        {"BRAVE_API_KEY": "brave-key-1234"},
    )

    with pytest.raises(BadInput, match="WEBQUARRY_BRAVE_URL"):
        provider.build_request(Query("x"))


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", allowed_domains=("a.org",)), "x site:a.org"),
        (Query("x", allowed_domains=("a.org", "b.org")), "x site:a.org OR site:b.org"),
        (Query("x", blocked_domains=("a.org", "b.org")), "x -site:a.org -site:b.org"),
        (
            Query("x", allowed_domains=("a.org",), blocked_domains=("b.a.org",)),
            "x site:a.org -site:b.a.org",
        ),
    ],
)
def test_domain_lists_go_out_as_operators_and_ask_for_a_full_page(
    brave: Brave, query: Query, sent: str
) -> None:
    assert parameters(brave, query)["q"] == sent
    assert parameters(brave, query)["count"] == "20"


def test_blocked_domains_are_sent_as_far_as_they_fit(brave: Brave) -> None:
    many = tuple(f"site-number-{number:02}.example" for number in range(40))
    sent = parameters(brave, Query("x", blocked_domains=many))["q"]

    assert sent.startswith("x -site:site-number-00.example -site:site-number-01.example")
    assert 370 < len(sent) <= 400


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", time_range="day"), {"freshness": "pd"}),
        (Query("x", safe="high"), {"safesearch": "strict"}),
        (Query("x", language="de", country="AT"), {"search_lang": "de", "country": "AT"}),
        (Query("x", language="pt"), {"search_lang": "pt-br"}),
        (Query("x", language="eo", country="IS"), {}),
        (Query("x", language="zh", country="TW"), {"search_lang": "zh-hant", "country": "TW"}),
        (
            Query("x", exact_terms='pitch "seal', exclude_terms="forum shop"),
            {"q": 'x "pitch seal" -forum -shop'},
        ),
    ],
)
def test_what_else_is_asked_for_goes_out_in_braves_words(
    brave: Brave, query: Query, sent: dict[str, str]
) -> None:
    assert parameters(brave, query) == parameters(brave, Query("x")) | sent


@pytest.mark.parametrize("text", ["x" * 401, " ".join("w" * 51)])
def test_a_query_that_brave_would_refuse_is_bad_input_at_once(brave: Brave, text: str) -> None:
    with pytest.raises(BadInput, match="at most 400 characters and 50 words"):
        brave.build_request(Query(text))


def test_a_recorded_reply_becomes_results(brave: Brave) -> None:
    batch = brave.parse_reply(recorded_reply("brave/ok_200"))

    assert [
        (hit.title, hit.url, hit.snippet, hit.published, hit.provider) for hit in batch.results
    ] == [
        (
            "Tidal Turbine O&M: what it really costs",
            "https://www.example-marine.org/om-cost-study",
            "A five-year study puts maintenance at 28% of lifetime cost for seabed mounted "
            "machines.",
            "2026-04-12T14:22:41",
            "brave",
        ),
        (
            "Reliability of blade pitch seals - open dataset",
            "https://data.example.edu/pitch-seals",
            "Failure records for 312 seals across four sites, CC-BY.",
            None,
            "brave",
        ),
        (
            "Forum: anyone pricing antifouling for tidal rotors?",
            "https://forum.example.net/t/antifouling/8841",
            "Thread with quotes from three coating vendors.",
            "2024-02-01T00:00:00",
            "brave",
        ),
    ]
    assert batch.more is True


@pytest.mark.parametrize(
    ("fields", "published"),
    [
        ({"age": "2 days ago"}, "2026-11-15"),
        ({"age": "February 12, 2025", "page_age": "2026-04-12T14:22:41"}, "2026-04-12T14:22:41"),
        ({"age": "February 12, 2025", "page_age": "lately"}, "2025-02-12"),
        ({"age": "a while ago"}, None),
    ],
)
def test_the_age_that_is_shown_is_the_date_where_there_is_no_other(
    brave: Brave, fields: dict[str, Any], published: str | None
) -> None:
    brave.clock = FrozenClock(datetime(2026, 11, 17, 12, 30, tzinfo=UTC))
    [hit] = brave.parse_reply(reply(one_hit(**fields))).results

    assert hit.published == published


@pytest.mark.parametrize("name", ["brave/auth_422_token_invalid", "brave/auth_422_missing_token"])
def test_a_key_that_is_not_accepted_gives_the_promised_sentence_and_says_where_it_came_from(
    brave: Brave, name: str
) -> None:
    with pytest.raises(AuthFailure) as caught:
        brave.parse_reply(recorded_reply(name))

    assert caught.value.message == SENTENCE
    assert "environment variable BRAVE_API_KEY" in caught.value.suggested_action


@pytest.mark.parametrize(
    ("reset", "seconds"),
    [
        ("1, 1419704", 1),
        ("", 1),
        ("-3", 1),
        ("99999", 3600),
    ],
)
def test_the_wait_is_the_first_value_of_the_reset_header(
    brave: Brave, reset: str, seconds: float
) -> None:
    with pytest.raises(RateLimited) as caught:
        brave.parse_reply(recorded_reply("brave/rate_limited_429", {"x-ratelimit-reset": reset}))

    assert caught.value.retry_after_seconds == seconds
    assert f"Wait {describe_wait(seconds)} and" in caught.value.suggested_action


def test_the_probe_reports_any_other_trouble(brave: Brave) -> None:
    with pytest.raises(RateLimited):
        brave.parse_probe(recorded_reply("brave/rate_limited_429_quota_limited"))
    with pytest.raises(AuthFailure):
        brave.parse_probe(reply(b"", 401))
    with pytest.raises(ProviderFailure):
        brave.parse_probe(reply(b"<html></html>"))
