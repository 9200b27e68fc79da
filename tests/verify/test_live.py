"""`verify --live`: cited pages are read again and each quote is looked for."""

from __future__ import annotations

import asyncio
import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb, Page, redirect, text
from tests.sessions.kits import kit_on
from tests.verify.pack.packs import TEXT, WORDS, A, make_pack, make_session
from webquarry.toolkit import Toolkit
from webquarry.verify.live import CitedPage, LiveChecker, list_pack_pages, list_session_pages
from webquarry.verify.wacz import read_wacz

URL = "https://site.example/tides"
READ_AT = datetime(2026, 2, 1, 8, 30, tzinfo=UTC)
QUOTE = "its gates are not closed before the ebb"
PROSE = " ".join(
    f"The pilot of day {number} reads the column of the table before the third."
    for number in range(30)
)
PAGE = f"<html><head><title>Tides</title></head><body><p>{PROSE}</p><p>The lagoon is full, and {QUOTE}.</p>"


def cited(**more: Any) -> CitedPage:
    fields: dict[str, Any] = {"read_at": READ_AT, "quotes": (QUOTE,), **more}
    return CitedPage(1, URL, "Tides", **fields)


def check(
    folder: Path, pages: dict[str, Page | list[Page]], page: CitedPage, **environ: str
) -> tuple[dict[str, Any], FakeWeb]:
    web = FakeWeb(pages)

    async def run() -> dict[str, Any]:
        async with kit_on(folder, web, environ=environ) as kit:
            (result,) = await check_in(kit, [page])
            return result

    return asyncio.run(run()), web


async def check_in(kit: Toolkit, pages: list[CitedPage]) -> list[dict[str, Any]]:
    async with kit.citations.open_lookups(deadline=math.inf) as lookups:
        return await LiveChecker(kit.reader, kit.pages, lookups.ask, kit.clock).check_all(pages)


def test_a_server_that_says_nothing_changed_is_believed_and_asked_once(tmp_path: Path) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.headers.get("If-None-Match") == '"v1"':
            return httpx2.Response(304)
        return text(PAGE)

    found, web = check(tmp_path, {URL: answer}, cited(etag='"v1"'))

    assert (found["state"], found["quotes"][0]["state"]) == ("same", "there")
    assert web.asked() == [URL]
    sent = web.requests[-1].headers
    assert sent["If-Modified-Since"] == "Sun, 01 Feb 2026 08:30:00 GMT"


def test_the_same_words_in_other_bytes_are_the_same_text(tmp_path: Path) -> None:
    first, _ = check(tmp_path, {URL: text(PAGE)}, cited())
    again = cited(text_hash=first["textHash"])
    found, web = check(tmp_path, {URL: text(f"{PAGE}<!-- served at noon -->")}, again)

    assert first["state"] == "quote_there"
    assert found["state"] == "same_text"
    assert web.asked() == [URL]


def test_words_that_are_others_now_are_shown_and_named(tmp_path: Path) -> None:
    changed = PAGE.replace("are not closed", "are closed")
    found, _ = check(tmp_path, {URL: text(changed)}, cited())
    (quote,) = found["quotes"]

    assert (found["state"], quote["state"]) == ("quote_changed", "changed")
    assert [(change["kind"], change["quote"]) for change in quote["changes"]] == [
        ("negation", "not")
    ]
    assert "are closed before the ebb" in quote["now"][0]


def test_moved_page_is_followed_and_reported(tmp_path: Path) -> None:
    new = "https://site.example/new/tides"
    found, _ = check(tmp_path, {URL: redirect(new, 301), new: text(PAGE)}, cited())

    assert (found["state"], found["movedTo"]) == ("quote_there", new)


def test_of_a_page_that_is_gone_the_archives_copy_is_looked_into(tmp_path: Path) -> None:
    stamp = "20260131120000"
    closest = {"available": True, "status": "200", "timestamp": stamp, "url": "x"}
    available_copy = json.dumps({"archived_snapshots": {"closest": closest}})
    archive = "https://archive.example"
    available = f"{archive}/wayback/available?url=https%3A%2F%2Fsite.example%2Ftides&timestamp=20260201083000"
    found, web = check(
        tmp_path,
        {
            URL: text("gone", 410),
            available: text(available_copy),
            f"{archive}/web/{stamp}id_/{URL}": text(PAGE),
        },
        cited(),
        WEBQUARRY_WAYBACK_URL=archive,
    )

    assert found["state"] == "page_gone"
    assert (found["archive"]["url"], found["archive"]["date"]) == (
        f"{archive}/web/{stamp}/{URL}",
        "2026-01-31",
    )
    assert (found["quotes"][0]["state"], found["quotes"][0]["inArchive"]) == ("unchecked", True)
    assert available in web.asked()


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (text("no", 403), "blocked"),
        (text("wait", 429), "blocked"),
        (text("down", 503), "unreachable"),
        (httpx2.ConnectError("refused"), "unreachable"),
    ],
)
def test_what_refuses_programs_or_fails_is_neither_gone_nor_changed(
    tmp_path: Path, answer: Page, state: str
) -> None:
    found, _ = check(tmp_path, {URL: answer}, cited())

    assert found["state"] == state
    assert found["reason"]
    assert "archive" not in found


def test_without_a_quote_or_a_hash_nothing_is_claimed(tmp_path: Path) -> None:
    plain, _ = check(tmp_path, {URL: text(PAGE)}, cited(quotes=()))
    hashed, _ = check(tmp_path, {URL: text(PAGE)}, cited(quotes=(), text_hash="00"))

    assert (plain["state"], hashed["state"]) == ("readable", "text_changed")


def test_an_address_whose_secret_was_masked_is_not_asked_for(tmp_path: Path) -> None:
    page = CitedPage(1, "https://site.example/?key=***", "Tides")
    found, web = check(tmp_path, {}, page)

    assert found["state"] == "unreachable"
    assert web.requests == []


def test_the_pages_of_a_session_are_those_that_were_read_or_quoted() -> None:
    session = make_session()
    first, second = list_session_pages(session)

    assert (first.url, first.text_hash, first.quotes) == (A, WORDS.digest, (QUOTE,))
    assert first.validators.last_modified == "Mon, 14 Sep 2026 00:00:00 GMT"
    assert second.number == 3


def test_a_pack_also_knows_what_the_server_said_of_a_page() -> None:
    (page,) = list_pack_pages(read_wacz(make_pack()))

    assert (page.etag, page.text_hash, page.quotes) == ('"v1"', WORDS.digest, (QUOTE,))
    assert page.validators.last_modified == "Mon, 14 Sep 2026 06:00:00 GMT"
    assert QUOTE in TEXT
