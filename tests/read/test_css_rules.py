"""Which rules of a style sheet are looked into, given the names that elements of the page have."""

from __future__ import annotations

import pytest

from webquarry._read.css.rules import ALWAYS, SOMETIMES, Rules, parts_of
from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import to_markdown

NAMES = frozenset({"a", "b", "top"})
FILLER = "".join(f".unused-{number}{{color:red}}" for number in range(800))


def rules_of(css: str) -> Rules:
    return Rules(parts_of(css.encode()), NAMES)


def selectors(css: str) -> list[str]:
    return [rule.selectors for rule in rules_of(css).find_exact()]


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
        r".x\:y",
        ".ä",
        "p[class=x]",
        ".x,[data-x]",
    ],
)
def test_a_rule_that_may_be_about_an_element_of_the_page_is_read(selector: str) -> None:
    assert selectors(f"{selector}{{display:none}}") == [selector]


@pytest.mark.parametrize(
    "selector", [".x", "#x", "p.x", ".a .x", ".a.x", ".x>p", ".x,.y", ".x[data-a='.a']", ".ab"]
)
def test_a_rule_that_can_only_be_about_others_is_passed_over(selector: str) -> None:
    assert selectors(f"{selector}{{display:none}}") == []


def test_a_rule_for_a_name_more_is_remembered_for_what_it_may_show() -> None:
    rules = rules_of(
        ".a.open{display:block}.a.x{color:red}.x{display:block}@media print{.a{display:block}}"
    )

    found = list(rules.showing({"a"}))

    assert [(rule.selectors, rule.when) for rule in found] == [(".a.open", ALWAYS)]
    assert not list(rules.showing({"z"}))


def test_rules_inside_others_know_when_they_apply() -> None:
    css = (
        "@media screen{.a{x:y}.x{x:y}}@media "
        "(min-width:900px){.a{display:block}}@font-face{font-family:a}.b{x:y}"
    )
    rules = rules_of(css)

    assert [rule.selectors for rule in rules.find_exact()] == [".a", ".b"]
    assert [(rule.selectors, rule.when) for rule in rules.showing({"a"})] == [(".a", SOMETIMES)]


def test_rules_keep_the_order_of_the_sheet_whatever_is_left_out_between_them() -> None:
    css = ".a{x:y}" + ".x{x:y}" * 20 + "@media all{.b{x:y}}" + "p{x:y}"
    orders = [rule.order for rule in rules_of(css).find_exact()]

    assert orders == sorted(orders)
    assert len(set(orders)) == 3


def test_blanks_case_escapes_and_comments_do_not_hide_a_declaration() -> None:
    (rule,) = rules_of(r".a /* .x */ { DIS\70 lay : /**/ None }").find_exact()

    assert "display:none" in rule.body


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
def test_a_long_sheet_is_judged_as_a_short_one_is(rules: str, seen: bool) -> None:
    body = "<p>first<p class=a>words in question<p>last"
    texts = {
        to_markdown(
            parse_html(f"<style>{before}{rules}{after}</style>{body}"), "https://example.org/"
        ).text
        for before, after in (("", ""), (FILLER, ""), ("", FILLER), (FILLER, FILLER))
    }

    assert [("words in question" in text) for text in texts] == [seen]
