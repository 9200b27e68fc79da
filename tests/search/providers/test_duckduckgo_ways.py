"""DuckDuckGo through the router: the second way after the first, and page after page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from tests.search.providers.duckduckgo_pages import HTML, box, fields, page
from tests.search.replies import MOMENT, recorded
from webquarry._search.models import Query, Result
from webquarry._search.router import Router
from webquarry.clock import FrozenClock
from webquarry.errors import (
    Challenge,
    RateLimited,
    SiteRefused,
    WebquarryError,
)
from webquarry.net.client import Client
from webquarry.settings import Settings


def found(answer: Callable[[httpx2.Request], httpx2.Response], query: Query) -> list[Result]:
    async def run() -> list[Result]:
        settings = Settings.from_environment({"retries": "0"})
        transport = httpx2.MockTransport(answer)
        clock = FrozenClock(MOMENT)
        async with Client(settings, clock, pages=transport, providers=transport) as client:
            return await Router(client, settings, {}, clock).search("duckduckgo", query)

    return asyncio.run(run())


class Pages:
    """Answers by host and remembers who was asked."""

    def __init__(self, **answers: tuple[int, bytes]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        way = request.url.host.partition(".")[0]
        self.asked.append(way)
        status, body = self.answers[way]
        return httpx2.Response(status, headers=HTML, content=body)


CHALLENGE = (202, recorded("duckduckgo/challenge_202_html_anomaly"))
LITE = (200, recorded("duckduckgo/ok_200_lite").replace(b"next_form", b"no_form"))


@pytest.mark.parametrize("first", [CHALLENGE, (200, b"<html>new markup</html>"), (503, b"")])
def test_the_lite_page_is_tried_once_where_the_html_page_fails(first: tuple[int, bytes]) -> None:
    pages = Pages(html=first, lite=LITE)
    results = found(pages, Query("tidal"))

    assert [hit.url for hit in results] == [
        "https://www.example-marine.org/seal-wear",
        "https://data.example.edu/pitch-seals/",
        "https://forum.example.net/t/San%20Francisco/88",
    ]
    assert pages.asked == ["html", "lite"]


def test_challenge_on_both_pages_is_a_challenge_without_a_third_request() -> None:
    pages = Pages(html=CHALLENGE, lite=CHALLENGE)

    with pytest.raises(Challenge) as caught:
        found(pages, Query("tidal"))
    assert pages.asked == ["html", "lite"]
    assert caught.value.provider == "duckduckgo"


@pytest.mark.parametrize(("status", "kind"), [(403, SiteRefused), (429, RateLimited)])
def test_a_refusal_is_not_tried_again_by_another_way(
    status: int, kind: type[WebquarryError]
) -> None:
    pages = Pages(html=(status, b""))

    with pytest.raises(kind):
        found(pages, Query("tidal"))
    assert pages.asked == ["html"]


def test_thirty_results_come_from_three_pages_each_asked_with_the_form_of_the_one_before() -> None:
    asked: list[dict[str, str]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(fields(request))
        number = len(asked)
        size, start = (10, 10) if number == 1 else (15, 10 + 15 * (number - 1))
        hidden: dict[str, Any] = {"q": "x", "s": start, "vqd": "4-1"}
        form = "".join(
            f'<input type="hidden" name="{name}" value="{value}">' for name, value in hidden.items()
        )
        button = '<input type="submit" value="Next">'
        links = f'<div class="nav-link"><form action="/html/">{button}{form}</form></div>'
        boxes = [box(f"https://a.example/{number}/{hit}") for hit in range(size)]
        return httpx2.Response(200, headers=HTML, content=page(*boxes, links=links))

    assert len(found(answer, Query("x", count=30))) == 30
    assert [form.get("s") for form in asked] == [None, "10", "25"]
    assert [form.get("vqd") for form in asked] == [None, "4-1", "4-1"]
