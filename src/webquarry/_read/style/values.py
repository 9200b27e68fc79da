"""Numbers and lengths of CSS, with `calc()` and the other mathematical functions.

Lengths are in pixels, angles in degrees. A value that is not understood is None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from webquarry._read.text.brackets import find_closing, split_top

# Pixels per unit, for a screen and a text of ordinary size.
LENGTHS = {
    "": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "rex": 8.0, "ch": 8.0, "rch": 8.0,
    "cap": 11.0, "rcap": 11.0, "ic": 16.0, "ric": 16.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0,
    "cm": 37.8, "mm": 3.78, "q": 0.945, "lh": 20.0, "rlh": 20.0,
}  # fmt: skip
VIEWPORT_UNITS = frozenset(
    edge + unit
    for edge in ("", "d", "s", "l", "cq")
    for unit in ("vw", "vh", "vmin", "vmax", "vi", "vb", "w", "h", "i", "b", "min", "max")
    if (edge == "cq") != unit.startswith("v")
)
ANGLES = {"": 1.0, "deg": 1.0, "turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
FACTORS = {"": 1.0, "%": 0.01}
_LARGEST = 1e8  # used for infinity
_MOST_TERMS = 400
_DEEPEST = 30  # brackets
_TERM = re.compile(
    r"\s*(?:([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?"
    r"|((?:-webkit-|-moz-)?[a-z][a-z-]*)(\()?|([+-]?)\()"
)
_OPERATOR = re.compile(r"\s*([-+*/,)])")
_CALL = re.compile(r"([a-z][a-z0-9-]*)\(")
_CONSTANTS = {"infinity": _LARGEST, "nan": 0.0, "none": 0.0}
_NO_NAMES: Mapping[str, float] = {}


class _UnreadableError(Exception):
    """The value is not understood."""


@lru_cache(maxsize=4_096)
def parse_length(
    value: str, percent: float = 1.0, em: float = 16.0, view: float = 12.8
) -> float | None:
    """Return the first length of a value in pixels, or None.

    `percent`, `em` and `view` are the pixels of one per cent, one em, and one hundredth of the
    window.
    """
    return evaluate(value, build_units(percent, em, view)) if value else None


@lru_cache(maxsize=256)
def build_units(percent: float, em: float, view: float) -> Mapping[str, float]:
    """Return the pixels of each unit of length."""
    return {**LENGTHS, "em": em, "%": percent, **dict.fromkeys(VIEWPORT_UNITS, view)}


def parse_number(value: str) -> float | None:
    """Return a number or percentage, such as an opacity, or None."""
    return evaluate(value, FACTORS)


def split_words(arguments: str) -> list[str]:
    """Split arguments at commas and whitespace."""
    words: list[str] = []
    for part in split_top(arguments, ","):
        words.extend(split_top(part, " "))
    return words


def find_calls(value: str) -> Iterator[tuple[str, str]]:
    """List the outer functions of a value with their arguments."""
    place = 0
    while (found := _CALL.search(value, place)) is not None:
        end = find_closing(value, found.end())
        yield found[1], value[found.end() : end]
        place = end + 1


def expand_sides(words: Sequence[str]) -> list[str]:
    """Expand one to four values to those of top, right, bottom and left."""
    top = words[0]
    right = words[1] if len(words) > 1 else top
    bottom = words[2] if len(words) > 2 else top
    return [top, right, bottom, words[3] if len(words) > 3 else right]


def evaluate(
    text: str, units: Mapping[str, float], names: Mapping[str, float] = _NO_NAMES
) -> float | None:
    """Return the first number or mathematical function of a value, or None.

    `names` are the keywords with a value, such as the channels of relative colours.
    """
    try:
        value = _Expression(text, units, names).read_term(0)
    except (_UnreadableError, ArithmeticError, ValueError, TypeError):
        return None
    return min(max(value, -_LARGEST), _LARGEST)


class _Expression:
    """Recursive descent over one value."""

    def __init__(self, text: str, units: Mapping[str, float], names: Mapping[str, float]) -> None:
        self._text = text
        self._units = units
        self._names = names
        self._place = 0
        self._terms = 0

    def read_term(self, depth: int) -> float:
        """Read a number with its unit, a keyword, or a function."""
        self._terms += 1
        found = _TERM.match(self._text, self._place)
        if found is None or self._terms > _MOST_TERMS:
            raise _UnreadableError
        self._place = found.end()
        number, unit, name, opens, sign = found.groups()
        if number is not None:
            if (unit or "") not in self._units:
                raise _UnreadableError
            return float(number) * self._units[unit or ""]
        if name is None:
            value = self._read_function("calc", depth)
            return -value if sign == "-" else value
        if opens:
            return self._read_function(name, depth)
        if name in self._names:
            return self._names[name]
        if name in _CONSTANTS and depth:
            return _CONSTANTS[name]
        raise _UnreadableError

    def _read_function(self, name: str, depth: int) -> float:
        function = _FUNCTIONS.get(name)
        if function is None or depth >= _DEEPEST:
            raise _UnreadableError
        arguments: list[float] = []
        sign = ","
        while sign == ",":
            value, sign = self._read_sum(depth + 1)
            arguments.append(value)
        return function(*arguments)

    def _read_sum(self, depth: int) -> tuple[float, str]:
        """Read products; return the sum and the sign behind it, `)` at the end of the text."""
        total = 0.0
        sign = "+"
        while True:
            factor = 1.0 if sign == "+" else -1.0
            product = self.read_term(depth)
            while (sign := self._read_sign()) in ("*", "/"):
                term = self.read_term(depth)
                product = product * term if sign == "*" else product / term
            total += factor * product
            if sign not in ("+", "-"):
                return total, sign

    def _read_sign(self) -> str:
        found = _OPERATOR.match(self._text, self._place)
        if found is None:
            if self._text[self._place :].strip():
                raise _UnreadableError
            return ")"
        self._place = found.end()
        return found[1]


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "calc": lambda value: value,
    "-webkit-calc": lambda value: value,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "clamp": lambda least, value, most: max(least, min(value, most)),
    "abs": abs,
}
