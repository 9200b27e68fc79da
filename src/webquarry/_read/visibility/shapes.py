"""Shapes of `clip-path`, `mask` and `offset-path` -> whether anything of a box is seen through
them.

The box itself is not known: it is taken to be as wide as a page and a few lines high.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from webquarry._read.css.colours import find_colours
from webquarry._read.css.values.numbers import LENGTHS, OF_VIEW, evaluate, find_calls, split_top

_SLIVER = 1.0  # pixels; what is not larger shows no text
_WIDE = 1280.0  # pixels of a box from left to right
_HIGH = 500.0  # and from top to bottom, where some of it is cut off
_LOW = 3000.0  # the same, where something is placed by it
_AWAY = 500.0  # pixels beyond the edge
_FAR = 3000.0
_FAINT = 0.1  # opacity; below it nothing can be read
_POINT = tuple[float, float]
_REPEATS = frozenset({"no-repeat", "repeat", "repeat-x", "repeat-y", "round", "space"})
_CANCELLING = ("exclude", "subtract", "xor", "source-out", "destination-out")
_DRAWN = ("path", "rect", "circle", "ellipse", "poly", "line", "<image", "text", "base64", "<use")
_PATH_TOKEN = re.compile(r"([a-z])|([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)")
_ROOM = {"m": 2, "l": 2, "t": 2, "h": 1, "v": 1, "c": 6, "s": 4, "q": 4, "a": 7}


def _units(whole: float) -> Mapping[str, float]:
    """Pixels, with a hundredth of the box for one per cent."""
    return {**LENGTHS, **dict.fromkeys(OF_VIEW, _WIDE / 100), "%": whole / 100}


_ACROSS, _DOWN, _PLACED = _units(_WIDE), _units(_HIGH), _units(_LOW)


@lru_cache(maxsize=1024)
def is_empty_clip(value: str) -> bool:
    """Whether a value of `clip` or `clip-path` lets nothing through."""
    for name, arguments in find_calls(value):
        check = _CHECKS.get(name)
        if check is not None and check(arguments):
            return True
    return False


@lru_cache(maxsize=256)
def is_empty_mask(image: str, size: str, place: str = "", repeat: str = "") -> bool:
    """Whether a mask lets nothing through, by its image, its size, and where it is put once."""
    if image in ("", "none"):
        return False
    sizes = [evaluate(word, _DOWN) for word in split_top(size, " ")]
    if any(length is not None and length <= _SLIVER for length in sizes):
        return True
    if "no-repeat" in repeat and _lies_elsewhere(place, sizes):
        return True
    if "data:image/svg" in image and not any(word in image for word in _DRAWN):
        return True
    if "gradient(" not in image or "url(" in image or "var(" in image:
        return False
    colours = find_colours(image)
    return bool(colours) and all(colour.alpha < _FAINT for colour in colours)


def _lies_elsewhere(place: str, sizes: Sequence[float | None]) -> bool:
    """Whether an image of some size that is put at a place lies outside of its box."""
    offsets = [evaluate(word, LENGTHS) for word in split_top(place, " ") if word not in _REPEATS]
    for number, offset in enumerate(offsets[:2]):
        size = _WIDE
        if number < len(sizes):
            size = sizes[number] or _WIDE
        if offset is not None and (offset + size <= 0 or offset >= _FAR):
            return True
    return False


@lru_cache(maxsize=256)
def is_cancelled_mask(image: str, composite: str) -> bool:
    """Whether the layers of a mask, which are all the same, leave nothing of each other."""
    way = next((word for word in _CANCELLING if word in composite), None)
    if way is None:
        return False
    layers = [layer.replace(way, "").strip() for layer in split_top(image, ",")]
    if len(layers) < 2 or len(layers) % 2 or len(set(layers)) > 1:
        return False
    colours = find_colours(layers[0])
    return "gradient(" in layers[0] and all(colour.alpha == 1 for colour in colours)


@lru_cache(maxsize=256)
def leads_away(value: str, distance: str = "") -> bool:
    """Whether a path that a box is placed on lies off the page, or the place on it does."""
    for name, arguments in find_calls(value):
        if name == "ray" and abs(evaluate(distance.strip(), _PLACED) or 0.0) >= _FAR:
            return True
        if name != "path":
            continue
        for points in _read_path(arguments):
            right, bottom = max(x for x, _ in points), max(y for _, y in points)
            left = min(x for x, _ in points)
            if right <= -_AWAY or bottom <= -_AWAY or left >= _FAR:
                return True
    return False


def _is_empty_rect(arguments: str) -> bool:
    """The four edges, from the top and from the left."""
    edges = [evaluate(word, _DOWN) for word in _split_words(arguments)]
    known = [edge for edge in edges if edge is not None]
    if len(known) != 4:
        return False
    top, right, bottom, left = known
    return bottom - top <= _SLIVER or right - left <= _SLIVER


def _is_empty_inset(arguments: str) -> bool:
    """What is cut off at each side."""
    words = _split_words(arguments.partition("round")[0])
    if not words:
        return False
    if len(words) < 3:
        sides = (words * 4)[:4]
    else:
        sides = (words + words[1:2])[:4]
    cut = []
    for word, units in zip(sides, (_DOWN, _ACROSS, _DOWN, _ACROSS), strict=True):
        cut.append(evaluate(word, units) or 0.0)
    return cut[0] + cut[2] >= 0.99 * _HIGH or cut[1] + cut[3] >= 0.99 * _WIDE


def _is_empty_circle(arguments: str) -> bool:
    """A circle or an ellipse: too small, or elsewhere."""
    sizes, _, place = f"{arguments} ".partition("at ")
    radii = [evaluate(word, _ACROSS) for word in _split_words(sizes)]
    known = [radius for radius in radii if radius is not None]
    if known and min(known) <= _SLIVER:
        return True
    centre = [evaluate(word, _ACROSS) for word in _split_words(place)]
    if not known:
        return False
    places = [coordinate for coordinate in centre if coordinate is not None]
    return bool(places) and min(places) + max(known) <= 0


def _is_empty_polygon(arguments: str) -> bool:
    """Corners on one line, or all of them outside of the box."""
    points: list[_POINT] = []
    for part in split_top(arguments, ","):
        words = split_top(part, " ")
        if len(words) != 2:
            continue
        x, y = evaluate(words[0], _ACROSS), evaluate(words[1], _PLACED)
        if x is None or y is None:
            return False
        points.append((x, y))
    return bool(points) and _is_nowhere(points)


def _is_nowhere(points: Sequence[_POINT]) -> bool:
    """Whether a shape with these corners shows nothing of the box."""
    lefts = [x for x, _ in points]
    tops = [y for _, y in points]
    if max(lefts) <= 0 or max(tops) <= 0 or min(lefts) >= _WIDE or min(tops) >= _LOW:
        return True
    if max(lefts) - min(lefts) <= 2 * _SLIVER or max(tops) - min(tops) <= 2 * _SLIVER:
        return True
    first_x, first_y = points[0]
    far_x, far_y = max(points, key=lambda point: abs(point[0] - first_x) + abs(point[1] - first_y))
    for x, y in points:
        across = (far_x - first_x) * (y - first_y) - (far_y - first_y) * (x - first_x)
        if abs(across) > 1:
            return False
    return True


def _is_empty_path(arguments: str) -> bool:
    return any(_is_nowhere(points) for points in _read_path(arguments))


def _is_empty_shape(arguments: str) -> bool:
    """`shape(from 0 0, line to 0 0, hline by 4px)`: the corners are like those of a path."""
    points: list[_POINT] = [(0.0, 0.0)]
    for part in split_top(arguments, ","):
        words = [word for word in split_top(part, " ") if word not in ("nonzero", "evenodd")]
        if words == ["close"] or not words:
            continue
        point = _find_corner(words, points[-1])
        if point is None:
            return False  # curves take up room that corners do not tell
        points.append(point)
    return len(points) > 1 and _is_nowhere(points[1:])


def _find_corner(words: Sequence[str], before: _POINT) -> _POINT | None:
    """Where one command of a shape leads, from the corner before it; None where it is no line."""
    kind = words[0]
    numbers = words[1:] if kind == "from" else words[2:]
    start_x, start_y = before if "by" in words else (0.0, 0.0)
    if kind == "hline" and len(numbers) == 1:
        x = evaluate(numbers[0], _ACROSS)
        return None if x is None else (start_x + x, before[1])
    if kind == "vline" and len(numbers) == 1:
        y = evaluate(numbers[0], _PLACED)
        return None if y is None else (before[0], start_y + y)
    if kind not in ("from", "move", "line") or len(numbers) != 2:
        return None
    x, y = evaluate(numbers[0], _ACROSS), evaluate(numbers[1], _PLACED)
    if x is None or y is None:
        return None
    return start_x + x, start_y + y


def _is_empty_box(arguments: str) -> bool:
    """`xywh()`: a place and a size."""
    sizes = [evaluate(word, _DOWN) for word in _split_words(arguments.partition("round")[0])]
    return any(size is not None and size <= _SLIVER for size in sizes[2:4])


def _read_path(arguments: str) -> Iterator[list[_POINT]]:
    """The corners of a path of SVG. Values are in lower case here, so that nobody can tell whether
    they were told from the corner before or from the origin: both are tried.
    """
    text = (
        arguments.rpartition(",")[2] if arguments.startswith(("evenodd", "nonzero")) else arguments
    )
    for is_relative in (False, True):
        points = list(_follow_path(text, is_relative))
        if points:
            yield points


def _follow_path(text: str, is_relative: bool) -> Iterator[_POINT]:
    command = ""
    numbers: list[float] = []
    x = y = 0.0
    for letter, number in _PATH_TOKEN.findall(text):
        if letter:
            command, numbers = letter, []
            continue
        numbers.append(float(number))
        room = _ROOM.get(command)
        if room is None or len(numbers) < room:
            continue
        start_x, start_y = (x, y) if is_relative else (0.0, 0.0)
        if command == "h":
            x = start_x + numbers[0]
        elif command == "v":
            y = start_y + numbers[0]
        else:
            x, y = start_x + numbers[-2], start_y + numbers[-1]
        numbers = []
        yield x, y


def _split_words(arguments: str) -> list[str]:
    words: list[str] = []
    for part in split_top(arguments, ","):
        words.extend(split_top(part, " "))
    return words


_CHECKS = {
    "rect": _is_empty_rect,
    "inset": _is_empty_inset,
    "circle": _is_empty_circle,
    "ellipse": _is_empty_circle,
    "polygon": _is_empty_polygon,
    "path": _is_empty_path,
    "shape": _is_empty_shape,
    "xywh": _is_empty_box,
}
