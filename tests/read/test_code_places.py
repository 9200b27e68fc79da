"""Where code stands in Markdown: what one plain pattern finds in short texts, found in one look."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from webquarry._read.text.code_places import find_code
from webquarry._read.text.delimiters import defuse_prose

# The same in one pattern, which takes the square of the length where nothing closes a fence.
PLAIN = re.compile(
    r"^[ \t>+*:\d.)\-]{0,80}(`{3,})[^`\n]*\n(?:.*\n)*?[ >]*\1`*[ \t]*$"
    r"|(?<![\\`])(`+)(?!`)[^\n]{1,4000}?(?<!`)\2(?!`)",
    re.MULTILINE,
)
PIECES = ["`", "``", "```", "````", "\n", "\n\n", " ", "a", "> ", "- ", "1. ", "\\", "\t", "x y"]


def test_code_is_found_where_the_plain_pattern_finds_it() -> None:
    dice = random.Random(5)
    for _ in range(4_000):
        text = "".join(dice.choices(PIECES, k=dice.randint(1, 22)))
        assert list(find_code(text)) == [found.span() for found in PLAIN.finditer(text)], text


@pytest.mark.parametrize("length", [3_999, 4_000, 4_001])
def test_code_inside_a_line_has_a_longest_length(length: int) -> None:
    text = f"`{'a' * length}`"

    assert list(find_code(text)) == [found.span() for found in PLAIN.finditer(text)]


@pytest.mark.parametrize("blanks", [79, 80, 81])
def test_fences_may_follow_list_markers(blanks: int) -> None:
    text = f"a\n{' ' * blanks}```\nb\n```\n"

    assert list(find_code(text)) == [found.span() for found in PLAIN.finditer(text)]


def test_fences_that_nothing_closes_are_no_code() -> None:
    assert list(find_code("```a\n" * 20_000)) == []


def test_delimiters_behind_open_fences_are_broken() -> None:
    text = "```a\n" * 3_000 + "<|im_start|>"

    assert defuse_prose(text, Counter()).endswith("&lt;|im_start|>")
