"""MediaWiki on any host: recognized by its pages, articles written from them."""

from __future__ import annotations

import re

import pytest

from tests.executables import Answer, Site
from tests.net.doubles import FakeWeb
from tests.read.sites.recorded_sites import read
from tests.read.sites.site_pages import as_text
from tests.read.sites.wiki_helpers import (
    GAUGE,
    GOLDENS,
    as_page,
    load_page,
    scrape,
    who_read,
)
from webquarry.errors import RobotsRefused

WIKIS = {
    "handbook": GAUGE,
    "farm": "https://harbortales.fandom.com/wiki/Nook",
    "old": "http://mills.example/wiki/index.php?title=Sluice&oldid=498",
}
FACTS = {
    "handbook": (
        "# Tide gauge",
        "5 November 2026",
        "[revision 820417](https://wiki.harbor.example/index.php?title=Tide_gauge&oldid=820417)",
        "first released in 1998.[^1]",
        "at Lowest tide.",
        "datum = LAT",
        "Supported sensors",
        "|Radar|35 m|3 mm|",
        "[^1]: [Release notes](https://gauge.example/news/1998), 4 May 1998.",
        "[^2]: Marsh, A. (2019). *Wells and floats*.",
        "Also in: de, fr",
        "Categories: Instruments, Measuring",
    ),
    "farm": (
        "# Nook",
        "revision 41207",
        "|Region|[Salt Coast](https://harbortales.fandom.com/wiki/Salt_Coast)|",
        "|Population|412[^1]|",
        '|First seen|"Slack water"|',
        "The quay in episode 3",
        "|7|The flood|",
        "[^1]: *The log of the First Voyage*, page 9",
        "Categories: Ports",
    ),
    "old": (
        "# Sluice",
        "Revision as of 08:14, 3 May 2014",
        "oldid=498",
        "not the newest revision, which is 512",
        "|Material|Oak, later iron|",
        "$Q = C b h^{3/2}$",
        "|1843|New gate|",
        "in 1843.[^2] It shut again in 1844.[^2]",
        "[^2]: Parish book, 1843, folio 12.",
        "Categories: Parts of mills",
    ),
}
AROUND = (
    "[edit", "Edit section", "Contents", "Jump", "Navigation", "Log in", "Barometer", "Carrow", "Advertisement",
    "Popular Pages", "Ignore this", "previous instructions", "Retrieved from", "redlink",
    "What links here", "↑", "broken package", "Hidden category",
)  # fmt: skip
each_wiki = pytest.mark.parametrize("name", WIKIS)


@each_wiki
def test_article_equals_golden_text_in_one_request(name: str) -> None:
    web = FakeWeb({WIKIS[name]: as_page(load_page(f"{name}.html"))})

    got = read(web, WIKIS[name])

    assert got.reader == "mediawiki"
    assert got.outcome == "ok"
    assert got.markdown + "\n" == (GOLDENS / f"wiki-{name}.txt").read_text("utf-8")
    assert web.asked() == [WIKIS[name]]


@each_wiki
def test_facts_are_present_and_navigation_is_not(name: str) -> None:
    got = read(FakeWeb({WIKIS[name]: as_page(load_page(f"{name}.html"))}), WIKIS[name])

    assert [fact for fact in FACTS[name] if fact not in got.markdown] == []
    assert [word for word in AROUND if word in got.markdown] == []


@each_wiki
def test_footnote_marks_and_notes_correspond(name: str) -> None:
    got = read(FakeWeb({WIKIS[name]: as_page(load_page(f"{name}.html"))}), WIKIS[name])

    notes = set(re.findall(r"(?m)^\[\^([^\]]+)\]:", got.markdown))
    marks = set(re.findall(r"\[\^([^\]]+)\](?!:)", got.markdown))
    assert notes == marks != set()


def test_wikipedia_page_is_read_as_an_article_if_the_api_fails() -> None:
    url = "https://en.wikipedia.org/wiki/Tide_gauge"
    rest = "https://en.wikipedia.org/w/rest.php/v1/page/Tide_gauge/html"
    page = load_page("handbook.html")
    web = FakeWeb({rest: as_page("Later.", 503), url: as_page(page)})

    got = read(web, url)

    assert "|Radar|35 m|3 mm|" in got.markdown
    assert "Barometer" not in got.markdown
    assert any("its API (mediawiki) failed" in note for note in got.notes)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/wiki/Page", "farm"),
        ("/de/wiki/Page", "farm"),
        ("/title/Page", "handbook"),
        ("/index.php/Page", "old"),
        ("/index.php?title=Page", "old"),
        ("/w/index.php?title=Page", "handbook"),
        ("/our/notes/index.php/Page", "old"),
        ("/Page", "handbook"),
        ("/w/index.php?curid=7", "old"),
    ],
)
def test_tool_reads_wikis_at_any_path(path: str, name: str) -> None:
    with Site(Answer(load_page(f"{name}.html").encode())) as site:
        got = scrape(site.origin + path)

    assert who_read(got) == "mediawiki"
    assert got.extracted_by == "html"
    assert FACTS[name][0] in got.content
    assert FACTS[name][-1] in got.content
    assert [asked.target for asked in site.asked if "api.php" in asked.target] == []


def test_section_of_the_fragment_comes_first() -> None:
    web = FakeWeb({GAUGE: as_page(load_page("handbook.html"))})

    got = read(web, f"{GAUGE}#Sensors")

    assert got.markdown.index("### Sensors") < got.markdown.index("## Installation")


def test_old_versions_are_recognized_by_script_variables() -> None:
    page = load_page("old.html")
    page = re.sub(
        r"(?s)mw\.config\.set\(.*?\}\);",
        'var wgPageName = "Sluice"; var wgNamespaceNumber = 0; var wgAction = "view";'
        ' var wgArticleId = "77"; var wgCurRevisionId = "512"; var wgIsArticle = true;',
        page,
    )
    page = page.replace('<div id="mw-content-text" lang="en" dir="ltr" class="mw-content-ltr">', "")
    page = re.sub(r'<meta name="generator"[^>]*>', "", page)

    got = read(FakeWeb({WIKIS["old"]: as_page(page)}), WIKIS["old"])

    assert got.reader == "mediawiki"
    assert "[revision 512]" in got.markdown
    assert [word for word in AROUND if word in got.markdown] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"wgNamespaceNumber":0', '"wgNamespaceNumber":-1'),
        ('"wgNamespaceNumber":0', '"wgNamespaceNumber":1'),
        ('"wgNamespaceNumber":0', '"wgNamespaceNumber":6'),
        ('"wgNamespaceNumber":0', '"wgNamespaceNumber":14'),
        ('"wgAction":"view"', '"wgAction":"history"'),
        ('"wgAction":"view"', '"wgAction":"view","wgDiffOldId":1,"wgDiffNewId":2'),
        ('"wgPageContentModel":"wikitext"', '"wgPageContentModel":"wikibase-item"'),
        ("<p>", '<table class="diff"><tr><td>was</td><td>is</td></tr></table><p>'),
    ],
)
def test_other_kinds_of_pages_are_ordinary_pages(before: str, after: str) -> None:
    page = load_page("handbook.html").replace(before, after, 1)
    assert page != load_page("handbook.html")

    got = read(FakeWeb({GAUGE: as_page(page)}), GAUGE)

    assert got.reader == ""
    assert "daemon that reads the height" in got.markdown


@pytest.mark.parametrize("query", ["?diff=2&oldid=1", "?action=history", "?search=tide"])
def test_diffs_and_searches_are_recognized_by_url(query: str) -> None:
    url = f"https://wiki.harbor.example/index.php{query}"

    got = read(FakeWeb({url: as_page(load_page("handbook.html"))}), url)

    assert got.reader == ""


@pytest.mark.parametrize(
    ("head", "classes"),
    [
        ('<meta name="generator" content="MediaWiki 1.43.3">', "ns-0 action-view"),
        ('<link rel="EditURI" href="/api.php?action=rsd">', "ns-0 action-view"),
        ('<script>RLCONF={"wgPageName":"Sluice","wgNamespaceNumber":0};</script>', ""),
        ("", "mediawiki ns-0 action-view"),
    ],
)
def test_one_sign_of_mediawiki_is_not_enough(head: str, classes: str) -> None:
    text = "<p>" + "Moved from our old wiki, the notes on sluices stay here. " * 20 + "</p>"
    head = f"<html><head><title>Sluices</title>{head}</head>"
    page = f'{head}<body class="{classes}"><div id="mw-content-text">{text}</div></body></html>'

    got = read(FakeWeb({GAUGE: as_page(page)}), GAUGE)

    assert got.reader == ""
    assert "notes on sluices" in got.markdown


def test_page_with_its_text_outside_of_the_content_is_an_ordinary_page() -> None:
    paragraph = "<p>" + "The text of this page stands behind the one of the wiki. " * 20 + "</p>"
    page = re.sub(r"(?s)<div id=\"content\".*</footer>", "", load_page("handbook.html"))
    body = f'<div id="mw-content-text"><p>Stub.</p></div><article>{paragraph}</article></body>'
    page = page.replace("</body>", body)

    got = read(FakeWeb({GAUGE: as_page(page)}), GAUGE)

    assert got.reader == ""
    assert "The text of this page" in got.markdown


def test_hidden_article_is_an_ordinary_page() -> None:
    body = '<div id="bodyContent"'
    page = load_page("handbook.html").replace(body, f"{body} hidden")

    got = read(FakeWeb({GAUGE: as_page(page)}), GAUGE)

    assert got.reader == ""


def test_page_refused_by_robots_txt_causes_no_api_request() -> None:
    robots = as_text("User-agent: *\nDisallow: /title/\n")
    web = FakeWeb(
        {"https://wiki.harbor.example/robots.txt": robots, GAUGE: as_page(load_page("shell.html"))}
    )

    with pytest.raises(RobotsRefused):
        read(web, GAUGE)

    assert web.asked() == []


def test_hidden_group_of_an_infobox_stays_hidden() -> None:
    group = '<section class="pi-item pi-group pi-border-color"'
    page = load_page("farm.html").replace(group, f'{group} style="display:none"')

    got = read(FakeWeb({WIKIS["farm"]: as_page(page)}), WIKIS["farm"])

    assert "Salt Coast" not in got.markdown
    assert '|First seen|"Slack water"|' in got.markdown
