"""MediaWiki on any host: articles of its pages, and of its api.php if a page is refused."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from tests.net.doubles import FakeWeb, redirect
from tests.read.sites.recorded_sites import REPLIES, read
from tests.read.sites.site_pages import as_text
from webquarry._read.sites.mediawiki import find_article
from webquarry.errors import LoginWall, NotFound, RobotsRefused, WebquarryError

GOLDENS = Path(__file__).with_name("goldens")
HTML = "text/html; charset=utf-8"
GAUGE = "https://wiki.harbor.example/title/Tide_gauge"
ASK = (
    "https://wiki.harbor.example/api.php?action=parse&format=json&formatversion=2"
    "&prop=text%7Cdisplaytitle%7Crevid&redirects=1&disableeditsection=1&disabletoc=1"
    "&disablelimitreport=1&page=Tide_gauge"
)
WIKIS = {
    "handbook": GAUGE,
    "farm": "https://harbortales.fandom.com/wiki/Nook",
    "old": "http://mills.example/wiki/index.php?title=Sluice&oldid=498",
}
AROUND = (
    "[edit", "Edit section", "Contents", "Jump", "Navigation", "Log in", "Barometer", "Carrow",
    "Advertisement", "Popular Pages", "Ignore this", "previous instructions", "Retrieved from",
    "redlink", "What links here", "↑", "broken package", "Hidden category",
)  # fmt: skip


def load_page(name: str) -> str:
    return (REPLIES / "wikis" / name).read_text("utf-8")


def as_page(body: str, status: int = 200, kind: str = HTML) -> httpx2.Response:
    stream = httpx2.ByteStream(body.encode())
    return httpx2.Response(status, headers={"content-type": kind}, stream=stream)


def as_json(body: str, status: int = 200) -> httpx2.Response:
    return as_page(body, status, "application/json; charset=utf-8")


@pytest.mark.parametrize("name", WIKIS)
def test_article_of_a_page_equals_golden_text_in_one_request(name: str) -> None:
    web = FakeWeb({WIKIS[name]: as_page(load_page(f"{name}.html"))})

    got = read(web, WIKIS[name])

    assert (got.reader, got.outcome) == ("mediawiki", "ok")
    assert got.markdown + "\n" == (GOLDENS / f"wiki-{name}.txt").read_text("utf-8")
    assert [word for word in AROUND if word in got.markdown] == []
    assert web.asked() == [WIKIS[name]]


@pytest.mark.parametrize("path", ["/wiki/Page", "/our/notes/index.php/Page", "/Page"])
def test_wikis_are_recognized_at_any_path(path: str) -> None:
    url = f"https://wiki.example{path}"

    got = read(FakeWeb({url: as_page(load_page("handbook.html"))}), url)

    assert got.reader == "mediawiki"


def test_wikipedia_page_is_read_as_an_article_if_the_api_fails() -> None:
    url = "https://en.wikipedia.org/wiki/Tide_gauge"
    rest = "https://en.wikipedia.org/w/rest.php/v1/page/Tide_gauge/html"
    web = FakeWeb({rest: as_page("Later.", 503), url: as_page(load_page("handbook.html"))})

    got = read(web, url)

    assert "|Radar|35 m|3 mm|" in got.markdown
    assert "Barometer" not in got.markdown
    assert any("its API (mediawiki) failed" in note for note in got.notes)


def test_section_of_the_fragment_comes_first() -> None:
    web = FakeWeb({GAUGE: as_page(load_page("handbook.html"))})

    got = read(web, f"{GAUGE}#Sensors")

    assert got.markdown.index("### Sensors") < got.markdown.index("## Installation")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ns-0 ", "ns-1 "),
        ("ns-0 ", "ns-6 "),
        ("action-view", "action-history"),
        ('"wgPageContentModel":"wikitext"', '"wgPageContentModel":"wikibase-item"'),
        ("<p>", '<table class="diff"><tr><td>was</td><td>is</td></tr></table><p>'),
        ("mediawiki ", ""),
        ('<div id="bodyContent"', '<div id="bodyContent" hidden'),
    ],
)
def test_other_kinds_of_pages_are_ordinary_pages(before: str, after: str) -> None:
    page = load_page("handbook.html").replace(before, after)
    assert page != load_page("handbook.html")

    got = read(FakeWeb({GAUGE: as_page(page)}), GAUGE)

    assert got.reader == ""


def test_page_with_its_text_outside_of_the_content_is_an_ordinary_page() -> None:
    paragraph = "<p>" + "The text of this page is behind the one of the wiki. " * 20 + "</p>"
    page = re.sub(r"(?s)<div id=\"content\".*</footer>", "", load_page("handbook.html"))
    body = f'<div id="mw-content-text"><p>Stub.</p></div><article>{paragraph}</article></body>'

    got = read(FakeWeb({GAUGE: as_page(page.replace("</body>", body))}), GAUGE)

    assert got.reader == ""
    assert "The text of this page" in got.markdown


def test_hidden_group_of_an_infobox_stays_hidden() -> None:
    group = '<section class="pi-item pi-group pi-border-color"'
    page = load_page("farm.html").replace(group, f'{group} style="display:none"')

    got = read(FakeWeb({WIKIS["farm"]: as_page(page)}), WIKIS["farm"])

    assert "Salt Coast" not in got.markdown
    assert '|First seen|"Slack water"|' in got.markdown


def test_article_of_a_refused_page_is_from_the_api() -> None:
    web = FakeWeb({GAUGE: as_page("No.", 403), ASK: as_json(load_page("parse.json"))})

    got = read(web, GAUGE)

    assert got.reader == "mediawiki"
    assert got.markdown + "\n" == (GOLDENS / "wiki-interface.txt").read_text("utf-8")
    assert got.notes == ("The site blocks programs: the article is from its API.",)


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("https://tales.fandom.com/wiki/Nook", "https://tales.fandom.com/api.php"),
        ("https://tales.fandom.com/de/wiki/Nook", "https://tales.fandom.com/de/api.php"),
        ("https://wiki.example/title/Nook", "https://wiki.example/api.php"),
        ("https://wiki.example:8443/index.php/Nook", "https://wiki.example:8443/api.php"),
        ("https://x.example/our/wiki/index.php?title=Nook", "https://x.example/our/wiki/api.php"),
    ],
)
def test_url_of_a_refused_page_determines_the_api(url: str, api: str) -> None:
    article = find_article(url)

    assert article is not None
    assert article.apis[0] == api
    assert article.title == "Nook"


@pytest.mark.parametrize(
    "url",
    [
        "https://wiki.example/wiki/Special:Search",
        "https://x.atlassian.net/wiki/spaces/HB/pages/12/Tides",
        "https://wiki.example/index.php?title=Nook&action=history",
        "https://wiki.example/index.php?title=Nook&diff=2",
        "https://wiki.example/about",
        "https://wiki.example/wiki/",
    ],
)
def test_other_refused_pages_cause_no_request(url: str) -> None:
    assert find_article(url) is None


def test_redirect_of_the_api_to_another_host_is_rejected() -> None:
    elsewhere = "https://evil.example/api.php"
    answer = as_json(load_page("parse.json"))
    web = FakeWeb({GAUGE: as_page("No.", 403), ASK: redirect(elsewhere), elsewhere: answer})

    with pytest.raises(WebquarryError) as caught:
        read(web, GAUGE)

    assert not isinstance(caught.value, NotFound)


@pytest.mark.parametrize(
    "answer",
    [
        as_json(load_page("error-readapidenied.json")),
        as_page("<html><body>Not here</body></html>"),
        as_json('{"parse": {"text": 7}}'),
        as_page("", 404),
        as_page("", 503),
    ],
)
def test_refused_page_and_refused_api_are_a_login_wall(answer: httpx2.Response) -> None:
    page = as_page("<html><title>Log in</title><form><input type=password></form></html>", 401)
    web = FakeWeb({GAUGE: page, ASK: answer, ASK.replace("/api.php", "/w/api.php"): answer})

    with pytest.raises(LoginWall):
        read(web, GAUGE)


@pytest.mark.parametrize("path", ["/title/", "/api.php"])
def test_robots_txt_applies_to_the_page_and_to_the_api(path: str) -> None:
    robots = as_text(f"User-agent: *\nDisallow: {path}\n")
    web = FakeWeb({"https://wiki.harbor.example/robots.txt": robots, GAUGE: as_page("No.", 403)})

    with pytest.raises(RobotsRefused if path == "/title/" else WebquarryError):
        read(web, GAUGE)

    assert ASK not in web.asked()
