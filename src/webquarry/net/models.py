"""What comes back from the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import httpx2


@dataclass(frozen=True)
class Validators:
    """What a server said an earlier answer is known by, to be asked whether it has changed."""

    url: str  # the address that gave that answer
    etag: str = ""
    last_modified: str = ""

    @classmethod
    def of(cls, reply: Reply) -> Validators | None:
        """Those of an answer, if it has any."""
        etag = reply.headers.get("etag", "").strip()
        last_modified = reply.headers.get("last-modified", "").strip()
        if reply.status != 200 or not (etag or last_modified):
            return None
        return cls(reply.url, etag, last_modified)

    def write_headers(self, url: str) -> dict[str, str]:
        """The headers of a request to this address; none for any other than its own."""
        if url != self.url:
            return {}
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True)
class Reply:
    """One answer, after redirects, with its body out of every content encoding."""

    url: str  # the address that answered last
    status: int
    headers: httpx2.Headers
    body: bytes
    fetched_at: datetime
    hops: tuple[str, ...] = field(default=())  # the addresses asked before `url`, in order
    is_cut: bool = False  # only the beginning of the body was wanted, and there is more
    is_moved: bool = False  # every redirect on the way was a lasting one

    @property
    def is_unchanged(self) -> bool:
        """Whether the server says that nothing has changed since the answer that was named."""
        return self.status == 304

    @property
    def content_type(self) -> str:
        """The media type alone, in lower case; empty when the server gave none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()
