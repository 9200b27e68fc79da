"""Parsing of JSON that other programs print, stricter than the standard library."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

MAX_DEPTH = 64


class NotJson(ValueError):
    """The data is not one JSON value. The message continues the words "its output"."""


def parse_json(data: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Return the JSON value in UTF-8 `data`. Raises NotJson, also for repeated keys, NaN, numbers
    beyond a double, unpaired surrogates and nesting deeper than `max_depth`.
    """
    if not data.strip():
        raise NotJson("is empty")
    try:
        value = _DECODER.decode(data.decode("utf-8"))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeDecodeError as error:
        raise NotJson(f"is not UTF-8 (byte {error.start})") from None
    except UnicodeEncodeError:
        raise NotJson("holds half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"is not JSON: {error.msg} at {place}") from None
    except RecursionError:
        raise NotJson(f"is nested deeper than {max_depth} levels") from None
    except NotJson:
        raise
    except ValueError:
        raise NotJson("holds a number that is too large") from None
    if _is_deeper(value, max_depth):
        raise NotJson(f"is nested deeper than {max_depth} levels")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested deeper than `levels`."""
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in parts)


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise NotJson(f"holds the key {name[:60]!r} twice in one object")
    return built


def _refuse_constant(name: str) -> NoReturn:
    raise NotJson(f"holds {name}, which JSON does not have")


_DECODER = json.JSONDecoder(object_pairs_hook=_build_object, parse_constant=_refuse_constant)
