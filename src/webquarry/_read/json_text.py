"""A value -> its JSON as bytes of UTF-8, as it is kept and goes between processes: in one line,
with letters beyond ASCII as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from json import encoder
from typing import Any

# What it is given holds itself nowhere, which need not be looked for.
_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False)


def _find_writer() -> Callable[[Any, int], Iterable[str]]:
    """What the encoder has a value written by. It makes a new one for each value, which takes
    longer than to write a short value; one that looks for no circles can be used again.
    """
    make_writer: Any = getattr(encoder, "c_make_encoder", None)
    try:
        writer: Callable[[Any, int], Iterable[str]] = make_writer(
            None,
            _ENCODER.default,
            encoder.encode_basestring,
            None,
            _ENCODER.key_separator,
            _ENCODER.item_separator,
            _ENCODER.sort_keys,
            _ENCODER.skipkeys,
            _ENCODER.allow_nan,
        )
    except TypeError:  # the standard library is not compiled, or it is made otherwise
        return lambda value, _: _ENCODER.iterencode(value)
    return writer


_write = _find_writer()


def write_json(value: Any) -> bytes:
    """The JSON of a value; half a character, which no encoding takes, becomes a question mark."""
    return "".join(_write(value, 0)).encode("utf-8", "replace")
