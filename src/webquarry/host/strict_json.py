"""One JSON value from bytes that somebody else's program printed, or a sentence about why it is
none.

Stricter than the standard library: no byte order mark, no doubled keys, no NaN or Infinity, no
number beyond the range of a double, no lone surrogate, no nesting beyond a limit, nothing before or
after the value. What passes can be walked recursively, encoded as UTF-8 and sent to any vendor.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn

MAX_DEPTH = 64
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)
_LONGEST_INTEGER = 308  # digits; a double cannot hold more, and neither can most readers


class NotJson(ValueError):
    """The text is not one JSON value; the message says why, and goes on after the words 'its
    output'.
    """


def parse_json(data: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """The one value in these bytes."""
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise NotJson("begins with a byte order mark")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"is not UTF-8 (byte {error.start})") from None
    if not text.strip(" \t\r\n"):
        raise NotJson("is empty")
    # Asked before parsing, because how deep a parser can go depends on the Python version.
    if _measure_depth(text) > max_depth:
        raise NotJson(f"is nested deeper than {max_depth} levels")
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise NotJson(
            f"is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    rest = text[end:].strip(" \t\r\n")
    if rest:
        try:
            _DECODER.raw_decode(rest)
        except ValueError:
            raise NotJson("has text after the JSON value") from None
        raise NotJson("holds more than one JSON value")
    _check_texts(value)
    return value


def _measure_depth(text: str) -> int:
    """How deep the brackets outside of strings are nested."""
    depth = deepest = 0
    for token in _BRACKET.finditer(text):
        if token[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token[0] in "]}":
            depth = max(depth - 1, 0)
    return deepest


def _check_texts(value: Any) -> None:
    """An escape in a string can name half of a surrogate pair, which UTF-8 cannot hold."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise NotJson("holds half of a surrogate pair") from None
    elif isinstance(value, dict):
        for name, part in value.items():
            _check_texts(name)
            _check_texts(part)
    elif isinstance(value, list):
        for part in value:
            _check_texts(part)


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) == len(pairs):
        return built
    counts = Counter(name for name, _ in pairs)
    for name, _ in pairs:
        if counts[name] > 1:
            raise NotJson(f"holds the key {name[:60]!r} twice in one object")
    return built


def _parse_integer(text: str) -> int:
    digits = text.lstrip("-")
    if len(digits) > _LONGEST_INTEGER:
        raise NotJson("holds a number that is too large")
    return int(text)


def _parse_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJson("holds a number that is too large")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise NotJson(f"holds {name}, which JSON does not have")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_build_object,
    parse_int=_parse_integer,
    parse_float=_parse_float,
    parse_constant=_refuse_constant,
)
