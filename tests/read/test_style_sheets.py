"""Which rules of a style sheet are looked into, given the names that elements of the page have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webquarry._native import NameSet
from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import to_markdown
from webquarry._read.style.conditions import ALWAYS, SOMETIMES
from webquarry._read.style.declarations import parse_body
from webquarry._read.style.sheet import SheetRule, Sheets, read_rules

NAMES = frozenset({"a", "b", "top", "p", "h1"})
FILLER = "".join(f".unused-{number}{{color:red}}" for number in range(800))


def read(css: str, *, related: bool = False) -> list[SheetRule]:
    sheets = Sheets()
    sheets.add(css.encode())
    return read_rules(sheets, NameSet(NAMES), related=related)


def selectors(css: str) -> list[str]:
    return [rule.selectors for rule in read(css)]


@pytest.mark.parametrize(
    "selector",
    [
        ".a",
        "#top",
        "p",
        "p.a",
        ".a .b",
        ".a>p",
        ".A",
        ".x,.a",
        "h1,.x",
        "[data-x]",
        "[data-x='.y']",
        r".\61",
        ".ä",
        "p[class=x]",
        ".x,[data-x]",
    ],
)
def test_rule_about_a_known_name_is_read(selector: str) -> None:
    assert selectors(f"{selector}{{display:none}}") == [selector]


@pytest.mark.parametrize(
    "selector",
    [".x", "#x", "p.x", ".a .x", ".a.x", ".x>p", ".x,.y", ".x[data-a='.a']", ".ab", "td"],
)
def test_rule_about_other_names_is_skipped(selector: str) -> None:
    assert selectors(f"{selector}{{display:none}}") == []


def test_related_rules_have_one_known_name() -> None:
    css = ".a.open{display:block}.x{display:block}@media print{.a{display:block}}"

    assert selectors(css) == []
    assert [rule.selectors for rule in read(css, related=True)] == [".a.open"]


def test_rules_in_groups_have_the_condition_of_the_group() -> None:
    css = (
        "@media screen{.a{x:y}.x{x:y}}@media (min-width:900px){.a{display:block}}"
        "@font-face{font-family:a}@keyframes k{from{x:y}}.b{x:y}"
    )

    found = [(rule.selectors, rule.when) for rule in read(css)]

    assert found == [(".a", ALWAYS), (".a", SOMETIMES), (".b", ALWAYS)]


def test_rules_have_the_order_of_the_sheet() -> None:
    css = ".a{x:y}" + ".x{x:y}" * 20 + "@media all{.b{x:y}}" + "p{x:y}"
    orders = [rule.order for rule in read(css)]

    assert orders == sorted(orders)
    assert len(set(orders)) == 3


def test_nested_rules_know_the_selectors_around_them() -> None:
    css = ".a{color:red;& p{x:y}@media screen{opacity:0}top:0}"

    found = [(rule.selectors, rule.body, rule.outer) for rule in read(css)]

    assert found == [
        (".a", b"color:red", ()),
        ("& p", b"x:y", (".a",)),
        ("&", b"opacity:0", (".a",)),
        (".a", b"top:0", ()),
    ]


@pytest.mark.parametrize(
    ("css", "found"),
    [
        ("}.a{x:y}.b{x:y}", ["}.a", ".b"]),
        ("x;.a{x:y}.b{x:y}", [".b"]),
        ("@charset 'x';.a{x:y}", [".a"]),
        (".a{x:'}'}.b{x:y}", [".a", ".b"]),
        (".a{x:url(})}.b{x:y}", [".a", ".b"]),
        (".a{x:y", [".a"]),
        ("/* } */.a/**/{x:y}", [".a"]),
        ("@media all{.a{x:y}", [".a"]),
    ],
)
def test_malformed_sheets_are_split_as_browsers_do(css: str, found: list[str]) -> None:
    assert selectors(css) == found


@given(st.text("{}@;:.a b\"'\\/*()<>!-#,&", max_size=60))
@settings(max_examples=300, deadline=None)
def test_rules_of_any_text_are_parts_of_it_in_their_order(css: str) -> None:
    rules = read(css)

    assert [rule.order for rule in rules] == sorted({rule.order for rule in rules})
    for rule in rules:
        assert rule.body in css.encode()
        parse_body(rule.body)


@pytest.mark.parametrize(
    ("rules", "seen"),
    [
        (".a{display:none}", False),
        (".a{display:none}p.a{display:block}", True),
        ("p.a{display:block}.a{display:none}", True),
        (".a{display:block}.a{display:none}", False),
        (".a{display:none}.a{display:block}", True),
        (".x .a{display:none}", True),
    ],
)
def test_unused_rules_change_nothing(rules: str, seen: bool) -> None:
    body = "<p>first<p class=a>words in question<p>last"
    texts = {
        to_markdown(
            parse_html(f"<style>{before}{rules}{after}</style>{body}"), "https://example.org/"
        ).text
        for before, after in (("", ""), (FILLER, ""), ("", FILLER), (FILLER, FILLER))
    }

    assert [("words in question" in text) for text in texts] == [seen]
