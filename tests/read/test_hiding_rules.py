"""Rules of a page's own style sheet that hide an element, in the spellings that selectors and
values have.
"""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import to_markdown

HIDDEN = "words nobody sees"
BETWEEN = f"<p>first<p class=a>{HIDDEN}<p class=c>{HIDDEN}<p>last"


def shown(css: str, body: str) -> str:
    document = parse_html(f"<html><head><style>{css}</style></head><body>{body}</body></html>")
    return to_markdown(document, "https://example.org/").text


def test_paragraphs_are_counted_however_many_there_are() -> None:
    paragraphs = "".join(f"<p>{number}</p><i></i>" for number in range(1, 20_001))

    text = shown("p:nth-of-type(20000){display:none}p:nth-last-child(4n){display:none}", paragraphs)

    assert text.split() == [str(number) for number in range(2, 20_000, 2)]


@pytest.mark.parametrize(
    "tag", ["script", "style", "title", "template", "textarea", "noscript", "iframe", "svg"]
)
def test_hidden_element_is_not_shown_because_it_is_a_heading(tag: str) -> None:
    text = shown(
        "", f"<p>{'first words of the page ' * 20}</p><{tag} role=heading>{HIDDEN}</{tag}><p>last"
    )

    assert HIDDEN not in text
    assert "last" in text


@pytest.mark.parametrize("other", ["..y", "#1", ".y!", "p:nowhere", ".y >"])
def test_a_list_with_a_selector_that_browsers_do_not_know_shows_nothing(other: str) -> None:
    css = f".x{{display:none}}body .x,{other}{{display:block}}"

    assert HIDDEN not in shown(css, f"<p>first<p class=x>{HIDDEN}<p>last")


def test_a_list_shows_what_one_of_its_selectors_means() -> None:
    css = ".x{display:none}.y .z,p>b,body .x,.q{display:block}"

    assert "words" in shown(css, "<p>first<p class=x>words<p>last")


def test_rules_of_a_control_apply_at_any_place() -> None:
    panel = f"<div id=p1 class=panel hidden>{HIDDEN}</div>"
    button = "<nav class=n><button class=b aria-controls=p1>More</button></nav>"
    body = f"<p>first</p>{button}{panel}<p>last"

    assert HIDDEN in shown(".zz{color:red}", body)
    assert HIDDEN not in shown(".n .b{display:none}", body)
    assert HIDDEN not in shown(".N .B{visibility:hidden}", body.replace("class=b", "class=B"))


@pytest.mark.parametrize("selector", ["[data-x]", '[data-x="1"]', "[DATA-X]", "p[data-x]"])
@pytest.mark.parametrize("is_first", [False, True])
def test_a_rule_that_shows_by_an_attribute_counts_for_those_that_have_it(
    selector: str, is_first: bool
) -> None:
    css = f".a{{display:none}}{selector}{{display:block!important}}"
    paragraphs = [f"<p class=a>{HIDDEN}</p>", "<p class=a data-x=1>one that is seen</p>"]
    if is_first:
        paragraphs.reverse()

    text = shown(css, "<p>first</p>" + "".join(paragraphs) + "<p>last</p>")

    assert "one that is seen" in text
    assert HIDDEN not in text


@pytest.mark.parametrize("selector", [":where(.a)", ":is(.a.b)", ":root :where(.a)", ":root .a"])
def test_a_rule_that_shows_by_names_in_brackets_counts(selector: str) -> None:
    css = f":where(.a){{display:none}}{selector}{{display:block!important}}"

    assert shown(css, "<p>first<p class='a b'>one that is seen<p>last").count("seen") == 1


@pytest.mark.parametrize("group", ["@media screen", "@supports (display:block)", "@media all"])
def test_groups_with_other_names_around_a_rule_do_not_hide_it(group: str) -> None:
    css = f"{group}{{.x{{a:b}}.y{{a:b}}}}@keyframes k{{from{{a:b}}to{{a:b}}}}.a{{display:none}}"

    text = shown(f"{css}{group}{{.z{{a:b}}.c{{display:none}}}}", BETWEEN)

    assert text.split() == ["first", "last"]
