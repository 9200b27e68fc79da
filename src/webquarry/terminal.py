"""Text and JSON that are safe to print on a terminal.

Text from the web is untrusted: it must not move the cursor, set the title or colour the screen.
Control characters are removed from text and escaped in JSON.
"""

from __future__ import annotations

import json
import re
import sys
from io import TextIOWrapper
from typing import Any
from urllib.parse import quote

# Whole escape sequences: CSI ... final byte; OSC, DCS, SOS, PM, APC ... terminator; any other
# two-character one.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# Control characters except tab and newline, and those that reorder text.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAK = re.compile("\r\n|\u2028|\u2029|\x85")
_LINK_CHARACTERS = "%/:?#[]@!$&'()*+,;=~-._"
# Allowed in JSON strings, but not on a terminal or in UTF-8.
_JSON_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Remove escape sequences and control characters."""
    text = _BREAK.sub("\n", text)
    text = _SEQUENCE.sub("", text)
    return _CONTROL.sub("", text)


def one_line(text: str) -> str:
    """Make the text one printable line."""
    return " ".join(printable(text).split())


def link_target(url: str) -> str | None:
    """Escape the target of a link; return None if it is not a web address."""
    if not url.lower().startswith(("http://", "https://")):
        return None
    return quote(url, safe=_LINK_CHARACTERS)


def as_json(value: Any) -> str:
    """Serialize to indented JSON without control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _JSON_ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def use_utf8_streams() -> None:
    """Use UTF-8 for stdin, stdout and stderr in every locale."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def count_noun(number: int, noun: str, plural: str = "") -> str:
    """`1 step`, `2 steps`, `1,200 searches`."""
    if number != 1:
        noun = plural or f"{noun}s"
    return f"{number:,} {noun}"
