"""Marks get names that libxml2 does not end early; what only looks like a mark is left alone."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.html.prepare import rename_inline_tags
from webquarry._read.markdown.convert import to_markdown


@pytest.mark.parametrize(
    "page",
    [
        '<b hidden title="</b>"><p>SECRET</p></b>',
        "<b hidden><i title='</b>'><p>SECRET</p></b>",
        "<b hidden><!-- </b> --><p>SECRET</p></b>",
        "<b hidden>a<b>b</b><p>SECRET</p></b>",
        "<b hidden>x<script>'</b>'</script><p>SECRET</p></b>",
        "<u hidden>x<textarea></u></textarea><p>SECRET</p></u>",
        "<b hidden>x<iframe></b></iframe><p>SECRET</p></b>",
        '<b hidden ="</b>"><p>SECRET</p></b>',
        "<s hidden>x<s/><p>SECRET</p></s>",
        "<b/hidden>x<p>SECRET</p></b>",
        "<B HIDDEN><P>SECRET</P></B>",
    ],
)
def test_no_false_end_of_a_hidden_mark_shows_the_paragraph_in_it(page: str) -> None:
    assert to_markdown(parse_html(f"{page} seen"), "https://example.org/").text == "seen"


@pytest.mark.parametrize(
    "page",
    [
        b'<script type="application/ld+json">{"text": "<b>bold</b> and <u>more</u>"}</script>',
        b"<STYLE>/* <b> */</STYLE>",
        b"<title>The <b> tag</title>",
        b"<textarea><s>x</s></textarea>",
        b"<p title='<b>1</b> <u>2</u>'>x</p>",
        b'<meta name="x" content="<i>a</i> <b>c</b>">',
        b"<script>x <b>",
        b"<!-- <b>",
    ],
)
def test_text_that_is_no_tag_is_unchanged(page: bytes) -> None:
    assert rename_inline_tags(b"<b><p>1</p></b>" + page) == b"<strong><p>1</p></strong>" + page


def test_a_script_comes_out_word_for_word() -> None:
    data = '{"articleBody": "<b>one</b> <s>two</s> <small>three</small>"}'
    root = parse_html(
        f'<html><head><script type="application/ld+json">{data}</script></head><body>x'
    ).roots[0]

    script = next(root.iter("script"))

    assert script.text == data
