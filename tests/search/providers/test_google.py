"""Google: requests as its API takes them, replies as it gives them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.search.replies import recorded_reply, reply
from webquarry._search.models import Query
from webquarry._search.providers.google import Google
from webquarry.clock import FrozenClock
from webquarry.errors import BadInput
from webquarry.settings import Settings

CREDENTIALS = {
    "GOOGLE_SEARCH_API_KEY": "google-key-1234",
    "GOOGLE_SEARCH_ENGINE_ID": "0123456789abcdef0",
}


@pytest.fixture
def google() -> Google:
    return Google.configure(Settings.from_environment({}), CREDENTIALS | {"HOME": "/nonexistent"})


def parameters(google: Google, query: Query) -> dict[str, str]:
    return dict(google.build_request(query).url.params)


def one_item(**fields: Any) -> Any:
    item = {"title": "T", "link": "https://a.example/", "snippet": "S", **fields}
    return {
        "searchInformation": {"totalResults": "1"},
        "queries": {"request": [{}]},
        "items": [item],
    }


def published(google: Google, pagemap: object) -> str | None:
    [hit] = google.parse_reply(reply(one_item(pagemap=pagemap))).results
    return hit.published


def test_the_request_is_the_documented_one(google: Google) -> None:
    request = google.build_request(Query("tidal turbine", page=2))

    assert request.method == "GET"
    assert str(request.url).startswith("https://www.googleapis.com/customsearch/v1?")
    assert request.headers["x-goog-api-key"] == "google-key-1234"
    assert dict(request.url.params) == {
        "cx": "0123456789abcdef0",
        "q": "tidal turbine",
        "num": "10",
        "start": "21",
    }


@pytest.mark.parametrize(
    ("query", "q", "site", "how"),
    [
        (Query("x", allowed_domains=("a.org",)), "x", "a.org", "i"),
        (Query("x", blocked_domains=("a.org",)), "x", "a.org", "e"),
        (
            Query("x", allowed_domains=("a.org",), blocked_domains=("b.a.org",)),
            "x -site:b.a.org",
            "a.org",
            "i",
        ),
        (Query("x", allowed_domains=("a.org", "b.org")), "x site:a.org OR site:b.org", None, None),
    ],
)
def test_one_domain_goes_out_as_site_search_and_several_as_operators(
    google: Google, query: Query, q: str, site: str | None, how: str | None
) -> None:
    sent = parameters(google, query)

    assert (sent["q"], sent.get("siteSearch"), sent.get("siteSearchFilter")) == (q, site, how)


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        (Query("x", time_range="week"), {"dateRestrict": "w1"}),
        (Query("x", safe="high"), {"safe": "active"}),
        (Query("x", language="de", country="AT"), {"lr": "lang_de", "gl": "at"}),
        (Query("x", language="zh", country="TW"), {"lr": "lang_zh-TW", "gl": "tw"}),
        (Query("x", language="he", country="GB"), {"lr": "lang_iw", "gl": "uk"}),
        (Query("x", language="eo"), {}),
        (
            Query("x", exact_terms="pitch seal", exclude_terms="forum"),
            {"exactTerms": "pitch seal", "excludeTerms": "forum"},
        ),
        (Query("x", engine="another-engine"), {"cx": "another-engine"}),
    ],
)
def test_what_else_is_asked_for_goes_out_in_googles_words(
    google: Google, query: Query, sent: dict[str, str]
) -> None:
    assert parameters(google, query) == parameters(google, Query("x")) | sent


def test_an_engine_of_a_lens_needs_no_engine_of_ones_own() -> None:
    google = Google.configure(
        Settings.from_environment({}), {"GOOGLE_SEARCH_API_KEY": "google-key-1234", "HOME": "/"}
    )

    assert parameters(google, Query("x", engine="lens-engine"))["cx"] == "lens-engine"


def test_a_query_that_google_would_refuse_is_bad_input_at_once(google: Google) -> None:
    with pytest.raises(BadInput, match="2048"):
        google.build_request(Query("ä" * 400))


def test_a_recorded_reply_becomes_results(google: Google) -> None:
    batch = google.parse_reply(recorded_reply("google/ok_200"))

    assert [
        (hit.title, hit.url, hit.snippet, hit.published, hit.provider) for hit in batch.results
    ] == [
        (
            "Tidal turbine seals: field notes",
            "https://www.example-marine.org/seals",
            "Mar 3, 2026 ... Notes from three retrievals and what wore out first.",
            "2026-03-03T08:15:00+00:00",
            "google",
        ),
        (
            "Rotor report (PDF)",
            "https://files.example.edu/rotor.pdf",
            "A 40 page report on rotor fatigue ...",
            None,
            "google",
        ),
    ]
    assert batch.more is True


def test_date_of_publication_is_read_from_the_meta_tags(google: Google) -> None:
    tags = {"date": "2026-01-02", "article:published_time": "March 3, 2026"}

    assert published(google, {"metatags": [tags]}) == "2026-01-02"


@pytest.mark.parametrize(
    ("item", "published"),
    [
        ({"snippet": "Mar 3, 2026 ... text"}, "2026-03-03"),
        ({"snippet": None, "htmlSnippet": "Mar 3, 2026 <b>...</b>&nbsp;text"}, "2026-03-03"),
        ({"snippet": "Mar 3, 2026 was a day"}, None),
        (
            {
                "snippet": "Mar 3, 2026 ... text",
                "pagemap": {"metatags": [{"date": "2026-01-02T03:04:05+01:00"}]},
            },
            "2026-01-02T03:04:05+01:00",
        ),
    ],
)
def test_a_date_at_the_beginning_of_the_snippet_counts_where_the_page_gives_none(
    google: Google, item: dict[str, Any], published: str | None
) -> None:
    google.clock = FrozenClock(datetime(2026, 11, 17, 12, 30, tzinfo=UTC))
    [hit] = google.parse_reply(reply(one_item(**item))).results

    assert hit.published == published
