"""Texts and limits in UTF-8 bytes -> the texts that fit, shared fairly; and all of them as one text
within a limit.

Nobody is lost to a long neighbour: the limit fills up like water over an uneven ground, so that
short texts stay whole and the long ones get equal parts of what is left. Cuts are made between
blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry.read.slices.pieces import block_starts, cut
from webquarry.search.replies.text import shorten_text

_LONGEST_TITLE = 200  # characters of a heading


@dataclass(frozen=True)
class Text:
    """A text with what stands above it when it is shown among others."""

    title: str
    url: str
    data: bytes


@dataclass(frozen=True)
class Share:
    """What is given of a text."""

    content: str
    truncated: bool


def fair_shares(lengths: Sequence[int], total: int) -> list[int]:
    """How many bytes each may have, together at most the total: all of it for the short, equal
    parts for the long.
    """
    shares = [0] * len(lengths)
    left = max(0, total)
    waiting = sorted(range(len(lengths)), key=lambda at: (lengths[at], at))
    for number, at in enumerate(waiting):
        shares[at] = min(lengths[at], left // (len(waiting) - number))
        left -= shares[at]
    return shares


def enough_of(data: bytes, most: int) -> bytes:
    """The beginning of a text that is cut at `most` bytes or before as the whole text is: where the
    block at the cut ends matters only if it is no longer than that.
    """
    beginning = data[: 2 * most + 1]
    if len(beginning.rstrip()) > most:
        return beginning
    return data


def share_out(texts: Sequence[Text], most_each: int, total: int) -> tuple[list[Share], str]:
    """Each text as far as it may go, and all of them as one text that is no longer than the total."""
    headings = _headings(texts, total)
    room = (
        total - sum(len(heading.encode()) for heading in headings) - 2 * len(texts)
    )  # line feeds behind each
    lengths = [min(len(text.data.rstrip()), most_each) for text in texts]
    shares = [
        _cut(text.data, limit)
        for text, limit in zip(texts, fair_shares(lengths, room), strict=True)
    ]
    pieces = [
        f"{heading}{share.content}\n" for heading, share in zip(headings, shares, strict=True)
    ]
    return shares, "\n".join(pieces)


def _headings(texts: Sequence[Text], total: int) -> list[str]:
    """Title and address above each; only numbers where those would take more than half of the room."""
    whole = [
        f"# {shorten_text(text.title, _LONGEST_TITLE) or text.url}\n\n{text.url}\n\n"
        for text in texts
    ]
    if 2 * sum(len(heading.encode()) for heading in whole) <= total:
        return whole
    return [f"# {number}\n\n" for number in range(1, len(texts) + 1)]


def _cut(data: bytes, limit: int) -> Share:
    whole = data.rstrip()
    if len(whole) <= limit:
        return Share(whole.decode("utf-8", "replace"), False)
    end = 0
    if limit > 0:
        end = cut(data, 0, limit, block_starts(data))
    return Share(data[: min(end, limit)].rstrip().decode("utf-8", "ignore"), True)
