"""SearchAPI.io: requests as its API takes them, replies as it gives them."""

from __future__ import annotations

import pytest

from tests.search.replies import recorded_json, recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.searchapi import SearchApi
from webquarry.settings import Settings


@pytest.fixture
def searchapi() -> SearchApi:
    environ = {"SEARCHAPI_API_KEY": "searchapi-key-1", "HOME": "/nonexistent"}
    return SearchApi.configure(Settings.from_environment({}), environ)


def parameters(searchapi: SearchApi, query: Query) -> dict[str, str]:
    return dict(searchapi.build_request(query).url.params)


def test_the_request_is_the_documented_one_and_the_key_is_in_no_url(searchapi: SearchApi) -> None:
    request = searchapi.build_request(Query("tidal turbine", page=2))

    assert (
        str(request.url)
        == "https://www.searchapi.io/api/v1/search?engine=google&q=tidal+turbine&page=3"
    )
    assert request.headers["authorization"] == "Bearer searchapi-key-1"


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", time_range="week"), {"time_period": "last_week"}),
        (Query("x", safe="high"), {"safe": "active"}),
        (Query("x", language="he"), {"lr": "lang_iw"}),
        (Query("x", country="GB"), {"gl": "uk"}),
        (Query("x", exact_terms="a b", exclude_terms="c"), {"q": 'x "a b" -c'}),
        (Query("x", blocked_domains=("a.org",)), {"q": "x -site:a.org"}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_its_words(
    searchapi: SearchApi, query: Query, sent: dict[str, str]
) -> None:
    assert parameters(searchapi, query) == parameters(searchapi, Query("x")) | sent


def test_a_recorded_reply_becomes_results_and_display_dates_are_no_dates(
    searchapi: SearchApi,
) -> None:
    batch = searchapi.parse_reply(recorded_reply("searchapi/ok_200"))

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Seal wear in tidal turbines",
            "https://www.example-marine.org/seal-wear",
            "Notes from three retrievals ...",
            None,
        )
    ]
    assert batch.more is True


def test_the_last_page_leads_nowhere(searchapi: SearchApi) -> None:
    found = recorded_json("searchapi/ok_200") | {"pagination": {"current": 3}}

    assert searchapi.parse_reply(reply(found)).more is False


def test_an_error_that_says_no_results_is_an_answer(searchapi: SearchApi) -> None:
    batch = searchapi.parse_reply(recorded_reply("searchapi/empty_200"))

    assert (batch.results, batch.more) == ((), False)
