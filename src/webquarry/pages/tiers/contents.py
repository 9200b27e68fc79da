"""Somebody else who has pages that we cannot read, and when they are asked (`exa.py` is one)."""

from __future__ import annotations

from typing import Protocol

from webquarry._read.models import Page
from webquarry.errors import (
    Challenge,
    RateLimited,
    ScriptPage,
    SiteRefused,
    ThinPage,
    TooComplex,
    WebquarryError,
)

# A public page answered with these.
_TOLD = (Challenge, SiteRefused, ScriptPage, ThinPage, TooComplex, RateLimited)


class ContentsService(Protocol):
    """Somebody who has pages that we cannot read."""

    async def find(self, url: str, reason: WebquarryError) -> Page | None:
        """The page at a URL, or None where it has none, or may not be told."""


def may_be_told(error: WebquarryError) -> bool:
    """Whether an error says that a public page answered and cannot be read here."""
    return isinstance(error, _TOLD)
