"""Serper: requests as its API takes them, replies as it gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.search.replies import recorded_reply
from webquarry._search.models import Query
from webquarry._search.providers.serper import Serper
from webquarry.errors import (
    AuthFailure,
    RateLimited,
)
from webquarry.settings import Settings


@pytest.fixture
def serper() -> Serper:
    environ = {"SERPER_API_KEY": "serper-key-1234", "HOME": "/nonexistent"}
    return Serper.configure(Settings.from_environment({}), environ)


def body(serper: Serper, query: Query) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(serper.build_request(query).read())
    return found


def test_the_request_is_the_documented_one(serper: Serper) -> None:
    request = serper.build_request(Query("tidal turbine", page=2))

    assert (request.method, str(request.url)) == ("POST", "https://google.serper.dev/search")
    assert request.headers["x-api-key"] == "serper-key-1234"
    assert json.loads(request.read()) == {"q": "tidal turbine", "page": 3}


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", time_range="day"), {"tbs": "qdr:d"}),
        (Query("x", country="DE", language="de"), {"gl": "de", "hl": "de"}),
        (Query("x", language="zh", country="TW"), {"gl": "tw", "hl": "zh-TW"}),
        (Query("x", exact_terms="a b", exclude_terms="c d"), {"q": 'x "a b" -c -d'}),
        (Query("x", blocked_domains=("a.org",)), {"q": "x -site:a.org"}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_its_words(
    serper: Serper, query: Query, sent: dict[str, Any]
) -> None:
    assert body(serper, query) == body(serper, Query("x")) | sent


def test_a_recorded_reply_becomes_results_and_display_dates_are_no_dates(serper: Serper) -> None:
    batch = serper.parse_reply(recorded_reply("serper/ok_200"))

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Seal wear in tidal turbines",
            "https://www.example-marine.org/seal-wear",
            "Notes from three retrievals ...",
            None,
        ),
        (
            "Pitch seals dataset",
            "https://data.example.edu/pitch-seals/",
            "312 failure records.",
            None,
        ),
    ]
    assert batch.more is True


def test_a_bad_key_is_a_403_and_an_empty_account_a_400(serper: Serper) -> None:
    with pytest.raises(AuthFailure, match="did not accept"):
        serper.parse_reply(recorded_reply("serper/auth_403"))
    with pytest.raises(RateLimited, match="Not enough credits") as caught:
        serper.parse_reply(recorded_reply("serper/rate_limited_400_credits"))

    assert caught.value.retryable is False
