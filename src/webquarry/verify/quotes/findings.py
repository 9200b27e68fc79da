"""Findings about a quote: the words of the source that it was compared with, and how they agree.

A finding does not say whether a statement is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# How a quote agrees with its source; `near` and later ones are not accepted.
Tier = Literal[
    "exact", "typography", "letters", "elided",
    "near", "elsewhere", "absent", "too_short", "unchecked",
]  # fmt: skip
ACCEPTED: tuple[Tier, ...] = ("exact", "typography", "letters", "elided")
ChangeKind = Literal["word", "number", "negation", "order"]


@dataclass(frozen=True)
class QuoteSpan:
    """A range of characters of the text; `page` if the document has pages."""

    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True)
class WordChange:
    """Words of a quote and the words of the source in their place."""

    kind: ChangeKind
    quote: str
    source: str


@dataclass(frozen=True)
class QuoteFinding:
    """A quote and what it was compared with."""

    quote: str
    tier: Tier
    url: str | None = None  # of the source that has it, or comes nearest
    title: str | None = None
    text_hash: str | None = None  # SHA-256 of the source's text
    read_at: datetime | None = None  # when the source was read
    section: str | None = None
    spans: tuple[QuoteSpan, ...] = ()
    matched: tuple[str, ...] = ()  # the source's words, one text for each span
    occurrences: int = 0  # in that source
    left_out: tuple[str, ...] = ()  # of the source, at ellipses of the quote
    inserted: tuple[str, ...] = ()  # the writer's words in brackets
    changes: tuple[WordChange, ...] = ()  # of a near one
    warnings: tuple[str, ...] = ()
    reason: str | None = None  # why it is not found, or could not be looked for

    @property
    def is_accepted(self) -> bool:
        """Whether the words of the quote are in the expected source."""
        return self.tier in ACCEPTED
