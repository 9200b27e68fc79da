"""Matrices for compiled code, as memory views."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeAlias

Rows: TypeAlias = Any  # a memory view of one or two dimensions; training uses arrays of numpy

_NUMBER = 8  # bytes


def pack_row(numbers: Sequence[float]) -> Rows:
    """Return a row of floating-point numbers."""
    return memoryview(array("d", numbers))


def make_rows(rows: int, columns: int) -> Rows:
    """Return a matrix of floating-point zeros."""
    return memoryview(bytearray(_NUMBER * rows * columns)).cast("d", (rows, columns))


def make_integers(rows: int, columns: int) -> Rows:
    """Return a matrix of integer zeros."""
    return memoryview(bytearray(_NUMBER * rows * columns)).cast("q", (rows, columns))


def take_row(rows: Rows, number: int) -> Rows:
    """Return a view of one row of a matrix."""
    view: Any = memoryview(rows)
    columns = view.shape[1]
    flat = view.cast("B").cast(view.format)
    return flat[number * columns : (number + 1) * columns]


def pack_numbers(rows: Sequence[Sequence[float]]) -> Rows:
    """Return a matrix of floating-point numbers."""
    flat: Any = memoryview(array("d", chain.from_iterable(rows)))
    return flat.cast("B").cast("d", (len(rows), len(flat) // len(rows)))
