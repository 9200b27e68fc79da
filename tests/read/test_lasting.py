"""Marks get names that libxml2 does not end early; what only looks like a mark is left alone."""

from __future__ import annotations

import pytest

from webquarry.read.html import parse_html
from webquarry.read.lasting import with_lasting_marks


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<b>x</B>", b"<strong>x</strong>"),
        (b"<u class=a>x</u><s>y</s>", b"<ins class=a>x</ins><del>y</del>"),
        (b"a < b > c <br><body><svg>", b"a < b > c <br><body><svg>"),
        (b'<a title="1">"<b>x</b>"</a>', b'<a title="1">"<strong>x</strong>"</a>'),
        (b'x="<b>y</b>', b'x="<strong>y</strong>'),
        (b"<script>1</script><b>x</b>", b"<script>1</script><strong>x</strong>"),
        (b"<!-- <b> <script> --><b>x</b>", b"<!-- <b> <script> --><strong>x</strong>"),
    ],
)
def test_a_mark_is_renamed(page: bytes, expected: bytes) -> None:
    assert with_lasting_marks(page) == expected


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
def test_what_is_no_tag_stays_as_it_is(page: bytes) -> None:
    assert with_lasting_marks(page) == page


def test_a_script_comes_out_word_for_word() -> None:
    data = '{"articleBody": "<b>one</b> <s>two</s> <small>three</small>"}'
    root = parse_html(f'<html><head><script type="application/ld+json">{data}</script></head><body>x').roots[0]

    script = next(root.iter("script"))

    assert script.text == data
