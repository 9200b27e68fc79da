"""The whole page as it is seen, or the part a reader came for; walls are judged by the whole."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import httpx2
import pytest

from tests.net.doubles import FakeClock, FakeWeb, text
from tests.tools.pages import ARTICLE
from webquarry._read.format import Selection
from webquarry._read.formats.html import WHOLE_NOTE
from webquarry._read.models import Page
from webquarry._read.reader import Reader
from webquarry._read.reply import read_reply
from webquarry.errors import LoginWall
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.settings import Settings

URL = "https://site.example/a"


def read(body: str, selection: Selection) -> Page:
    async def run() -> Page:
        async with Client(Settings(), FakeClock(), pages=FakeWeb({URL: text(body)})) as client:
            return await Reader(client).read(URL, selection=selection)

    return asyncio.run(run())


def test_the_parsed_page_comes_with_it_for_those_who_look_for_more() -> None:
    headers = httpx2.Headers({"content-type": "text/html"})
    reply = Reply(URL, 200, headers, ARTICLE.encode(), datetime(2026, 1, 2, tzinfo=UTC))
    page = read_reply(URL, reply, "main")

    assert page.document is not None
    assert page.document.roots[0].find("head/title") is not None


def test_a_page_without_a_main_part_is_given_whole_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from webquarry._read.main_content import select
    from webquarry._read.main_content.select import Selection as Chosen

    def nothing(document: object) -> Chosen:
        found = real(document)  # type: ignore[arg-type]
        return Chosen(found.flow, [])

    real = select.select_main_content
    monkeypatch.setattr(select, "select_main_content", nothing)
    page = read(ARTICLE, "main")

    assert page.markdown == read(ARTICLE, "whole").markdown
    assert WHOLE_NOTE in page.notes


def test_a_short_main_part_is_judged_by_the_whole_page() -> None:
    door = "<title>Log in</title><h1>Log in</h1><form action=/login method=post><input name=user>"
    door += (
        "<input type=password name=password><button>Log in</button></form><p>Log in to read this "
        "article.</p>"
    )

    with pytest.raises(LoginWall):
        read(door, "main")


def test_a_page_of_more_pieces_than_can_be_judged_is_given_whole_to_the_last() -> None:
    page = read(
        "<title>t</title><body>" + "".join(f"<p>piece {number}</p>" for number in range(20_001)),
        "main",
    )

    assert page.markdown.startswith("piece 0\n")
    assert page.markdown.endswith("\npiece 20000")
    assert WHOLE_NOTE in page.notes
