"""The walk that finds the blocks of a page."""

from __future__ import annotations

import gc

from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._native import Walk
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.tags import PAGE_TAGS
from webquarry._read.markdown.walker import HOLDS, INSIDE, TAIL, TEXT

TAGS = [
    "p",
    "div",
    "span",
    "a",
    "b",
    "pre",
    "br",
    "button",
    "svg",
    "math",
    "img",
    "nav",
    "header",
    "li",
    "ul",
    "table",
    "td",
    "h1",
    "form",
    "x-y",
]
PIECES = st.one_of(
    st.builds("<{}>".format, st.sampled_from(TAGS)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(["word ", " ", "\n", "\u00a0", "é", "&amp;", "<!-- c -->", "\u2003", "海"]),
)


def walk(html: str) -> Walk:
    found = Walk(PAGE_TAGS)
    found.walk(parse_html(html).roots)
    return found


def test_text_between_block_elements_is_a_block_with_folded_whitespace() -> None:
    found = walk("<div>one\n <b>two</b>\u00a0 three<p>four <a href=x>five</a></p>six</div>")

    assert found.texts == ["one two three", "four five", "six"]


def test_link_text_is_measured() -> None:
    boxes, link_chars, links = walk("<p>a</p><p>bb <a href=x>ccc</a></p>").list_blocks()

    assert (link_chars, links) == ([0, 3], [0, 1])
    assert boxes[0] < boxes[1]


def test_one_line_break_is_whitespace_and_two_end_a_block() -> None:
    assert walk("<p>a<br>b<br><br>c</p>").texts == ["a b", "c"]


def test_blocks_of_an_element_are_contiguous() -> None:
    found = walk("<ul><li>a<li>b</ul><p>c</p>")
    parents, tags, _, _, _, _, first, last = found.list_boxes()

    listing = tags.index("ul")
    assert (first[listing], last[listing]) == (0, 2)
    assert [parents[index] for index, tag in enumerate(tags) if tag == "li"] == [listing, listing]


@given(st.lists(PIECES, max_size=40).map("".join))
@example("")
@example("<p>a<img><br>b<br><br>c</p><pre> x <p>y</p>\n</pre>")
@settings(max_examples=300, deadline=None)
def test_any_markup_gives_a_consistent_table(html: str) -> None:
    found = walk(html)
    parents, *_, first, last = found.list_boxes()
    boxes, link_chars, _ = found.list_blocks()

    assert len(found.texts) == len(boxes)
    for box, text, linked in zip(boxes, found.texts, link_chars, strict=True):
        assert text == " ".join(text.split()) != ""
        assert 0 <= linked <= len(text)
        assert 0 <= box < len(parents)
    for number, parent in enumerate(parents):
        assert parent < number
        assert first[number] < last[number] <= len(found.texts)
        if parent >= 0:
            assert first[parent] <= first[number]
            assert last[number] <= last[parent]


def test_a_page_with_too_many_blocks_is_marked_as_cut() -> None:
    assert walk("<div>" + "<p>a</p>" * (20_010) + "</div>").cut
    assert not walk("<div>" * 3_000 + "deep").cut


def test_chosen_parts_keep_the_tree_alive() -> None:
    walk = Walk(PAGE_TAGS)
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


def test_no_blocks_have_no_parts() -> None:
    document = parse_html("<p>one")
    found = Walk(PAGE_TAGS)
    found.walk(document.roots)

    assert found.choose_parts(set(), []).among(document.roots) == []
