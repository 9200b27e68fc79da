"""What a special reader is: for the URLs of one site it knows a better way to the text than the
page itself.

A special reader is one file in `special/`. It asks the site's own API through the client's `send`,
bounded in number, size and time, and gives a page; what it raises, but for "there is no such thing"
and "that needs an account", means that the page itself is read instead.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from importlib import import_module
from inspect import isabstract
from typing import Any, ClassVar

import httpx2

from webquarry._read.models import Page
from webquarry._search.provider import at_origin
from webquarry.clock import Clock
from webquarry.credentials import Credential, find
from webquarry.errors import ProviderFailure, RateLimited, Refused, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.net.strict_url import read_url
from webquarry.registry import members_of
from webquarry.secret import Secret
from webquarry.settings import Settings

_LONGEST_PAUSE = 3600.0  # seconds
_MOST_HOSTS = 512  # of which it is remembered who knows them


@dataclass(frozen=True)
class SiteContext:
    """What a special reader asks a site's API with: client, settings and clock."""

    client: Client
    settings: Settings
    clock: Clock
    environ: Mapping[str, str] | None = None  # where credentials are looked for; None: nowhere
    # The time of the clock before which an interface wants no more requests, by its name.
    pauses: dict[str, float] = field(default_factory=dict)

    def find_credential(self, credential: Credential) -> Secret | None:
        """A credential of the user's for a site, if there is one."""
        if self.environ is None:
            return None
        found = find(credential, self.environ)
        if found is None:
            return None
        return found.value

    def check_pause(self, name: str) -> None:
        """Raises RateLimited while an interface wants to be left alone."""
        left = self.pauses.get(name, 0.0) - self.clock.monotonic()
        if left > 0:
            raise RateLimited(f"The interface {name} asked to be left alone for {left:.0f} s.")

    def pause(self, name: str, seconds: float) -> None:
        """Leave an interface alone for so long, an hour at most."""
        self.pauses[name] = self.clock.monotonic() + min(seconds, _LONGEST_PAUSE)

    def url(self, origin_name: str, origin: str, path: str) -> str:
        """A path at a service, or at the origin that the user put in its place."""
        base = self.settings.origins.get(origin_name, origin)
        variable = f"WEBQUARRY_{origin_name.upper()}_URL"
        return at_origin(base, path, variable)

    def time_left(self, started: float) -> float:
        """Seconds until all of one read must be done; `started` is the clock's own time of its
        beginning.
        """
        elapsed = self.clock.monotonic() - started
        left = self.settings.timeout_seconds - elapsed
        if left <= 0:
            raise ProviderFailure("The time for this page ran out.")
        return left

    async def send(self, request: httpx2.Request, started: float) -> Reply:
        """The answer of a service, of any status."""
        timeout = self.time_left(started)
        return await self.client.send(request, timeout_seconds=timeout)

    async def json(self, request: httpx2.Request, started: float) -> Any:
        """The JSON of an answer with success, as Python reads it.

        Everything else is a `ProviderFailure`, so that the page itself is read instead.
        """
        reply = await self.send(request, started)
        host = request.url.host
        if reply.status != 200:
            raise ProviderFailure(f"{host} answered with HTTP {reply.status}.")
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise ProviderFailure(f"{host} answered with unreadable JSON.") from error


@dataclass(frozen=True)
class SiteReply:
    """What the interface of a site gave for a page. Its reader writes the page of it where pages
    are read, because it came from the web as they do.
    """

    reader: str
    fetched_at: datetime
    data: dict[str, Any]  # as JSON has it
    body: bytes = b""  # an answer that nobody has looked into yet


class SpecialReader(ABC):
    """Another way to the pages of one site."""

    name: ClassVar[str]

    def is_on(self, settings: Settings) -> bool:
        """Whether pages are read in this way at all."""
        return True

    def knows_host(self, host: str) -> bool:
        """Whether a host may have such pages; `knows` is asked of the URLs of such hosts only."""
        return True

    @abstractmethod
    def knows(self, url: httpx2.URL) -> bool:
        """Whether this is a URL to read in this way; it looks at nothing but the URL."""

    @abstractmethod
    async def read(self, url: str, context: SiteContext) -> Page | SiteReply | Reply:
        """The page, or what `write` makes it of, or an answer that is to be read in place of the
        page's (a file of some format). Raises NotFound or LoginWall for what is not to be had,
        anything else to leave it to the page.
        """

    def wants(self, reply: Reply) -> bool:
        """Whether a page that was fetched is one of a site of this kind, on any host, and does not
        hold its text. Asked of every page, so it looks no further than it must.
        """
        return False

    async def read_instead(self, url: str, page: Reply, context: SiteContext) -> SiteReply:
        """What `write` makes the page of, for one that it wants. Raises as `read` does."""
        raise NotImplementedError

    def write(self, reply: SiteReply, url: str) -> Page:
        """The page of what `read` got for a URL. Work for the processor, done in a job."""
        raise NotImplementedError


@cache
def load_special_readers() -> tuple[SpecialReader, ...]:
    """Every special reader, one object each."""
    return tuple(kind() for kind in members_of("webquarry._read.special", SpecialReader))


def get_special_reader(name: str) -> SpecialReader:
    """The special reader of a name."""
    module = import_module(f"webquarry._read.special.{name}")
    for member in vars(module).values():
        is_reader = isinstance(member, type) and issubclass(member, SpecialReader)
        if is_reader and not isabstract(member) and member.name == name:
            reader: SpecialReader = member()
            return reader
    raise KeyError(name)


def find_reader_of(reply: Reply) -> SpecialReader | None:
    """The special reader that has a better way to a page which was fetched, if there is one."""
    for reader in _list_wanting_readers():
        if reader.wants(reply):
            return reader
    return None


@cache
def _list_wanting_readers() -> tuple[SpecialReader, ...]:
    """The special readers that know pages of their kind on any host."""
    readers = load_special_readers()
    return tuple(one for one in readers if type(one).wants is not SpecialReader.wants)


def find_special_reader(url: str, settings: Settings | None = None) -> SpecialReader | None:
    """The special reader of a URL, if there is one; what is no URL is for the guard to refuse."""
    chosen = settings or Settings()
    try:
        address = _read_address(url)
        if address.scheme not in ("http", "https"):
            return None
        for reader in _list_readers(address.host):
            if reader.knows(address) and reader.is_on(chosen):
                return reader
    except (httpx2.InvalidURL, WebquarryError, ValueError):
        return None
    return None


@lru_cache(_MOST_HOSTS)
def _list_readers(host: str) -> tuple[SpecialReader, ...]:
    """The special readers that may know pages of a host."""
    return tuple(reader for reader in load_special_readers() if reader.knows_host(host))


def _read_address(url: str) -> httpx2.URL:
    """A URL in its parts, as it will be read for the request, so that it is read once; but for one
    with a fragment, which is never sent, and which some readers want.
    """
    if "#" not in url:
        try:
            return read_url(url)
        except Refused:
            pass  # by those who fetch it; a reader may know it by an API
    return httpx2.URL(url)
