"""Transforms and clip shapes: where they place a box, and whether anything of it remains.

The size of a box is not known: percentages are taken from a box of the width of a page and a
height of several lines. Transforms are two-dimensional; a rotation around the x or y axis is the
foreshortening that it causes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webquarry._read.style.values import (
    ANGLES,
    FACTORS,
    build_units,
    evaluate,
    expand_sides,
    find_calls,
    split_words,
)
from webquarry._read.text.brackets import split_top

# The columns of a matrix: `x * a + y * c + e`, `x * b + y * d + f`.
_Matrix = tuple[float, float, float, float, float, float]
_LONGEST = 2_000  # characters of a value
_MOST_STEPS = 50
_SLIVER = 1.0  # pixels; less shows no text
_WIDE, _HIGH, _LOW = 1280.0, 500.0, 3000.0  # pixels of a box; the last where points are placed
_MOVED = build_units(12.0, 16.0, 30.0)
_ACROSS = build_units(_WIDE / 100, 16.0, _WIDE / 100)
_DOWN = build_units(_HIGH / 100, 16.0, _WIDE / 100)
_PLACED = build_units(_LOW / 100, 16.0, _WIDE / 100)


class Placement(NamedTuple):
    """What transforms make of a box."""

    width: float = 1.0  # of one pixel
    height: float = 1.0
    right: float = 0.0  # pixels
    down: float = 0.0


_UNCHANGED = Placement()


def find_placement(style: Mapping[str, str]) -> Placement:
    """Combine `translate`, `rotate`, `scale` and `transform`."""
    declared = [style.get(name, "") for name in ("translate", "rotate", "scale", "transform")]
    return _place(*declared) if any(declared) else _UNCHANGED


@lru_cache(maxsize=2048)
def _place(translate: str, rotate: str, scale: str, transform: str) -> Placement:
    calls = find_calls(transform[:_LONGEST])
    steps = [("translate", translate), ("rotate", rotate), ("scale", scale), *calls]
    a, b, c, d, right, down = 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    for name, arguments in steps[:_MOST_STEPS]:
        reader = _READERS.get(name)
        if reader is None or not arguments:
            continue
        p, q, r, s, t, u = reader(split_words(arguments))
        right, down = a * t + c * u + right, b * t + d * u + down
        a, b, c, d = a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s
    width, height = math.hypot(a, b), math.hypot(c, d)
    area = abs(a * d - b * c)
    if width and height and area < 0.02 * width * height:  # skewed until it is flat
        height = area / width
    return Placement(width, height, right, down)


def _read_numbers(words: Sequence[str], units: Mapping[str, float]) -> list[float]:
    """Parse words; one that is not understood is zero."""
    return [evaluate(word, units) or 0.0 for word in words]


def _translate(words: Sequence[str]) -> _Matrix:
    x, y, *_ = [*_read_numbers(words, _MOVED), 0.0]
    return (1, 0, 0, 1, x, y)


def _scale(words: Sequence[str]) -> _Matrix:
    factors = [evaluate(word, FACTORS) for word in words]
    x, y, *_ = [1.0 if factor is None else factor for factor in factors * 2]
    return (x, 0, 0, y, 0, 0)


def _rotate(words: Sequence[str]) -> _Matrix:
    angle = math.radians(_read_numbers(words, ANGLES)[-1])
    sine, cosine = math.sin(angle), math.cos(angle)
    if words[0] == "x":
        return (1, 0, 0, cosine, 0, 0)
    if words[0] == "y":
        return (cosine, 0, 0, 1, 0, 0)
    return (cosine, sine, -sine, cosine, 0, 0)


def _skew(words: Sequence[str]) -> _Matrix:
    x, y, *_ = [math.tan(math.radians(one)) for one in _read_numbers([*words, "0"], ANGLES)]
    return (1, y, x, 1, 0, 0)


def _matrix(words: Sequence[str]) -> _Matrix:
    numbers = _read_numbers(words, _MOVED)
    if len(numbers) != 6:
        return (1, 0, 0, 1, 0, 0)
    a, b, c, d, e, f = numbers
    return (a, b, c, d, e, f)


_READERS: dict[str, Callable[[Sequence[str]], _Matrix]] = {
    "translate": _translate,
    "translate3d": _translate,
    "translatex": lambda words: _translate(words[:1]),
    "translatey": lambda words: _translate(["0", *words]),
    "scale": _scale,
    "scale3d": _scale,
    "scalex": lambda words: _scale([*words[:1], "1"]),
    "scaley": lambda words: _scale(["1", *words]),
    "rotate": _rotate,
    "rotatez": _rotate,
    "rotatex": lambda words: _rotate(["x", *words]),
    "rotatey": lambda words: _rotate(["y", *words]),
    "skew": _skew,
    "skewx": lambda words: _skew(words[:1]),
    "skewy": lambda words: _skew(["0", *words]),
    "matrix": _matrix,
}


@lru_cache(maxsize=1024)
def is_empty_clip(value: str) -> bool:
    """Whether a value of `clip` or `clip-path` leaves nothing of a box."""
    for name, arguments in find_calls(value):
        check = _SHAPES.get(name)
        if check is not None and check(arguments):
            return True
    return False


def _parse_lengths(words: Sequence[str], units: Mapping[str, float]) -> list[float]:
    lengths = [evaluate(word, units) for word in words]
    return [length for length in lengths if length is not None]


def _is_empty_rect(arguments: str) -> bool:
    edges = _parse_lengths(split_words(arguments), _DOWN)
    if len(edges) != 4:
        return False
    top, right, bottom, left = edges
    return bottom - top <= _SLIVER or right - left <= _SLIVER


def _is_empty_inset(arguments: str) -> bool:
    words = split_words(arguments.partition("round")[0])
    if not words:
        return False
    top, right, bottom, left = expand_sides(words)
    down = sum(_read_numbers([top, bottom], _DOWN))
    return down >= 0.99 * _HIGH or sum(_read_numbers([left, right], _ACROSS)) >= 0.99 * _WIDE


def _is_empty_circle(arguments: str) -> bool:
    """Whether a circle or an ellipse is too small or outside of the box."""
    sizes, _, place = f"{arguments} ".partition("at ")
    radii = _parse_lengths(split_words(sizes), _ACROSS)
    if not radii:
        return False
    centre = _parse_lengths(split_words(place), _ACROSS)
    return min(radii) <= _SLIVER or (bool(centre) and min(centre) + max(radii) <= 0)


def _is_empty_polygon(arguments: str) -> bool:
    """Whether the corners are in a narrow strip or outside of the box."""
    points = [split_top(part, " ") for part in split_top(arguments, ",")]
    xs = _parse_lengths([point[0] for point in points if len(point) == 2], _ACROSS)
    ys = _parse_lengths([point[1] for point in points if len(point) == 2], _PLACED)
    if not xs or len(xs) != len(ys):
        return False
    if max(xs) <= 0 or max(ys) <= 0 or min(xs) >= _WIDE or min(ys) >= _LOW:
        return True
    return min(max(xs) - min(xs), max(ys) - min(ys)) <= 2 * _SLIVER


_SHAPES: dict[str, Callable[[str], bool]] = {
    "rect": _is_empty_rect,
    "inset": _is_empty_inset,
    "circle": _is_empty_circle,
    "ellipse": _is_empty_circle,
    "polygon": _is_empty_polygon,
}
