"""Text, attributes, tags and table cells of elements."""

from __future__ import annotations

from typing import cast

from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from webquarry._read.html.parse import parse_html
from webquarry._read.html.tree import (
    collect_names,
    find_cells,
    find_elements,
    first_texts,
    get_value,
    has_text,
    holding_text,
    holds_inside,
    length_outside,
    length_up_to,
)

MARKUP = """
    <p> <div> </div> <b> </b> <script> </script> <td> <br> <svg> &nbsp; &#8195; <![CDATA[x]]>
    <!--c--> word é 語 &#28;
""".split()  # noqa: SIM905
TEXT_PIECES = st.sampled_from([*MARKUP, " ", "\n", "\u00a0"])
ATTRIBUTE_PIECES = st.sampled_from(
    [
        "<p class='A b'>", "<i id=É>", "<a href=#x>", "<a href='#a&amp;b'>", "<a href=/y>",
        "<a href>", "<b role=tab onclick=f()>", "<u class='a &amp; B'>", "<s aria-label='4 of 5'>",
        "<img alt='&#52;' aria-label=x>", "<s alt=4>", "</p>", "</a>", "w",
    ]
)  # fmt: skip
TABLE_PIECES = st.sampled_from(
    [
        "<table>", "</table>", "<tr>", "</tr>", "<thead>", "</thead>", "<tbody>", "<tfoot>",
        "<td>", "<th>", "</td>", "<p>", "w", "<caption>", "<td id=a colspan>",
        "<th rowspan=2 colspan='3&amp;'>",
    ]
)  # fmt: skip


def parse(html: str) -> etree._Element:
    (root,) = parse_html(html).roots
    return root


def find_all(element: etree._Element, path: str) -> list[etree._Element]:
    return cast(list[etree._Element], element.xpath(path))


@given(st.lists(TEXT_PIECES, max_size=30).map("".join), st.integers(1, 12))
@example("<p>a<!-- c -->b</p>", 9)
@example("<div> <b>x</b> \u00a0 <b>y</b></div>", 2)
def test_texts_are_those_of_itertext(html: str, limit: int) -> None:
    for root in parse_html(html).roots:
        for element in root.iter(etree.Element):
            texts = [*map(str, element.itertext())]
            length = sum(len(text.strip()) for text in texts)
            assert has_text(element) == bool("".join(texts).strip())
            assert length_up_to(element, 9_999) == length
            assert length_outside(element, frozenset()) == length
            assert first_texts(element, limit, 9_999) == texts[:limit]
            assert "".join(first_texts(element, 9_999, limit)) == "".join(texts)[:limit]


def test_whitespace_and_tails_are_not_text_of_an_element() -> None:
    blank, filled = parse(
        "<div id=a> <i>\u2003</i>\n</div>after<div id=b> <i>x</i></div>"
    ).iter("div")  # fmt: skip

    assert not has_text(blank)
    assert has_text(filled)
    assert length_up_to(blank, 10) == 0


@given(st.lists(ATTRIBUTE_PIECES, max_size=12).map("".join))
def test_attributes_and_tags_are_those_of_lxml(html: str) -> None:
    roots = parse_html(html).roots
    elements = [element for root in roots for element in root.iter(etree.Element)]

    tags = {element.tag for element in elements}
    assert tags <= collect_names(roots)
    for names in (("a",), ("b", "abbr"), ("html",), ("body", "bod"), ("i", "p")):
        found = [one for root in roots for one in find_elements(root, {*names}, frozenset())]
        assert found == [element for element in elements if element.tag in names]
    for root in roots:
        within = list(root.iter(etree.Element))
        assert find_elements(root, frozenset(), frozenset({"role", "id"})) == [
            element for element in within if {"role", "id"} & {*element.keys()}
        ]
        for name in ("class", "href"):
            for part in ("a &", "#"):
                assert holding_text(root, name, part) == [
                    element for element in within if part in element.get(name, "")
                ]
    for element in elements:
        for name in ("class", "href", "alt"):
            assert get_value(element, name) == element.get(name)


def test_names_are_all_tags_and_all_classes_and_ids_in_lower_case() -> None:
    roots = parse_html("<div class='Card  big' id=Top><p class>x</p></div></html><b id=é>y").roots

    tags = {"html", "body", "div", "p", "strong"}
    assert collect_names(roots) == tags | {"card", "big", "top", "é"}


@given(st.lists(TABLE_PIECES, max_size=30).map("".join))
@example("<table><tbody></tbody><tr><td>a<thead><tr><th>b</table>")
def test_cells_of_any_markup_are_those_that_xpath_finds(html: str) -> None:
    for root in parse_html(html).roots:
        for table in root.iter("table", "div", "tbody"):
            rows = find_all(table, "./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr")
            cells = [find_all(row, "./td | ./th") for row in rows]
            found, headed = find_cells(table, 9_999)
            assert found == [row for row in cells if row]
            assert headed == any(cell.tag == "th" for row in cells for cell in row)
            for tags in (("table",), ("td", "p")):
                assert holds_inside(table, tags) == bool([*table.iterdescendants(*tags)])
