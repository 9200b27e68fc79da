"""The reader: from a URL to a page, through a client that answers what it is told to."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime
from typing import cast

import httpx2
import pytest

from webquarry._read import reply as reply_module
from webquarry._read.format import Selection
from webquarry._read.models import Page
from webquarry._read.reader import ACCEPT, Reader
from webquarry.errors import Challenge, NetworkFailure, NotFound, Unreadable
from webquarry.net.client import Client
from webquarry.net.models import Reply

MOMENT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
WORDS = "The harbour office keeps a log of every vessel that enters. " * 5


class FakeClient:
    """Gives one reply, and remembers what it was asked."""

    def __init__(
        self, body: bytes = b"", content_type: str = "text/html", status: int = 200, url: str = ""
    ) -> None:
        self.reply = (body, content_type, status, url)
        self.asked: list[tuple[str, str]] = []

    async def fetch(self, url: str, *, accept: str) -> Reply:
        self.asked.append((url, accept))
        body, content_type, status, final = self.reply
        return Reply(
            final or url, status, httpx2.Headers({"content-type": content_type}), body, MOMENT
        )


def read(client: FakeClient, url: str = "https://site.example/a") -> Page:
    async def run() -> Page:
        reader = Reader(cast(Client, client))
        try:
            return await reader.read(url)
        finally:
            await reader.runner.aclose()

    return asyncio.run(run())


def test_a_page_comes_back_as_markdown_with_all_that_is_known_about_it() -> None:
    body = (
        "<html><head><title>Harbour</title></head><body><h1>Log</h1>"
        f"<p>{WORDS}<a href='b'>next</a></p></body></html>"
    )

    page = read(
        FakeClient(body.encode(), "text/html; charset=utf-8", url="https://www.site.example/log/")
    )

    assert (page.url, page.requested_url) == (
        "https://www.site.example/log/",
        "https://site.example/a",
    )
    assert (page.title, page.content_type, page.encoding, page.outcome) == (
        "Harbour",
        "html",
        "utf-8",
        "ok",
    )
    assert page.markdown.startswith("# Log\n")
    assert "[next](https://www.site.example/log/b)" in page.markdown
    assert (page.notes, page.fetched_at) == ((), MOMENT)


def test_html_is_asked_for_first() -> None:
    client = FakeClient(WORDS.encode(), "text/plain")

    read(client, "https://site.example/x")

    assert client.asked == [("https://site.example/x", ACCEPT)]
    assert ACCEPT.startswith("text/html,")


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (WORDS.encode(), "text/plain", "text"),
        (b"# Log\n\n" + WORDS.encode(), "text/markdown", "markdown"),
        (b'{"log": []}', "application/json", "json"),
        (b"<?xml version='1.0'?><log/>", "application/xml", "xml"),
        (b"<p>" + WORDS.encode(), "application/xhtml+xml", "html"),
    ],
)
def test_every_text_format_is_read(body: bytes, content_type: str, expected: str) -> None:
    page = read(FakeClient(body, content_type))

    assert page.content_type == expected
    assert page.markdown


def test_a_guess_at_the_encoding_is_admitted() -> None:
    page = read(FakeClient(("<p>Un café à Nîmes. " + WORDS).encode("cp1252"), "text/html"))

    assert "café à Nîmes" in page.markdown
    assert page.notes == (
        "The page declares no encoding that fits it; windows-1252 was guessed from its letters.",
    )


def test_removed_parts_are_counted() -> None:
    page = read(FakeClient(("with\u200bout " + WORDS).encode(), "text/plain; charset=utf-8"))

    assert page.markdown.startswith("without ")
    assert sum(page.removed.values()) == 1


@pytest.mark.parametrize(
    ("body", "content_type", "status", "error"),
    [
        (b"%PDF-1.7", "application/pdf", 200, Unreadable),
        (b"<h1>gone</h1>", "text/html", 404, NotFound),
        (b"<h1>broken</h1>", "text/html", 500, NetworkFailure),
        (
            b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>",
            "text/html",
            403,
            Challenge,
        ),
    ],
)
def test_responses_without_a_page_raise(
    body: bytes, content_type: str, status: int, error: type[Exception]
) -> None:
    with pytest.raises(error):
        read(FakeClient(body, content_type, status))


def test_pages_are_converted_off_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    original = reply_module.read_reply

    def watched(requested_url: str, reply: Reply, selection: Selection, styles: bytes) -> Page:
        threads.append(threading.current_thread())
        return original(requested_url, reply, selection, styles)

    monkeypatch.setattr(reply_module, "read_reply", watched)
    read(FakeClient(WORDS.encode(), "text/plain"))

    assert threads
    assert threading.main_thread() not in threads
