"""Search over the pages that were read, and the data that goes in and out of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KeptPage:
    """A page as it was read, or one passage of it."""

    url: str
    title: str
    text: bytes  # Markdown in UTF-8
    fetched_at: float  # seconds since 1970
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
