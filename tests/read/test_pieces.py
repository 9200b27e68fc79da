"""Pieces end where blocks end, and joined they are the text, byte for byte."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.read.written import written
from webquarry._read.slices.pieces import cut, cut_between_characters, find_blocks
from webquarry._read.slices.text import WrittenText
from webquarry.errors import BadInput

EXAMPLES = int(os.environ.get("WEBQUARRY_FUZZ_EXAMPLES", "150"))
TEXT = st.text(alphabet=st.sampled_from("aé漢😀 \n\n`~#-\t>|1."), max_size=300)


def pieces(text: str, limit: int) -> list[bytes]:
    return cut_up(WrittenText.of_lines(text.encode()), limit)


def cut_up(text: WrittenText, limit: int) -> list[bytes]:
    found, at = [], 0
    while at < len(text.data):
        end = cut(text, at, limit)
        found.append(text.data[at:end])
        at = end
    return found


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXT, st.integers(1, 80))
def test_pieces_joined_are_the_text_and_each_is_valid_and_within_the_limit(
    text: str, limit: int
) -> None:
    found = pieces(text, limit)

    assert b"".join(found) == text.encode()
    for piece in found:
        assert 0 < len(piece) <= max(limit, len(piece.decode()[0].encode()))


@settings(max_examples=EXAMPLES, deadline=None)
@given(TEXT, st.integers(1, 80))
def test_texts_without_blocks_are_cut_between_characters(text: str, limit: int) -> None:
    data, at = text.encode(), 0
    while at < len(data):
        end = cut_between_characters(data, at, limit)
        data[at:end].decode()
        assert at < end <= max(at + limit, at + 4)
        at = end


@pytest.mark.parametrize(
    ("text", "limit", "first"),
    [
        ("One.\n\nTwo.\n\nThree.", 13, "One.\n\nTwo.\n\n"),
        ("# A\ntext\n# B\ntext", 13, "# A\n\ntext\n\n"),
        ("- a\n- b\n- c\n", 9, "- a\n- b\n"),
        ("One.\n\n```\na\n\nb\n```\n\nTwo.", 14, "One.\n\n"),
        ("-   a\n\n    more\n\n-   b", 14, "- a\n\n  more\n"),
        ("-   a\n\n    -   b\n\n-   c", 12, "- a\n  - b\n"),
        ("one line\\\nanother line\n", 12, "one line\n"),
        ("words without an end", 10, "words "),
        ("漢漢漢", 4, "漢"),
        ("漢漢漢", 1, "漢"),
    ],
)
def test_the_cut_is_behind_the_last_block_line_word_or_character_that_fits(
    text: str, limit: int, first: str
) -> None:
    assert cut_up(written(text), limit)[0].decode() == first


def test_matches_are_returned_with_neighbours_and_gaps() -> None:
    text = "\n\n".join(
        ["zero", "one", "Two BLOCKS here", "three", "four", "five", "six", "two blocks", "eight"]
    )
    found = find_blocks(written(text), "two   blocks")

    assert found.matches == 2
    assert (
        found.text.data.decode()
        == "one\n\nTwo BLOCKS here\n\nthree\n\n[...]\n\nsix\n\ntwo blocks\n\neight"
    )


def test_nothing_found_is_empty_and_a_blank_text_is_refused() -> None:
    assert find_blocks(written("a\n\nb"), "c.*").text.data == b""
    with pytest.raises(BadInput):
        find_blocks(written("a"), "  ")


@pytest.mark.parametrize(
    ("text", "limit", "first"),
    [
        ("One.\n\n## B\n\nA long paragraph.", 14, "One.\n\n"),
        ("One.\n\n## B\n\n### C\n\nA long paragraph.", 20, "One.\n\n"),
        ("## B\n\nA long paragraph.", 8, "## B\n\nA "),
        ("## B\n\n### C\n\nA paragraph.", 14, "## B\n\n### C\n\n"),
        ("One.\n\n# A\n\n# B\n\n# C\n\n# D\n\n# E\n\nA long paragraph.", 32, "One.\n\n# A\n\n# B\n\n# C\n\n# D\n\n# E\n\n"),
        ("One.\n\n#tag\n\nA long paragraph.", 14, "One.\n\n#tag\n\n"),
    ],
)  # fmt: skip
def test_pieces_do_not_end_with_a_heading(text: str, limit: int, first: str) -> None:
    assert cut_up(written(text), limit)[0].decode() == first


def test_a_block_that_fits_nowhere_is_begun_in_the_piece_before_it() -> None:
    table = "\n".join(f"| {number} | cell |" for number in range(100))
    first, second, *_ = pieces(f"Short.\n\n{table}\n", 200)

    assert first.startswith(b"Short.\n\n| 0 | cell |\n")
    assert first.endswith(b"|\n")
    assert 180 <= len(first) <= 200
    assert second.startswith(b"| ")
