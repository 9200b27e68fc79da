"""What is remembered of texts that come again: the answers to short ones, and not all of them."""

from __future__ import annotations

import pytest

from webquarry._read.text.remember import remember_short


@pytest.mark.parametrize(("text", "calls"), [("short", 1), ("long " * 100, 2)])
def test_a_short_text_is_asked_about_once(text: str, calls: int) -> None:
    asked: list[str] = []

    def count_letters(one: str) -> int:
        asked.append(one)
        return len(one)

    count = remember_short(count_letters)

    assert count(text) == count(text) == len(text)
    assert len(asked) == calls


def test_no_more_than_some_texts_are_remembered() -> None:
    asked: list[bytes] = []
    note = remember_short(asked.append)

    for number in [*range(2_000), 0]:
        note(b"%d" % number)

    assert asked.count(b"0") == 2
