"""Which elements a selector means: the same as another implementation finds, on any tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from webquarry._native import Matcher, Selector, Tree
from webquarry._read.html.parse import parse_html
from webquarry._read.style.selectors import InvalidSelector, UndecidedSelector, parse_selector
from webquarry._read.text.brackets import split_top

cssselect = pytest.importorskip("cssselect", reason="cssselect is the oracle")

COMPOUNDS = [
    "p", "div", "*", ".a", ".b", "#i", "p.a", ".a.b", "div#i", "[x]", "[x=v]", "[x^=v]", "[x$=w]",
    "[x*=v]", "[x~=w]", "[x|=v]", ":first-child", ":last-child", ":only-child", "div:first-of-type",
    "p:last-of-type", ":nth-child(2)", ":nth-child(2n+1)", ":nth-child(-n+2)", "p:nth-of-type(2)",
    ":nth-last-child(2)", "p:nth-last-of-type(odd)", ":not(.a)", ":not(p)", ":not([x])",
    ":empty", ":is(.a, .b)", ":is(p.a, #i)", ":where(.a)", "p:has(.b)", ":has(> .a)", ":has(+ p)",
    ":has(~ .b)",
]  # fmt: skip
SELECTORS = st.lists(
    st.tuples(st.sampled_from([" ", " > ", " + ", " ~ "]), st.sampled_from(COMPOUNDS)),
    min_size=1,
    max_size=4,
).map(lambda steps: "".join(sign + compound for sign, compound in steps)[1:].lstrip(" >+~"))
TAGS = ["p", "div", "b"]
NODES = st.tuples(
    st.sampled_from(TAGS),
    st.sampled_from(["", "a", "b", "a b"]),
    st.sampled_from(["", "", "i", "j"]),
    st.sampled_from([None, None, "v", "v w", "v-w", "w"]),
    st.integers(0, 4),  # how many levels to go up before the next one
)


def build_tree(nodes: list[tuple[str, str, str, str | None, int]]) -> etree._Element:
    root = etree.Element("html")
    place = etree.SubElement(root, "body")
    for tag, classes, identity, value, up in nodes:
        place = etree.SubElement(place, tag)
        if classes:
            place.set("class", classes)
        if identity:
            place.set("id", identity)
        if value is not None:
            place.set("x", value)
        for _ in range(up):
            parent = place.getparent()
            if parent is not None and parent.tag != "html":
                place = parent
    return root


def parse(text: str) -> list[Selector]:
    parsed = [parse_selector(one) for one in split_top(text, ",")]
    return [one for one in parsed if one is not None]


def find(selectors: list[str], root: etree._Element) -> list[set[etree._Element]]:
    matcher = Matcher(Tree([root]), [parse(text)[0] for text in selectors])
    found: list[set[etree._Element]] = [set() for _ in selectors]
    for element in root.iter():
        bits = matcher.match(element)
        for number in range(len(selectors)):
            if bits >> number & 1:
                found[number].add(element)
    return found


@given(st.lists(SELECTORS, min_size=1, max_size=5), st.lists(NODES, max_size=14))
@settings(max_examples=300, deadline=None)
def test_selectors_mean_the_elements_that_another_implementation_finds(
    selectors: list[str], nodes: list[tuple[str, str, str, str | None, int]]
) -> None:
    root = build_tree(nodes)
    translator = cssselect.HTMLTranslator()

    found = find(selectors, root)

    for text, elements in zip(selectors, found, strict=True):
        path = translator.css_to_xpath(text, prefix="descendant-or-self::")
        expected: Any = root.xpath(path)
        assert elements == set(expected), text


PAGE = (
    "<main><p id=one class=a>1<p id=two class=b>2<p id=three class=a>3</main>"
    "<section id=s lang=de-AT><div id=d><b id=x data-k=Value>4</b></div><i id=y class='A'>5</i>"
    "<input id=c type=checkbox checked><a id=l href=z>6</a><q id=z-z></q></section>"
)


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        ("[data-k^=VAL i]", "x"),
        ("[data-k^=VAL s]", ""),
        ("[data-k^='VAL']", ""),
        ("[DATA-K='Value']", "x"),
        ("[type=CHECKBOX]", "c"),
        ("[data-k='']", ""),
        ("[data-k^='']", ""),
        (".A", "y"),
        (":is(main .b, section > div b)", "two x"),
        (":not(main *, section *, main, section, html, body)", ""),
        ("section :not(div, div *, .A)", "c l z-z"),
        ("p:not(:is(.a, main > :first-child))", "two"),
        ("main:has(> .a + .b) .a", "one three"),
        ("section:has(div > b):has(i) > div", "d"),
        ("p:has(+ .b)", "one"),
        ("p:has(~ .a)", "one two"),
        ("div:has(> i)", ""),
        (":checked", "c"),
        ("a:any-link", "l"),
        ("a:not(:hover)", "l"),
        ("a:is(:hover, :focus)", ""),
        ("p:is(:unknown-thing, .b)", "two"),
        ("p:where(:not(.a))", "two"),
        ("*|p.b", "two"),
        (r".\41", "y"),
        (r"#\6fne", "one"),
        ("p:nth-child(2n + 1)", "one three"),
        ("p:nth-child(+3n - 2)", "one"),
        ("main > p ~ p ~ p", "three"),
        ("p + p:last-of-type", "three"),
        (":root #d", "d"),
        (":scope #d", "d"),
        ("q:empty", "z-z"),
        ("p::before", ""),
        ("p:before", ""),
        ("p::-webkit-anything", ""),
    ],
)
def test_a_selector_means_what_browsers_take_it_for(selector: str, ids: str) -> None:
    document = parse_html(f"<!doctype html><body>{PAGE}")
    matcher = Matcher(Tree(document.roots), parse(selector))

    found = [element.get("id") for element in document.elements() if matcher.match(element)]

    assert [identity for identity in found if identity] == ids.split()


@pytest.mark.parametrize(
    "selector",
    [
        "p:unknown-thing", "p::unknown-thing", "p:not(:unknown-thing)", ".1a", "#1a", "p..a", "p >",
        "> p", "p,", ",p", "p[", "p[x=1]", "p[x='a]", "p:not(", "p:not()", "p:has()", "svg|p",
        "p:nth-child(x)", "p > > a", "a ! b", "", "p:-moz-anything", "p{",
    ],
)  # fmt: skip
def test_what_browsers_do_not_take_is_invalid(selector: str) -> None:
    with pytest.raises(InvalidSelector):
        parse(selector)


def test_a_selector_beyond_all_bounds_is_undecided() -> None:
    with pytest.raises(UndecidedSelector):
        parse(":not(" * 50 + "p" + ")" * 50)
    with pytest.raises(UndecidedSelector):
        parse("p " * 500 + "p")


def test_relations_cost_no_test_however_many_rules_and_elements_there_are() -> None:
    document = parse_html("<!doctype html>" + "<p class=x>w</p>" * 500)
    tree = Tree(document.roots, left=1_000)
    texts = [f".a{number} ~ p, .b{number} > p, .c{number} p" for number in range(500)]
    selectors = [one for text in texts for one in parse(text)]
    matcher = Matcher(tree, selectors)

    assert not any(matcher.match(element) for element in document.elements())
    assert tree.left >= 0


@pytest.mark.parametrize("elements", [2_000, 4_000])
def test_the_tests_that_are_made_grow_with_the_page_and_not_with_its_rules(elements: int) -> None:
    document = parse_html("<!doctype html>" + "<p x=1>w</p>" * elements)
    tree = Tree(document.roots)
    texts = ",".join(f"p:nth-child({number}n)" for number in range(1, 1_000))
    matcher = Matcher(tree, parse(texts))
    made = 0
    while matcher.match(document.roots[0][0][0]) and tree.left >= 0:
        made += 999

    assert 45 * elements < made < 60 * elements


def test_tests_beyond_the_budget_are_not_made() -> None:
    document = parse_html("<!doctype html>" + "<p class=x>w</p>" * 100)
    tree = Tree(document.roots, left=50)
    matcher = Matcher(tree, parse("p[x], p:nth-child(7)"))
    for element in document.elements():
        matcher.match(element)

    assert tree.left < 0
    assert matcher.find_possible(next(document.roots[0].iter("p"))) == 0b11
