"""What a shape is: a name, a function from a size to an input, and the step that takes the input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shape:
    """Input of about `size` characters is made by `make` and given to `run`."""

    name: str
    make: Callable[[int], Any]
    run: Callable[[Any], object]
    largest: int = 1_000_000  # characters


def repeat(piece: str, size: int) -> str:
    """A piece as often as it fits."""
    return piece * max(1, size // len(piece))


def number(piece: str, size: int) -> str:
    """The same, with the number of each repetition in place of every `#`."""
    count = max(1, size // (len(piece) + 3))
    return "".join(piece.replace("#", str(place)) for place in range(count))
