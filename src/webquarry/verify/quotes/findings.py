"""What is found out about a quote: which words of which source it was compared with, and how they
agree. Nothing here says whether a statement is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# How a quote stands in its source; `near` and what follows is not accepted as a quote.
Tier = Literal[
    "exact", "typography", "letters", "elided",
    "near", "elsewhere", "absent", "too_short", "unchecked",
]  # fmt: skip
ACCEPTED: tuple[Tier, ...] = ("exact", "typography", "letters", "elided")
ChangeKind = Literal["word", "number", "negation", "order"]


@dataclass(frozen=True)
class QuoteSpan:
    """Characters of the source's text, from 0; `page` where the document has pages."""

    start: int
    end: int
    page: int | None = None


@dataclass(frozen=True)
class WordChange:
    """Words of a quote, and those that stand in their place in the source."""

    kind: ChangeKind
    quote: str
    source: str


@dataclass(frozen=True)
class QuoteFinding:
    """A quote, and what it was compared with."""

    quote: str
    tier: Tier
    url: str | None = None  # of the source that has it, or comes nearest
    title: str | None = None
    text_hash: str | None = None  # SHA-256 of the source's text
    read_at: datetime | None = None  # when the source was read
    section: str | None = None
    spans: tuple[QuoteSpan, ...] = ()
    matched: tuple[str, ...] = ()  # the source's words, one text for each span
    occurrences: int = 0  # how often it stands in that source
    left_out: tuple[str, ...] = ()  # what stands in the source where the quote has an ellipsis
    inserted: tuple[str, ...] = ()  # the writer's words in brackets
    changes: tuple[WordChange, ...] = ()  # of a near one
    warnings: tuple[str, ...] = ()
    reason: str | None = None  # why it is not found, or could not be looked for

    @property
    def is_accepted(self) -> bool:
        """Whether the words of the quote stand in the source that it was said to come from."""
        return self.tier in ACCEPTED
