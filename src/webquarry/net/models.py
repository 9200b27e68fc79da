"""What comes back from the network."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import httpx2


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
    def content_type(self) -> str:
        """The media type alone, in lower case; empty when the server gave none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()
