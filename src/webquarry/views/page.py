"""The stored text of a page in pieces, with the quotes that were compared with it marked.

Offsets of quotes count characters, unlike those of a browser, so the text is cut here. A quote is
marked at its own spans if the text is the one it was compared with; if the page was read again
since, at the same words in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from webquarry._read.plain.words import PageWords, Range
from webquarry._read.text.characters import INVISIBLE
from webquarry._search.identity import identity
from webquarry.errors import BadInput, WebquarryError
from webquarry.pages.clean import clean_line
from webquarry.secret import redact
from webquarry.sessions.models import KeptQuote
from webquarry.sessions.views import format_time
from webquarry.views.describe import describe_page, identify_quote, read_sessions

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

_MOST_QUOTES = 500  # that are marked in one text


@dataclass(frozen=True)
class PlacedQuote:
    """A quote and its place in a text. `state`: `here` (the text it was compared with), `moved`
    (another text with the same words) or `gone` (a text without them).
    """

    quote: KeptQuote
    spans: tuple[Range, ...]
    state: str

    def as_dict(self) -> dict[str, Any]:
        """The quote as JSON."""
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


async def show_page(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the stored text of a page with its quotes; it is fetched only with `read`."""
    url = parameters.get("url", "").strip()
    if not url:
        raise BadInput("No address was given.", suggested_action="Open a page from Sources.")
    quotes = await _list_quotes(kit, url, parameters.get("session"))
    passage = parameters.get("find", "")
    if passage:
        quotes.append(KeptQuote(passage, "passage", url, matched=(passage,)))
    answer = {**describe_page(url, ""), "kept": False, "quotes": [], "pieces": []}
    words = None
    for address in dict.fromkeys([*(quote.url for quote in quotes), url]):
        words = words or await kit.pages.find_kept_words(address)
    if words is None and parameters.get("read"):
        try:
            words = await kit.pages.get_words(quotes[0].url if quotes else url)
        except WebquarryError as error:
            if not quotes:
                raise
            answer["problem"] = redact(error.sentence)
    if words is None:
        answer["quotes"] = [PlacedQuote(quote, (), "gone").as_dict() for quote in quotes]
        return answer
    placed = place_quotes(words.words, quotes)
    return {
        **answer,
        "kept": True,
        "title": clean_line(words.title),
        "readAt": format_time(words.fetched_at),
        "textHash": words.words.digest,
        "characters": len(words.words.text),
        "quotes": [one.as_dict() for one in placed],
        "pieces": cut_text(words.words, placed),
    }


async def _list_quotes(kit: Toolkit, url: str, id: str | None) -> list[KeptQuote]:
    """Return the quotes that were compared with a page, in one session or in all."""
    sessions = [await kit.sessions.read(id)] if id else await read_sessions(kit)
    page = identity(url)
    quotes: dict[tuple[str, str], KeptQuote] = {}
    for session in sessions:
        for source in session.sources:
            if identity(source.source.url) == page:
                quotes |= {(quote.text, quote.text_hash): quote for quote in source.quotes}
    return list(quotes.values())


def place_quotes(words: PageWords, quotes: Iterable[KeptQuote]) -> list[PlacedQuote]:
    """Find each quote in a text; the first place first."""
    placed = []
    for quote in list(quotes)[:_MOST_QUOTES]:
        if quote.text_hash == words.digest and quote.spans:
            placed.append(PlacedQuote(quote, quote.spans, "here"))
        else:
            spans = _find_in_order(words.text, quote.matched)
            placed.append(PlacedQuote(quote, spans, "moved" if spans else "gone"))
    return sorted(placed, key=lambda one: (not one.spans, one.spans))


def _find_in_order(text: str, parts: Sequence[str]) -> tuple[Range, ...]:
    """Find the parts one after the other; return nothing if one is missing."""
    spans: list[Range] = []
    place = 0
    for part in parts:
        start = text.find(part, place) if part else -1
        if start < 0:
            return ()
        place = start + len(part)
        spans.append((start, place))
    return tuple(spans)


def cut_text(words: PageWords, placed: Sequence[PlacedQuote]) -> list[dict[str, Any]]:
    """Cut the text into pieces: `marks` are numbers of quotes, `level` is that of a heading.

    Text that a person does not see on the page is replaced by its length.
    """
    ranges = [("marks", number, *span) for number, one in enumerate(placed) for span in one.spans]
    ranges += [("hidden", 0, start, end) for start, end in words.hidden]
    for section in words.sections:
        end = words.text.find("\n", section.start)
        end = end if end >= 0 else len(words.text)
        ranges.append(("level", section.level, section.start, end))
    starting: dict[int, list[tuple[str, int, int]]] = {}
    places = {0, len(words.text)}
    for kind, number, start, end in ranges:
        if 0 <= start < end <= len(words.text):
            starting.setdefault(start, []).append((kind, number, end))
            places |= {start, end}

    pieces: list[dict[str, Any]] = []
    open_now: list[tuple[str, int, int]] = []
    ordered = sorted(places)
    for place, following in pairwise(ordered):
        open_now = [one for one in open_now if one[2] > place] + starting.get(place, [])
        numbers = {
            name: sorted({number for kind, number, _ in open_now if kind == name})
            for name in ("hidden", "marks", "level")
        }
        if numbers["hidden"]:
            pieces.append({"hidden": following - place})
            continue
        piece: dict[str, Any] = {"text": INVISIBLE.sub("", words.text[place:following])}
        if numbers["marks"]:
            piece["marks"] = numbers["marks"]
        if numbers["level"]:
            piece["level"] = numbers["level"][0]
        pieces.append(piece)
    return pieces
