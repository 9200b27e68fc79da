"""The compiled filter of style sheets never says anything that the Python it stands for would not
say.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry.read.css.parts import split_parts
from webquarry.read.css.rules import judge_fit as fit_in_python
from webquarry.read.css.scan import split_list
from webquarry.read.css.selectors.names import find_rough_keys

compiled = pytest.importorskip(
    "webquarry.read.css._css_filter", reason="the compiled filter was not built"
)

NAMES = frozenset({b"a", b"b-c", b"main", b"x9"})
PIECES = [
    b".a", b"#b-c", b".zz", b"#y", b"main", b"p", b"div", b" ", b"  ", b"\n", b">", b"+", b"~",
    b",", b":hover", b":not(", b":is(", b")", b"[href='.a']", b"[", b"]", b"*", b"::before",
    b".A", b".x9", b"\\", b"&", "é".encode(), b"{", b"}", b"{x:y}", b"/*", b"*/", b"/", b"*",
    b"<!--", b"-->", b"-", b"@media(", b";", b"display:none", b".", b"#", b"(",
]  # fmt: skip
SELECTORS = [piece for piece in PIECES if not set(b"{}") & set(piece) and b"/*" not in piece]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@example(b"/* never ended { }")
@example(b"a{b}/*}*/c{d}<!-- e{f} -->")
@example(b"/*/a{}*/b{}")
@settings(max_examples=500, deadline=None)
def test_a_sheet_is_cut_into_the_same_parts_but_for_blanks(css: bytes) -> None:
    assert list(map(bytes.split, compiled.parts_of(css))) == list(
        map(bytes.split, split_parts(css))
    )


@given(st.lists(st.lists(st.sampled_from(SELECTORS), max_size=8).map(b"".join), max_size=6))
@settings(max_examples=500, deadline=None)
def test_rules_that_are_left_out_are_foreign_and_others_fit_as_python_says(
    selectors: list[bytes],
) -> None:
    parts = [selector + b"{display:none" for selector in selectors]

    fits = dict(compiled.fits_of(parts, NAMES))

    for number, selector in enumerate(selectors):
        expected = fit_in_python(selector, NAMES)
        assert fits.get(number, 0) in (-1, expected), selector


@given(st.lists(st.sampled_from(SELECTORS), max_size=8).map(b"".join))
@example(b"a > .b-c.x9 , p:hover,*")
@example(b".a,,main >")
@settings(max_examples=500, deadline=None)
def test_the_last_names_of_selectors_are_those_that_python_finds(selectors: bytes) -> None:
    keys = compiled.last_keys_of(selectors)

    texts = split_list(selectors.decode())
    assert keys is None or keys == [key for text in texts for key in find_rough_keys(text)]


@pytest.mark.parametrize("selectors", [b"&.a", b"[x].a", b".a:not(.b)", b".a\\:b", b":root"])
def test_names_of_selectors_that_need_a_closer_look_are_left_to_python(selectors: bytes) -> None:
    assert compiled.last_keys_of(selectors) is None


@pytest.mark.parametrize(
    "part", [b"", b"x", b"@media all{.zz{a:b", b".zz{.y{a:b", b"@import x;.zz{a:b"]
)
def test_what_is_no_plain_rule_is_left_to_python(part: bytes) -> None:
    assert compiled.fits_of([part], NAMES) == [(0, -1)]


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
    assert bool(compiled.fits_of([selector + b"{a:b"], NAMES)) is left


def test_thousands_of_names_are_all_known() -> None:
    names = frozenset(f"name{number}".encode() for number in range(5_000))
    parts = [b"." + name + b"{a:b" for name in sorted(names)]

    assert compiled.fits_of(parts, names) == [(number, 2) for number in range(5_000)]
