"""How large a text is, in the words of an answer: its length in bytes in, tokens and a size
category out.
"""

from __future__ import annotations

from typing import Literal

SizeCategory = Literal["small", "medium", "large", "very_large"]

BYTES_PER_TOKEN = 4
_UNDER: tuple[tuple[int, SizeCategory], ...] = (
    (5_000, "small"),
    (20_000, "medium"),
    (50_000, "large"),
)


def estimate_tokens(length: int) -> int:
    """About how many tokens a text of that many UTF-8 bytes costs."""
    return length // BYTES_PER_TOKEN


def size_category(length: int) -> SizeCategory:
    """The category of a text of that many UTF-8 bytes."""
    return next((category for limit, category in _UNDER if length < limit), "very_large")
