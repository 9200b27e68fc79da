"""Any text gives a tree, in bounded time, and says so when something of it could not be kept."""

from __future__ import annotations

import pytest
from lxml import etree

from tests.read.converting import markdown
from webquarry._read.format import FetchedDocument
from webquarry._read.formats.html import Html
from webquarry._read.html.parse import CUT, parse_html

DEEPEST = 100_000


def test_the_parser_is_one_with_an_html5_tokeniser() -> None:
    assert etree.LIBXML_VERSION >= (2, 14)


@pytest.mark.parametrize("text", ["", " \n\t", "<!-- only -->", "\x00", "<?xml version='1.0'?>"])
def test_nothing_gives_no_roots(text: str) -> None:
    assert parse_html(text).roots == []


def test_what_follows_the_end_of_the_page_is_a_root_of_its_own() -> None:
    document = parse_html("<html><body>a</body></html><p>b</p>")

    assert [element.text for element in document.elements() if element.text] == ["a", "b"]


@pytest.mark.parametrize("tag", ["div", "b", "table", "section class=x"])
def test_page_that_nests_too_deep_is_cut_with_a_note(tag: str) -> None:
    html = f"<p>BEFORE</p>{f'<{tag}>' * DEEPEST}DEEP"

    assert markdown(html) == "BEFORE"
    assert parse_html(html).notes == (CUT,)


def test_a_tree_as_deep_as_the_parser_allows_is_walked_through() -> None:
    document = parse_html("<div>" * 2_000 + "x")

    assert document.notes == ()
    assert markdown("<div>" * 2_000 + "x" + "</div>y" * 2_000).count("y") == 2_000


def test_a_flood_of_attributes_is_cut_down_to_those_that_matter() -> None:
    flood = " ".join(f"a{number}" for number in range(DEEPEST))
    document = parse_html(f"<div {flood} style='display:none' id=x>INJ</div><p {flood}>SEEN")
    (hidden,) = (element for element in document.elements() if element.tag == "div")

    assert dict(hidden.items()) == {"style": "display:none", "id": "x"}
    assert markdown(f"<div {flood} style='display:none'>INJ</div><p {flood}>SEEN") == "SEEN"


def test_a_long_attribute_is_not_a_flood() -> None:
    (image,) = (
        one
        for one in parse_html(f"<img src='data:,{'x' * 100_000}' data-a=1>").elements()
        if one.tag == "img"
    )

    assert image.get("data-a") == "1"


def test_comments_are_counted_though_the_tree_holds_none() -> None:
    document = parse_html("a<!-- b -->c<!-- d -->")

    assert document.comments == 2
    assert all(isinstance(element.tag, str) for element in document.elements())


def test_marks_that_the_parser_would_end_at_a_paragraph_go_on() -> None:
    assert markdown("<b><p>x</p></b><S><P>y</P></S>") == "**x**\n\n~~y~~"


def test_a_page_that_was_cut_says_that_text_is_lost_and_others_do_not() -> None:
    def lost(page: str) -> tuple[str, ...]:
        return Html().to_markdown(FetchedDocument("https://a.example/", page.encode())).lost

    assert lost("<div>" * 3_000 + "DEEP") == (CUT,)
    assert lost("<div>" * 300 + "SEEN") == ()


@pytest.mark.parametrize("text", ["<p>süß</p><!-- one --><!-- two -->", "<p>a\x00b</p>", ""])
def test_the_bytes_of_a_page_give_the_tree_that_its_text_gives(text: str) -> None:
    by_text, by_bytes = parse_html(text), parse_html(text.encode())

    assert [root.xpath("string()") for root in by_bytes.roots] == [
        root.xpath("string()") for root in by_text.roots
    ]
    assert by_bytes.comments == by_text.comments == text.count("<!--")
