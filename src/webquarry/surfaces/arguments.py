"""Bytes from stdin -> the arguments of a tool: one JSON object, strictly read.

What JSON readers usually let pass (a key given twice, NaN) is refused: the caller meant something
by it that would be lost. A byte order mark is let pass: some shells put one there.
"""

from __future__ import annotations

from typing import Any

from webquarry.errors import BadInput
from webquarry.host.strict_json import NotJson, parse_json

MAX_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NAMES = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def parse_arguments(data: bytes, place: str = "on stdin") -> dict[str, Any]:
    """The object that was given at a place; whatever else came in is BadInput with a sentence that
    says what.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(f"The input is larger than {MAX_BYTES} bytes.")
    try:
        value = parse_json(data.removeprefix(_BYTE_ORDER_MARK))
    except NotJson as error:
        raise BadInput(
            f"The input {error}; one JSON object with the arguments was expected {place}."
        ) from None
    if not isinstance(value, dict):
        raise BadInput(
            f"The input is {_NAMES[type(value)]}; one JSON object with the arguments was "
            f"expected {place}."
        )
    return value
