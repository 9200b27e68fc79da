"""What became of a page that was cited, and of the quotes in it. Old evidence is compared with, and
never replaced.
"""

from __future__ import annotations

from typing import Literal

from webquarry.evidence.models import AnswerPart

# Of the page: the server says that it is as it was; its text is; the text is another one and the
# quotes stand in it, or not; nothing was kept to compare it with; it cannot be read any more.
PageState = Literal[
    "same", "same_text", "quote_there", "quote_changed", "quote_gone", "text_changed", "readable",
    "page_gone", "blocked", "unreachable",
]  # fmt: skip
QuoteState = Literal["there", "changed", "gone", "unchecked"]
STATES: tuple[PageState, ...] = (
    "same", "same_text", "quote_there", "quote_changed", "quote_gone", "text_changed", "readable",
    "page_gone", "blocked", "unreachable",
)  # fmt: skip


class ChangedWords(AnswerPart):
    """Words of a quote, and what the page has in their place now."""

    kind: str
    quote: str
    page: str


class QuoteDrift(AnswerPart):
    """A quote, and how it stands in the page now."""

    quote: str
    state: QuoteState
    tier: str | None = None
    now: list[str] | None = None
    changes: list[ChangedWords] | None = None
    in_archive: bool | None = None


class DriftArchiveCopy(AnswerPart):
    """A copy of the page in the Wayback Machine, nearest to when it was read."""

    url: str
    date: str


class PageDrift(AnswerPart):
    """A page that was cited, and what became of it."""

    number: int
    url: str
    title: str
    state: PageState
    moved_to: str | None = None
    reason: str | None = None
    read_at: str | None = None
    checked_at: str
    text_hash: str | None = None
    text_hash_then: str | None = None
    quotes: list[QuoteDrift] | None = None
    archive: DriftArchiveCopy | None = None
