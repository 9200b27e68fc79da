"""Parsing of JSON that other programs print."""

from __future__ import annotations

from typing import Any

import msgspec

MAX_DEPTH = 64


class NotJson(ValueError):
    """The data is not one JSON value. The message continues the words "its output"."""


def parse_json(data: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Return the JSON value in UTF-8 `data`. Raises NotJson."""
    if not data.strip():
        raise NotJson("is empty")
    try:
        value = msgspec.json.decode(data)
    except UnicodeDecodeError:
        raise NotJson("is not UTF-8") from None
    except RecursionError:
        raise NotJson(f"is nested deeper than {max_depth} levels") from None
    except msgspec.MsgspecError as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        raise NotJson(f"is not JSON: {reason}") from None
    if _is_deeper(value, max_depth):
        raise NotJson(f"is nested deeper than {max_depth} levels")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested deeper than `levels`."""
    if isinstance(value, dict):
        parts = list(value.values())
    elif isinstance(value, list):
        parts = value
    else:
        return False
    return levels == 0 or any(_is_deeper(part, levels - 1) for part in parts)
