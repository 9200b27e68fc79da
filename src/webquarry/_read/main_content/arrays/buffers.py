"""Numbers in rows and columns, as compiled code takes them and without numpy."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeAlias

# Numbers in a row, or in rows and columns: a view of memory here, an array of numpy where nothing
# is compiled. Compiled code takes both, and numpy makes an array of either.
Rows: TypeAlias = Any

_NUMBER = 8  # bytes


def make_row(numbers: int) -> Rows:
    """So many floating-point numbers, all of them 0."""
    return memoryview(bytearray(_NUMBER * numbers)).cast("d")


def make_rows(rows: int, columns: int) -> Rows:
    """So many rows of floating-point numbers, all of them 0."""
    return memoryview(bytearray(_NUMBER * rows * columns)).cast("d", (rows, columns))


def make_integers(rows: int, columns: int) -> Rows:
    """So many rows of integers, all of them 0."""
    return memoryview(bytearray(_NUMBER * rows * columns)).cast("q", (rows, columns))


def take_row(rows: Rows, number: int) -> Rows:
    """One of the rows; what is written there is written into all of them."""
    view: Any = memoryview(rows)
    columns = view.shape[1]
    flat = view.cast("B").cast(view.format)
    return flat[number * columns : (number + 1) * columns]


def pack_integers(rows: Sequence[Sequence[int]]) -> Rows:
    """Rows of integers, all of the same length."""
    return _pack(array("q", chain.from_iterable(rows)), len(rows))


def pack_numbers(rows: Sequence[Sequence[float]]) -> Rows:
    """Rows of numbers, all of the same length."""
    return _pack(array("d", chain.from_iterable(rows)), len(rows))


def pack_singles(rows: Sequence[Sequence[float]]) -> Rows:
    """Rows of numbers in single precision, all of the same length."""
    return _pack(array("f", chain.from_iterable(rows)), len(rows))


def _pack(numbers: array[Any], rows: int) -> Rows:
    """So many rows of one behind the other."""
    flat: Any = memoryview(numbers)
    return flat.cast("B").cast(numbers.typecode, (rows, len(numbers) // rows))
