"""Style sheets that a page links to on its own site decide what of it is seen, by `scrape_page`."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.net.doubles import FakeWeb
from tests.search.engines import HOMELESS
from tests.tools.pages import ARTICLE, URL, Session, sent
from webquarry._read.html.sheet_links import find_sheet_links
from webquarry._read.linked_styles import MOST_BYTES, MOST_SHEETS, fetch_styles
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.toolkit import Toolkit

SHEET = "https://harbor.example/s.css"
HIDING = ".zz{display:none}"
MARK = "<p class=zz>Words that nobody sees on the page at all.</p>"


def build_page(head: str) -> str:
    return ARTICLE.replace("</head>", f"{head}</head>").replace("</article>", f"{MARK}</article>")


def build_session(
    head: str, sheets: dict[str, httpx2.Response], environ: dict[str, str] | None = None
) -> Session:
    return Session(FakeWeb({URL: sent(build_page(head)), **sheets}), environ=environ)


LINK = "<link rel=stylesheet href=/s.css>"


def css(text: str = HIDING, kind: str = "text/css", status: int = 200) -> httpx2.Response:
    return sent(text, kind, status)


def test_what_a_sheet_of_the_same_site_hides_is_left_out() -> None:
    session = build_session(LINK, {SHEET: css()})

    assert "nobody sees" not in session.scrape().content


@pytest.mark.parametrize(
    "sheets",
    [
        {},
        {SHEET: css(status=404)},
        {SHEET: css(kind="text/html")},
        {SHEET: css(kind="")},
        {SHEET: css(" " * (MOST_BYTES + 1) + HIDING)},
    ],
)
def test_a_sheet_that_cannot_be_had_changes_nothing(sheets: dict[str, httpx2.Response]) -> None:
    answer = build_session(LINK, sheets).scrape()

    assert "nobody sees" in answer.content
    assert "style" not in str(answer.as_dict().get("note", ""))


@pytest.mark.parametrize(
    "head",
    [
        "<link rel=stylesheet href=https://elsewhere.example/s.css>",
        "<link rel=stylesheet media=print href=/s.css>",
        "<link rel='alternate stylesheet' href=/s.css>",
        "<link rel=stylesheet disabled href=/s.css>",
        "<link rel=preload as=style href=/s.css>",
        "<link rel=stylesheet href=http://127.0.0.1/s.css>",
    ],
)
def test_other_sheets_are_not_fetched(head: str) -> None:
    session = build_session(
        head, {SHEET: css(), "https://elsewhere.example/s.css": css(), "http://127.0.0.1/": css()}
    )

    assert "nobody sees" in session.scrape().content
    assert not any(request.url.path == "/s.css" for request in session.web.requests)


def test_a_setting_turns_them_off() -> None:
    session = build_session(LINK, {SHEET: css()}, {"linked_styles": "0"})

    assert "nobody sees" in session.scrape().content


def test_the_guard_judges_the_addresses_of_sheets() -> None:
    """A site may say that its own name leads to a private address."""
    redirect = httpx2.Response(302, headers={"Location": "http://169.254.169.254/s.css"})
    session = build_session(LINK, {SHEET: redirect, "http://169.254.169.254/s.css": css()})

    assert "nobody sees" in session.scrape().content
    assert not any(request.url.host == "169.254.169.254" for request in session.web.requests)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<link rel=stylesheet href=a.css>", ["https://e.org/d/a.css"]),
        (b"<base href=/x/><LINK href='a.css' rel=StyleSheet>", ["https://e.org/x/a.css"]),
        (b"<link rel=stylesheet href='a.css?x=1&amp;y=2#z'>", ["https://e.org/d/a.css?x=1&y=2"]),
        (b"<link rel=stylesheet href=//f.org/a.css>", ["https://f.org/a.css"]),
        (b"<link rel=stylesheet href=a.css><link rel=stylesheet href=a.css>",
         ["https://e.org/d/a.css"]),
        (b"<link rel=stylesheet href='data:text/css,p{}'>", []),
        (b"<link rel=stylesheet href='http://[bad'>", []),
        (b"<link rel=icon href=a.css>", []),
        (b"<link rel=stylesheet>", []),
        (b"<link " * 100_000, []),
    ],
)  # fmt: skip
def test_links_are_found_without_parsing_the_page(page: bytes, expected: list[str]) -> None:
    assert list(find_sheet_links(page, "https://e.org/d/p")) == expected


def test_style_sheets_are_limited_in_number_and_bytes() -> None:
    body = "".join(f"<link rel=stylesheet href=/{number}.css>" for number in range(9)).encode()
    headers = httpx2.Headers({"content-type": "text/html"})
    reply = Reply(URL, 200, headers, body, Session(FakeWeb({})).clock.now())
    asked: list[str] = []

    async def get_style(url: str) -> bytes:
        asked.append(url)
        return b"%" * (MOST_BYTES // 2)

    packed = asyncio.run(fetch_styles(reply, get_style))

    assert len(asked) == MOST_SHEETS
    assert packed.count(b"%") == MOST_BYTES


def test_a_page_that_was_read_without_its_sheets_is_read_again_with_them() -> None:
    session = build_session(LINK, {SHEET: css()})

    async def read_plainly() -> str:
        async with Toolkit.open(environ=HOMELESS) as kit:
            kit.clock, kit.cache = session.clock, session.cache
            kit.client = Client(kit.settings, kit.clock, pages=session.web, providers=session.web)
            snapshot = await kit.pages.get(URL)
            return snapshot.data.decode()

    assert "nobody sees" in asyncio.run(read_plainly())
    assert "nobody sees" not in session.scrape().content
