"""Whitespace and visible characters of page text on the way to Markdown."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry._read.text.escape import escape, finish_line, fold_white

PIECES = (
    *" \t\n\f\r\v\x1c\x00\x7fab_[*&]<`~\\é\u00a0…:#;!\u2028\u2029\u3000\u200b²ж😀\U000e0041",
    "word ", "x" * 600, "  ", "**", "&amp;", "&#39;",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join)
HTML_WHITESPACE = (" ", "\t", "\n", "\f", "\r")
LONG = "word " * 700  # longer than the buffer on the stack


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two", "one two"),
        (" one\n  two\t three ", "one two three"),
        ("one\ntwo", "one two"),
        (" \n ", ""),
        ("", ""),
        (" caf\u00e9\n au\u00a0lait ", "caf\u00e9 au\u00a0lait"),
        ("one \u2028 two", "one\ntwo"),
        ("2*3*4", r"2\*3\*4"),
        (LONG, LONG.strip()),
        (LONG.replace(" ", "\n") + "é", LONG + "é"),
    ],
)
def test_block_is_one_line_with_single_spaces(text: str, expected: str) -> None:
    assert finish_line(escape(fold_white(text))) == expected


@given(TEXTS)
@example("a\nb")
@example("\x1c\na")
@example(LONG)
def test_each_run_of_html_whitespace_becomes_one_space(text: str) -> None:
    folded = fold_white(text)

    assert re.search(r"[\t\n\f\r]|  ", folded) is None
    assert folded.split() == text.split()
    if text.startswith(HTML_WHITESPACE):
        assert folded.startswith(" ")
    if text.strip() and text.endswith(HTML_WHITESPACE):
        assert folded.endswith(" ")


@given(TEXTS)
def test_other_whitespace_is_unchanged(text: str) -> None:
    text += "é"

    assert fold_white(text) == re.sub(r"[ \t\n\f\r]+", " ", text)


@given(TEXTS)
@example(" one  two \u2028 \u2029 three\u00a0\u3000")
def test_line_separators_become_newlines_and_ends_are_stripped(text: str) -> None:
    single = re.sub(" {2,}", " ", text)
    broken = re.sub("[ \u2028\u2029]*[\u2028\u2029][ \u2028\u2029]*", "\n", single)

    assert finish_line(text) == broken.strip(" \u00a0\u3000\u2028\u2029\n")
