"""Which rule counts where several are about one element, and which rules browsers drop."""

from __future__ import annotations

import base64

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import UNDECIDED_NOTE, Markdown, to_markdown

P = "<p class='c1 c2 zz' id=i data-k=Value>MARK</p>"
IN = f"<div class='w'><section>{P}</section></div>"
DATA = "data:text/css,.zz%7Bdisplay:none%7D"
BASE64 = "data:text/css;base64," + base64.b64encode(b".zz{display:none}").decode()


def convert(css: str, body: str = P, head: str = "") -> Markdown:
    page = f"<!doctype html><head>{head}<style>{css}</style></head><p>first</p>{body}<p>last</p>"
    return to_markdown(parse_html(page), "https://example.org/")


HIDDEN = [
    # the cascade
    (".c2{display:block}.c1{display:none}", P),
    (".c1{display:none!important}#i{display:block}", P),
    (".zz{display:none;display:bogus}", P),
    (".zz{height:0;overflow:hidden;height:5}", P),
    (".zz{font:16px serif;font-size:0}", P),
    ("@layer a,b;@layer b{.zz{display:none}}@layer a{.zz{display:block}}", P),
    ("@layer a{#i{display:block}}.zz{display:none}", P),
    (".zz{display:none!important}@layer a{.zz{display:none!important}}", P),
    ("@layer a{.zz{display:none}p{display:block}}@layer{.zz{display:none}}", P),
    (".zz{all:unset;display:none}", P),
    # selectors
    (".w *{display:none}", IN),
    ("div:has(.zz) p{display:none}", IN),
    ("p:has(+ p):not(:first-child){display:none}", P),
    (":is(.w section,.nothing) .zz{display:none}", IN),
    ("p:not(.x .zz):not(:first-child):not(:last-child){display:none}", P),
    (".zz/**/.c1{display:none}", P),
    (".zz:where(:not(.open, .x .y)){display:none}", P),
    ("html:root:not(.x) .zz{display:none}", P),
    (":is(h1,:unknown-thing,.zz){display:none}", P),
    # nesting
    (".w{.zz{display:none}}", IN),
    (".w{color:red;> section{color:blue;.zz{display:none}}}", IN),
    (".c1{.nothing,&.zz{display:none}}", P),
    ("section{.w &{display:none}}", IN),
    (".zz{@media screen{&.c1{display:none}}}", P),
    ("@media all{@supports (display:grid){.w{section{display:none}}}}", IN),
    (".w{.x{color:red}display:none}", IN),
    (".zz{display:none;.x{color:red}}", P),
    # groups
    ("@media (color){.zz{display:none}}", P),
    ("@media print,(min-width:1px){.zz{display:none}}", P),
    ("@media (1px <= width <= 100000px){.zz{display:none}}", P),
    ("@media not (print){.zz{display:none}}@media not print{.zz{display:none}}", P),
    ("@supports (display:grid) and (not (display:bogus)){.zz{display:none}}", P),
    ("@supports selector(:has(a)){.zz{display:none}}", P),
    (".zz{display:none}@supports (display:bogus){.zz{display:block}}", P),
    (".zz{display:none}@supports selector(:bogus){.zz{display:block}}", P),
    ("@container style(--x:1){.zz{display:none}}", P),
    # variables
    (":root{--d:block}.zz{--d:none;display:var(--d)}", P),
    (".nowhere{--d:block}.zz{display:var(--d,none)}", P),
    (":root{--a:var(--b);--b:var(--c,none);--c:initial}.zz{display:var(--a)}", P),
    (":root{--f:-9999px}.zz{position:absolute;left:var(--f)}", P),
    (":root{--a:var(--b);--b:var(--a)}.zz{display:var(--a,none)}", P),
    (".zz{display:var(--d)}", f"<div style='--d:none'>{P}</div>"),
    # what a sheet is made of
    (".x{content:'}'}.zz{display:none}", P),
    (".x{content:'/*'}.zz{display:none}", P),
    (".x{background:url(a/*b);color:red}.zz{display:none}", P),
    (".x{background:url(data:a;b{c)}.zz{display:none}", P),
    ("[data-k='].foo'],.zz{display:none}", P),
    (".zz{display:none;content:';display:block'}", P),
    (".zz{display:none}}.zz{display:block!important}", P),
    (".zz{display:none};.zz{display:block!important}", P),
    (".zz{display:none}.zz:unknown-thing,.zz{display:block}", P),
]  # fmt: skip
KEPT = [
    # what ends in brackets
    (".zz{display:none}.w :is(.zz){display:block}", IN),
    (".zz{display:none}.w :where(.zz){display:block!important}", IN),
    (":where(.zz){display:none}.w [data-k]{display:block}", IN),
    (".c1{display:none}.c2{display:block}.c3{display:none}", P),
    (".c1{display:none}p{display:block!important}", P),
    (".c1{display:none}:is(p,div).c2{display:block}", P),
    (".c1{opacity:0}#i{opacity:1}", P),
    (".zz{font-size:0}.c1{font:16px serif}", P),
    (".zz{left:-9999px;position:absolute}.c1.c2{position:static}", P),
    (".zz{display:none}.zz{all:unset}", P),
    ("@layer a{.zz{display:none}}@layer b{p{display:block}}", P),
    ("@layer b,a;@layer a{.zz{display:block}}@layer b{#i{display:none}}", P),
    ("@layer a{.zz{display:none}}p{display:block}", P),
    ("@layer a{.zz{display:block!important}}.zz{display:none!important}", P),
    ("div:has(.nothing) p{display:none}", IN),
    (".ZZ{display:none}", P),
    (".zz:hover{display:none}", P),
    (".zz,.x:unknown-thing{display:none}", P),
    (".zz,.x::unknown-thing{display:none}", P),
    (".w{.nothing &{display:none}}", IN),
    (".nothing{.zz{display:none}}", IN),
    (".zz{& &{display:none}}", P),
    ("@media (unknown-thing){.zz{display:none}}", P),
    ("@media not all and (color){.zz{display:none}}", P),
    ("@supports (display:bogus){.zz{display:none}}", P),
    ("@starting-style{.zz{display:none}}", P),
    ("@keyframes k{from{display:none}p{display:none}}", P),
    (":root{--d:none}.w{--d:block}.zz{display:var(--d)}", IN),
    (".nowhere{--d:none}.zz{display:var(--d)}", P),
    (":root{--d:none}.zz{--d:initial;display:var(--d)}", P),
    ("}.zz{display:none}", P),
    (";.zz{display:none}", P),
    ("a/**/b.zz{display:none}", P),
]  # fmt: skip


@pytest.mark.parametrize(("css", "body"), HIDDEN)
def test_what_the_cascade_hides_is_left_out(css: str, body: str) -> None:
    text = convert(css, body).text

    assert "MARK" not in text
    assert "last" in text


@pytest.mark.parametrize(("css", "body"), KEPT)
def test_what_the_cascade_shows_stays(css: str, body: str) -> None:
    assert "MARK" in convert(css, body).text


@pytest.mark.parametrize(
    ("head", "is_hidden"),
    [
        (f"<link rel=stylesheet href='{DATA}'>", True),
        (f"<LINK REL='StyleSheet' HREF='{BASE64}'>", True),
        (f"<link rel=stylesheet media=print href='{DATA}'>", False),
        (f"<link rel='alternate stylesheet' href='{DATA}'>", False),
        (f"<link rel=stylesheet disabled href='{DATA}'>", False),
        (f"<link rel=preload href='{DATA}'>", False),
        (f"<noscript><link rel=stylesheet href='{DATA}'></noscript>", False),
        ("<style>.x{</style><style>.zz{display:none}</style>", True),
        ("<style>.x{a:'</style><style>.zz{display:none}</style>", True),
        ("<style>/*</style><style>.zz{display:none}</style>", True),
        ("<style type=text/less>.zz{display:none}</style>", False),
        ("<style>.zz{display:none}</style><noscript><style>.zz{display:block}</style></noscript>",
         True),
    ],
)  # fmt: skip
def test_style_sheets_are_parsed_separately(head: str, is_hidden: bool) -> None:
    assert ("MARK" not in convert("", head=head).text) is is_hidden


@pytest.mark.parametrize(
    "css",
    [
        ",".join(f".x{number}" for number in range(20_000)) + ",.zz{display:none}",
        "".join(f".x{number}{{display:none}}" for number in range(12_000)) + ".zz{display:none}",
        "/*" + " " * 5_000_000 + "*/.zz{display:none}",
        ":not(" * 40 + ".x" + ")" * 40 + " .zz{display:none}",
        "html " + "body " * 200 + ".zz{display:none}",
        ".q{" * 100 + ".zz{display:none}" + "}" * 100,
    ],
)
def test_padding_reveals_nothing(css: str) -> None:
    text = convert(css).text

    assert "MARK" not in text
    assert "last" in text


def test_undecided_text_is_left_out_with_a_note() -> None:
    tests = "".join(f"p[data-k]:nth-child({number}n+3){{opacity:.95}}" for number in range(2_000))
    paragraphs = "<p data-k=v class=kept>word</p>" * 600
    css = f"{tests}.x[data-k]{{display:none}}"
    result = convert(css, f"{paragraphs}<p class=x>MARK</p><p class=kept>end</p>")

    assert "MARK" not in result.text
    assert UNDECIDED_NOTE in result.notes


def test_page_within_the_limits_has_no_note() -> None:
    assert convert(".zz{display:none}").notes == ()
