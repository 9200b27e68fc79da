"""Secrets: values that are never printed. Every `Secret` of this process is registered; `redact`
masks its value in texts: literal, escaped for URLs, JSON or HTML, and in base64."""

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
    {"key", "api_key", "apikey", "api-key", "access_token", "token", "auth", "password", "secret"}
)
HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-subscription-token",
     "x-api-key", "x-goog-api-key"}
)  # fmt: skip
_PARAMETER = re.compile(rf"(?i)([?&](?:{'|'.join(PARAMETERS)})=)[^&#\s\"'<>]+")
_HEADER = re.compile(rf"(?i)\b((?:{'|'.join(HEADERS)})[\"']?\s*[:=]\s*)[^\r\n]+")
_USERINFO = re.compile(r"(?i)\b((?:https?|rediss?|unix)://)[^\s/@\"']+@")


class Secret:
    """A value that prints as ***; `reveal()` is the only way to read it."""

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

    def __repr__(self, spec: str = "") -> str:
        return MASK

    __format__ = __repr__

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a secret cannot be pickled")


class Masker:
    """Masks secrets in bytes and texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        values = self._values = sorted(filter(None, secrets), key=len, reverse=True)
        plain = [re.escape(form) for value in values for form in _list_forms(_encode(value))]
        escaped = [b"".join(map(_build_pattern, value)) for value in values]
        self._plain = re.compile(b"|".join(plain) or b"(?!)")
        self._escaped = re.compile(b"|".join(escaped) or b"(?!)")

    def __bool__(self) -> bool:
        return bool(self._values)

    def mask(self, data: bytes) -> bytes:
        """Return the data with every secret masked."""
        data = self._plain.sub(MASK.encode(), data)
        has_escapes = b"%" in data or b"\\" in data or b"&" in data
        return self._escaped.sub(MASK.encode(), data) if has_escapes else data

    def mask_text(self, text: str) -> str:
        """Return the text with every secret masked; the same object if there is none."""
        if not self._values:
            return text
        data = _encode(text)
        masked = self.mask(data)
        return text if masked == data else masked.decode("utf-8", "surrogatepass")


def _list_forms(value: bytes) -> list[bytes]:
    """Return a secret literally and in base64, without the characters that depend on neighbours."""
    forms = [value, value.replace(b" ", b"+")]
    for offset in range(3 if len(value) >= _SHORTEST else 0):
        digits = b64encode(bytes(offset) + value)
        digits = digits[-(-offset * 8 // 6) : (offset + len(value)) * 8 // 6]
        forms += [digits, digits.replace(b"+", b"-").replace(b"/", b"_")]
    return forms


def _build_pattern(sign: str) -> bytes:
    """Return a pattern of one character, literally or escaped for URLs, JSON or HTML."""
    code, data = ord(sign), _encode(sign)
    percent = b"".join(b"%%%02x" % byte for byte in data)
    forms = [re.escape(data), re.escape(_encode(escape(sign))), b"(?i:%b)" % percent]
    forms += [rb"(?i:\\u%04x)" % code, b"&#0{0,3}%d;" % code, b"(?i:&#x0{0,3}%x;)" % code]
    if sign in "/\"'\\":
        forms.append(rb"\\" + re.escape(data))
    return b"(?:%b)" % b"|".join([*forms, rb"\+"] if sign == " " else forms)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_build_masker = lru_cache(maxsize=4)(Masker)


def get_masker() -> Masker:
    """Return a masker of the secrets that this process knows."""
    return _build_masker(frozenset(_KNOWN))


def redact(text: str) -> str:
    """Mask every registered secret, and what looks like a secret, in a text."""
    text = get_masker().mask_text(text)
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{MASK}", text)
    if "=" in text or ":" in text:
        text = _HEADER.sub(rf"\1{MASK}", text)
    if "@" in text:
        text = _USERINFO.sub(rf"\1{MASK}@", text)
    return text
