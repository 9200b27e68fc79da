"""A feed of any format. Texts are as they were sent; dates are ISO 8601 where possible."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime

from webquarry._read.models import Dated

LONGEST_NAME = 500  # characters
_LONGEST_DATE = 60
_ISO = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?\s?"
    r"(?:Z|z|[+-]\d\d:?\d\d)?)?)?)?"
)


@dataclass(frozen=True)
class FeedText:
    """A text of a feed, plain or HTML."""

    value: str = ""
    is_html: bool = False


@dataclass(frozen=True)
class FeedEntry:
    title: FeedText = field(default_factory=FeedText)
    link: str = ""
    date: str = ""
    author: str = ""
    content: FeedText = field(default_factory=FeedText)
    enclosures: tuple[str, ...] = ()  # URLs of attached files


@dataclass(frozen=True)
class Feed:
    title: FeedText = field(default_factory=FeedText)
    description: FeedText = field(default_factory=FeedText)
    link: str = ""
    author: str = ""
    published: Dated | None = None
    modified: Dated | None = None
    entries: tuple[FeedEntry, ...] = ()


def iso_date(text: str) -> str:
    """Return a date of a feed in ISO form, as exact as it was given; empty if it is not valid."""
    text = " ".join(text[:100].split())
    try:
        if _ISO.fullmatch(text):
            datetime.strptime((text + "-01-01"[len(text) - 4 :])[:10], "%Y-%m-%d")
            return text.replace(" ", "T", 1).replace(" ", "").replace("z", "Z")
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return date.isoformat().replace("+00:00", "Z") if date.year >= 1900 else ""


def normalise_date(text: str) -> str:
    """Return a date in ISO form; shortened as it was sent if it is not valid."""
    return iso_date(text) or text[:_LONGEST_DATE]
