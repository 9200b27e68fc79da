"""Compiled readers of rule bodies return the same as their Python versions."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._read.css import rules
from webquarry._read.css.declarations import split_body
from webquarry._read.css.variables import search_definitions

css_filter = pytest.importorskip(
    "webquarry._read.css._css_filter", reason="the compiled filter was not built"
)
rule_text = pytest.importorskip(
    "webquarry._read.css._rule_text", reason="the compiled reader of bodies was not built"
)

DEFINITIONS = [
    "--", "--a", "--B-c", "-", "a", ":", " ", "\x1c", "\n", ";", "(", ",", "!", "important", "IMPORTANT",
    "! important", "var(--a)", "\0", "é",
]  # fmt: skip


@given(st.lists(st.sampled_from(DEFINITIONS), max_size=20).map("".join))
@example("--a:b!important ;--c:d ! Important;--e:important;--f:!important")
@example("--a --b:c;x--d:e;(--f:g;---h:i;--:j")
@settings(max_examples=1_000, deadline=None)
def test_compiled_variable_definitions_equal_python(body: str) -> None:
    found = rule_text.find_plain_definitions(body)

    assert found is None or found == search_definitions(body)
    assert (found is None) is not body.isascii()


@given(
    st.lists(
        st.sampled_from([".a:hover", ".a", "{", "}", "background:red", "x:y", "\0", "", ":"]),
        max_size=12,
    )
)
def test_compiled_state_backgrounds_equal_python(pieces: list[str]) -> None:
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
def test_compiled_splitter_returns_only_known_properties(body: str) -> None:
    names = {"color", "font-size"}

    found = rule_text.DeclarationSplitter(names).split(body)

    expected = split_body(body)
    wanted = [
        part
        for part in expected
        if "\\" in part or (":" in part and part.partition(":")[0].strip().lower() in names)
    ]
    assert found == (wanted if body.isascii() else None)
