"""Signs that are looked for in texts, in Python and compiled: the same."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.markdown.links import Links
from webquarry._read.text import signs as plain
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_prose, defuse_verbatim
from webquarry._read.text.escape import escape_line_starts

compiled = pytest.importorskip("webquarry._read.text._signs", reason="it was not built")
PIECES = (
    *" \t\n\x00ab#:]T\u200b\u2028ж😀\U000e0041", "\nHuman", "user", "INSTRUCTION", "INST]", "S",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join)


class OddText(str):
    """As lxml's results are."""

    __slots__ = ()


@given(TEXTS)
def test_both_ways_look_for_speakers_and_brackets_the_same(text: str) -> None:
    assert compiled.may_start_turn(text) == plain.may_start_turn(text)
    assert compiled.may_hold_bracket(text) == plain.may_hold_bracket(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_words_are_counted_in_both_ways_the_same(text: str) -> None:
    count = compiled.count_ascii_words(text)

    assert count == plain.count_ascii_words(text)
    assert count == compiled.count_ascii_words(OddText(text))
    assert count == len("".join(one if one.isalnum() else " " for one in text).split())


@given(TEXTS)
def test_characters_are_found_in_a_text_in_both_ways(text: str) -> None:
    members = "b\x00-\x08\u200b-\u200f\U000e0000-\U000e0fffж"

    found = plain.CharacterSet(members).find_run(text, 1)

    assert compiled.CharacterSet(members).find_run(text, 1) == found
    wanted = [
        place for place, sign in enumerate(text) if sign in "b\x00\u200b\U000e0041ж" and place
    ]
    assert (found is None) == (not wanted)
    if found is not None:
        assert found[0] == wanted[0]
        assert found[1] - 1 in wanted
        assert found[1] not in wanted


@pytest.mark.parametrize("module", [plain, compiled], ids=["plain", "compiled"])
def test_a_line_that_may_begin_with_a_speaker_is_told(module: object) -> None:
    may_start_turn = module.may_start_turn  # type: ignore[attr-defined]

    assert may_start_turn("Human: hello")
    assert may_start_turn("one\n###### Instruction    : two")
    assert not may_start_turn("")
    assert not may_start_turn("one\n: two")
    assert not may_start_turn("Year: one\nhttp")
    assert not may_start_turn("Humans: one")
    assert not may_start_turn("The human: one")


def test_texts_of_a_type_made_of_text_are_taken() -> None:
    text = OddText("a\u200bb <system>")
    removed: Counter[str] = Counter()

    assert strip_invisible(text, removed) == "ab <system>"
    assert defuse_prose(text, removed) == "a\u200bb &lt;system>"
    assert defuse_verbatim(text, removed) == "a\u200bb < system>"
    assert escape_line_starts(OddText("- a")) == "\\- a"
    assert Links(OddText("https://a.example/b")).absolute(OddText("c")) == "https://a.example/c"
    with pytest.raises(TypeError, match="no text"):
        compiled.may_start_turn(b"a")
