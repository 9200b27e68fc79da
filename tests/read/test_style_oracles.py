"""Selectors and the cascade give the results of other implementations, where these are installed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.read.test_selectors import NODES, SELECTORS, build_tree, find
from webquarry._read.html.parse import parse_html
from webquarry._read.style.cascade import Cascade
from webquarry._read.style.declarations import parse_attribute
from webquarry._read.style.sheet import collect_sheets

_Nodes = list[tuple[str, str, str, str | None, int]]
DECLARATIONS = st.lists(
    st.sampled_from(
        [
            "display:none", "display:block", "opacity:0", "opacity:1", "opacity:0 !important",
            "visibility:hidden", "visibility:visible!important", "height:2px", "height:auto",
        ]
    ),
    min_size=1,
    max_size=3,
).map(";".join)  # fmt: skip
# Elements that may be inside each other in any HTML parser.
NESTING = {"p": "section", "div": "div", "b": "article"}
PLAIN = [
    "section", ".a", ".b", "#i", "section.a", ".a.b", "div .a", "div > section", "* .b",
    "article + section",
]  # fmt: skip


@given(st.lists(SELECTORS, min_size=1, max_size=4), st.lists(NODES, max_size=14))
@settings(max_examples=200, deadline=None)
def test_selectors_match_the_elements_that_cssselect2_finds(
    selectors: list[str], nodes: _Nodes
) -> None:
    cssselect2: Any = pytest.importorskip("cssselect2")
    root = build_tree(nodes)
    wrapper = cssselect2.ElementWrapper.from_html_root(root)

    for text, elements in zip(selectors, find(selectors, root), strict=True):
        compiled = cssselect2.compile_selector_list(text)
        expected = {
            one.etree_element
            for one in wrapper.iter_subtree()
            if any(selector.test(one) for selector in compiled)
        }
        assert elements == expected, text


@given(
    st.lists(st.tuples(st.sampled_from(PLAIN), DECLARATIONS), min_size=1, max_size=6),
    st.lists(NODES, min_size=1, max_size=8),
)
@settings(max_examples=200, deadline=None)
def test_cascade_gives_the_declarations_that_css_inline_writes(
    rules: list[tuple[str, str]], nodes: _Nodes
) -> None:
    css_inline: Any = pytest.importorskip("css_inline")
    css = "".join(f"{selector}{{{declared}}}" for selector, declared in rules)
    nested: Any = [(NESTING[tag], *rest) for tag, *rest in nodes]
    body: str = etree.tostring(build_tree(nested)[0], encoding="unicode", method="html")
    page = f"<!doctype html><html><head><style>{css}</style></head>{body}</html>"
    document = parse_html(page)
    sheets = collect_sheets(document.page_info)
    cascade = Cascade(document.roots, sheets, has_scripts=lambda: False)
    inlined = parse_html(css_inline.inline(page))

    elements = document.roots[0].iter(*NESTING.values())
    others = inlined.roots[0].iter(*NESTING.values())
    for element, other in zip(elements, others, strict=True):
        ordinary, important = parse_attribute(other.get("style") or "")
        assert cascade.find_style(element).declared == ordinary | important
