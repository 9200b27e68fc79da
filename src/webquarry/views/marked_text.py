"""The words of a page and the quotes that were compared with it -> the text in pieces, each with
the numbers of the quotes that it belongs to.

Offsets of quotes count characters, and those of a browser count something else, so that the text is
cut here. A quote is marked at its own spans where the text is the one it was compared with; where
the page was read anew since, at the same words if they stand there in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry._read.plain.words import PageWords, Range, hash_text
from webquarry._read.text.characters import INVISIBLE
from webquarry.pages.clean import clean_line
from webquarry.sessions.models import KeptQuote

_Change = tuple[str, int, bool]  # of what kind, which, and whether it begins
_MOST_QUOTES = 500  # that are marked in one text
_HERE, _MOVED, _GONE = "here", "moved", "gone"


@dataclass(frozen=True)
class PlacedQuote:
    """A quote and where it stands in a text: `state` says whether that is the text it was compared
    with (`here`), another one with the same words (`moved`), or one without them (`gone`).
    """

    quote: KeptQuote
    spans: tuple[Range, ...]
    state: str

    def as_dict(self) -> dict[str, Any]:
        """The quote for a program."""
        return {
            "id": identify_quote(self.quote),
            "quote": clean_line(self.quote.text),
            "tier": self.quote.tier,
            "section": clean_line(self.quote.section or "") or None,
            "readAt": self.quote.read_at,
            "checkedAt": self.quote.checked_at,
            "reason": clean_line(self.quote.reason or "") or None,
            "textHash": self.quote.text_hash or None,
            "spans": self.spans,
            "state": self.state,
            "matched": [clean_line(words) for words in self.quote.matched],
        }


def identify_quote(quote: KeptQuote) -> str:
    """A short name for a quote of a text: the same wherever it is shown."""
    return hash_text(f"{quote.text}\0{quote.text_hash}")[:12]


def place_quotes(words: PageWords, quotes: Iterable[KeptQuote]) -> list[PlacedQuote]:
    """Where each quote stands in a text, the first place first."""
    digest = words.digest
    placed = []
    for quote in quotes:
        if quote.text_hash == digest and quote.spans:
            placed.append(PlacedQuote(quote, quote.spans, _HERE))
            continue
        spans = _find_in_order(words.text, quote.matched)
        placed.append(PlacedQuote(quote, spans, _MOVED if spans else _GONE))
        if len(placed) == _MOST_QUOTES:
            break
    return sorted(placed, key=lambda one: (not one.spans, one.spans))


def cut_text(words: PageWords, placed: Sequence[PlacedQuote]) -> list[dict[str, Any]]:
    """The text in pieces: `marks` are numbers of quotes, `level` is that of a heading; what a
    person does not see on the page is left out, and a piece says how much that is.
    """
    changes: dict[int, list[_Change]] = {0: [], len(words.text): []}

    def add(kind: str, number: int, start: int, end: int) -> None:
        if 0 <= start < end <= len(words.text):
            changes.setdefault(start, []).append((kind, number, True))
            changes.setdefault(end, []).append((kind, number, False))

    for number, one in enumerate(placed):
        for start, end in one.spans:
            add("mark", number, start, end)
    for start, end in words.hidden:
        add("hidden", 0, start, end)
    for section in words.sections:
        end = words.text.find("\n", section.start)
        add("level", section.level, section.start, end if end >= 0 else len(words.text))

    pieces: list[dict[str, Any]] = []
    open_now: dict[tuple[str, int], int] = {}
    places = sorted(changes)
    for place, following in zip(places, [*places[1:], len(words.text)], strict=True):
        for kind, number, begins in changes[place]:
            count = open_now.pop((kind, number), 0) + (1 if begins else -1)
            if count > 0:
                open_now[kind, number] = count
        if place < following:
            pieces.append(_describe_piece(words.text[place:following], open_now))
    return pieces


def _describe_piece(text: str, open_now: dict[tuple[str, int], int]) -> dict[str, Any]:
    if ("hidden", 0) in open_now:
        return {"hidden": len(text)}
    piece: dict[str, Any] = {"text": INVISIBLE.sub("", text)}
    marks = sorted(number for kind, number in open_now if kind == "mark")
    levels = [number for kind, number in open_now if kind == "level"]
    if marks:
        piece["marks"] = marks
    if levels:
        piece["level"] = levels[0]
    return piece


def _find_in_order(text: str, parts: Sequence[str]) -> tuple[Range, ...]:
    """Where these words stand, one behind the other; nothing where one of them does not."""
    spans: list[Range] = []
    place = 0
    for part in parts:
        start = text.find(part, place) if part else -1
        if start < 0:
            return ()
        place = start + len(part)
        spans.append((start, place))
    return tuple(spans)
