"""Shares of several texts in a limit of bytes: short texts stay whole, long ones get equal parts of
the rest. Texts are cut between blocks. (Passages for a question are shared in `passages.py`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.slices.pieces import cut
from webquarry._read.slices.text import WrittenText
from webquarry._search.text import shorten_text

_MAX_TITLE = 200  # characters of a heading
_LINE_FEEDS = 2  # after each text


@dataclass(frozen=True)
class SharedText:
    """A text with its title and URL."""

    title: str
    url: str
    text: WrittenText


@dataclass(frozen=True)
class Share:
    """The returned part of a text."""

    content: str
    truncated: bool

    @classmethod
    def of(cls, text: WrittenText, limit: int) -> Share:
        """Return at most `limit` bytes of a text, cut between units."""
        whole = text.data.rstrip()
        if len(whole) <= limit:
            return cls(whole.decode("utf-8", "replace"), truncated=False)
        end = min(cut(text, 0, limit), limit) if limit > 0 else 0
        return cls(text.data[:end].rstrip().decode("utf-8", "ignore"), truncated=True)


def fair_shares(lengths: Sequence[int], total: int) -> list[int]:
    """Return how many bytes each text gets, together at most the total."""
    shares = [0] * len(lengths)
    left = max(0, total)
    shortest_first = sorted(range(len(lengths)), key=lengths.__getitem__)
    for number, place in enumerate(shortest_first):
        shares[place] = min(lengths[place], left // (len(lengths) - number))
        left -= shares[place]
    return shares


def share_out(texts: Sequence[SharedText], most_each: int, total: int) -> tuple[list[Share], str]:
    """Return the share of each text, and all shares as one text within the total."""
    headings = write_headings(texts, total)
    lengths = [min(len(text.text.data.rstrip()), most_each) for text in texts]
    limits = fair_shares(lengths, room_below(headings, total))
    shares = [Share.of(text.text, limit) for text, limit in zip(texts, limits, strict=True)]
    return shares, join_shares(headings, shares)


def write_headings(texts: Sequence[SharedText], total: int) -> list[str]:
    """Return title and URL of each text; only numbers if those need more than half of the total,
    nothing if numbers do.
    """
    titles = [shorten_text(text.title, _MAX_TITLE) or text.url for text in texts]
    named = [f"# {title}\n\n{text.url}\n\n" for title, text in zip(titles, texts, strict=True)]
    numbered = [f"# {number}\n\n" for number in range(1, len(texts) + 1)]
    for headings in (named, numbered):
        if 2 * (total - room_below(headings, total)) <= total:
            return headings
    return [""] * len(texts)


def room_below(headings: Sequence[str], total: int) -> int:
    """Return how many bytes are left for the texts."""
    return total - sum(len(heading.encode()) + _LINE_FEEDS for heading in headings)


def join_shares(headings: Sequence[str], shares: Sequence[Share]) -> str:
    """Return all texts as one, each below its heading."""
    both = zip(headings, shares, strict=True)
    return "\n".join(
        f"{heading}{share.content}\n" for heading, share in both if heading or share.content
    )
