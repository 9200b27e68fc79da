"""Secrets: values that are never printed, and masking of secrets in texts.

Every `Secret` of this process is registered, so that `redact` finds its value in log lines, errors
and recordings.
"""

from __future__ import annotations

import re
from functools import lru_cache

from webquarry.masking.masker import MASK, Masker

__all__ = ["HEADERS", "MASK", "PARAMETERS", "Secret", "get_masker", "redact"]

_KNOWN: set[str] = set()
_SHORTEST = 8  # shorter values would mask ordinary words; no real credential is shorter

# Query parameters and headers that carry credentials by convention.
PARAMETERS = frozenset(
    {"key", "api_key", "apikey", "api-key", "access_token", "token", "auth", "password", "secret"}
)
HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-subscription-token",
        "x-api-key",
        "x-goog-api-key",
    }
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


def get_masker() -> Masker:
    """A masker for the secrets that this process knows now."""
    return _build_masker(frozenset(_KNOWN))


_build_masker = lru_cache(maxsize=4)(Masker)


def redact(text: str) -> str:
    """Mask every registered secret in any encoding, and what looks like a secret, in a text."""
    text = get_masker().mask_text(text)
    if "=" in text:
        text = _PARAMETER.sub(rf"\1{MASK}", text)
    lowered = text.lower()
    if not text.isascii() or any(part in lowered for part in _IN_HEADER):
        text = _HEADER.sub(rf"\1{MASK}", text)
    if "@" in text:
        text = _USERINFO.sub(rf"\1{MASK}@", text)
    return text
