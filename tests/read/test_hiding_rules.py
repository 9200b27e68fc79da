"""Rules of a page's own style sheet that hide an element, in the spellings that selectors and
values have.
"""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import to_markdown
from webquarry._read.style.values import parse_length

HIDDEN = "words nobody sees"
BETWEEN = f"<p>first<p class=a>{HIDDEN}<p class=c>{HIDDEN}<p>last"


def shown(css: str, body: str) -> str:
    document = parse_html(f"<html><head><style>{css}</style></head><body>{body}</body></html>")
    return to_markdown(document, "https://example.org/").text


@pytest.mark.parametrize(
    ("css", "body"),
    [
        ('p[data-x="1"]{display:none}', f"<p>first<p data-x=1>{HIDDEN}<p>last"),
        ("[data-x]{display:none}", f"<p>first<p data-x=1>{HIDDEN}<p>last"),
        ('[class^="zq"]{visibility:hidden}', f"<p>first<p class=zq-1>{HIDDEN}<p>last"),
        (r".z\:q{display:none}", f'<p>first<p class="z:q">{HIDDEN}<p>last'),
        (r".\31 0{display:none}", f'<p>first<p class="10">{HIDDEN}<p>last'),
        ("<!-- .a{display:none} -->", f"<p>first<p class=a>{HIDDEN}<p>last"),
        ("/*/*/.a{display:none}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        (".a p{display:none}", f"<p>first<div class=a><p>{HIDDEN}</div><p>last"),
        ("#a > span{font-size:0}", f"<p>first<div id=a><span>{HIDDEN}</span></div><p>last"),
        ("", f'<p>first<p style="position:absolute;left:calc(-1 * 9999px)">{HIDDEN}<p>last'),
        (":root{--d:none}.a{display:var(--d)}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        (
            ":root{--Off: hidden !important}p.a{visibility : VAR( --Off )}",
            f"<p>first<p class=a>{HIDDEN}<p>last",
        ),
        (":root{--a:var(--b);--b:0}.a{opacity:var(--a)}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        (".a{display:var(--nowhere, none)}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        (
            ":root{--C:'é';--D:None}.a{color:var(--C);DISPLAY:var(--D)}",
            f"<p>first<p class=a>{HIDDEN}<p>last",
        ),
        (":root{--d:none}", f'<p>first<p style="display:var(--d)">{HIDDEN}<p>last'),
        ("body{background:#fff}.a{color:oklch(1 0 0)}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        ("body{background:#fff}.a{color:hwb(0 100% 0%)}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        ("p:nth-of-type(2){display:none}", f"<p>first<p>{HIDDEN}<p>last"),
        ("p:nth-child(2n){display:none}", f"<p>first</p><p>{HIDDEN}</p><p>last</p>"),
        ("p:nth-last-child(2){display:none}", f"<p>first</p><p>{HIDDEN}</p><p>last</p>"),
        (".a p:last-child{display:none}", f"<div class=a><p>first</p><p>{HIDDEN}</p></div><p>last"),
        ("div > p:only-of-type{display:none}", f"<p>first<div><p>{HIDDEN}</p></div><p>last"),
        (".a + p{display:none}", f"<p class=a>first<p>{HIDDEN}<p>last"),
        (".a ~ .b{display:none}", f"<p class=a>first<p>last<p class=b>{HIDDEN}"),
        ("h2 + p + p{display:none}", f"<h2>first</h2><p>last<p>{HIDDEN}"),
        (":is(.a, .b) p{display:none}", f"<p>first<div class=b><p>{HIDDEN}</div><p>last"),
        (".a:is(div,p){display:none}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        ("p:where(.a,.b){display:none}", f"<p>first<p class=b>{HIDDEN}<p>last"),
        ("p:not(.a):not(#b){display:none!important}", f"<p class=a>first<p>{HIDDEN}<p id=b>last"),
        (
            "p:not(:first-child, :last-child){display:none}",
            f"<p>first</p><p>{HIDDEN}</p><p>last</p>",
        ),
        (".a li{display:none}", f"<p>first<ul class=a><li>{HIDDEN}</ul><p>last"),
        (".a em{display:none}", f"<p>first <span class=a>and <em>{HIDDEN}</em></span> last"),
        (
            ".a{opacity:.3}",
            f"<p>first<div class=a><div class=a><p class=a>{HIDDEN}</div></div><p>last",
        ),
        ("@media (min-width:1px){.a{display:none}}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        (
            "@media screen and (max-width: 100000px){.a{display:none}}",
            f"<p>first<p class=a>{HIDDEN}<p>last",
        ),
        ("@media not print{.a{display:none}}", f"<p>first<p class=a>{HIDDEN}<p>last"),
        (
            ".a{display:none}@media (max-width:1px){.a{display:block}}",
            f"<p>first<p class=a>{HIDDEN}<p>last",
        ),
        (
            ".a{display:none}@supports not (display:grid){.a{display:block}}",
            f"<p>first<p class=a>{HIDDEN}<p>last",
        ),
    ],
)
def test_what_a_rule_hides_is_gone_and_what_stands_around_stays(css: str, body: str) -> None:
    text = shown(css, body)

    assert HIDDEN not in text
    assert "first" in text
    assert "last" in text


@pytest.mark.parametrize(
    ("css", "body"),
    [
        ('p[data-x="1"]{display:none}', "<p data-x=1>gone<p data-x=2>kept"),
        ("[data-x]{display:none}", "<p data-x=1>gone<p data-y=1>kept"),
        (r".md\:q{display:none}", "<p class=md>kept"),
        (
            ".a p{display:none}",
            "<div class=a><p>gone</div><p class=a>kept<div class=b><p>more</div>",
        ),
        (
            ":root{--d:block}.a{display:var(--d, none)}.b{display:none}",
            "<p class=b>gone<p class=a>kept",
        ),
        (
            ":root{--d:none}.b{--d:block;display:var(--d)}.c{display:none}",
            "<p class=c>gone<p class=b>kept",
        ),
        (
            ":root{--a:var(--a)}.a{display:var(--a)}.b{display:none}",
            "<p class=b>gone<p class=a>kept",
        ),
        ("p:nth-of-type(2){display:none}", "<p>kept<p>gone<p>more"),
        ("p:nth-child(-n+2){display:none}", "<p>gone</p><p>gone</p><p>kept</p>"),
        (".a + p{display:none}", "<p>kept<p class=a>more<p>gone"),
        (".a ~ p{display:none}", "<p>kept<p class=a>more<p>gone"),
        ("p:not(#b){display:none}", "<p>gone<p id=b>kept"),
        (".a:is(div,h1){display:none}.b{display:none}", "<p class=b>gone<p class=a>kept"),
        (
            "p:hover{display:none}p:nth-child(3){display:none}.b{display:none}",
            "<p class=b>gone</p><p class=a>kept</p>",
        ),
        (".a{opacity:.5}.b{display:none}", "<p class=b>gone<div class=a><p class=a>kept</div>"),
        (
            "@media (max-width:600px){.a{display:none}}.b{display:none}",
            "<p class=b>gone<p class=a>kept",
        ),
        ("@media print{.a{display:none}}.b{display:none}", "<p class=b>gone<p class=a>kept"),
        (
            "@media (prefers-color-scheme:dark){.a{display:none}}.b{display:none}",
            "<p class=b>gone<p class=a>kept",
        ),
        (
            "@supports not (display:grid){.a{display:none}}.b{display:none}",
            "<p class=b>gone<p class=a>kept",
        ),
        (
            ".a:not(.open){display:none}.b{display:none}",
            "<script src=app.js></script><p class=b>gone<p class=a>kept",
        ),
    ],
)
def test_what_no_rule_is_about_is_kept(css: str, body: str) -> None:
    text = shown(css, body)

    assert "kept" in text
    assert "gone" not in text


def test_paragraphs_are_counted_however_many_there_are() -> None:
    paragraphs = "".join(f"<p>{number}</p><i></i>" for number in range(1, 20_001))

    text = shown("p:nth-of-type(20000){display:none}p:nth-last-child(4n){display:none}", paragraphs)

    assert text.split() == [str(number) for number in range(2, 20_000, 2)]


@pytest.mark.parametrize(
    ("value", "pixels"), [("calc(-1 * 20px)", -20), ("calc(1em * 0)", 0), ("calc(2px)", 2)]
)
def test_a_product_is_worked_out(value: str, pixels: float) -> None:
    assert parse_length(value) == pixels


@pytest.mark.parametrize(
    "tag", ["script", "style", "title", "template", "textarea", "noscript", "iframe", "svg"]
)
def test_what_is_never_shown_does_not_become_so_by_calling_itself_a_heading(tag: str) -> None:
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


def test_the_rules_about_a_control_count_wherever_it_stands() -> None:
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
