"""The walk in Python and the compiled one: one and the same flow."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._read.html.parse import Document, parse_html
from webquarry._read.main_content import walk as plain
from webquarry._read.main_content.tags import FORMULA_CLASSES, MOST_BLOCKS
from webquarry._read.markdown.scope import HOLDS, INSIDE, TAIL, TEXT

compiled = pytest.importorskip(
    "webquarry._read.main_content._walk", reason="the compiled walk was not built"
)

PAGES = sorted((Path(__file__).parent.parent.parent).rglob("*.html"))
TAGS = """
    p div span a b pre code br button svg math img script nav header footer li ul table td h1 h2
    form dt dd x-y
""".split()  # noqa: SIM905
ATTRIBUTES = (
    "",
    " class=hidden",
    " class='a b' id=x",
    " role=navigation",
    " style='display:none'",
    " style='overflow:hidden' class=d-none",
    " hidden style='not none'",
    " hidden",
    " id=''",
    " style='color:red'",
    " aria-hidden=true",
    " aria-hidden=false",
    " aria-expanded=true class=faq",
    " type=math/tex",
    " role=tab",
)
PIECES = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(
        [
            "word ",
            "Is it open on Sunday?",
            " ",
            "\n",
            "\u00a0",
            "é",
            "&amp;",
            "<!-- c -->",
            "<![CDATA[x]]>",
            "\u2003",
            "&nbsp;",
            "“x”\u3000",
            "\u1680 \u205f",
            "\u200a–",
            "海",
        ]
    ),
)


def assert_same_flow(html: str) -> None:
    document = parse_html(html)
    one, other = plain.Walk(), compiled.Walk()
    one.walk(document.roots)
    other.walk(document.roots)

    for name in ("texts", "image_places", "cut", "cards", "has_role_table"):
        assert getattr(other, name) == getattr(one, name), name
    assert other.list_boxes() == one.list_boxes()
    assert other.list_blocks() == one.list_blocks()
    blocks = set(range(len(one.texts)))
    for some in (blocks, {0, 2} & blocks, {len(blocks) - 1} & blocks, set()):
        assert other.images(some, [b""]) == one.images(some, [b""])
        assert other.images(some, FORMULA_CLASSES) == one.images(some, FORMULA_CLASSES)
        assert_same_choice(
            one.choose_parts(some, one.images(some, [b""])),
            other.choose_parts(some, other.images(some, [b""])),
            document,
        )


def assert_same_choice(one: Any, other: Any, document: Document) -> None:
    assert other.names() == one.names()
    assert other.among(document.roots) == one.among(document.roots)
    for element in document.elements():
        assert other.children(element) == one.children(element)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_both_walks_find_the_same_in_a_page(page: Path) -> None:
    assert_same_flow(page.read_text("utf-8", "replace"))


@given(st.lists(PIECES, max_size=40).map("".join))
@example("")
@example("<p>a<img><br>b<br><br>c</p><pre> x <p>y</p>\n</pre>")
@example("<p>a<img class=latex><img class='x MathJax math'>b<img class>c</p>")
@settings(max_examples=300, deadline=None)
def test_both_walks_find_the_same_in_any_soup_of_tags(html: str) -> None:
    assert_same_flow(html)


@pytest.mark.parametrize(
    "html",
    [
        "".join(f"<t{number}>{number}</t{number}>" for number in range(2_000)),
        "<div>" * 3_000 + "deep",
        "<p>a</p>" * (MOST_BLOCKS + 10),
        "<div>" + "<p>a</p>" * (MOST_BLOCKS + 10) + "</div><p>b",
        "<p class='&amp;&lt;x' id='&eacute;'>a",
        "<p>" + "<a href=x>link</a> " * 500,
        "".join(f"<p a{number}=x class='b&amp;c'>{number}</p>" for number in range(600)),
        "<header>" * 1_500 + "<svg>" * 400 + "<p>deep</p>",
        "".join(
            f"<p class='c{number % 1_500} d-none' id=x{number}>a</p>" for number in range(3_000)
        ),
        "<p>" + "one two  three\u00a0four\n\tfive é six" * 300,
    ],
    ids=[
        "tags",
        "deep",
        "blocks",
        "blocks in one",
        "entities",
        "links",
        "names",
        "drawings",
        "values",
        "white space",
    ],
)
def test_both_walks_find_the_same_at_the_limits(html: str) -> None:
    assert_same_flow(html)


def test_what_is_chosen_outlives_everything_else_that_knew_the_page() -> None:
    walk = compiled.Walk()
    roots = parse_html("<div><p>one <b id=x>two</b> three</p></div>").roots
    walk.walk(roots)
    chosen = walk.choose_parts({0}, [])
    ((paragraph, parts, _, _, text, _),) = chosen.children(next(roots[0].iter("div")))
    del walk, roots
    gc.collect()

    assert (paragraph.tag, parts, text) == ("p", INSIDE | TEXT | HOLDS, "one ")
    assert [
        (element.tag, element.tail, parts, tag, names, text, tail)
        for element, parts, tag, names, text, tail in chosen.children(paragraph)
    ] == [("b", " three", INSIDE | TEXT | TAIL, "b", ["id"], "two", " three")]


@pytest.mark.parametrize("walk", [plain.Walk, compiled.Walk], ids=["plain", "compiled"])
def test_nothing_is_chosen_where_no_block_is(walk: Any) -> None:
    document = parse_html("<p>one")
    one = walk()
    one.walk(document.roots)

    assert one.choose_parts(set(), []).among(document.roots) == []
