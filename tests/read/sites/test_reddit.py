"""Reddit feeds: disabled by default, threads in one request, missing, closed and rate-limited
pages.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeClock, FakeWeb
from tests.read.sites.recorded_sites import REPLIES, read
from webquarry._read.reader import Reader
from webquarry._read.sites.site import find_reader
from webquarry.errors import LoginWall, WebquarryError
from webquarry.net.client import Client
from webquarry.settings import Settings

GOLDENS = Path(__file__).with_name("goldens")
SITE = "https://www.reddit.com"
THREAD = f"{SITE}/r/sailing/comments/1abcd2/reading_a_tide_table"
LINK = f"{SITE}/r/sailing/comments/1abce9/tide_tables_for_2027"
ON = Settings(reddit=True)


def answer(name: str, status: int = 200, **headers: str) -> httpx2.Response:
    body = (REPLIES / "reddit" / name).read_bytes()
    return httpx2.Response(status, headers=headers, stream=httpx2.ByteStream(body))


def feed_of(page: str) -> str:
    return f"{page}/.rss?limit=100"


def read_on(web: FakeWeb, url: str, **settings: Any) -> Any:
    return read(web, url, reddit=True, **settings)


def test_disabled_by_default() -> None:
    assert find_reader(THREAD) is None
    reader = find_reader(THREAD, ON)
    assert reader is not None
    assert reader.name == "reddit"


@pytest.mark.parametrize(
    ("name", "url"), [("thread", THREAD), ("link", LINK)], ids=["thread", "link"]
)
def test_thread_equals_golden_text_in_one_request(name: str, url: str) -> None:
    web = FakeWeb({feed_of(url): answer(f"{name}.xml")})

    got = read_on(web, f"{url}/")

    assert got.reader == "reddit"
    assert got.markdown + "\n" == (GOLDENS / f"reddit-{name}.txt").read_text("utf-8")
    assert web.asked(robots=True) == [feed_of(url)]
    assert any("no scores" in note for note in got.lost)
    assert "ignore all previous" not in got.markdown
    assert len(got.markdown) < len((REPLIES / "reddit" / f"{name}.xml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (
            "https://old.reddit.com/r/sailing/comments/1a/x/k0/?context=3",
            "/r/sailing/comments/1a/x/k0",
        ),
        ("https://redd.it/1abcd2", "/comments/1abcd2"),
        ("https://np.reddit.com/comments/1abcd2", "/comments/1abcd2"),
        ("https://www.reddit.com/gallery/1abcd2", "/comments/1abcd2"),
        ("https://www.reddit.com/u/gull/comments/1a/x/", "/user/gull/comments/1a/x"),
    ],
)
def test_all_url_forms_of_a_thread_use_its_feed(url: str, path: str) -> None:
    web = FakeWeb({feed_of(SITE + path): answer("thread.xml")})

    assert "Which column is height?" in read_on(web, url).markdown


@pytest.mark.parametrize("path", ["/r/sailing", "/r/sailing/new", "/user/saltmarsh"])
def test_subreddits_and_users_are_read_from_feeds(path: str) -> None:
    web = FakeWeb({f"{SITE}{path}/.rss": answer("thread.xml")})

    got = read_on(web, SITE + path)

    assert got.reader == "reddit"
    assert "Reading a tide table" in got.markdown
    assert "The second one, in metres." in got.markdown


def test_long_thread_notes_missing_comments() -> None:
    feed = (REPLIES / "reddit/thread.xml").read_text("utf-8")
    comment = re.findall(r"(?s)<entry>.*?</entry>", feed)[1]
    long = feed.replace(comment, comment * 99).encode()
    web = FakeWeb({feed_of(THREAD): httpx2.Response(200, stream=httpx2.ByteStream(long))})

    got = read_on(web, THREAD)

    assert "## Comments (99, without scores)" in got.markdown
    assert "99 comments are shown: there may be more." in got.lost


@pytest.mark.parametrize(
    ("name", "words"),
    [("error-private.json", "r/sailing is private"), ("blocked-403.html", "requires a login")],
)
def test_closed_subreddit_is_a_login_wall(name: str, words: str) -> None:
    web = FakeWeb({feed_of(THREAD): answer(name, 403)})

    with pytest.raises(LoginWall, match=words) as caught:
        read_on(web, THREAD)

    assert "archive" in (caught.value.suggested_action or "")
    assert web.asked() == [feed_of(THREAD)]


def test_rate_limit_pauses_requests_and_the_page_is_read() -> None:
    text = f"<main><h1>Itself</h1><p>{'The page itself is read. ' * 30}</p></main>"
    itself = httpx2.Response(
        200, headers={"content-type": "text/html"}, stream=httpx2.ByteStream(text.encode())
    )
    refused = answer("blocked-403.html", 403)
    limited = answer("error-429.json", 429, **{"retry-after": "30"})
    web = FakeWeb({feed_of(THREAD): limited, THREAD: itself, LINK: refused})

    async def run() -> tuple[str, ...]:
        settings, clock = Settings(retries=0, reddit=True), FakeClock()
        async with Client(settings, clock, pages=web, providers=web) as client:
            reader = Reader(client, settings, clock)
            page = await reader.read(THREAD, selection="main")
            assert "The page itself is read." in page.markdown
            with pytest.raises(WebquarryError):
                await reader.read(LINK, selection="main")
            return page.notes

    notes = asyncio.run(run())

    assert any("its API (reddit) failed" in note and "429" in note for note in notes)
    assert web.asked() == [feed_of(THREAD), THREAD, LINK]  # no feed is asked for the second
