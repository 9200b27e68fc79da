"""Native Markdown is asked for in the one request, and taken when it really is Markdown."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from tests.net.doubles import FakeWeb, text
from tests.read.sites.recorded_sites import read
from webquarry._read.models import Page
from webquarry._read.reader import ACCEPT, ACCEPT_MARKDOWN
from webquarry.errors import Unreadable

FOLDER = Path(__file__).with_name("negotiated")
URL = "https://harbor.example/tide"
WORDS = "The pilot reads the second column first and then the first one. " * 8


def answered(name: str, content_type: str) -> tuple[Page, FakeWeb]:
    body = (FOLDER / name).read_bytes()
    headers = {"Content-Type": content_type, "Vary": "Accept"}
    web = FakeWeb({URL: httpx2.Response(200, headers=headers, stream=httpx2.ByteStream(body))})
    return read(web, URL), web


def test_markdown_is_wanted_most_and_html_second_in_one_request() -> None:
    page, web = answered("page.md", "text/markdown; charset=utf-8")

    assert [
        request.headers["accept"] for request in web.requests if "robots" not in str(request.url)
    ] == [ACCEPT_MARKDOWN]
    assert ACCEPT_MARKDOWN.startswith("text/markdown,text/html;q=0.9,")
    assert page.content_type == "markdown"
    assert page.title == "How to read a tide table"
    assert page.markdown.startswith("```yaml\ntitle: How to read a tide table\n")
    assert "|04:12|3.1 m|" in page.markdown


def test_html_in_disguise_is_html() -> None:
    web = FakeWeb(
        {
            URL: text(
                f"<!doctype html><html><body><p>{WORDS}", headers={"Content-Type": "text/markdown"}
            )
        }
    )

    assert read(web, URL).content_type == "html"


def test_a_server_that_sends_html_all_the_same_is_asked_no_second_time() -> None:
    web = FakeWeb({URL: text(f"<p>{WORDS}")})

    assert read(web, URL).content_type == "html"
    assert web.asked() == [URL]


def test_a_server_that_knows_no_second_choice_is_asked_for_html() -> None:
    web = FakeWeb({URL: [httpx2.Response(406), text(f"<p>{WORDS}")]})

    assert read(web, URL).content_type == "html"
    assert [request.headers["accept"] for request in web.requests[-2:]] == [ACCEPT_MARKDOWN, ACCEPT]


@pytest.mark.parametrize("content_type", ["text/plain", "text/markdown"])
def test_llms_txt_is_markdown(content_type: str) -> None:
    body = (FOLDER / "llms.txt").read_bytes()
    url = "https://harbor.example/llms.txt"
    web = FakeWeb(
        {
            url: httpx2.Response(
                200, headers={"Content-Type": content_type}, stream=httpx2.ByteStream(body)
            )
        }
    )

    page = read(web, url)

    assert (page.content_type, page.title) == ("markdown", "Harbor Notes")


def test_a_shell_that_calls_itself_markdown_is_no_page() -> None:
    with pytest.raises(Unreadable):
        answered("soft-404.html", "text/markdown")
