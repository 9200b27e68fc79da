"""Secrets: values that are never printed, and masking of secrets in texts.

Every `Secret` of this process is registered. `redact` masks its value in log lines, errors and
recordings: as it is, escaped for URLs, JSON or HTML, and in base64. The patterns are built once per
set of secrets.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from functools import lru_cache
from html import escape

MASK = "***"
_KNOWN: set[str] = set()
_SHORTEST = 8  # shorter values would mask ordinary words; no real credential is shorter

# Query parameters and headers that carry credentials by convention.
PARAMETERS = frozenset(
    "key api_key apikey api-key access_token token auth password secret".split()  # noqa: SIM905
)
HEADERS = frozenset(
    "authorization proxy-authorization cookie set-cookie"  # noqa: SIM905
    " x-subscription-token x-api-key x-goog-api-key".split()
)
_PARAMETER = re.compile(
    r"(?i)([?&](?:" + "|".join(sorted(map(re.escape, PARAMETERS))) + r")=)[^&#\s\"'<>]+"
)
_HEADER = re.compile(
    r"(?i)\b((?:" + "|".join(sorted(map(re.escape, HEADERS))) + r")[\"']?\s*[:=]\s*)[^\r\n]+"
)
_IN_HEADER = ("authorization", "cookie", "-token", "-key")  # each header name has one of them
_USERINFO = re.compile(r"(?i)\b((?:https?|rediss?|unix)://)[^\s/@\"']+@")


class Secret:
    """A value that prints as ***; `reveal()` is the only way to read it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value
        if len(value) >= _SHORTEST:
            _KNOWN.add(value)

    def reveal(self) -> str:
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return MASK

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret cannot be pickled")


class Masker:
    """Masks secrets in bytes and texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        values = sorted(filter(None, secrets), key=len, reverse=True)
        plain: list[bytes] = []
        escaped: list[bytes] = []
        for value in values:
            plain += map(re.escape, _list_plain_forms(_encode(value)))
            escaped.append(b"".join(map(_build_pattern, value)))
        self._plain = re.compile(b"|".join(plain)) if plain else None
        self._escaped = re.compile(b"|".join(escaped))

    def __bool__(self) -> bool:
        return self._plain is not None

    def mask(self, data: bytes) -> bytes:
        """Return the data with every secret masked."""
        if self._plain is None:
            return data
        data = self._plain.sub(MASK.encode(), data)
        if b"%" in data or b"\\" in data or b"&" in data:
            data = self._escaped.sub(MASK.encode(), data)
        return data

    def mask_text(self, text: str) -> str:
        """Return the text with every secret masked; the same object if there is none."""
        data = _encode(text)
        masked = self.mask(data)
        return text if masked == data else masked.decode("utf-8", "surrogatepass")


def _list_plain_forms(value: bytes) -> list[bytes]:
    """Return a secret as it is and in base64, without the characters that its neighbours change."""
    forms = [value, value.replace(b" ", b"+")]
    for offset in range(3 if len(value) >= _SHORTEST else 0):
        first = -(-offset * 8 // 6)
        last = (offset + len(value)) * 8 // 6
        digits = b64encode(bytes(offset) + value)[first:last]
        forms += [digits, digits.replace(b"+", b"-").replace(b"/", b"_")]
    return forms


def _build_pattern(sign: str) -> bytes:
    """Return a pattern of one character as it is, or escaped for URLs, JSON or HTML."""
    code = ord(sign)
    data = _encode(sign)
    percent = b"".join(b"%%%02x" % byte for byte in data)
    forms = [re.escape(data), re.escape(_encode(escape(sign))), b"(?i:%b)" % percent]
    forms += [rb"(?i:\\u%04x)" % code, b"&#0{0,3}%d;" % code, b"(?i:&#x0{0,3}%x;)" % code]
    if sign in "/\"'\\":
        forms.append(rb"\\" + re.escape(data))
    if sign == " ":
        forms.append(rb"\+")
    return b"(?:%b)" % b"|".join(forms)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def get_masker() -> Masker:
    """Return a masker of the secrets that this process knows."""
    return _build_masker(frozenset(_KNOWN))


_build_masker = lru_cache(maxsize=4)(Masker)


def redact(text: str) -> str:
    """Mask every registered secret, and what looks like a secret, in a text."""
    text = get_masker().mask_text(text)
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{MASK}", text)
    lowered = text.lower()
    if not text.isascii() or any(part in lowered for part in _IN_HEADER):
        text = _HEADER.sub(rf"\1{MASK}", text)
    if "@" in text:
        text = _USERINFO.sub(rf"\1{MASK}@", text)
    return text
