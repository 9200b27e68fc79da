"""The compiled filter of style sheets never says anything that the Python it stands for would not
say.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._read.css import rules
from webquarry._read.css.nesting import RawRule
from webquarry._read.css.parts import split_parts
from webquarry._read.css.rules import Rules
from webquarry._read.css.rules import judge_fit as fit_in_python
from webquarry._read.css.scan import split_list
from webquarry._read.css.selectors.names import find_needed_names
from webquarry._read.css.selectors.parser import InvalidSelector, SelectorParser

compiled = pytest.importorskip(
    "webquarry._read.css._css_filter", reason="the compiled filter was not built"
)
rule_text = pytest.importorskip(
    "webquarry._read.css._rule_text", reason="the compiled reader of bodies was not built"
)

NAMES = frozenset({b"a", b"b-c", b"main", b"x9"})
PIECES = [
    b".a", b"#b-c", b".zz", b"#y", b"main", b"p", b"div", b" ", b"  ", b"\n", b">", b"+", b"~",
    b",", b":hover", b":not(", b":is(", b")", b"[href='.a']", b"[", b"]", b"*", b"::before",
    b'[x="a b"]', b"'", b'"', b":where(", b".A", b".x9", b"\\", b"&", "é".encode(), b"{", b"}", b"{x:y}", b"/*", b"*/", b"/", b"*",
    b"<!--", b"-->", b"-", b"@media(", b";", b"display:none", b".", b"#", b"(",
]  # fmt: skip
SELECTORS = [piece for piece in PIECES if not set(b"{}") & set(piece) and b"/*" not in piece]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@example(b"/* never ended { }")
@example(b"a{b}/*}*/c{d}<!-- e{f} -->")
@example(b"/*/a{}*/b{}")
@example(b"''/**/.a")
@example(b"'('/**/.a{x:url(()/**/b}")
@settings(max_examples=500, deadline=None)
def test_a_sheet_is_cut_into_the_same_parts_but_for_blanks(css: bytes) -> None:
    assert list(map(bytes.split, compiled.parts_of(css))) == list(
        map(bytes.split, split_parts(css))
    )


@given(st.lists(st.lists(st.sampled_from(SELECTORS), max_size=8).map(b"".join), max_size=6))
@example([b"a :not(.zz)+.y", b".zz:>+p", b".zz:is(p)a", b".A>+main", b"p:not(.zz) .a"])
@settings(max_examples=500, deadline=None)
def test_rules_that_are_left_out_are_foreign_and_others_fit_as_python_says(
    selectors: list[bytes],
) -> None:
    parts = [selector + b"{display:none" for selector in selectors]

    found = compiled.KnownNames(NAMES).list_fits(parts)

    fits = {number: fit for number, fit, _, _ in found}
    for number, selector in enumerate(selectors):
        expected = fit_in_python(selector, NAMES)
        assert fits.get(number, 0) in (-1, expected), selector
        assert compiled.KnownNames(NAMES).judge(selector) in (-1, expected), selector


@pytest.mark.parametrize(
    "part", [b"", b"x", b"@media all{.zz{a:b", b".zz{.y{a:b", b"@import x;.zz{a:b"]
)
def test_what_is_no_plain_rule_is_left_to_python(part: bytes) -> None:
    assert compiled.KnownNames(NAMES).list_fits([part]) == [(0, -1, None, None)]


@pytest.mark.parametrize(
    ("selector", "left"),
    [
        (b".zz", False),
        (b".zz,.y p", False),
        (b".zz:not(.y)", False),
        (b".y + .zz", False),
        (b".zz[x='.q']", False),
        (b".zz + p", True),
        (b"p:not(.zz)", True),
        (b".zz,p", True),
        (b".a", True),
        (b".zz.a", True),
    ],
)
def test_most_foreign_rules_never_reach_python(selector: bytes, left: bool) -> None:
    assert bool(compiled.KnownNames(NAMES).list_fits([selector + b"{a:b"])) is left


def test_thousands_of_names_are_all_known() -> None:
    names = frozenset(f"name{number}".encode() for number in range(5_000))
    parts = [b"." + name + b"{a:b" for name in sorted(names)]

    found = compiled.KnownNames(names).list_fits(parts)

    assert [fit for _, fit, _, _ in found] == [2] * 5_000


GROUPS = [
    b"@media print{", b"@media all{", b"@MEDIA (width){", b"@supports(x:y){", b"@keyframes k{",
    b"@font-face{", b"@layer l{", b"@layer l;", b"@scope(.a){", b"@container(x){", b".a{", b".zz{",
    b"p{", b"from{", b"&.a{", b"x:y", b"x:y;", b"}", b"}", b"}}", b"\n", b"@x ", b";",
    b"\0@media print{\0", b"\0\0",
]  # fmt: skip


@given(st.lists(st.sampled_from(GROUPS), max_size=40).map(b"".join), st.booleans())
@example(b"@media all{.zz{x:y}.zz{x:y}}.a{x:y}", True)
@example(b"@keyframes k{from{x:y}p{x:y}}p{x:y}", False)
@example(b"p{x:y}}@media print{p{x:y}}p{x:y}", True)
@example(b"p{@media all{.zz{x:y}x:y}}", True)
@example(b"p{@media all{\n}}", True)
@settings(max_examples=1_000, deadline=None)
def test_groups_that_are_left_out_whole_hold_no_rule_that_python_finds(
    css: bytes, knows_names: bool
) -> None:
    parts = compiled.parts_of(css)
    names = frozenset({"a", "b-c"}) if knows_names else None

    found = Rules(parts, names)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "KnownNames", rules.UnknownNames)
        in_python = Rules(parts, names)
    assert describe(found.exact) == describe(in_python.exact)
    assert describe(found.related) == describe(in_python.related)


def describe(found: list[RawRule]) -> list[tuple[object, ...]]:
    """Rules that declare something, each with what is around it and the rank of its layer."""
    described: list[tuple[object, ...]] = []
    for rule in found:
        rank = rule.layer.rank if rule.layer is not None else None
        around = rule.outer.selectors if rule.outer is not None else None
        if rule.body.strip():
            one = (rule.selectors, rule.body, rule.when, rule.order, around, rank)
            described.append(one)
    return described


BODIES = [
    b"display", b":", b" ", b"\n\t", b";", b"NONE", b"(", b")", b"-", b"--A", b"--", b"B", b"env(", b"x", b"\\",
    "é".encode(), b"\x1c", b"\0", b"url( ", b" : ",
]  # fmt: skip


@given(st.lists(st.sampled_from(BODIES), max_size=20).map(b"".join))
@example(b"")
@example(b" A : ( B )  ")
@settings(max_examples=500, deadline=None)
def test_the_body_of_a_rule_is_decoded_as_python_does(body: bytes) -> None:
    text = rule_text.decode_plain(body)

    assert text is None or text == rules.decode_odd(body)


@pytest.mark.parametrize("body", [b"a:\\62", "a:é".encode(), b"a:env(b)"])
def test_bodies_with_more_than_blanks_and_capitals_are_left_to_python(body: bytes) -> None:
    assert rule_text.decode_plain(body) is None


@pytest.mark.parametrize(
    ("body", "may_show"),
    [
        (b"display:block", True),
        (b"a:b;visibility:visible", True),
        (b"opacity:1", True),
        (b"max-height:9px", True),
        (b"COLOR:red", True),
        (b"col\\6f r:red", True),
        (b"1:2", True),
        (b"color:red;dis:play", False),
    ],
)
def test_a_body_that_may_show_something_is_told_by_its_words(body: bytes, may_show: bool) -> None:
    assert rule_text.may_show(body) is may_show


SHEETS = [
    b".a",
    b"#B-c",
    b"{",
    b"}",
    b" ",
    b"\n",
    b"--",
    b"_",
    b"9",
    "é".encode(),
    b"\\",
    b"a",
    b"C",
]


@given(st.lists(st.sampled_from(SHEETS), max_size=30).map(b"".join))
@example(b"")
@example(b".A.b-c{}")
def test_the_names_that_stand_in_a_sheet_are_its_whole_words(css: bytes) -> None:
    names = {b"a", b"b-c", b"ac", b"a9", b"--", b"_", b"c", b"a:b", "é".encode(), "aé".encode()}

    expected = names & {*re.split(rb"[^a-z0-9_\x80-\xff-]+", css.lower())}

    assert rules.find_names(css, names) == expected


_SIGN_WITHOUT_NAME = re.compile(r"(?<!\\)[.#](?![\w\\-])")


@given(st.lists(st.sampled_from(SELECTORS), max_size=8).map(b"".join))
@example(b".zz")
@example(b"::before.")
@example(b".zz main:hover, #y > .zz")
@example(b"main .")
@settings(max_examples=500, deadline=None)
def test_plain_selectors_that_are_foreign_ask_for_a_name_that_is_not_there(
    selectors: bytes,
) -> None:
    """So the rules of a page are passed over without being read (`Stylesheet._passes_over`)."""
    if any(sign in selectors for sign in (b"[", b"(", b"+", b"~")):
        return
    if compiled.KnownNames(NAMES).judge(selectors) != rules.FOREIGN:
        return
    names = {name.decode() for name in NAMES}
    for text in split_list(" ".join(selectors.decode().split())):
        needed = find_needed_names(text.lower())
        if needed:
            assert not names.issuperset(needed)
        else:
            assert _is_invalid(text)


def _is_invalid(selector: str) -> bool:
    """Whether browsers do not take a selector. Our parser looks no further than a part of an
    element, as `::before`; a sign without its name is invalid behind it, too.
    """
    try:
        SelectorParser(folds=False).parse_each([selector], None, nests=False)
    except InvalidSelector:
        return True
    return ":" in selector and _SIGN_WITHOUT_NAME.search(selector) is not None
