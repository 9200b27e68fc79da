"""Texts and limits in UTF-8 bytes -> the texts that fit, shared fairly; and all of them as one text
within a limit. (Passages that bear on a question share it by worth: `passages.py`.)

Nobody is lost to a long neighbour: the limit fills up like water over an uneven ground, so that
short texts stay whole and the long ones get equal parts of what is left. Cuts are made between
blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.slices.pieces import cut
from webquarry._read.slices.text import WrittenText
from webquarry._search.text import shorten_text

_LONGEST_TITLE = 200  # characters of a heading
_LINE_FEEDS = 2  # behind each text


@dataclass(frozen=True)
class SharedText:
    """A text with what stands above it when it is shown among others."""

    title: str
    url: str
    text: WrittenText


@dataclass(frozen=True)
class Share:
    """What is given of a text."""

    content: str
    truncated: bool

    @classmethod
    def of(cls, text: WrittenText, limit: int) -> Share:
        """Return at most `limit` bytes of a text, cut between units."""
        data = text.data
        whole = data.rstrip()
        if len(whole) <= limit:
            return cls(whole.decode("utf-8", "replace"), truncated=False)
        end = 0
        if limit > 0:
            end = min(cut(text, 0, limit), limit)
        beginning = data[:end].rstrip()
        return cls(beginning.decode("utf-8", "ignore"), truncated=True)


def fair_shares(lengths: Sequence[int], total: int) -> list[int]:
    """How many bytes each may have, together at most the total: all of it for the short, equal
    parts for the long.
    """
    shares = [0] * len(lengths)
    left = max(0, total)
    shortest_first = sorted(range(len(lengths)), key=lambda at: (lengths[at], at))
    for number, at in enumerate(shortest_first):
        waiting = len(lengths) - number
        equal_part = left // waiting
        shares[at] = min(lengths[at], equal_part)
        left -= shares[at]
    return shares


def share_out(texts: Sequence[SharedText], most_each: int, total: int) -> tuple[list[Share], str]:
    """Each text as far as it may go, and all of them as one text that is no longer than the
    total.
    """
    headings = write_headings(texts, total)
    lengths = []
    for text in texts:
        text_length = len(text.text.data.rstrip())
        lengths.append(min(text_length, most_each))
    limits = fair_shares(lengths, room_below(headings, total))
    shares = []
    for text, limit in zip(texts, limits, strict=True):
        shares.append(Share.of(text.text, limit))
    return shares, join_shares(headings, shares)


def write_headings(texts: Sequence[SharedText], total: int) -> list[str]:
    """Title and address above each text; only numbers where those would take more than half of the
    total, and nothing where those would.
    """
    named = []
    numbered = []
    for number, text in enumerate(texts, 1):
        title = shorten_text(text.title, _LONGEST_TITLE) or text.url
        named.append(f"# {title}\n\n{text.url}\n\n")
        numbered.append(f"# {number}\n\n")
    for headings in (named, numbered):
        if 2 * (total - room_below(headings, total)) <= total:
            return headings
    return [""] * len(texts)


def room_below(headings: Sequence[str], total: int) -> int:
    """How many bytes are left for the texts below their headings."""
    taken = sum(len(heading.encode()) + _LINE_FEEDS for heading in headings)
    return total - taken


def join_shares(headings: Sequence[str], shares: Sequence[Share]) -> str:
    """All texts as one, each below its heading."""
    pieces = []
    for heading, share in zip(headings, shares, strict=True):
        if heading or share.content:
            pieces.append(f"{heading}{share.content}\n")
    return "\n".join(pieces)
