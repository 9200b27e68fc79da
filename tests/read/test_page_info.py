"""What concerns a whole page, found in Python and compiled: the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.html import page_elements as plain
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.parse import parse_html
from webquarry._read.style.sheet import collect_sheets

compiled = pytest.importorskip("webquarry._read.html._page_info", reason="it was not built")

PAGES = sorted((Path(__file__).parent.parent).rglob("*.html"))
MARKUP = (
    "<head>",
    "</head>",
    "<body>",
    "<svg>",
    "</svg>",
    "<title>one</title>",
    "<title></title>",
    "<style media=print>a{}</style>",
    "<style>b{}</style>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "<template shadowrootmode=closed>",
    "</template>",
    "<link rel='Alternate StyleSheet'>",
    "<link rel=icon>",
    "<script src='/MathJax.js'></script>",
    "<script src='/a&amp;KaTeX'></script>",
    "<script src></script>",
    "<script type='application/ld+json'>{}</script>",
    "<script type='application/ld+json'></script>",
    "<base>",
    "<base href=/x/>",
    "<meta name=description content='é &amp; b'>",
    "<meta property=og:type name=x content=article>",
    "<meta property='' name=y>",
    "<sup>1</sup>",
    "<p>word",
    "</html>",
)


def assert_same_elements(html: str) -> None:
    roots = parse_html(html).roots
    assert compiled.find_elements(roots) == plain.find_elements(roots)
    most = {"meta": 1, "i": 9, "title": 2, "x": 1}
    for name, number in (("style", 9), ("name", 1), ("content", 9), ("content", 0)):
        found = compiled.find_stated(roots, most, name, number)
        assert found == plain.find_stated(roots, most, name, number)


@given(st.lists(st.sampled_from(MARKUP), max_size=12).map("".join))
@example("<title>one</title></html><p>behind<base href=/y/>")
def test_both_ways_find_the_same_in_any_soup_of_tags(html: str) -> None:
    assert_same_elements(html)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_both_ways_find_the_same_in_a_page(page: Path) -> None:
    assert_same_elements(page.read_text("utf-8", "replace"))


def test_a_page_tells_what_concerns_the_whole_of_it() -> None:
    page = parse_html(
        "<head><svg><title>drawing</title></svg><title> The  tide </title><base href=/sea/>"
        "<meta name=description content=Tides><style>p{}</style><style media=print>b{}</style>"
        "<link rel=stylesheet href=/x.css><script src=/mathjax.js></script></head>"
        "<body><p>a<sup>1</sup><meta name=author content=x></body>"
    )

    sheets, _ = collect_sheets(page.page_info)
    assert (sheets.sheets, sheets.is_complete) == ([((), b"p{}")], False)
    assert page.page_info == PageInfo(
        style_elements=tuple(page.roots[0].iter("style", "link")),
        linked_sheets={},
        base="/sea/",
        title="The tide",
        typesets_tex=True,
        metas=(("description", "Tides"),),
        has_raised=True,
    )


@pytest.mark.parametrize("module", [plain, compiled], ids=["plain", "compiled"])
def test_elements_are_found_by_name_and_attribute_in_the_order_of_the_page(module: object) -> None:
    page = parse_html("<p id=a>1<i>2</i><p>3<i id=b>4</i></html><i>5</i>")
    find_stated = module.find_stated  # type: ignore[attr-defined]

    found, with_id = find_stated(page.roots, {"i": 2, "p": 9, "b": 1}, "id", 9)

    texts = {name: [element.text for element in elements] for name, elements in found.items()}
    assert texts == {"i": ["2", "4"], "p": ["1", "3"], "b": []}
    assert [one.get("id") for one in with_id] == ["a", "b"]
    assert [one.get("id") for one in find_stated(page.roots, {}, "id", 1)[1]] == ["a"]
