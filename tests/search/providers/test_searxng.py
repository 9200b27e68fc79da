"""SearXNG: an instance of the user's own; silence of the engines behind it is not "no results"."""

from __future__ import annotations

import pytest

from tests.search.replies import recorded_reply
from webquarry._search.models import Query
from webquarry._search.providers.searxng import SearXNG
from webquarry.errors import (
    AuthFailure,
    ProviderFailure,
    SiteRefused,
)
from webquarry.settings import Settings


@pytest.fixture
def searxng() -> SearXNG:
    return SearXNG.configure(
        Settings.from_environment({"SEARXNG_URL": "http://127.0.0.1:8888/"}), {}
    )


def parameters(searxng: SearXNG, query: Query) -> dict[str, str]:
    return dict(searxng.build_request(query).url.params)


def test_the_request_is_the_documented_one(searxng: SearXNG) -> None:
    request = searxng.build_request(Query("tidal turbine", page=2, safe="medium"))

    assert (request.method, str(request.url.copy_with(query=None))) == (
        "GET",
        "http://127.0.0.1:8888/search",
    )
    assert dict(request.url.params) == {
        "q": "tidal turbine",
        "pageno": "3",
        "safesearch": "1",
        "format": "json",
    }
    assert request.headers["accept-language"]  # the limiter of an instance blocks clients without


def test_without_an_instance_it_says_what_to_set() -> None:
    provider = SearXNG.configure(Settings.from_environment({}), {})

    assert (provider.configured, provider.missing) == (False, ["SEARXNG_URL"])
    for build in (provider.build_probe, lambda: provider.build_request(Query("x"))):
        with pytest.raises(AuthFailure, match="SEARXNG_URL") as caught:
            build()
        assert "Set SEARXNG_URL" in caught.value.suggested_action


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", time_range="week"), {"time_range": "week"}),
        (Query("x", safe="high"), {"safesearch": "2"}),
        (Query("x", language="de", country="AT"), {"language": "de-AT"}),
        (Query("x", country="AT"), {}),
        (Query("x", exact_terms="a b", exclude_terms="c"), {"q": 'x "a b" -c'}),
        (Query("!!w :de <5 x"), {"q": '"!!w" ":de" "<5" x'}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_its_words(
    searxng: SearXNG, query: Query, sent: dict[str, str]
) -> None:
    assert parameters(searxng, query) == parameters(searxng, Query("x")) | sent


def test_a_recorded_reply_becomes_results(searxng: SearXNG) -> None:
    batch = searxng.parse_reply(recorded_reply("searxng/ok_200"))

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Seal wear in tidal turbines",
            "https://www.example-marine.org/seal-wear",
            "Notes from three retrievals.",
            "2026-08-17T00:00:00",
        ),
        ("Pitch seals dataset", "https://data.example.edu/pitch-seals/?a=1", "", None),
    ]
    assert batch.more is True


def test_nothing_from_engines_that_were_blocked_is_a_failure_that_names_them(
    searxng: SearXNG,
) -> None:
    with pytest.raises(ProviderFailure) as caught:
        searxng.parse_reply(recorded_reply("searxng/network_200_all_blocked"))

    assert (
        "brave (Suspended: too many requests), duckduckgo (CAPTCHA), startpage (timeout)"
        in caught.value.message
    )
    assert caught.value.retryable is True


def test_instance_without_json_format_says_how_to_enable_it(searxng: SearXNG) -> None:
    with pytest.raises(SiteRefused, match="refused to answer in JSON") as caught:
        searxng.parse_reply(recorded_reply("searxng/blocked_403_json_disabled"))

    assert "search.formats" in caught.value.suggested_action
