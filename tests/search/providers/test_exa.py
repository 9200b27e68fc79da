"""Exa: requests as its API takes them, replies as it gives them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.search.replies import MOMENT, recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.exa import Exa
from webquarry.clock import FrozenClock
from webquarry.errors import (
    AuthFailure,
    BadInput,
    RateLimited,
    SiteRefused,
    WebquarryError,
)
from webquarry.settings import Settings


@pytest.fixture
def exa() -> Exa:
    environ = {"EXA_API_KEY": "exa-key-1234", "HOME": "/nonexistent"}
    return Exa.configure(Settings.from_environment({}), environ, FrozenClock(MOMENT))


def body(exa: Exa, query: Query) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(exa.build_request(query).read())
    return found


def test_the_request_is_the_documented_one(exa: Exa) -> None:
    request = exa.build_request(Query("tidal turbine"))

    assert (request.method, str(request.url)) == ("POST", "https://api.exa.ai/search")
    assert request.headers["x-api-key"] == "exa-key-1234"
    assert json.loads(request.read()) == {
        "query": "tidal turbine",
        "type": "auto",
        "numResults": 10,
        "contents": {"highlights": {"maxCharacters": 500}},
        "moderation": True,
    }


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", count=100), {"numResults": 25}),
        (Query("x", time_range="day"), {"startPublishedDate": "2026-11-14T12:00:00.000Z"}),
        (Query("x", country="DE"), {"userLocation": "DE"}),
        (Query("x", exact_terms='pitch "seal'), {"includeText": ["pitch seal"]}),
        (Query("x", exact_terms="one two three four five six"), {}),
        (Query("x", exclude_terms="forum shop"), {}),
        (Query("x", allowed_domains=("a.org",)), {"includeDomains": ["a.org"], "numResults": 25}),
        (
            Query("x", allowed_domains=("a.org",), blocked_domains=("b.a.org",)),
            {"includeDomains": ["a.org"], "numResults": 25},
        ),
    ],
)
def test_what_else_is_asked_for_goes_out_in_exas_words(
    exa: Exa, query: Query, sent: dict[str, Any]
) -> None:
    assert body(exa, query) == body(exa, Query("x")) | sent


def test_what_exa_cannot_take_is_not_called_applied(exa: Exa) -> None:
    held = exa.applied(Query("x", exact_terms="a b", exclude_terms="c"))
    not_held = exa.applied(
        Query("x", exact_terms="1 2 3 4 5 6", exclude_terms="c d", allowed_domains=("a.org",))
    )

    assert {"exact_terms", "exclude_terms", "blocked_domains"} <= held
    assert not {"exact_terms", "exclude_terms", "blocked_domains"} & not_held


def test_a_recorded_reply_becomes_results(exa: Exa) -> None:
    batch = exa.parse_reply(recorded_reply("exa/ok_200"))

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Seal wear in tidal turbines",
            "https://www.example-marine.org/seal-wear",
            "",
            "2026-08-17T00:00:00.000Z",
        ),
        (
            "https://data.example.edu/pitch-seals/",
            "https://data.example.edu/pitch-seals/",
            "",
            None,
        ),
    ]
    assert batch.more is False


def test_the_passages_that_exa_picked_are_the_snippet(exa: Exa) -> None:
    [hit] = exa.parse_reply(recorded_reply("exa/ok_200_with_contents")).results

    assert hit.snippet == "Seal lips lost 0.4 mm in a year."


@pytest.mark.parametrize(
    ("found", "status", "kind"),
    [
        ({"error": "no", "tag": "INVALID_API_KEY"}, 403, AuthFailure),
        ({"error": "no", "tag": "ACCESS_DENIED"}, 403, AuthFailure),
        ({"error": "no", "tag": "PROHIBITED_CONTENT"}, 403, SiteRefused),
        ({"error": "no", "tag": "API_KEY_BUDGET_EXCEEDED"}, 402, RateLimited),
        ({"error": "no", "tag": "RATE_LIMITED"}, 429, RateLimited),
        ({"error": "no", "tag": "INVALID_NUM_RESULTS"}, 400, BadInput),
    ],
)
def test_tag_decides_the_kind_of_error(
    exa: Exa, found: object, status: int, kind: type[WebquarryError]
) -> None:
    with pytest.raises(WebquarryError) as caught:
        exa.parse_reply(reply(found, status))

    assert type(caught.value) is kind
