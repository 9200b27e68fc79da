"""The size of a text in the words of an answer."""

from __future__ import annotations

import pytest

from webquarry.evidence.language.size import estimate_tokens, size_category


@pytest.mark.parametrize(
    ("length", "category"),
    [
        (0, "small"),
        (4_999, "small"),
        (5_000, "medium"),
        (19_999, "medium"),
        (20_000, "large"),
        (49_999, "large"),
        (50_000, "very_large"),
        (5_000_000, "very_large"),
    ],
)
def test_each_size_has_its_category(length: int, category: str) -> None:
    assert size_category(length) == category


def test_four_bytes_are_about_a_token() -> None:
    assert (estimate_tokens(0), estimate_tokens(7), estimate_tokens(400)) == (0, 1, 100)
