"""Cheap checks of a text and sets of characters."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_prose, defuse_verbatim
from webquarry._read.text.escape import escape_line_starts
from webquarry._read.text.signs import CharacterSet, count_ascii_words, may_start_turn

PIECES = (
    *" \t\n\x00ab#:]T\u200b\u2028ж😀\U000e0041", "\nHuman", "user", "INSTRUCTION", "INST]", "S",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join)


class StringSubclass(str):
    """A string such as the results of lxml."""

    __slots__ = ()


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_letters_and_digits_are_counted(text: str) -> None:
    count = count_ascii_words(text)

    assert count == len("".join(one if one.isalnum() else " " for one in text).split())


@given(TEXTS)
def test_a_set_finds_the_first_run_of_its_characters(text: str) -> None:
    found = CharacterSet("b\x00-\x08\u200b-\u200f\U000e0000-\U000e0fffж").find_run(text, 1)

    wanted = [
        place for place, sign in enumerate(text) if sign in "b\x00\u200b\U000e0041ж" and place
    ]
    assert (found is None) == (not wanted)
    if found is not None:
        assert found[0] == wanted[0]
        assert found[1] - 1 in wanted
        assert found[1] not in wanted


def test_a_line_that_may_start_with_a_speaker_is_found() -> None:
    assert may_start_turn("Human: hello")
    assert may_start_turn("one\n###### Instruction    : two")
    assert not may_start_turn("")
    assert not may_start_turn("one\n: two")
    assert not may_start_turn("Year: one\nhttp")
    assert not may_start_turn("Humans: one")
    assert not may_start_turn("The human: one")


def test_subclasses_of_str_are_accepted() -> None:
    text = StringSubclass("a\u200bb <system>")
    removed: Counter[str] = Counter()

    assert strip_invisible(text, removed) == "ab <system>"
    assert defuse_prose(text, removed) == "a\u200bb &lt;system>"
    assert defuse_verbatim(text, removed) == "a\u200bb < system>"
    assert escape_line_starts(StringSubclass("- a")) == "\\- a"
    links = Links(StringSubclass("https://a.example/b"))
    assert links.absolute(StringSubclass("c")) == "https://a.example/c"
