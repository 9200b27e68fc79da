"""The contract of a site reader, and the lookup of readers by URL.

A site reader is one file in this folder with a subclass of `SiteReader`; other packages register
theirs under the entry point `webquarry.sites`. It sends requests to the API of its site (`fetch`,
in the process of the server) and converts the replies to Markdown (`write`, in a worker process,
because replies are untrusted). Files whose names begin with an underscore are helpers.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.blocks import write_blocks
from webquarry._read.markdown.compose import Composer, Content
from webquarry._read.models import Dated, Page
from webquarry.clock import Clock
from webquarry.credentials import Credential, find
from webquarry.errors import LoginWall, NotFound, ProviderFailure, RateLimited, WebquarryError
from webquarry.net.client import Client
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.secret import Secret
from webquarry.settings import Settings

T = TypeVar("T")

_MAX_VERSIONS = 10  # of a package
_MAX_DEPENDENCIES = 60
_MAX_PAUSE = 3600.0  # seconds
_DEFAULT_PAUSE = 60.0  # seconds after HTTP 429 without a time


@dataclass(frozen=True)
class SiteContext:
    """What all site readers share: client, settings, clock and the rate limits of APIs."""

    client: Client
    settings: Settings
    clock: Clock
    environ: Mapping[str, str] | None = None  # source of credentials
    pauses: dict[str, float] = field(default_factory=dict)  # end by name, in monotonic time

    def find_credential(self, credential: Credential) -> Secret | None:
        """Return a credential that the user has configured."""
        found = None if self.environ is None else find(credential, self.environ)
        return found.value if found else None

    def check_pause(self, name: str) -> None:
        """Raise RateLimited while an API is paused."""
        left = self.pauses.get(name, 0.0) - self.clock.monotonic()
        if left > 0:
            raise RateLimited(f"Rate limit of {name}: no requests for another {left:.0f} s.")

    def pause(self, name: str, seconds: float) -> None:
        """Send no requests to an API for some time, at most an hour."""
        self.pauses[name] = self.clock.monotonic() + min(seconds, _MAX_PAUSE)


@dataclass(frozen=True)
class SiteReply:
    """The replies of an API for one page, passed to a worker process."""

    reader: str
    fetched_at: datetime
    data: dict[str, Any]  # JSON
    body: bytes = b""  # a reply that is not parsed yet


class SiteRequest:
    """The requests for one page, within one timeout and the rate limits of the API."""

    def __init__(self, reader: SiteReader, url: str, context: SiteContext) -> None:
        self.url = httpx2.URL(url)
        self.target = reader.match(self.url)
        self.context = context
        self.lost: list[str] = []  # notes on missing content
        self._reader = reader.name
        self._end = context.clock.monotonic() + context.settings.timeout_seconds

    def at(self, service: str, origin: str, path: str) -> str:
        """Return the URL of a path at a service, or at the origin configured in its place."""
        from webquarry._search.service import at_origin  # few pages have a site reader

        base = self.context.settings.origins.get(service, origin)
        return at_origin(base, path, f"WEBQUARRY_{service.upper()}_URL")

    async def send(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
        content: bytes | None = None,
    ) -> Reply:
        """Send a request to a fixed host; the reply can have any status."""
        agent = {"User-Agent": self.context.settings.user_agent}
        request = httpx2.Request(method, url, headers=agent | dict(headers or {}), content=content)
        self.context.check_pause(request.url.host)
        timeout = self._end - self.context.clock.monotonic()
        if timeout <= 0:
            raise ProviderFailure("Timed out reading the page through its API.")
        reply = await self.context.client.send(request, timeout_seconds=timeout)
        self._note_limit(request.url.host, reply)
        return reply

    async def fetch(self, url: str, accept: str = "application/json") -> Reply:
        """Fetch from a host that the page's URL names: SSRF guard and robots.txt apply."""
        host = httpx2.URL(url).host
        self.context.check_pause(host)
        reply = await self.context.client.fetch(url, accept=accept)
        self._note_limit(host, reply)
        return reply

    async def get(self, url: str, missing: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Send a request to a fixed host; raises unless it succeeds, see `check`."""
        return self.check(await self.send(url, headers), missing)

    async def get_json(self, url: str, missing: str) -> JsonData:
        """Send a request to a fixed host and parse the reply; raises as `parse` does."""
        return self.parse(await self.send(url), missing)

    def check(self, reply: Reply, missing: str) -> Reply:
        """Return a reply that succeeded. Raises NotFound with the message `missing`, LoginWall, or
        an error after which the page itself is read.
        """
        if reply.status in (404, 410):
            raise NotFound(missing)
        host = httpx2.URL(reply.url).host
        if reply.status == 401:
            raise LoginWall(f"{host} requires a login (HTTP 401).")
        if reply.status in (403, 429):
            raise RateLimited(f"Rate limited or blocked by {host} (HTTP {reply.status}).")
        if reply.status != 200:
            raise ProviderFailure(f"Unexpected response from {host}: HTTP {reply.status}.")
        return reply

    def parse(self, reply: Reply, missing: str) -> JsonData:
        """Return the JSON of a reply that succeeded. Raises as `check` does."""
        try:
            return JsonData(json.loads(self.check(reply, missing).body))
        except (ValueError, RecursionError) as error:
            host = httpx2.URL(reply.url).host
            raise ProviderFailure(f"Unexpected response from {host}: invalid JSON.") from error

    def pause(self, host: str, reply: Reply) -> None:
        """Send no more requests to a host for the time that its reply names."""
        seconds = retry_after_seconds(reply.headers, self.context.clock.now()) or _DEFAULT_PAUSE
        self.context.pause(host, seconds)

    def _note_limit(self, host: str, reply: Reply) -> None:
        if reply.status == 429 or reply.headers.get("x-ratelimit-remaining") == "0":
            self.pause(host, reply)

    async def optional(self, wanted: Awaitable[T], lost: str, default: T) -> T:
        """Return the result of a request; on failure the default, and `lost` becomes a note."""
        try:
            return await wanted
        except WebquarryError as error:
            self.lost.append(f"{lost}: {error.sentence}")
            return default

    def build_reply(self, data: dict[str, Any], body: bytes = b"") -> SiteReply:
        """Return the replies of the API for `SiteReader.write`."""
        return SiteReply(self._reader, self.context.clock.now(), {**data, "lost": self.lost}, body)


class SiteWriter(Composer):
    """Composes a page from the replies of an API."""

    def __init__(self, reply: SiteReply, url: str, base_url: str = "") -> None:
        super().__init__(base_url or url)
        self.url = url
        self.data = JsonData(reply.data)
        self._reply = reply

    @property
    def text(self) -> str:
        """The body of the reply as text."""
        return self._reply.body.decode("utf-8", "replace")

    def build_page(
        self,
        blocks: Iterable[Content],
        title: str,
        *,
        heading: str | None = None,
        url: str = "",
        author: str = "",
        published: str = "",
        modified: str = "",
        lost: Iterable[str] = (),
        content_type: str = "html",
        outcome: str = "ok",
    ) -> Page:
        """Build the page. The heading (inline text) is the title by default, dates are ISO 8601 or
        empty; `lost` and `note` of the data are added.
        """
        heading = self.name(title) if heading is None else heading
        lost = (*self.data.texts("lost"), *lost)
        reader = self._reply.reader
        content = self.join([self.heading(1, heading) if heading else "", *blocks])
        text = write_blocks(content, self.removed)
        return Page(
            url=url or self.url,
            requested_url=self.url,
            title=self.plain(title),
            text=text,
            blocks=content,
            content_type=content_type,
            encoding="utf-8",
            outcome=outcome,
            notes=tuple(filter(None, [self.data.text("note"), *lost])),
            fetched_at=self._reply.fetched_at,
            removed=dict(+self.removed),
            author=self.plain(author),
            published=Dated(published, f"{reader}:created") if published else None,
            modified=Dated(modified, f"{reader}:modified") if modified else None,
            lost=lost,
            reader=reader,
        )

    def build_package(
        self,
        name: str,
        version: str,
        *,
        summary: str,
        install: str,
        warnings: Sequence[str],
        facts: Sequence[tuple[str, str]],
        links: Sequence[tuple[str, str]],
        dependencies: Sequence[tuple[str, Sequence[str]]],
        description: Content,
        versions: Sequence[str],
        **fields: Any,
    ) -> Page:
        """Write a package of a registry: warnings, facts, description (Markdown), newest versions.

        Other fields are those of `SiteWriter.build_page`.
        """
        blocks: list[Content] = [
            *(self.strong(f"Warning: {self.name(warning)}") for warning in warnings),
            self.name(summary),
            self.code_span(f"{install} {name}"),
            self.rows(facts),
            self.facts(self.link(self.plain(label), url) for label, url in links if url),
        ]
        for kind, names in dependencies:
            shown = [self.name(name) for name in names[:_MAX_DEPENDENCIES]]
            if len(names) > _MAX_DEPENDENCIES:
                shown.append(f"and {len(names) - _MAX_DEPENDENCIES} more")
            blocks.append(self.label(f"{kind}: ", ", ".join(shown)))
        newest = self.items(self.name(one) for one in versions[:_MAX_VERSIONS])
        blocks += [self.section(2, "Description", description), self.section(2, "Versions", newest)]
        return self.build_page(blocks, f"{name} {version}".strip(), **fields)


class SiteReader(ABC):
    """Reads the pages of one site through its API."""

    name: ClassVar[str]
    # Hosts without `www.`, separated by spaces; `*.example.org` for subdomains. Empty: any host.
    hosts: ClassVar[str] = ""
    path: ClassVar[str] = ""  # pattern of the path

    def is_enabled(self, settings: Settings) -> bool:
        return True

    def match(self, url: httpx2.URL) -> Any:
        """Return what a URL of one of the reader's hosts names (`request.target`), or None; by
        default the match of its path.
        """
        return re.fullmatch(self.path, url.path, re.ASCII)

    @abstractmethod
    async def fetch(self, request: SiteRequest) -> SiteReply | Reply:
        """Request what `write` needs, or return a file that is read by its format.

        NotFound and LoginWall are final. After any other error the page itself is read.
        """

    @abstractmethod
    def write(self, reply: SiteReply, url: str) -> Page:
        """Convert the replies for a URL to a page. Runs in a worker process."""

    def recognizes(self, page: Reply) -> bool:
        """Return whether a fetched page lacks its text and `fetch_instead` can get it."""
        return False

    async def fetch_instead(self, request: SiteRequest, page: Reply) -> SiteReply:
        """Request what `write` needs for a page that the reader recognizes."""
        raise NotImplementedError


def count(number: int | None, noun: str = "") -> str:
    """Format a count: `1 point`, `2,210 points`, `2,210`; empty for None."""
    if number is None:
        return ""
    plural = "s" if noun and number != 1 else ""
    return f"{number:,} {noun}{plural}".strip()


@cache
def load_readers() -> dict[str, SiteReader]:
    """Return the readers of this folder and of other packages by name, those of any host last."""
    kinds = members_of("webquarry._read.sites", SiteReader, group="webquarry.sites")
    return {kind.name: kind() for kind in sorted(kinds, key=lambda kind: not kind.hosts)}


def find_reader(url: str, settings: Settings | None = None) -> SiteReader | None:
    """Return the site reader of a URL, if there is one."""
    try:
        address = httpx2.URL(url)
        if address.scheme not in ("http", "https"):
            return None
        for reader in list_readers(address.host):
            if reader.match(address) and reader.is_enabled(settings or Settings()):
                return reader
    except (httpx2.InvalidURL, WebquarryError, ValueError):
        return None  # the SSRF guard reports invalid URLs
    return None


def find_page_reader(page: Reply) -> SiteReader | None:
    """Return the site reader that can read a fetched page better, if there is one."""
    for reader in list_readers(urlsplit(page.url).hostname or ""):
        if reader.recognizes(page):
            return reader
    return None


@lru_cache(512)
def list_readers(host: str) -> tuple[SiteReader, ...]:
    """Return the readers that may read pages of a host."""
    host = host.removeprefix("www.")
    patterns = {host, *(f"*{host[dot:]}" for dot, sign in enumerate(host) if sign == ".")}
    readers = load_readers().values()
    return tuple(one for one in readers if not one.hosts or patterns & set(one.hosts.split()))
