"""Paragraphs of a text, and paragraphs that an earlier text has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.read.written import written
from webquarry._read.slices.paragraphs import Paragraph, Repeats, paragraphs_of, words_in
from webquarry._read.slices.text import PROSE, WrittenText

LONG = "A paragraph of enough text to be called a repetition when it stands elsewhere."
PARTS = st.lists(
    st.sampled_from([f"{LONG} {number}" for number in range(5)] + ["# Heading", "short"]),
    max_size=8,
)


def paragraphs(markdown: str) -> list[Paragraph]:
    return paragraphs_of(written(markdown))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_paragraphs_joined_are_the_text(text: str) -> None:
    data = text.encode()

    assert b"".join(part.data for part in paragraphs_of(WrittenText.of_lines(data))) == data


@pytest.mark.parametrize(
    "markdown", ["| a | b |\n| --- | --- |", "```\ncode\n```", "# Heading", "    code"]
)
def test_tables_code_and_headings_are_no_prose(markdown: str) -> None:
    assert not paragraphs(markdown)[0].is_prose


def test_text_has_no_marks_of_markdown() -> None:
    (part,) = paragraphs(
        "- **Tides** turn [twice](https://a.example/b) a day, says snake_case \\#1."
    )

    assert part.text == "Tides turn twice a day, says snake_case #1."


@given(st.text())
def test_comparing_looks_neither_at_case_nor_at_the_kind_of_white_space(text: str) -> None:
    part = Paragraph(b"", PROSE, text)

    assert part.folded == " ".join(part.text.casefold().split())


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("", 0),
        ("One two", 2),
        ("One\n\n-   two\tthree\n-   four\n", 4),
        ("Été\n\nor winter", 3),
        ("漢字漢字", 2),
    ],
)
def test_words_are_counted_in_all_paragraphs(markdown: str, words: int) -> None:
    assert words_in(paragraphs(markdown)) == words


def left(*texts: str) -> list[list[Paragraph]]:
    repeats = Repeats()
    return [repeats.left_of(paragraphs(text)) for text in texts]


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
    assert left(LONG, second) == [paragraphs(LONG), []]


def test_repeats_within_a_text_headings_and_short_texts_stay() -> None:
    text, other = f"# {LONG}\n\nRead more\n\n{LONG}\n\n{LONG}\n", f"# {LONG}\n\nRead more\n"

    assert left(text, other) == [paragraphs(text), paragraphs(other)]


@given(st.lists(PARTS, max_size=5))
def test_nothing_is_left_out_but_what_an_earlier_text_has(texts: list[list[str]]) -> None:
    before = [paragraphs("\n\n".join(parts)) for parts in texts]

    seen: set[str] = set()
    repeats = Repeats()
    for whole in before:
        assert repeats.left_of(whole) == [
            part for part in whole if not part.may_repeat or part.folded not in seen
        ]
        seen |= {part.folded for part in whole if part.may_repeat}
