"""A secret -> patterns for the ways in which a server may write it back to us.

Each sign that is no letter or digit may stand as itself or as any of the escapes that URLs, JSON
and HTML have for it, escaped again as often as texts are put into texts; some may be escaped and
others not. A login in base64 has the secret at any place of a longer text. What one sign may take
is bounded, so that looking for it takes time that grows with the text and no faster.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

LONGEST_SIGN = 300  # bytes that one sign of a secret may take
_BASE64_SHIFTS = 3  # a text may begin at any of the bytes that four signs stand for
_SHORTEST = 8  # signs; fewer would mask ordinary words
_NAMED = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_AGAIN = rb"(?:25){0,4}"
_BACKSLASHES = rb"(?:\\|%" + _AGAIN + rb"5[cC]){1,16}"
_AMPERSAND = rb"(?:&|%" + _AGAIN + rb"26)(?:amp(?:;|%" + _AGAIN + rb"3[bB])){0,4}"
_HASH = rb"(?:#|%" + _AGAIN + rb"23)"
_SEMICOLON = rb"(?:;|%" + _AGAIN + rb"3[bB])"


def list_patterns(value: str) -> list[re.Pattern[bytes]]:
    """Regular expressions that find a secret in bytes. Most begin with letters, which are searched
    for fast.
    """
    texts = dict.fromkeys([value, *_list_base64(value)])
    return [re.compile(_spell(text)) for text in texts if len(text) >= _SHORTEST or text == value]


def _spell(text: str) -> bytes:
    return b"".join(_spell_sign(sign) for sign in text)


def _spell_sign(sign: str) -> bytes:
    """A pattern for one sign, however it is escaped."""
    itself = re.escape(sign.encode())
    if sign.isascii() and sign.isalnum():
        return itself
    number = ord(sign)
    percent = b"".join(b"%" + _AGAIN + _any_case(b"%02X" % byte) for byte in sign.encode())
    spellings = [itself, percent]
    if number < 0x10000:
        spellings.append(_BACKSLASHES + b"u" + _any_case(b"%04X" % number))
    if sign in "/\\\"'":
        spellings.append(_BACKSLASHES + itself)
        spellings.append(_BACKSLASHES + percent)
    if sign == " ":
        spellings.append(rb"\+")
    spellings.append(_AMPERSAND + _HASH + rb"0{0,4}%d" % number + _SEMICOLON)
    hexadecimal = rb"[xX]0{0,4}" + _any_case(b"%X" % number)
    spellings.append(_AMPERSAND + _HASH + hexadecimal + _SEMICOLON)
    name = _NAMED.get(sign)
    if name:
        spellings.append(_AMPERSAND + name.encode() + _SEMICOLON)
    return b"(?:" + b"|".join(spellings) + b")"


def _any_case(digits: bytes) -> bytes:
    """Hexadecimal digits in capitals or not."""
    text = digits.decode("ascii")
    either = [f"[{digit}{digit.lower()}]" if digit.isalpha() else digit for digit in text]
    return "".join(either).encode()


def _list_base64(value: str) -> Iterator[str]:
    """The signs that are the same whatever stands before and behind the text, which may be a part
    of a longer one.
    """
    data = value.encode()
    for shift in range(_BASE64_SHIFTS):
        shifted = bytes(shift) + data
        whole = len(shifted) // 3 * 3
        first = (shift * 8 + 5) // 6  # signs that what stands before has a share in
        for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
            yield encode(shifted[:whole]).decode("ascii")[first:]
