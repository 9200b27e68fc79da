"""Requests for pages: a GET with nothing to send."""

from __future__ import annotations

from typing import Any

import httpx2

NO_BODY = httpx2.ByteStream(b"")  # of a request that has nothing to send


class PageRequest(httpx2.Request):
    """A request of parts that are ready: httpx2 would parse the URL again and copy the rest."""

    def __init__(
        self, url: httpx2.URL, headers: httpx2.Headers, extensions: dict[str, Any]
    ) -> None:
        self.method = "GET"
        self.url = url
        self.headers = headers
        self.extensions = extensions
        self.stream = NO_BODY
