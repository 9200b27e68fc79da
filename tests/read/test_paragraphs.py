"""Paragraphs of Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.slices.paragraphs import Paragraph, paragraphs_of, words_in


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_paragraphs_joined_are_the_text(text: str) -> None:
    data = text.encode()

    assert b"".join(part.data for part in paragraphs_of(data)) == data


@pytest.mark.parametrize(
    ("markdown", "level"),
    [("# One\n\n", 1), ("### Three", 3), ("#no", 0), ("# One\nand more", 0), ("Text", 0)],
)
def test_a_heading_is_known_by_its_level(markdown: str, level: int) -> None:
    assert Paragraph(markdown.encode()).level == level


@pytest.mark.parametrize(
    "markdown", ["| a | b |\n| --- | --- |", "```\ncode\n```", "# Heading", "    code"]
)
def test_tables_code_and_headings_are_no_prose(markdown: str) -> None:
    assert not Paragraph(markdown.encode()).is_prose


def test_what_is_read_has_no_marks_of_markdown() -> None:
    part = Paragraph(
        b"- **Tides** turn [twice](https://a.example/b) a day,[^1] says snake_case \\#1.\n"
    )

    assert part.text == "Tides turn twice a day, says snake_case #1."


@given(st.text())
def test_comparing_looks_neither_at_case_nor_at_the_kind_of_white_space(text: str) -> None:
    part = Paragraph(text.encode("utf-8", "replace"))

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
    assert words_in(paragraphs_of(markdown.encode())) == words


@given(st.lists(st.text(st.characters(max_codepoint=127)), max_size=5))
def test_words_of_ascii_stand_between_white_space(texts: list[str]) -> None:
    parts = [Paragraph(text.encode()) for text in texts]

    assert words_in(parts) == sum(len(part.text.split()) for part in parts)


@given(st.text("*_`~a1 \u00e9\u4e2d-", max_size=14))
def test_marks_inside_of_words_stay_as_one_plain_pattern_says(text: str) -> None:
    """The pattern takes the square of the length for underscores between letters."""
    plain = re.sub(r"(?<!\w)[*_`~]+|[*_`~]+(?!\w)", "", f"x{text}".strip())

    assert Paragraph(f"x{text}".encode()).text == plain


def test_underscores_between_letters_are_letters() -> None:
    word = f"a{'_' * 100_000}b"

    assert Paragraph(word.encode()).text == word
