"""How much text an element holds: counted in Python and compiled, it is the same."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from webquarry._read.html import texts as plain
from webquarry._read.html.parse import parse_html
from webquarry._read.html.tree import has_text, length_outside, length_up_to

compiled = pytest.importorskip("webquarry._read.html._texts", reason="it was not built")

MARKUP = """
    <p> <div> </div> <b> </b> <script> </script> <td> <br> <svg> &nbsp; &#8195; <![CDATA[x]]>
    <!--c--> word é 語 &#28;
""".split()  # noqa: SIM905
PIECES = st.sampled_from([*MARKUP, " ", "\n", "\u00a0"])
LEFT_OUT = frozenset({"script", "b"})


@given(st.lists(PIECES, max_size=30).map("".join), st.integers(1, 12))
@example("<p>a<!-- c -->b</p>", 9)
@example("<div> <b>x</b> \u00a0 <b>y</b></div>", 2)
def test_both_ways_to_count_agree(html: str, limit: int) -> None:
    for root in parse_html(html).roots:
        for element in root.iter(etree.Element):
            assert compiled.has_text(element) == plain.has_text(element)
            assert compiled.length_up_to(element, limit) == plain.length_up_to(element, limit)
            outside = plain.length_outside(element, LEFT_OUT)
            assert compiled.length_outside(element, LEFT_OUT) == outside
            assert compiled.ids_of(element, LEFT_OUT) == plain.ids_of(element, LEFT_OUT)
            first = plain.first_texts(element, limit, limit)
            assert compiled.first_texts(element, limit, limit) == first
            assert compiled.first_texts(element, 9, 9_999) == [*map(str, element.itertext())][:9]


@given(
    st.lists(
        st.sampled_from(
            [
                "<p class='A b'>", "<i id=É>", "<a href=#x>", "<a href='#a&amp;b'>", "<a href=/y>",
                "<a href>", "<b role=tab onclick=f()>", "<u class='a &amp; B'>", "<s aria-label='4 of 5'>",
                "<img alt='&#52;' aria-label=x>", "<s alt=4>", "</p>", "</a>", "w",
            ]
        ),
        max_size=12,
    ).map("".join)
)  # fmt: skip
def test_both_ways_find_the_same_names_attributes_and_links(html: str) -> None:
    roots = parse_html(html).roots
    wanted = frozenset({"role", "id"})

    assert compiled.collect_names(roots) == plain.collect_names(roots)
    assert compiled.tags_of(roots) == plain.tags_of(roots)
    for tags in (("a",), ("b", "abbr"), ("html",), ("body", "bod"), ("i", "p")):
        assert compiled.holds_tag(roots, tags) == plain.holds_tag(roots, tags)
    for root in roots:
        assert compiled.having_attributes(root, wanted) == plain.having_attributes(root, wanted)
        assert compiled.find_numbered_labels(root) == plain.find_numbered_labels(root)
        assert compiled.links_within(root) == plain.links_within(root)
        for text in ("a &", "#"):
            found = compiled.holding_text(root, "class", text)
            assert [*found, *compiled.holding_text(root, "href", text)] == [
                *plain.holding_text(root, "class", text),
                *plain.holding_text(root, "href", text),
            ]


def test_names_are_those_of_all_classes_and_ids_in_lower_case() -> None:
    roots = parse_html("<div class='Card  big' id=Top><p class>x</p></div></html><b id=é>y").roots

    assert compiled.collect_names(roots) == {"card", "big", "top", "é"}


def test_ids_are_those_of_the_wanted_tags() -> None:
    (html,) = parse_html(
        "<div id=a><p id='b &amp; c'>x</p><b id>y</b><p>z</p><i id=d></i><p id=é></p></div>"
    ).roots

    for find in (compiled.ids_of, plain.ids_of):
        assert find(html, frozenset({"div", "p", "b"})) == {"a", "b & c", "", "é"}


def test_text_put_side_by_side_is_one_piece() -> None:
    (html,) = parse_html("<p>one <b>two</b> three</p>").roots
    etree.strip_tags(html, "b")

    assert length_up_to(html, 50) == plain.length_up_to(html, 50) == len("one two three")


def test_blanks_are_no_text_and_tails_are_not_ones_own() -> None:
    (html,) = parse_html("<div id=a> <i>\u2003</i>\n</div>behind<div id=b> <i>x</i></div>").roots
    blank, filled = html.iter("div")

    assert not has_text(blank)
    assert has_text(filled)
    assert length_up_to(blank, 10) == 0


def test_counting_ends_at_the_limit() -> None:
    (html,) = parse_html("<p>" + "<b>abc</b> " * 1_000).roots

    assert 10 <= length_up_to(html, 10) < 20


def test_text_right_inside_of_some_tags_is_left_out() -> None:
    (html,) = parse_html("<p>ab<b>cd<i>ef</i>gh</b>ij</p>").roots

    assert length_outside(html, frozenset({"b"})) == len("abefghij")


@given(
    st.lists(
        st.sampled_from(
            [
                "<table>", "</table>", "<tr>", "</tr>", "<thead>", "</thead>", "<tbody>", "<tfoot>",
                "<td>", "<th>", "</td>", "<p>", "w", "<caption>", "<td id=a colspan>",
                "<th rowspan=2 colspan='3&amp;'>",
            ]
        ),
        max_size=30,
    ).map("".join),
    st.integers(0, 4),
)  # fmt: skip
@example("<table><tbody></tbody><tr><td>a<thead><tr><th>b</table>", 3)
def test_both_ways_find_the_same_cells(html: str, most: int) -> None:
    for root in parse_html(html).roots:
        for table in root.iter("table", "div", "tbody"):
            assert compiled.find_cells(table, most) == plain.find_cells(table, most)
            for tags in (("table",), ("td", "p")):
                assert compiled.holds_inside(table, tags) == plain.holds_inside(table, tags)
        for cell in root.iter("td", "th"):
            for name in ("id", "colspan", "rowspan"):
                assert compiled.get_value(cell, name) == plain.get_value(cell, name)
