"""Numbers of CSS: a value with `calc()`, `min()`, `clamp()` and the like in, what it comes to out.

Lengths are pixels, angles degrees. What a unit is worth is told by the caller, and so is what names
stand for, as in relative colours. Anything that is not understood is None.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping

# How many pixels a unit is, on a screen of ordinary size and with text of ordinary size.
LENGTHS = {
    "": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "rex": 8.0, "ch": 8.0, "rch": 8.0,
    "cap": 11.0, "rcap": 11.0, "ic": 16.0, "ric": 16.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0,
    "cm": 37.8, "mm": 3.78, "q": 0.945, "lh": 20.0, "rlh": 20.0,
}  # fmt: skip
OF_VIEW = frozenset(
    edge + unit
    for edge in ("", "d", "s", "l", "cq")
    for unit in ("vw", "vh", "vmin", "vmax", "vi", "vb", "w", "h", "i", "b", "min", "max")
    if (edge == "cq") != unit.startswith("v")
)
ANGLES = {"": 1.0, "deg": 1.0, "turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
_LARGEST = 1e8  # what infinity comes to
_DEEPEST = 30  # brackets inside each other
_MOST_TERMS = 400  # of one value
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?")
_NAME = re.compile(r"((?:-webkit-|-moz-)?[a-z][a-z-]*)(\()?")
_BLANK = re.compile(r"\s*")
_CALL_NAME = re.compile(r"([a-z][a-z0-9-]*)\(")
_CONSTANTS = {"pi": math.pi, "e": math.e, "infinity": _LARGEST, "nan": 0.0, "none": 0.0}
_NO_NAMES: Mapping[str, float] = {}


class _UnreadableError(Exception):
    """The value is none that is understood."""


def evaluate(
    text: str, units: Mapping[str, float], names: Mapping[str, float] = _NO_NAMES
) -> float | None:
    """The first number, or the first sum in brackets, of a value; None where it begins with
    neither.
    """
    expression = _Expression(text, units, names)
    try:
        return min(max(expression.read_term(), -_LARGEST), _LARGEST)
    except (_UnreadableError, ArithmeticError, ValueError):
        return None


def find_calls(value: str) -> Iterator[tuple[str, str]]:
    """The functions of a value, name and arguments, those inside others left out."""
    place = 0
    while (found := _CALL_NAME.search(value, place)) is not None:
        end = find_closing(value, found.end())
        yield found[1], value[found.end() : end]
        place = end + 1


def find_closing(text: str, place: int) -> int:
    """Where the bracket closes that was opened right before a place; the end where it never
    does.
    """
    depth = 1
    quote = ""
    for index in range(place, len(text)):
        sign = text[index]
        if quote:
            if sign == quote:
                quote = ""
        elif sign in "\"'":
            quote = sign
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if not depth:
                return index
    return len(text)


def split_top(text: str, sign: str) -> list[str]:
    """The parts of a value between signs that stand in no brackets and no quotes, without blanks
    around them; a blank as the sign stands for any white space.
    """
    parts: list[str] = []
    start = place = 0
    while place < len(text):
        letter = text[place]
        if letter == "(":
            place = find_closing(text, place + 1)
        elif letter in "\"'":
            closing = text.find(letter, place + 1)
            place = closing if closing >= 0 else len(text)
        elif letter == sign or (sign == " " and letter.isspace()):
            parts.append(text[start:place].strip())
            start = place + 1
        place += 1
    parts.append(text[start:].strip())
    if sign == " ":
        return [part for part in parts if part]
    return parts


class _Expression:
    """One value, read from left to right."""

    def __init__(self, text: str, units: Mapping[str, float], names: Mapping[str, float]) -> None:
        self._text = text
        self._units = units
        self._names = names
        self._place = 0
        self._depth = 0
        self._terms = 0

    def read_term(self) -> float:
        """A number with its unit, a name, or something in brackets."""
        self._skip_blanks()
        self._terms += 1
        if self._terms > _MOST_TERMS:
            raise _UnreadableError
        number = _NUMBER.match(self._text, self._place)
        if number is not None:
            self._place = number.end()
            unit = number[2] or ""
            if unit not in self._units:
                raise _UnreadableError
            return float(number[1]) * self._units[unit]
        name = _NAME.match(self._text, self._place)
        if name is None:
            return self._read_signed()
        self._place = name.end()
        if name[2]:
            return self._read_brackets(name[1])
        if name[1] in self._names:
            return self._names[name[1]]
        if name[1] in _CONSTANTS and self._depth:
            return _CONSTANTS[name[1]]
        raise _UnreadableError

    def _read_signed(self) -> float:
        """Brackets without a name, or a term behind a sign of its own."""
        if self._take("("):
            return self._read_brackets("calc")
        if self._take("-"):
            return -self.read_term()
        if self._take("+"):
            return self.read_term()
        raise _UnreadableError

    def _read_brackets(self, name: str) -> float:
        """What stands in brackets behind the name of a function, up to the closing one."""
        function = _FUNCTIONS.get(name)
        self._depth += 1
        if function is None or self._depth > _DEEPEST:
            raise _UnreadableError
        arguments: list[float] = []
        while True:
            self._skip_word()
            arguments.append(self._read_sum())
            if not self._take(","):
                break
        if not self._take(")") and self._place < len(self._text):
            raise _UnreadableError
        self._depth -= 1
        try:
            return function(*arguments)
        except TypeError:  # fewer arguments than it takes, or more
            raise _UnreadableError from None

    def _skip_word(self) -> None:
        """Pass over the first argument of `round(up, ...)` and `env(name, ...)`."""
        self._skip_blanks()
        word = _NAME.match(self._text, self._place)
        if word is None or word[2] or word[1] in self._names or word[1] in _CONSTANTS:
            return
        self._place = word.end()
        if not self._take(","):
            raise _UnreadableError

    def _read_sum(self) -> float:
        """Products with plus and minus between them."""
        value = self._read_product()
        while True:
            if self._take("+"):
                value += self._read_product()
            elif self._take("-"):
                value -= self._read_product()
            else:
                return value

    def _read_product(self) -> float:
        """Terms with times and divided by between them."""
        value = self.read_term()
        while True:
            if self._take("*"):
                value *= self.read_term()
            elif self._take("/"):
                value /= self.read_term()
            else:
                return value

    def _take(self, sign: str) -> bool:
        """Whether a sign comes next; it is passed then."""
        self._skip_blanks()
        if self._text.startswith(sign, self._place):
            self._place += len(sign)
            return True
        return False

    def _skip_blanks(self) -> None:
        blank = _BLANK.match(self._text, self._place)
        assert blank is not None  # it matches nothing, too
        self._place = blank.end()


def _clamp(least: float, value: float, most: float) -> float:
    return max(least, min(value, most))


def _round(value: float, step: float = 1.0) -> float:
    return step * round(value / step)


def _of_degrees(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of an angle, as CSS has them: numbers without a unit would be radians, but nobody
    can tell them apart here any more.
    """
    return lambda angle: function(math.radians(angle))


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "calc": lambda value: value,
    "-webkit-calc": lambda value: value,
    "-moz-calc": lambda value: value,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "clamp": _clamp,
    "round": _round,
    "mod": lambda value, step: value % step,
    "rem": math.fmod,
    "abs": abs,
    "sign": lambda value: math.copysign(1.0, value) if value else 0.0,
    "sqrt": math.sqrt,
    "hypot": math.hypot,
    "pow": math.pow,
    "exp": math.exp,
    "log": math.log,
    "sin": _of_degrees(math.sin),
    "cos": _of_degrees(math.cos),
    "tan": _of_degrees(math.tan),
    "env": lambda value: value,
}
