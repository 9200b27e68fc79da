"""A feed in one shape, whatever format it came in. Texts are as they were sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from webquarry._read.models import Dated


@dataclass(frozen=True)
class FeedText:
    """A text of a feed, and whether it is HTML."""

    value: str = ""
    is_html: bool = False


@dataclass(frozen=True)
class FeedEntry:
    title: FeedText = field(default_factory=FeedText)
    link: str = ""
    date: str = ""  # ISO 8601 where it could be told, else as it was sent
    author: str = ""
    content: FeedText = field(default_factory=FeedText)
    enclosures: tuple[str, ...] = ()  # recordings and the like


@dataclass(frozen=True)
class Feed:
    title: FeedText = field(default_factory=FeedText)
    description: FeedText = field(default_factory=FeedText)
    link: str = ""
    author: str = ""
    published: Dated | None = None
    modified: Dated | None = None
    entries: tuple[FeedEntry, ...] = ()
