"""What compiled passes over the bodies of rules find is what the Python they stand for finds."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry.read.css import rules
from webquarry.read.css.declarations import split_body
from webquarry.read.css.variables import search_definitions
from webquarry.read.visibility.sheet.hiding_words import (
    CALLS,
    CUTS,
    HIDES,
    IS_FLAT,
    IS_PALE,
    PAINTS,
    PLACES,
    find_hints,
    search_far_away,
)

css_filter = pytest.importorskip(
    "webquarry.read.css._css_filter", reason="the compiled filter was not built"
)
rule_text = pytest.importorskip(
    "webquarry.read.css._rule_text", reason="the compiled reader of bodies was not built"
)

NUMBERS = [
    "-", "9", "99", "100", "999", "1000", "px", "%", "em", "rem", "re", "vw", "vh", "ch", "in", "cm", "e", "v", "top:",
    "to", "p:", " ", ";", "\0",
]  # fmt: skip


@given(st.lists(st.sampled_from(NUMBERS), max_size=12).map("".join), st.booleans())
@example("left:-99", False)
@example("top:999", False)
@example("1000", True)
@settings(max_examples=1_000, deadline=None)
def test_numbers_that_move_something_away_are_those_that_python_finds(
    body: str, is_moved: bool
) -> None:
    assert rule_text.is_far_away(body, is_moved) is search_far_away(body, is_moved)


DEFINITIONS = [
    "--", "--a", "--B-c", "-", "a", ":", " ", "\x1c", "\n", ";", "(", ",", "!", "important", "IMPORTANT",
    "! important", "var(--a)", "\0", "é",
]  # fmt: skip


@given(st.lists(st.sampled_from(DEFINITIONS), max_size=20).map("".join))
@example("--a:b!important ;--c:d ! Important;--e:important;--f:!important")
@example("--a --b:c;x--d:e;(--f:g;---h:i;--:j")
@settings(max_examples=1_000, deadline=None)
def test_the_variables_that_a_body_sets_are_those_that_python_finds(body: str) -> None:
    found = rule_text.find_plain_definitions(body)

    assert found is None or found == search_definitions(body)
    assert (found is None) is not body.isascii()


@given(
    st.lists(
        st.sampled_from([".a:hover", ".a", "{", "}", "background:red", "x:y", "\0", "", ":"]),
        max_size=12,
    )
)
def test_backgrounds_of_states_are_those_that_python_finds(pieces: list[str]) -> None:
    parts = "".join(pieces).encode().split(b"}")

    found = list(css_filter.find_state_backgrounds(parts))

    assert found == list(rules.search_state_backgrounds(parts))


DECLARED = [
    "color", "Color", "font-size", "x", ":", " ", "\n", "\x1c", ";", ";", "(", ")", "\\", "\0", "é", "red",
]  # fmt: skip


@given(st.lists(st.sampled_from(DECLARED), max_size=20).map("".join))
@example(" COLOR :a(;b);x:y;font-size:9px)")
@example("x:y;col\\6f r:red;color")
@settings(max_examples=1_000, deadline=None)
def test_a_body_is_split_as_python_does_but_for_what_nobody_looks_at(body: str) -> None:
    names = {"color", "font-size"}

    found = rule_text.DeclarationSplitter(names).split(body)

    expected = split_body(body)
    wanted = [
        part
        for part in expected
        if "\\" in part or (":" in part and part.partition(":")[0].strip().lower() in names)
    ]
    assert found == (wanted if body.isascii() else None)


@pytest.mark.parametrize(
    ("body", "hints"),
    [
        ("border:1px solid", 0),
        ("display:none", HIDES),
        ("left:-999px", HIDES),
        ("left:-99px", 0),
        ("margin:-20em", HIDES),
        ("left:9999px", HIDES),
        ("width:9999px", 0),
        ("left:-٣٣٣px", HIDES),
        ("color:#fff", IS_PALE | PAINTS),
        ("background:red", PAINTS),
        ("line-height:.1", HIDES | IS_FLAT),
        ("grid-template-columns:1fr 0", IS_FLAT | CUTS),
        ("grid-template-columns:10px", CUTS),
        ("overflow:hidden;line-height:1", HIDES | CUTS),
        ("position:static", PLACES),
        ("margin:var(--a)", CALLS),
    ],
)
def test_what_a_body_may_do_is_told_by_its_words(body: str, hints: int) -> None:
    told = HIDES | IS_PALE | PAINTS | IS_FLAT | CUTS | PLACES | CALLS

    assert find_hints(body) & told == hints
