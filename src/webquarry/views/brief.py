"""What a view shows -> the part of it that fits in one answer: the sources that were used most,
the words around the quotes, the dearest lines of the bill. It keeps the shape, so that whoever
draws the whole can draw this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webquarry.views.describe import STAGES

_MOST_SOURCES = 12
_MOST_QUOTES = 20  # of a page
_MOST_QUOTES_OF_SOURCE = 3
_MOST_LINES = 8
_AROUND = 240  # characters at each side of a quote
_BEGINNING = 600  # characters of a text without quotes
_GAP = " … "
_SOURCE_FIELDS = (
    "number", "stage", "title", "url", "host", "type", "published", "reputation", "session",
)  # fmt: skip
_QUOTE_FIELDS = ("quote", "tier", "found", "id", "url")

Fields = dict[str, Any]


def shorten_session(session: Fields) -> Fields:
    """A session without its steps, with how many there are, and the sources used most."""
    sources = session["sources"]
    used_most = sorted(sources, key=lambda source: -STAGES.index(source["stage"]))
    counts: dict[str, int] = dict.fromkeys(STAGES, 0)
    for source in sources:
        counts[source["stage"]] += 1
    kept = ("id", "status", "goal", "summary", "beganAt", "touchedAt", "calls", "kept", "usd")
    return {
        **{name: session[name] for name in kept},
        **counts,
        "steps": len(session["steps"]),
        "sources": [_shorten_source(source) for source in used_most[:_MOST_SOURCES]],
        "sourcesOmitted": max(0, len(sources) - _MOST_SOURCES),
    }


def _shorten_source(source: Fields) -> Fields:
    kept = {name: source[name] for name in _SOURCE_FIELDS if source.get(name) is not None}
    quotes = source["quotes"][:_MOST_QUOTES_OF_SOURCE]
    kept["quotes"] = [{name: quote[name] for name in _QUOTE_FIELDS} for quote in quotes]
    return kept


def shorten_page(page: Fields) -> Fields:
    """A page with its first quotes and what stands around them; where it has none, with how it
    begins.
    """
    quotes = page["quotes"][:_MOST_QUOTES]
    return {
        **page,
        "quotes": quotes,
        "quotesOmitted": len(page["quotes"]) - len(quotes),
        "pieces": cut_excerpts(page["pieces"], len(quotes)),
        "excerpt": True,
    }


def cut_excerpts(pieces: Sequence[Fields], quotes: int) -> list[Fields]:
    """The pieces in which the first so many quotes stand, and what is next to them; the beginning
    of the text where there is no quote.
    """
    marked = [_keep_marks(piece, quotes) for piece in pieces]
    if not any("marks" in piece for piece in marked):
        beginning = "".join(piece.get("text", "") for piece in marked)[: _BEGINNING + 1]
        text = beginning[:_BEGINNING] + _GAP.rstrip() * (len(beginning) > _BEGINNING)
        return [{"text": text}] if text else []
    excerpts: list[Fields] = []
    for place, piece in enumerate(marked):
        if "marks" in piece:
            excerpts.append(piece)
            continue
        is_behind = place > 0 and "marks" in marked[place - 1]
        following = marked[place + 1 : place + 2]
        is_before = any("marks" in piece for piece in following)
        text = _cut_middle(piece.get("text", ""), is_behind=is_behind, is_before=is_before)
        if text:
            excerpts.append({**piece, "text": text})
    return excerpts


def _keep_marks(piece: Fields, quotes: int) -> Fields:
    """The piece with the marks of the first so many quotes."""
    marks = [number for number in piece.get("marks", ()) if number < quotes]
    bare = {name: value for name, value in piece.items() if name != "marks"}
    return {**bare, "marks": marks} if marks else bare


def _cut_middle(text: str, *, is_behind: bool, is_before: bool) -> str:
    """What of a text stands behind one quote and before another."""
    if len(text) <= 2 * _AROUND and is_behind and is_before:
        return text
    beginning = text[:_AROUND] if is_behind else ""
    end = text[-_AROUND:] if is_before else ""
    if len(text) <= _AROUND:
        return beginning or end
    if is_behind or is_before:
        return beginning + _GAP + end
    return ""


def shorten_bill(bill: Fields) -> Fields:
    """The bill with the days on which something was asked, and the first lines of each kind."""
    short = {**bill, "days": [day for day in bill["days"] if day["calls"]]}
    for kind in ("tool", "provider", "model"):
        short[kind] = bill[kind][:_MOST_LINES]
    return short
