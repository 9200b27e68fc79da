"""Words of ASCII texts, and texts that are subclasses of `str`."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_prose, defuse_verbatim
from webquarry._read.text.escape import escape_line_starts
from webquarry._read.text.words import count_words


class StringSubclass(str):
    """A string such as the results of lxml."""

    __slots__ = ()


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_letters_and_digits_are_counted(text: str) -> None:
    count = count_words(text)

    assert count == len("".join(one if one.isalnum() else " " for one in text).split())


def test_subclasses_of_str_are_accepted() -> None:
    text = StringSubclass("a\u200bb <system>")
    removed: Counter[str] = Counter()

    assert strip_invisible(text, removed) == "ab <system>"
    assert defuse_prose(text, removed) == "a\u200bb &lt;system>"
    assert defuse_verbatim(text, removed) == "a\u200bb < system>"
    assert escape_line_starts(StringSubclass("- a")) == "\\- a"
    links = Links(StringSubclass("https://a.example/b"))
    assert links.absolute(StringSubclass("c")) == "https://a.example/c"
