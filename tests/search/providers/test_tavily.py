"""Tavily: requests as its API takes them, replies as it gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.search.replies import recorded_json, recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.tavily import Tavily
from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError
from webquarry.settings import Settings


@pytest.fixture
def tavily() -> Tavily:
    return Tavily.configure(
        Settings.from_environment({}), {"TAVILY_API_KEY": "tvly-1234", "HOME": "/nonexistent"}
    )


def body(tavily: Tavily, query: Query) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(tavily.build_request(query).read())
    return found


def test_the_request_is_the_documented_one(tavily: Tavily) -> None:
    request = tavily.build_request(Query("tidal turbine"))

    assert (request.method, str(request.url)) == ("POST", "https://api.tavily.com/search")
    assert request.headers["authorization"] == "Bearer tvly-1234"
    assert json.loads(request.read()) == {"query": "tidal turbine", "max_results": 10}


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", count=30), {"max_results": 20}),
        (Query("x", time_range="month"), {"time_range": "month"}),
        (Query("x", country="AQ"), {}),
        (
            Query("x", allowed_domains=("a.org", "b.org")),
            {"include_domains": ["a.org", "b.org"], "max_results": 20},
        ),
        (Query("x", blocked_domains=("a.org",)), {"exclude_domains": ["a.org"], "max_results": 20}),
        (Query("x", exact_terms="a b"), {"query": 'x "a b"', "exact_match": True}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_tavilys_words(
    tavily: Tavily, query: Query, sent: dict[str, Any]
) -> None:
    assert body(tavily, query) == body(tavily, Query("x")) | sent


def test_lists_of_domains_keep_to_tavilys_limits(tavily: Tavily) -> None:
    many = tuple(f"a{number}.org" for number in range(301))

    assert "include_domains" not in body(tavily, Query("x", allowed_domains=many))
    assert len(body(tavily, Query("x", blocked_domains=many))["exclude_domains"]) == 150


def test_a_recorded_reply_becomes_results(tavily: Tavily) -> None:
    batch = tavily.parse_reply(recorded_reply("tavily/ok_200"))

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Seal wear in tidal turbines",
            "https://www.example-marine.org/seal-wear",
            "Seal lips lost 0.4 mm in a year. [...] Springs were fine.",
            None,
        ),
        (
            "Pitch seals dataset",
            "https://data.example.edu/pitch-seals/",
            "312 failure records.",
            None,
        ),
    ]
    assert batch.more is False


@pytest.mark.parametrize(
    ("name", "kind", "retryable", "said"),
    [
        ("bad_input_400", BadInput, False, "Invalid topic"),
        ("auth_401", AuthFailure, False, "did not accept"),
        ("bad_input_422_fastapi", BadInput, False, "Field required"),
        ("rate_limited_429", RateLimited, True, "excessive requests"),
        ("rate_limited_429_keyless_limit", RateLimited, True, "Keyless limit reached"),
        ("rate_limited_432", RateLimited, False, "exceeds your plan's set usage limit"),
        ("rate_limited_433", RateLimited, False, "pay-as-you-go limit"),
    ],
)
def test_every_recorded_error_is_of_its_kind(
    tavily: Tavily, name: str, kind: type[WebquarryError], retryable: bool, said: str
) -> None:
    with pytest.raises(WebquarryError, match=said) as caught:
        tavily.parse_reply(recorded_reply(f"tavily/{name}"))

    assert type(caught.value) is kind
    assert caught.value.retryable is retryable


def test_the_wait_is_what_tavily_says(tavily: Tavily) -> None:
    with pytest.raises(RateLimited) as by_header:
        tavily.parse_reply(recorded_reply("tavily/rate_limited_429", {"retry-after": "7"}))
    with pytest.raises(RateLimited) as by_body:
        tavily.parse_reply(recorded_reply("tavily/rate_limited_429_keyless_limit"))

    assert by_header.value.retry_after_seconds == 7
    assert by_body.value.retry_after_seconds == 3600


def test_the_probe_asks_how_much_is_used_which_costs_nothing(tavily: Tavily) -> None:
    request = tavily.build_probe()

    assert (request.method, str(request.url)) == ("GET", "https://api.tavily.com/usage")
    tavily.parse_probe(reply({"key": {"usage": 3}}))
    with pytest.raises(AuthFailure):
        tavily.parse_probe(reply(recorded_json("tavily/auth_401"), 401))
    with pytest.raises(ProviderFailure):
        tavily.parse_probe(reply(b"<html></html>"))
