"""What is found in a draft."""

from __future__ import annotations

from dataclasses import dataclass

from webquarry.verify.quotes.numbers import NumberMention


@dataclass(frozen=True)
class DraftQuote:
    """A quotation, and the address that stands with it."""

    text: str
    line: int
    source: str | None = None


@dataclass(frozen=True)
class DraftNumber:
    """A number in a sentence that cites a source."""

    mention: NumberMention
    line: int
    source: str


@dataclass(frozen=True)
class DraftReference:
    """A reference: an entry of a list or a note, or a whole file of them."""

    text: str
    line: int


@dataclass(frozen=True)
class DraftClaims:
    """What a draft says that can be compared with something."""

    quotes: tuple[DraftQuote, ...] = ()
    numbers: tuple[DraftNumber, ...] = ()
    references: tuple[DraftReference, ...] = ()
    short_quotes: int = 0  # words in quotation marks that are too few to be looked for
