"""SearXNG: an instance of the user's own; silence of the engines behind it is not "no results"."""

from __future__ import annotations

import pytest

from tests.search.replies import recorded, recorded_json, recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.searxng import SearXNG
from webquarry.errors import (
    AuthFailure,
    BadInput,
    ProviderFailure,
    RateLimited,
    SiteRefused,
    WebquarryError,
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


def test_an_instance_may_be_below_a_path() -> None:
    provider = SearXNG.configure(
        Settings.from_environment({"WEBQUARRY_SEARXNG_URL": "https://a.example/searx"}), {}
    )

    assert str(provider.build_request(Query("x")).url).startswith("https://a.example/searx/search?")


def test_our_own_variable_comes_before_the_usual_one() -> None:
    settings = Settings.from_environment(
        {"SEARXNG_URL": "http://usual", "WEBQUARRY_SEARXNG_URL": "http://ours"}
    )

    assert SearXNG.configure(settings, {}).base == "http://ours"


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
        (Query("x", safe="off"), {"safesearch": "0"}),
        (Query("x", safe="high"), {"safesearch": "2"}),
        (Query("x", language="de"), {"language": "de"}),
        (Query("x", language="de", country="AT"), {"language": "de-AT"}),
        (Query("x", country="AT"), {}),
        (Query("x", allowed_domains=("a.org",)), {"q": "x site:a.org"}),
        (Query("x", exact_terms="a b", exclude_terms="c"), {"q": 'x "a b" -c'}),
        (Query("!!w :de <5 x"), {"q": '"!!w" ":de" "<5" x'}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_its_words(
    searxng: SearXNG, query: Query, sent: dict[str, str]
) -> None:
    assert parameters(searxng, query) == parameters(searxng, Query("x")) | sent


def test_a_country_counts_only_beside_a_language(searxng: SearXNG) -> None:
    assert "country" in searxng.applied(Query("x", language="de", country="AT"))
    assert "country" not in searxng.applied(Query("x", country="AT"))


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


def test_nothing_from_engines_that_all_answered_is_an_answer(searxng: SearXNG) -> None:
    batch = searxng.parse_reply(recorded_reply("searxng/empty_200"))

    assert (batch.results, batch.more) == ((), False)


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


def test_an_instance_without_json_is_told_apart_and_says_how_to_mend_it(searxng: SearXNG) -> None:
    with pytest.raises(SiteRefused, match="refused to answer in JSON") as caught:
        searxng.parse_reply(recorded_reply("searxng/blocked_403_json_disabled"))

    assert "search.formats" in caught.value.suggested_action


@pytest.mark.parametrize(
    ("body", "status", "kind", "retryable"),
    [
        (recorded("searxng/bad_input_400_no_query"), 400, BadInput, False),
        (b"Too Many Requests", 429, RateLimited, True),
        (b'{"error": "search error"}', 500, ProviderFailure, True),
        (b"{}", 200, ProviderFailure, True),
        (b'{"results": {}}', 200, ProviderFailure, True),
        (b"<html>search page</html>", 200, ProviderFailure, True),
    ],
)
def test_every_failure_is_of_its_kind(
    searxng: SearXNG, body: bytes, status: int, kind: type[WebquarryError], retryable: bool
) -> None:
    with pytest.raises(WebquarryError) as caught:
        searxng.parse_reply(reply(body, status))

    assert type(caught.value) is kind
    assert caught.value.retryable is retryable


@pytest.mark.parametrize("listed", [None, "x", [], [[]], [None, 5]])
def test_a_list_of_silent_engines_that_names_nobody_is_none(
    searxng: SearXNG, listed: object
) -> None:
    found = recorded_json("searxng/empty_200") | {"unresponsive_engines": listed}

    assert searxng.parse_reply(reply(found)).results == ()


def test_a_probe_is_a_search(searxng: SearXNG) -> None:
    assert dict(searxng.build_probe().url.params)["format"] == "json"
    searxng.parse_probe(recorded_reply("searxng/ok_200"))
