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

from webquarry._read.style.colours import find_colours
from webquarry._read.style.values import (
    ANGLES,
    FACTORS,
    LENGTHS,
    VIEWPORT_UNITS,
    evaluate,
    find_calls,
    first_value,
    split_words,
)
from webquarry._read.text.brackets import split_top

# The columns of a matrix: `x * a + y * c + e`, `x * b + y * d + f`.
_Matrix = tuple[float, float, float, float, float, float]
_Point = tuple[float, float]
_IDENTITY: _Matrix = (1, 0, 0, 1, 0, 0)
_LONGEST = 2_000  # characters of a value
_MOST_STEPS = 50
_SLIVER = 1.0  # pixels; less shows no text
_WIDE, _HIGH, _LOW = 1280.0, 500.0, 3000.0  # pixels of a box; the last where points are placed
_FAINT = 0.1


def _units(percent: float, view: float) -> Mapping[str, float]:
    return {**LENGTHS, **dict.fromkeys(VIEWPORT_UNITS, view), "%": percent}


_MOVED = _units(12.0, 30.0)
_ACROSS = _units(_WIDE / 100, _WIDE / 100)
_DOWN = _units(_HIGH / 100, _WIDE / 100)
_PLACED = _units(_LOW / 100, _WIDE / 100)


class Placement(NamedTuple):
    """What transforms make of a box."""

    width: float = 1.0  # of one pixel
    height: float = 1.0
    right: float = 0.0  # pixels
    down: float = 0.0
    turned_away: bool = False


_UNCHANGED = Placement()


def find_placement(style: Mapping[str, str]) -> Placement:
    """Combine `translate`, `rotate`, `scale` and `transform`."""
    transform = first_value(style, "transform", "-webkit-transform")
    translate, rotate = style.get("translate", ""), style.get("rotate", "")
    scale = style.get("scale", "")
    if not transform and not translate and not scale and not rotate:
        return _UNCHANGED
    return _place(transform, translate, rotate, scale)


@lru_cache(maxsize=2048)
def _place(transform: str, translate: str, rotate: str, scale: str) -> Placement:
    steps = [("translate", translate), ("scale", scale), *find_calls(transform[:_LONGEST])]
    words = split_top(rotate, " ")
    axis = words.pop(0) if words and words[0] in ("x", "y", "z") else "z"
    steps.insert(1, ("rotate3d" if len(words) == 4 else f"rotate{axis}", " ".join(words)))
    matrix = _IDENTITY
    faces_us = True
    for name, arguments in steps[:_MOST_STEPS]:
        if name in ("rotatex", "rotatey", "rotate3d"):
            faces_us = faces_us is (math.cos(math.radians(_angle(split_words(arguments)))) >= -0.01)
        reader = _READERS.get(name)
        if reader is not None and arguments:
            matrix = _multiply(matrix, reader(split_words(arguments)))
    a, b, c, d, right, down = matrix
    width, height = math.hypot(a, b), math.hypot(c, d)
    area = abs(a * d - b * c)
    if width and height and area < 0.02 * width * height:  # skewed until it is flat
        height = area / width
    return Placement(width, height, right, down, not faces_us)


def _multiply(one: _Matrix, other: _Matrix) -> _Matrix:
    """Return the transform that applies `other` first."""
    a, b, c, d, e, f = one
    p, q, r, s, t, u = other
    return (
        a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s,
        a * t + c * u + e, b * t + d * u + f,
    )  # fmt: skip


def _angle(words: Sequence[str]) -> float:
    return (evaluate(words[-1], ANGLES) or 0.0) if words else 0.0


def _translate(words: Sequence[str]) -> _Matrix:
    x, y = ([evaluate(word, _MOVED) or 0.0 for word in words[:2]] + [0.0])[:2]
    return (1, 0, 0, 1, x, y)


def _scale(words: Sequence[str]) -> _Matrix:
    factors = [evaluate(word, FACTORS) for word in words]
    known = [factor for factor in factors if factor is not None]
    if not known:
        return _IDENTITY
    return (known[0], 0, 0, (known * 2)[1], 0, 0)


def _rotate(words: Sequence[str]) -> _Matrix:
    sine, cosine = math.sin(math.radians(_angle(words))), math.cos(math.radians(_angle(words)))
    return (cosine, sine, -sine, cosine, 0, 0)


def _tilt(words: Sequence[str], axis: Sequence[float]) -> _Matrix:
    """Foreshorten what is rotated around an axis in the plane."""
    cosine = math.cos(math.radians(_angle(words)))
    if abs(axis[0]) >= abs(axis[1]):
        return (1, 0, 0, cosine, 0, 0)
    return (cosine, 0, 0, 1, 0, 0)


def _rotate_3d(words: Sequence[str]) -> _Matrix:
    axis = [evaluate(word, FACTORS) or 0.0 for word in words[:3]]
    if len(axis) < 3 or abs(axis[2]) > max(abs(axis[0]), abs(axis[1])):
        return _rotate(words)
    return _tilt(words, axis)


def _skew(words: Sequence[str]) -> _Matrix:
    x, y = ([evaluate(word, ANGLES) or 0.0 for word in words] + [0.0, 0.0])[:2]
    return (1, math.tan(math.radians(y)), math.tan(math.radians(x)), 1, 0, 0)


def _matrix(words: Sequence[str]) -> _Matrix:
    numbers = [evaluate(word, _MOVED) or 0.0 for word in words]
    if len(numbers) == 16:
        numbers = [numbers[place] for place in (0, 1, 4, 5, 12, 13)]
    if len(numbers) != 6:
        return _IDENTITY
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
    "rotatex": lambda words: _tilt(words, (1, 0)),
    "rotatey": lambda words: _tilt(words, (0, 1)),
    "rotate3d": _rotate_3d,
    "skew": _skew,
    "skewx": lambda words: _skew(words[:1]),
    "skewy": lambda words: _skew(["0", *words]),
    "matrix": _matrix,
    "matrix3d": _matrix,
}


@lru_cache(maxsize=1024)
def is_empty_clip(value: str) -> bool:
    """Whether a value of `clip` or `clip-path` leaves nothing of a box."""
    for name, arguments in find_calls(value):
        check = _SHAPES.get(name)
        if check is not None and check(arguments):
            return True
    return False


def _lengths(words: Sequence[str], units: Mapping[str, float]) -> list[float]:
    lengths = [evaluate(word, units) for word in words]
    return [length for length in lengths if length is not None]


def _is_empty_rect(arguments: str) -> bool:
    edges = _lengths(split_words(arguments), _DOWN)
    if len(edges) != 4:
        return False
    top, right, bottom, left = edges
    return bottom - top <= _SLIVER or right - left <= _SLIVER


def _is_empty_inset(arguments: str) -> bool:
    words = split_words(arguments.partition("round")[0])
    if not words:
        return False
    top, right, bottom, left = expand_sides(words)
    down = [evaluate(word, _DOWN) or 0.0 for word in (top, bottom)]
    across = [evaluate(word, _ACROSS) or 0.0 for word in (left, right)]
    return sum(down) >= 0.99 * _HIGH or sum(across) >= 0.99 * _WIDE


def expand_sides(words: Sequence[str]) -> list[str]:
    """Expand one to four values to those of top, right, bottom and left."""
    top = words[0]
    right = words[1] if len(words) > 1 else top
    bottom = words[2] if len(words) > 2 else top
    return [top, right, bottom, words[3] if len(words) > 3 else right]


def _is_empty_circle(arguments: str) -> bool:
    """Whether a circle or an ellipse is too small or outside of the box."""
    sizes, _, place = f"{arguments} ".partition("at ")
    radii = _lengths(split_words(sizes), _ACROSS)
    if not radii:
        return False
    centre = _lengths(split_words(place), _ACROSS)
    return min(radii) <= _SLIVER or (bool(centre) and min(centre) + max(radii) <= 0)


def _is_empty_polygon(arguments: str) -> bool:
    """Whether all corners are on one line or outside of the box."""
    points: list[_Point] = []
    for part in split_top(arguments, ","):
        words = split_top(part, " ")
        if len(words) != 2:
            continue
        x, y = evaluate(words[0], _ACROSS), evaluate(words[1], _PLACED)
        if x is None or y is None:
            return False
        points.append((x, y))
    if not points:
        return False
    xs, ys = [x for x, _ in points], [y for _, y in points]
    if max(xs) <= 0 or max(ys) <= 0 or min(xs) >= _WIDE or min(ys) >= _LOW:
        return True
    if min(max(xs) - min(xs), max(ys) - min(ys)) <= 2 * _SLIVER:
        return True
    first_x, first_y = points[0]
    far_x, far_y = max(points, key=lambda point: abs(point[0] - first_x) + abs(point[1] - first_y))
    for x, y in points:
        if abs((far_x - first_x) * (y - first_y) - (far_y - first_y) * (x - first_x)) > 1:
            return False
    return True


_SHAPES: dict[str, Callable[[str], bool]] = {
    "rect": _is_empty_rect,
    "inset": _is_empty_inset,
    "circle": _is_empty_circle,
    "ellipse": _is_empty_circle,
    "polygon": _is_empty_polygon,
}


def is_empty_mask(image: str, size: str) -> bool:
    """Whether a mask of gradients is transparent everywhere, or has no size."""
    if image in ("", "none"):
        return False
    if any(length <= _SLIVER for length in _lengths(split_top(size, " "), _DOWN)):
        return True
    if "gradient(" not in image or "url(" in image or "var(" in image:
        return False
    colours = find_colours(image)
    return bool(colours) and all(colour.alpha < _FAINT for colour in colours)
