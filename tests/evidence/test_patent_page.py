"""The page of a patent: what it states of the patent, and of no other."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx2
import pytest

from tests.net.doubles import FakeClock
from webquarry._read.html.parse import parse_html
from webquarry._read.reader import Reader
from webquarry._search.patents.numbers import read_number
from webquarry._search.patents.provider import Patent
from webquarry.errors import ScriptPage, WebquarryError
from webquarry.evidence.page.patent_page import parse_patent, read_patent
from webquarry.net.client import Client
from webquarry.settings import Settings

PAGE = (Path(__file__).parent / "patent_page.html").read_text("utf-8")


def patent(page: str = PAGE) -> Patent:
    found = parse_patent(parse_html(page))
    assert found
    return found


def test_everything_that_the_page_states_is_read() -> None:
    found = patent()

    assert found.number.google == "US10999999B2"
    assert (found.title, found.abstract) == (
        "Tidal turbine with folding blades",
        "A turbine folds its blades at slack water.",
    )
    assert (found.assignees, found.inventors) == (("Tideworks Ltd",), ("Per Lindqvist",))
    assert (found.filed, found.published, found.granted) == (
        "2018-09-06",
        "2021-05-04",
        "2021-05-04",
    )
    assert (found.status, found.cpc) == ("active", ("F03B13/264",))
    assert found.pdf == "https://patentimages.storage.googleapis.com/aa/bb/cc/fake/US10999999.pdf"


def test_cited_patents_are_not_taken_for_the_patent() -> None:
    first, _, rest = PAGE.partition("<table>")
    table, _, end = rest.partition("</table>")
    before = first.replace("<h2>Info</h2>", f"<table>{table}</table><h2>Info</h2>") + end

    assert patent(before) == patent()


def test_meta_tags_replace_missing_microdata() -> None:
    bare = re.sub(
        r'itemprop="(?:title|inventor|assigneeOriginal|filingDate|pdfLink|abstract|events)"',
        "",
        PAGE,
    )

    assert patent(bare) == patent()


class Pages:
    """Answers for patents.google.com by path, with 404 for the rest, and remembers what it was
    asked.
    """

    def __init__(self, **pages: str | httpx2.Response) -> None:
        self.pages = pages
        self.asked: list[str] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/robots.txt":
            return httpx2.Response(404)
        number = request.url.path.split("/")[2]
        self.asked.append(number)
        page = self.pages.get(number, httpx2.Response(404))
        return page if isinstance(page, httpx2.Response) else httpx2.Response(200, html=page)


def looked_up(pages: Pages, written: str) -> Patent | None:
    number = read_number(written)
    assert number

    async def run() -> Patent | None:
        transport, clock = httpx2.MockTransport(pages), FakeClock()
        async with Client(
            Settings(retries=0), clock, pages=transport, providers=transport
        ) as client:
            return await read_patent(Reader(client), number)

    return asyncio.run(run())


def test_a_number_without_a_kind_is_looked_for_under_the_kinds_it_may_have() -> None:
    pages = Pages(US10999999B2=PAGE)
    found = looked_up(pages, "US10999999")

    assert found
    assert found.number.google == "US10999999B2"
    assert pages.asked == ["US10999999", "US10999999B2"]


def test_a_number_with_a_kind_is_that_publication_or_none() -> None:
    pages = Pages(US10999999B2=PAGE)

    assert looked_up(pages, "US10999999B1") is None
    assert pages.asked == ["US10999999B1"]


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (
            "<html><body><search-app></search-app><p>Loading patents, please wait for the "
            "page.</p></body></html>",
            ScriptPage,
        ),
        (
            httpx2.Response(
                503, html="<title>Sorry...</title><p>Our systems have detected unusual traffic"
            ),
            WebquarryError,
        ),
        (
            httpx2.Response(429, html="<form id='captcha-form'>unusual traffic</form>"),
            WebquarryError,
        ),
    ],
)
def test_a_page_that_cannot_be_read_is_an_error_and_not_an_absence(
    page: str | httpx2.Response, kind: type[WebquarryError]
) -> None:
    with pytest.raises(kind):
        looked_up(Pages(US10999999B2=page), "US10999999B2")
