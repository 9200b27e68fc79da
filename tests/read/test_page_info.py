"""Elements that describe a page as a whole."""

from __future__ import annotations

import pytest

from webquarry._native import style_of
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.parse import parse_html
from webquarry._read.style.sheet import collect_sheets


def collect(html: str) -> PageInfo:
    return parse_html(html).page_info


def test_page_info_describes_the_whole_page() -> None:
    page = parse_html(
        "<head><svg><title>drawing</title></svg><title> The  tide </title><base href=/sea/>"
        "<meta name=description content=Tides><style>p{}</style><style media=print>b{}</style>"
        "<link rel=stylesheet href=/x.css><script src=/mathjax.js></script></head>"
        "<body><p>a<sup>1</sup><meta name=author content=x></body>"
    )

    sheets = collect_sheets(page.page_info)
    assert (sheets.sheets, sheets.is_complete) == ([((), b"p{}")], False)
    assert page.page_info == PageInfo(
        style_elements=list(page.roots[0].iter("style", "link")),
        linked_sheets={},
        base="/sea/",
        title="The tide",
        typesets_tex=True,
        metas=[("description", "Tides")],
        has_raised=True,
        scripts=list(page.roots[0].iter("script")),
    )


@pytest.mark.parametrize(
    ("html", "is_active"),
    [
        ("<style>p{}</style>", True),
        ("<body><link rel='Alternate StyleSheet'>", True),
        ("<link rel=icon>", False),
        ("<body><noscript><style>p{}</style></noscript>", False),
        ("<body><template><style>p{}</style></template>", False),
        ("<body><div><template shadowrootmode=open><style>p{}</style>", True),
    ],
)
def test_styles_count_unless_they_are_inert(html: str, is_active: bool) -> None:
    assert bool(collect(html).style_elements) is is_active


@pytest.mark.parametrize(
    ("source", "expected"),
    [("/MathJax.js", True), ("/a&amp;KaTeX", True), ("/math.js", False), ("", False)],
)
def test_scripts_that_render_tex_are_recognized_by_url(source: str, expected: bool) -> None:
    assert collect(f"<script src='{source}'></script>").typesets_tex is expected


def test_json_ld_is_returned_unless_it_is_linked() -> None:
    kind = "type='application/ld+json'"
    info = collect(
        f"<script {kind}>{{}}</script><script {kind} src=/x>1</script><script>2</script>"
    )

    assert info.data == ["{}"]


def test_first_base_with_an_address_and_first_title_are_used() -> None:
    info = collect(
        "<title>one</title><title>two</title><base><base href=/x/></html><base href=/y/>"
    )

    assert (info.base, info.title) == ("/x/", "one")


def test_metadata_is_read_from_the_head_only() -> None:
    info = collect(
        "<head><meta property=og:type name=x content=article><meta property='' name=y>"
        "<meta content=z><meta name=description content='é &amp; b'></head>"
        "<body><meta name=author content=x>"
    )

    assert info.metas == [("og:type", "article"), ("y", ""), ("description", "é & b")]


def test_content_of_a_style_element_is_returned_as_utf8() -> None:
    filled, empty = parse_html("<style>é{}</style><style></style>").roots[0].iter("style")

    assert (style_of(filled), style_of(empty)) == ("é{}".encode(), b"")


def test_elements_with_metadata_are_found_by_tag_or_microdata_in_document_order() -> None:
    page = parse_html(
        "<h1 itemprop=a>1</h1><p itemprop=b>2<time>3</time><h1>4</h1></html><time>5</time>"
    )

    found = page.statements

    texts = {name: [element.text for element in one] for name, one in found.by_name.items() if one}
    assert texts == {"h1": ["1", "4"], "time": ["3", "5"]}
    assert [one.get("itemprop") for one in found.items] == ["a", "b"]
