"""Paragraphs of Markdown, and texts without what an earlier one has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.read.paragraphs import Paragraph, paragraphs_of, without_repeats, words_in

LONG = "This sentence is long enough to be called a repetition when it stands in a second text as well."


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_paragraphs_joined_are_the_text(text: str) -> None:
    data = text.encode()

    assert b"".join(part.data for part in paragraphs_of(data)) == data


@pytest.mark.parametrize(
    ("markdown", "level"), [("# One\n\n", 1), ("### Three", 3), ("#no", 0), ("# One\nand more", 0), ("Text", 0)]
)
def test_a_heading_is_known_by_its_level(markdown: str, level: int) -> None:
    assert Paragraph(markdown.encode()).level == level


@pytest.mark.parametrize("markdown", ["| a | b |\n| --- | --- |", "```\ncode\n```", "# Heading", "    code"])
def test_tables_code_and_headings_are_no_prose(markdown: str) -> None:
    assert not Paragraph(markdown.encode()).is_prose


def test_what_is_read_has_no_marks_of_markdown() -> None:
    part = Paragraph(b"- **Tides** turn [twice](https://a.example/b) a day,[^1] says snake_case \\#1.\n")

    assert part.text == "Tides turn twice a day, says snake_case #1."


@pytest.mark.parametrize(
    "second",
    [LONG, LONG.upper(), LONG.replace(" ", "\n", 1), f"**{LONG}**", f"- {LONG}", LONG.replace("text", "[text](/x)")],
)
def test_case_white_space_and_marks_do_not_hide_a_repeat(second: str) -> None:
    first, other = paragraphs_of(LONG.encode()), paragraphs_of(second.encode())

    assert without_repeats([first, other]) == [first, []]


def test_short_paragraphs_headings_and_what_a_text_says_twice_itself_stay() -> None:
    text = paragraphs_of(f"# {LONG}\n\nRead more\n\n{LONG}\n\n{LONG}\n".encode())
    other = paragraphs_of(f"# {LONG}\n\nRead more\n".encode())

    assert without_repeats([text, other]) == [text, other]


def test_a_long_paragraph_without_any_words_repeats_another() -> None:
    marks = paragraphs_of(b"*" * 80)

    assert without_repeats([marks, marks]) == [marks, []]


@given(st.text())
def test_comparing_looks_neither_at_case_nor_at_the_kind_of_white_space(text: str) -> None:
    part = Paragraph(text.encode("utf-8", "replace"))

    assert part.folded == " ".join(part.text.casefold().split())


@pytest.mark.parametrize(
    ("markdown", "words"),
    [("", 0), ("One two", 2), ("One\n\n-   two\tthree\n-   four\n", 4), ("Été\n\nor winter", 3), ("漢字漢字", 2)],
)
def test_words_are_counted_in_all_paragraphs(markdown: str, words: int) -> None:
    assert words_in(paragraphs_of(markdown.encode())) == words


@given(st.lists(st.text(st.characters(max_codepoint=127)), max_size=5))
def test_words_of_ascii_stand_between_white_space(texts: list[str]) -> None:
    parts = [Paragraph(text.encode()) for text in texts]

    assert words_in(parts) == sum(len(part.text.split()) for part in parts)


PARTS = st.lists(st.sampled_from([f"{LONG} {number}" for number in range(5)] + ["# Heading", "short"]), max_size=8)


@given(st.lists(PARTS, max_size=5))
def test_the_first_occurrence_stays_and_order_is_kept(texts: list[list[str]]) -> None:
    before = [paragraphs_of("\n\n".join(parts).encode()) for parts in texts]
    after = without_repeats(before)

    seen: set[str] = set()
    for whole, kept in zip(before, after, strict=True):
        assert kept == [part for part in whole if not part.may_repeat or part.folded not in seen]
        seen |= {part.folded for part in whole if part.may_repeat}
    assert {part.folded for parts in after for part in parts} == {part.folded for parts in before for part in parts}
