"""URLs in the usual spelling, as nearly all: put together of parts that are known already, in a
tenth of the time that httpx2 takes to parse them.

The start of a URL, up to its host and port, is parsed once for all pages of a site; what follows is
taken as it is, for it holds nothing that httpx2 would change. Whoever asks such a URL for more than
a request needs gets what httpx2 says, which parses it then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import httpx2


@dataclass(frozen=True)
class UrlStart:
    """What all URLs of one origin begin with, as httpx2 reads it."""

    text: str  # the scheme, the host, and the port where it is not the usual one
    scheme: str
    host: str
    raw_host: bytes
    port: int | None
    netloc: bytes

    @classmethod
    def of(cls, text: str) -> UrlStart:
        """That of an origin. Raises what httpx2 raises."""
        url = httpx2.URL(text + "/")
        # httpx2 decodes the host when asked, and cannot for a few mixtures of international and
        # odd labels.
        host = url.host
        start = str(url).removesuffix("/")
        return cls(start, url.scheme, host, url.raw_host, url.port, url.netloc)


def name_origin(url: httpx2.URL) -> str:
    """The scheme, the host and the port of a URL, as it begins with them."""
    if isinstance(url, PlainURL):
        return url.start.text
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


class PlainURL(httpx2.URL):
    """A URL that was read strictly and has nothing to encode: no other kind is ever made one."""

    # They stand in place of the properties of the same names.
    __slots__ = ("host", "path", "raw_path", "scheme", "start", "text")
    scheme: str
    host: str
    path: str
    raw_path: bytes

    def __init__(self, start: UrlStart, path: str, target: str) -> None:
        """`target` is the path and the query behind it."""
        self.start = start
        self.scheme = start.scheme
        self.host = start.host
        self.path = unquote(path) if "%" in path else path
        self.raw_path = target.encode("ascii")
        self.text = start.text + target

    @property
    def raw_scheme(self) -> bytes:
        return self.scheme.encode("ascii")

    @property
    def raw_host(self) -> bytes:
        return self.start.raw_host

    @property
    def port(self) -> int | None:
        return self.start.port

    @property
    def netloc(self) -> bytes:
        return self.start.netloc

    def __str__(self) -> str:
        return self.text

    def __getattr__(self, name: str) -> Any:
        """Whatever httpx2 keeps of a URL is missing until somebody asks for it."""
        if name in PlainURL.__slots__:  # of a copy that is being made
            raise AttributeError(name)
        super().__init__(self.text)
        return object.__getattribute__(self, name)
