"""What goes into the library and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KeptPage:
    """A page as it was read."""

    url: str
    title: str
    text: bytes  # Markdown in UTF-8
    fetched_at: float  # seconds since 1970
    published: str | None = None


@dataclass(frozen=True)
class FoundPassage:
    """The passage of a page that answers a question best."""

    url: str
    title: str
    text: str
    fetched_at: float
    published: str | None = None


@dataclass(frozen=True)
class LibraryStats:
    """How much a caller has in the library."""

    pages: int
    text_bytes: int
    file_bytes: int  # of all callers
    oldest: float | None  # when the first and the last page were read
    newest: float | None
    place: str
