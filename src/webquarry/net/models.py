"""Replies of the client."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True)
class Validators:
    """Validators of an earlier reply, for a conditional request."""

    url: str  # of the reply
    etag: str = ""
    last_modified: str = ""

    @classmethod
    def of(cls, reply: Reply) -> Validators | None:
        """Return the validators of a reply, or None if it has none."""
        etag = reply.headers.get("etag", "").strip()
        last_modified = reply.headers.get("last-modified", "").strip()
        if reply.status != 200 or not (etag or last_modified):
            return None
        return cls(reply.url, etag, last_modified)

    def write_headers(self, url: str) -> dict[str, str]:
        """Return the headers of a conditional request; none if the URL is not that of the reply."""
        if url != self.url:
            return {}
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True)
class Reply:
    """A response after redirects, with its decompressed body."""

    url: str  # that responded, after redirects
    status: int
    headers: httpx2.Headers
    body: bytes
    fetched_at: datetime
    hops: tuple[str, ...] = ()  # URLs that redirected, in order
    is_cut: bool = False  # truncated on request
    is_moved: bool = False  # there were redirects, and all were permanent

    @property
    def is_unchanged(self) -> bool:
        """Whether the server confirms the reply named in a conditional request."""
        return self.status == 304

    @property
    def content_type(self) -> str:
        """Media type without parameters, in lower case; empty if there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()
