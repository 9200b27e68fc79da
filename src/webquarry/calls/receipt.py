"""A call of a tool -> its receipt: an id that follows from the tool, the arguments and the answer.

The same call with the same answer has the same receipt, whenever and wherever it is made, so that
a replay stays equal to the byte. Whoever has all three can make it again:

    sha256(tool, newline, arguments as JSON with sorted names, newline, sha256 of the answer)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

RECEIPT_META = "webquarry/receipt"  # what it is called beside an answer
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=str).encode
_PREFIX = "wq-"
_DIGITS = 32  # hexadecimal, of the 64 there are


def digest_text(text: str | bytes) -> str:
    """The hash of an answer as it is written, in hexadecimal digits."""
    if isinstance(text, str):
        text = text.encode("utf-8", "replace")
    return sha256(text).hexdigest()


def make_receipt(tool: str, arguments: Mapping[str, Any], answer_digest: str) -> str:
    """The receipt of a call; `answer_digest` is the hash of what it gave back."""
    words = _encode(arguments)
    digest = sha256(f"{tool}\n{words}\n{answer_digest}".encode("utf-8", "replace"))
    return _PREFIX + digest.hexdigest()[:_DIGITS]
