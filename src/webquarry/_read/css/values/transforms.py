"""Values of `transform`, `translate`, `scale`, `rotate` -> where they take a box and how large it
is then.

All of it is one matrix of four by four. What cannot be read counts as if it were not there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webquarry._read.css.values.numbers import (
    ANGLES,
    LENGTHS,
    OF_VIEW,
    evaluate,
    find_calls,
    split_top,
)

_Row = tuple[float, float, float, float]
Matrix = tuple[_Row, _Row, _Row, _Row]
IDENTITY: Matrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
_LONGEST = 2_000  # characters
_MOST_STEPS = 50
# One per cent of an ordinary box, and a hundredth of the window, in pixels.
_PERCENT, _VIEW = 12.0, 30.0
_UNITS: Mapping[str, float] = {
    **LENGTHS,
    "%": _PERCENT,
    **dict.fromkeys(OF_VIEW, _VIEW),
}
_FACTORS: Mapping[str, float] = {"": 1.0, "%": 0.01}
_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class Placement(NamedTuple):
    """What a transformation makes of a box."""

    width: float = 1.0  # of one pixel
    height: float = 1.0
    right: float = 0.0  # pixels that it is moved by
    down: float = 0.0
    turned_away: bool = False  # we see its back


@lru_cache(maxsize=2048)
def place_box(
    transform: str, translate: str = "", rotate: str = "", scale: str = "", origin: str = ""
) -> Placement:
    """The values of the properties of these names, empty for those that are not declared."""
    matrix = IDENTITY
    if translate:
        matrix = multiply(matrix, _read_translate(split_top(translate, " ")))
    if rotate:
        matrix = multiply(matrix, _read_rotate_property(split_top(rotate, " ")))
    if scale:
        matrix = multiply(matrix, _read_scale(split_top(scale, " ")))
    matrix = multiply(matrix, read_transform(transform))
    place = [evaluate(word, _UNITS) or 0.0 for word in split_top(origin, " ")[:2]]
    if any(abs(length) > _PERCENT * 100 for length in place):
        x, y = (*place, 0.0)[:2]
        around = multiply(_move(x, y, 0.0), matrix)
        matrix = multiply(around, _move(-x, -y, 0.0))
    return find_placement(matrix)


def find_placement(matrix: Matrix) -> Placement:
    """What a matrix makes of a box at the place it is for."""
    depth = matrix[3][3]
    if depth <= 0:  # behind whoever looks at it
        return Placement(0.0, 0.0)
    width = math.hypot(matrix[0][0], matrix[1][0]) / depth
    height = math.hypot(matrix[0][1], matrix[1][1]) / depth
    area = (matrix[0][0] * matrix[1][1] - matrix[0][1] * matrix[1][0]) / depth**2
    # both sides may be long and the box flat all the same
    if width and height and abs(area) < 0.02 * width * height:
        height = abs(area) / width
    facing = matrix[2][2]
    return Placement(width, height, matrix[0][3] / depth, matrix[1][3] / depth, facing < -0.01)


@lru_cache(maxsize=1024)
def read_transform(value: str) -> Matrix:
    """A list of functions, applied one after the other."""
    matrix = IDENTITY
    for number, (name, arguments) in enumerate(find_calls(value[:_LONGEST])):
        reader = _READERS.get(name)
        if reader is None or number >= _MOST_STEPS:
            continue
        words: list[str] = []
        for part in split_top(arguments, ","):
            words.extend(split_top(part, " "))
        matrix = multiply(matrix, reader(words))
    return matrix


def multiply(one: Matrix, other: Matrix) -> Matrix:
    """The transformation that does the other first."""
    columns = tuple(zip(*other, strict=True))
    rows = []
    for row in one:
        rows.append(tuple(sum(map(_product, row, column)) for column in columns))
    return rows[0], rows[1], rows[2], rows[3]  # type: ignore[return-value]  # of four each


def _product(one: float, other: float) -> float:
    return one * other


def _move(x: float, y: float, z: float) -> Matrix:
    return ((1, 0, 0, x), (0, 1, 0, y), (0, 0, 1, z), (0, 0, 0, 1))


def _stretch(x: float, y: float, z: float) -> Matrix:
    return ((x, 0, 0, 0), (0, y, 0, 0), (0, 0, z, 0), (0, 0, 0, 1))


def _turn(axis: Sequence[float], degrees: float) -> Matrix:
    """A turn around an axis."""
    length = math.hypot(*axis)
    if not length:
        return IDENTITY
    x, y, z = (part / length for part in axis)
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    rest = 1 - cosine
    return (
        (cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine, 0),
        (y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine, 0),
        (z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest, 0),
        (0, 0, 0, 1),
    )


def _lengths(words: Sequence[str], count: int) -> list[float]:
    """So many lengths; those that are missing are nothing."""
    lengths = [evaluate(word, _UNITS) or 0.0 for word in words[:count]]
    return lengths + [0.0] * (count - len(lengths))


def _angle(words: Sequence[str]) -> float:
    """The last word as an angle."""
    if not words:
        return 0.0
    return evaluate(words[-1], ANGLES) or 0.0


def _numbers(words: Sequence[str]) -> list[float]:
    return [evaluate(word, _FACTORS) or 0.0 for word in words]


def _read_translate(words: Sequence[str]) -> Matrix:
    x, y, z = _lengths(words, 3)
    return _move(x, y, z)


def _read_scale(words: Sequence[str]) -> Matrix:
    factors = [evaluate(word, _FACTORS) for word in words]
    known = [factor for factor in factors if factor is not None]
    if not known:
        return IDENTITY
    if len(known) == 1:
        known *= 2
    return _stretch(known[0], known[1], (*known, 1.0)[2])


def _read_rotate_property(words: Sequence[str]) -> Matrix:
    """`45deg`, `x 90deg`, `1 0 0 90deg`."""
    if len(words) >= 4:
        return _turn(_numbers(words[:3]), _angle(words))
    for word in words:
        if word in _AXES:
            angles = [other for other in words if other not in _AXES]
            return _turn(_AXES[word], _angle(angles))
    return _turn(_AXES["z"], _angle(words))


def _read_skew(words: Sequence[str]) -> Matrix:
    angles = [evaluate(word, ANGLES) or 0.0 for word in words] + [0.0, 0.0]
    return _slant(angles[0], angles[1])


def _slant(x: float, y: float) -> Matrix:
    right, down = math.tan(math.radians(x)), math.tan(math.radians(y))
    return ((1, right, 0, 0), (down, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


def _read_matrix(words: Sequence[str]) -> Matrix:
    a, b, c, d, x, y = (*_lengths(words, 6),)
    return ((a, c, 0, x), (b, d, 0, y), (0, 0, 1, 0), (0, 0, 0, 1))


def _read_matrix_3d(words: Sequence[str]) -> Matrix:
    """Sixteen numbers, column by column."""
    numbers = _lengths(words, 16)
    if len(words) < 16:
        return IDENTITY
    rows = [tuple(numbers[place::4]) for place in range(4)]
    return rows[0], rows[1], rows[2], rows[3]  # type: ignore[return-value]  # of four each


def _read_perspective(words: Sequence[str]) -> Matrix:
    distance = max(_lengths(words, 1)[0], 1.0)
    return ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, -1 / distance, 1))


_READERS = {
    "translate": _read_translate,
    "translate3d": _read_translate,
    "translatex": lambda words: _move(_lengths(words, 1)[0], 0.0, 0.0),
    "translatey": lambda words: _move(0.0, _lengths(words, 1)[0], 0.0),
    "translatez": lambda words: _move(0.0, 0.0, _lengths(words, 1)[0]),
    "scale": _read_scale,
    "scale3d": _read_scale,
    "scalex": lambda words: _stretch((*_numbers(words), 1.0)[0], 1.0, 1.0),
    "scaley": lambda words: _stretch(1.0, (*_numbers(words), 1.0)[0], 1.0),
    "rotate": lambda words: _turn(_AXES["z"], _angle(words[:1])),
    "rotatex": lambda words: _turn(_AXES["x"], _angle(words)),
    "rotatey": lambda words: _turn(_AXES["y"], _angle(words)),
    "rotatez": lambda words: _turn(_AXES["z"], _angle(words)),
    "rotate3d": lambda words: _turn(_numbers(words[:3]), _angle(words)),
    "skew": _read_skew,
    "skewx": lambda words: _slant(_angle(words), 0.0),
    "skewy": lambda words: _slant(0.0, _angle(words)),
    "matrix": _read_matrix,
    "matrix3d": _read_matrix_3d,
    "perspective": _read_perspective,
}
