"""Paragraphs that an earlier text has, one text after the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.slices.paragraphs import Paragraph, paragraphs_of
from webquarry._read.slices.repeats import Repeats

LONG = "A paragraph of enough text to be called a repetition when it stands elsewhere."
PARTS = st.lists(
    st.sampled_from([f"{LONG} {number}" for number in range(5)] + ["# Heading", "short"]),
    max_size=8,
)


def left(*texts: str) -> list[list[Paragraph]]:
    repeats = Repeats()
    return [repeats.left_of(paragraphs_of(text.encode())) for text in texts]


@pytest.mark.parametrize(
    "second",
    [
        LONG,
        LONG.upper(),
        LONG.replace(" ", "\n", 1),
        f"**{LONG}**",
        f"- {LONG}",
        LONG.replace("text", "[text](/x)"),
    ],
)
def test_case_white_space_and_marks_do_not_hide_a_repeat_in_a_later_text(second: str) -> None:
    assert left(LONG, second) == [paragraphs_of(LONG.encode()), []]


def test_what_a_text_says_twice_itself_stays_and_so_do_headings_and_what_is_short() -> None:
    text, other = f"# {LONG}\n\nRead more\n\n{LONG}\n\n{LONG}\n", f"# {LONG}\n\nRead more\n"

    assert left(text, other) == [paragraphs_of(text.encode()), paragraphs_of(other.encode())]


@given(st.lists(PARTS, max_size=5))
def test_nothing_is_left_out_but_what_an_earlier_text_has(texts: list[list[str]]) -> None:
    before = [paragraphs_of("\n\n".join(parts).encode()) for parts in texts]

    seen: set[str] = set()
    repeats = Repeats()
    for whole in before:
        assert repeats.left_of(whole) == [
            part for part in whole if not part.may_repeat or part.folded not in seen
        ]
        seen |= {part.folded for part in whole if part.may_repeat}
