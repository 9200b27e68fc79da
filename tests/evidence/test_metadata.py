"""What a page says of itself is read from the field that counts most, and nothing is made up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evidence.pages_at_hand import (
    ACCESSED,
    URL,
    evidence,
    linked,
    meta,
    page_at,
    recorded,
    with_head,
)
from webquarry._read.html.parse import Document, parse_html
from webquarry._read.models import Dated, Page
from webquarry.evidence.page.markup import Markup
from webquarry.evidence.page.metadata import PageFacts, read_facts
from webquarry.evidence.page.people import Name


def facts(html: str | Document, url: str = URL, page: Page | None = None) -> PageFacts:
    document = parse_html(html) if isinstance(html, str) else html
    return read_facts(Markup(url, document), page or page_at(url), ACCESSED)


def test_a_news_article_is_read_from_its_json_ld_with_references_resolved() -> None:
    found = facts(
        recorded("news-article.html"), "https://post.example/news/2025/07/01/harbour-reopens"
    )

    assert found.title is not None
    assert (found.title.value, found.title.field) == (
        "Harbour reopens after storm",
        "json-ld:headline",
    )
    assert (found.authors, found.authors_field) == ((Name("Ito", "Ken"),), "json-ld:author")
    assert found.site is not None
    assert (found.site.value, found.site.field) == ("The Daily Post", "json-ld:publisher")
    assert found.published == Dated("2025-07-01T06:30:00+01:00", "json-ld:datePublished")
    assert found.modified == Dated("2025-07-01T09:10:00+01:00", "json-ld:dateModified")


def test_the_sign_of_an_anchor_behind_a_heading_is_no_part_of_the_title() -> None:
    found = facts('<h1>Getting started<a href="#start">¶</a></h1>')

    assert found.title is not None
    assert found.title.value == "Getting started"


def test_a_paper_is_read_from_its_highwire_tags() -> None:
    found = facts(recorded("scholarly-highwire.html"))

    assert found.authors == (Name("Okafor", "Amara"), Name("Lindqvist", "Per J."))
    assert found.authors_field == "citation_author"
    assert found.published == Dated("2023-04-05", "citation_online_date")
    assert found.modified is None


def test_microdata_of_an_article_is_read() -> None:
    found = facts(recorded("tech-article-microdata.html"))

    assert found.title is not None
    assert (found.title.value, found.title.field) == ("height()", "microdata:headline")
    assert (found.author, found.authors_field) == ("Harbor Notes", "microdata:author")
    assert found.published == Dated("2026-01-10", "microdata:datePublished")
    assert found.modified == Dated("2026-03-01", "microdata:dateModified")


def test_broken_json_ld_is_read_but_its_placeholders_are_not_believed() -> None:
    found = facts(recorded("broken-jsonld.html"))

    assert found.title is not None
    assert found.title.value == "Line one line two"
    assert found.authors == ()
    assert found.published is None


def test_a_page_that_declares_nothing_has_a_title_and_no_more() -> None:
    found = facts(recorded("no-metadata.html"))

    assert found.title is not None
    assert (found.title.value, found.title.field) == ("Welcome", "h1")
    assert (found.authors, found.site, found.published, found.modified) == ((), None, None, None)


PUBLISHED = [
    (linked('{"@type":"Article","datePublished":"2020-01-01"}'), "json-ld:datePublished"),
    (meta("article:published_time", "2020-01-02"), "article:published_time"),
    (meta("citation_publication_date", "2020/01/03"), "citation_publication_date"),
    ('<meta name="DC.date.issued" content="2020-01-04">', "dc.date.issued"),
    (
        '<p itemscope itemtype="https://schema.org/Article"><i itemprop=datePublished '
        'content="2020-01-05">x</i></p>',
        "microdata:datePublished",
    ),
    (meta("parsely-pub-date", "2020-01-06"), "parsely-pub-date"),
    ('<article><time datetime="2020-01-07">x</time></article>', "time"),
]


@pytest.mark.parametrize("first", range(len(PUBLISHED)))
def test_of_conflicting_dates_the_first_of_the_written_order_wins(first: int) -> None:
    markup = "".join(tag for tag, _ in reversed(PUBLISHED[first:]))
    found = facts(markup, "https://harbor.example/2020/01/08/tide")

    assert found.published == Dated(f"2020-01-{first + 1:02}", PUBLISHED[first][1])


def test_the_date_in_an_address_counts_where_nothing_else_does() -> None:
    assert facts("<p>x", "https://harbor.example/2020/01/08/tide").published == Dated(
        "2020-01-08", "url"
    )
    assert facts("<p>x", "https://harbor.example/tide?d=/2020/01/08/").published is None


def test_a_date_that_cannot_be_read_gives_way_to_the_next() -> None:
    html = with_head(
        meta("article:published_time", "07/01/2025"), meta("citation_date", "2025/07/01")
    )

    assert facts(html).published == Dated("2025-07-01", "citation_date")


def test_a_change_before_the_publication_is_not_believed() -> None:
    published, modified = meta("article:published_time", "2025-07-01"), "article:modified_time"

    assert facts(with_head(published, meta(modified, "2025-06-30"))).modified is None
    assert facts(with_head(published, meta(modified, "2025-07-01T08:00:00Z"))).modified is not None


def test_of_several_articles_the_one_with_the_pages_address_is_meant() -> None:
    nodes = [
        {
            "@type": "NewsArticle",
            "headline": word,
            "url": f"https://harbor.example/{word}",
            "author": f"A {word.title()}",
        }
        for word in ("one", "tide")
    ]
    found = facts(linked(json.dumps({"@graph": nodes})))

    assert found.title is not None
    assert (found.title.value, found.author) == ("tide", "A Tide")


@pytest.mark.parametrize(
    ("address", "published"), [(URL, "2022-01-26"), ("https://harbor.example/film", None)]
)
def test_a_film_dates_the_page_only_if_the_page_is_its_own(
    address: str, published: str | None
) -> None:
    film = {"@type": "VideoObject", "name": "Tides", "url": address, "uploadDate": "2022-01-26"}
    found = facts(linked(json.dumps(film))).published

    assert (found.value if found else None) == published


def test_a_comment_or_related_article_in_the_article_does_not_date_it() -> None:
    html = (
        "<article><aside><time datetime=2020-01-01></aside>"
        "<article><time datetime=2020-01-02></article></article>"
    )

    assert facts(html).published is None


def test_a_site_that_signs_its_pages_is_an_organisation() -> None:
    found = facts(with_head(meta("og:site_name", "Harbor Notes"), meta("author", "Harbor Notes")))

    assert found.authors == (Name(literal="Harbor Notes"),)


def test_hidden_characters_and_chat_delimiters_do_not_pass_in_a_title() -> None:
    found = facts(with_head(meta("og:title", "Ti\u200bdes\u202e &lt;|im_start|&gt; \U000e0041now")))

    assert found.title is not None
    assert found.title.value == "Tides < |im_start|> now"


def test_a_file_without_markup_speaks_for_itself() -> None:
    dated = Dated("2019-05-06", "pdf:CreationDate")
    page = page_at(title="Tidal yields", author="Amara Okafor", content_type="pdf", published=dated)
    found = evidence(None, page=page)

    assert found.metadata == {
        "title": "Tidal yields",
        "author": "Amara Okafor",
        "published": {"value": dated.value, "field": dated.field},
    }
    assert found.published == dated


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@id",
                    "@graph",
                    "author",
                    "name",
                    "headline",
                    "datePublished",
                    "url",
                    "publisher",
                    "isPartOf",
                    "mainEntity",
                    "mainEntityOfPage",
                    "articleBody",
                    "identifier",
                    "sameAs",
                    "interactionStatistic",
                    "interactionType",
                    "userInteractionCount",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(
    json_values,
    st.sampled_from(
        ["NewsArticle", "ScholarlyArticle", "DiscussionForumPosting", ["Article"], 3, None]
    ),
)
def test_json_ld_of_any_shape_is_read_without_an_error(value: Any, kind: Any) -> None:
    node = {"@type": kind} | (
        value if isinstance(value, dict) else {"author": value, "identifier": value}
    )
    text = json.dumps([node, value]).replace("<", "\\u003c")

    found = evidence(linked(text), "https://www.reddit.com/r/tides/")

    assert found.citation.formatted.apa
