"""A number and a noun -> the words of a person: `1 step`, `2 steps`, `1,200 searches`."""

from __future__ import annotations


def count_noun(number: int, noun: str, plural: str = "") -> str:
    """The number with its noun; the plural is made by an s where none is given."""
    if number != 1:
        noun = plural or f"{noun}s"
    return f"{number:,} {noun}"
