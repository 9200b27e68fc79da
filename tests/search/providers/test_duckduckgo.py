"""DuckDuckGo: forms as its pages send them, pages as it gives them, and a challenge as one."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.providers.duckduckgo_pages import HTML, box, page, urls
from tests.search.replies import recorded, recorded_reply, reply
from webquarry._search.models import Result
from webquarry._search.providers.duckduckgo import DuckDuckGo, target_of
from webquarry.errors import (
    Challenge,
    ProviderFailure,
    WebquarryError,
)
from webquarry.settings import Settings


@pytest.fixture
def duckduckgo() -> DuckDuckGo:
    return DuckDuckGo.configure(Settings.from_environment({}), {})


# Replies


EXPECTED = json.loads(
    (Path(__file__).parent.parent / "replies" / "duckduckgo" / "results.json").read_bytes()
)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_page_gives_exactly_the_results_that_a_reader_sees(
    duckduckgo: DuckDuckGo, name: str
) -> None:
    batch = duckduckgo.parse_reply(recorded_reply(f"duckduckgo/{name}"))

    assert batch.results == tuple(
        Result(hit["title"], hit["url"], hit["snippet"], "duckduckgo", hit["date"])
        for hit in EXPECTED[name]
    )


def test_a_box_with_the_badge_of_an_advertisement_is_no_result(duckduckgo: DuckDuckGo) -> None:
    badge = '<button class="badge--ad">Ad</button>'

    assert urls(
        duckduckgo, page(box("https://shop.example/", title=f"T{badge}"), box("https://a.example/"))
    ) == ["https://a.example/"]


def wrapped(url: str) -> str:
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='').replace('-', '%2D')}&rut={'9f2c' * 16}"


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("https://a.example/x?y=1&z=2", "https://a.example/x?y=1&z=2"),
        (wrapped("https://a-b.example/x?y=1&z=2"), "https://a-b.example/x?y=1&z=2"),
        ("//a.example/x", "https://a.example/x"),
        (wrapped("https://duckduckgo.com/y.js?ad_domain=shop.example"), None),
        (wrapped(f"https:{wrapped('https://a.example/')}"), None),
        ("https://html.duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F", "https://a.example/"),
        (wrapped("javascript:alert(1)"), None),
        ("//duckduckgo.com/l/?uddg=", None),
        (f"//duckduckgo.com/l/?{'a=1&' * 5000}", None),
        ("https://[::1", None),
    ],
)
def test_a_link_is_where_it_leads_and_never_a_redirect(href: str, target: str | None) -> None:
    assert target_of(href) == target


@pytest.mark.parametrize(
    ("span", "published"),
    [
        ("<span>2026-08-17T04:17:55.1234567</span>", "2026-08-17T04:17:55"),
        ("<span>2026-08-17T00:00:00.0000000</span>", "2026-08-17"),
        ("<span>2026-13-17T04:17:55.0000000</span>", None),
        ("<span>2 days ago</span>", None),
    ],
)
def test_a_date_keeps_no_digit_too_many_and_midnight_is_a_day(
    duckduckgo: DuckDuckGo, span: str, published: str | None
) -> None:
    [hit] = duckduckgo.parse_reply(
        reply(page(box("https://a.example/", date=span)), headers=HTML)
    ).results

    assert hit.published == published


def test_a_byte_that_is_no_utf_8_costs_only_itself(duckduckgo: DuckDuckGo) -> None:
    body = page(box("https://a.example/", title="caf@e"), box("https://b.example/")).replace(
        b"@", b"\xff\x00"
    )

    assert urls(duckduckgo, body) == ["https://a.example/", "https://b.example/"]


# Failures


@pytest.mark.parametrize("name", ["challenge_202_html_anomaly", "challenge_202_lite_anomaly"])
@pytest.mark.parametrize("status", [200, 202, 403, 429])
def test_a_challenge_is_one_whatever_the_status(
    duckduckgo: DuckDuckGo, name: str, status: int
) -> None:
    with pytest.raises(Challenge, match=f"HTTP {status}") as caught:
        duckduckgo.parse_reply(reply(recorded(f"duckduckgo/{name}"), status, HTML))

    assert caught.value.retryable is False
    assert caught.value.retry_after_seconds == 300
    assert "asking again and again only prolongs it" in caught.value.suggested_action


def test_markup_that_is_no_longer_understood_says_so(duckduckgo: DuckDuckGo) -> None:
    with pytest.raises(ProviderFailure, match="its markup has changed"):
        duckduckgo.parse_reply(reply(page("<article>A result of tomorrow</article>"), headers=HTML))


@given(st.data())
def test_fuzz_a_page_with_anything_in_the_place_of_anything_gives_results_or_an_error_of_ours(
    data: st.DataObject,
) -> None:
    name = data.draw(
        st.sampled_from(
            [
                "ok_200",
                "ok_200_uddg_links",
                "ok_200_lite",
                "empty_200",
                "challenge_202_html_anomaly",
            ]
        )
    )
    body = recorded(f"duckduckgo/{name}")
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(body))] * 2)))
    provider = DuckDuckGo.configure(Settings.from_environment({}), {})

    try:
        batch = provider.parse_reply(
            reply(body[:start] + data.draw(st.binary(max_size=20)) + body[end:], headers=HTML)
        )
    except WebquarryError:
        return
    assert all(target_of(hit.url) == hit.url and hit.title for hit in batch.results)


@pytest.mark.parametrize(
    "wall",
    [
        "<div class='anomaly-modal__title'>Unfortunately</div>",
        "<script src='/_Incapsula_Resource?x=1'></script>",
    ],
)
def test_a_page_that_wants_proof_of_a_person_is_a_challenge_in_whatever_words(
    duckduckgo: DuckDuckGo, wall: str
) -> None:
    with pytest.raises(Challenge):
        duckduckgo.parse_reply(reply(f"<html><body>{wall}</body></html>".encode(), 200, HTML))
