"""Hacker News: a story leads to its page, a comment to itself, and only what was written there has
a date.
"""

from __future__ import annotations

import pytest

from tests.search.replies import MOMENT, recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.hackernews import HackerNews
from webquarry.clock import FrozenClock
from webquarry.errors import RateLimited
from webquarry.settings import Settings


@pytest.fixture
def hackernews() -> HackerNews:
    return HackerNews.configure(Settings.from_environment({}), {}, FrozenClock(MOMENT))


def parameters(hackernews: HackerNews, query: Query) -> dict[str, str]:
    return dict(hackernews.build_request(query).url.params)


def test_the_request_is_the_documented_one(hackernews: HackerNews) -> None:
    request = hackernews.build_request(Query("tide table", page=2))

    assert request.url.copy_with(query=None) == "https://hn.algolia.com/api/v1/search"
    assert dict(request.url.params) == {
        "query": "tide table",
        "tags": "story",
        "page": "2",
        "hitsPerPage": "10",
        "advancedSyntax": "true",
    }


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (
            Query("x", time_range="day"),
            {"numericFilters": f"created_at_i>{int(MOMENT.timestamp()) - 86400}"},
        ),
        (Query("x", exact_terms="a b", exclude_terms="c d"), {"query": 'x "a b" -c -d'}),
        (Query("x", allowed_domains=("a.org",)), {"hitsPerPage": "50"}),
        (Query("x", count=80), {"hitsPerPage": "50"}),
        (Query("x", language="de", country="DE", safe="high"), {}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_its_words(
    hackernews: HackerNews, query: Query, sent: dict[str, str]
) -> None:
    assert parameters(hackernews, query) == parameters(hackernews, Query("x")) | sent


def test_a_recorded_reply_becomes_results(hackernews: HackerNews) -> None:
    batch = hackernews.parse_reply(recorded_reply("hackernews/ok_200"))

    assert [(hit.title, hit.url, hit.snippet, hit.published) for hit in batch.results] == [
        (
            "Show HN: A tide table in 200 lines",
            "https://harbor.example/tide",
            "On Hacker News: 187 points, 3 comments, submitted 2024-11-15, "
            "https://news.ycombinator.com/item?id=40000001",
            None,
        ),
        (
            "Show HN: A tide table in 200 lines",
            "https://news.ycombinator.com/item?id=40000010",
            "The harmonic part is nice.",
            "2024-11-15T00:20:00Z",
        ),
    ]
    assert batch.more is False


def test_a_story_without_a_page_leads_to_itself(hackernews: HackerNews) -> None:
    link = '<a href="https:&#x2F;&#x2F;a.example" rel="nofollow">so</a>'
    text = f"Is a &lt;table&gt; enough?<p>I think {link}."
    hit = {
        "objectID": "7",
        "title": "Ask HN: Tables?",
        "url": None,
        "story_text": text,
        "created_at": "2024-01-02T03:04:05Z",
    }
    [result] = hackernews.parse_reply(reply({"hits": [hit]})).results

    assert (result.url, result.published) == (
        "https://news.ycombinator.com/item?id=7",
        "2024-01-02T03:04:05Z",
    )
    assert result.snippet == "Is a <table> enough? I think so."


@pytest.mark.parametrize(
    ("headers", "seconds"), [({}, 10), ({"retry-after": "3"}, 10), ({"retry-after": "60"}, 60)]
)
def test_too_fast_means_ten_seconds_at_least(
    hackernews: HackerNews, headers: dict[str, str], seconds: float
) -> None:
    with pytest.raises(RateLimited) as caught:
        hackernews.parse_reply(reply(b"", 429, headers))

    assert caught.value.retry_after_seconds == seconds
