"""One page of a site while it is read by the site's own interface: what is asked, and then, where
pages are read, the page that comes of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Dated, Page
from webquarry._read.special_reader import SiteContext, SiteReply
from webquarry.errors import LoginWall, NotFound, ProviderFailure, RateLimited
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply

_OK = 200
_MISSING = frozenset({404, 410})
_LIMITED = frozenset({403, 429})
_TOO_MANY = 429


class SiteRequest:
    """Asks a site's interface for one page."""

    def __init__(self, reader: str, url: str, context: SiteContext) -> None:
        self.url = url
        self.context = context
        self._reader = reader
        self._started = context.clock.monotonic()

    async def send(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
        content: bytes = b"",
    ) -> Reply:
        """The answer of an interface whose host is fixed, of any status."""
        agent = {"User-Agent": self.context.settings.user_agent}
        fields = agent | dict(headers or {})
        request = httpx2.Request(method, url, headers=fields, content=content or None)
        host = request.url.host
        self.context.check_pause(host)
        reply = await self.context.send(request, self._started)
        self._note_limit(host, reply)
        return reply

    async def get_json(
        self, url: str, missing: str, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The JSON that an interface of a fixed host answers; NotFound with the sentence `missing`
        where there is no such thing.
        """
        reply = await self.send(url, headers)
        return parse_json(reply, missing)

    async def fetch(self, url: str, accept: str = "application/json") -> Reply:
        """The answer of a host that only the URL names, of any status: guarded as any page is."""
        host = httpx2.URL(url).host
        self.context.check_pause(host)
        reply = await self.context.client.fetch(url, accept=accept)
        self._note_limit(host, reply)
        return reply

    def _note_limit(self, host: str, reply: Reply) -> None:
        """Leave a host alone that says that there are too many requests."""
        if reply.status == _TOO_MANY:
            self.keep_away(host, reply)

    def keep_away(self, host: str, reply: Reply) -> None:
        """Leave a host alone for as long as its answer asks for, whatever the status of that is."""
        wait = retry_after_seconds(reply.headers, reply.fetched_at)
        if wait:
            self.context.pause(host, wait)

    def build_reply(self, data: dict[str, Any], body: bytes = b"") -> SiteReply:
        """What was got, for the reader to write the page of."""
        return SiteReply(self._reader, self.context.clock.now(), data, body)


class SiteWriter:
    """Puts the page together of what was got."""

    def __init__(self, reply: SiteReply, url: str, base_url: str = "") -> None:
        self.url = url
        self.composer = Composer(base_url or url)
        self._reply = reply

    def build_page(
        self,
        markdown: str,
        title: str,
        *,
        url: str = "",
        author: str = "",
        published: str = "",
        modified: str = "",
        lost: Iterable[str] = (),
        notes: tuple[str, ...] = (),
    ) -> Page:
        """The page of a text that the composer wrote. Dates are ISO 8601, or empty."""
        missing = tuple(lost)
        removed = {reason: count for reason, count in self.composer.removed.items() if count}
        return Page(
            url=url or self.url,
            requested_url=self.url,
            title=self.composer.plain(title),
            markdown=markdown,
            content_type="html",
            encoding="utf-8",
            outcome="ok",
            notes=notes + missing,
            fetched_at=self._reply.fetched_at,
            removed=removed,
            author=self.composer.plain(author),
            published=self._date(published, "created"),
            modified=self._date(modified, "modified"),
            lost=missing,
            reader=self._reply.reader,
        )

    def _date(self, value: str, field: str) -> Dated | None:
        if not value:
            return None
        return Dated(value, f"{self._reply.reader}:{field}")


def parse_json(reply: Reply, missing: str) -> Any:
    """The JSON of an answer with success. Raises NotFound with the sentence `missing`, LoginWall,
    or what makes the page itself be read instead.
    """
    check_status(reply, missing)
    host = httpx2.URL(reply.url).host
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise ProviderFailure(f"{host} answered with unreadable JSON.") from error


def check_status(reply: Reply, missing: str) -> None:
    """Raise what an answer stands for that is no success."""
    host = httpx2.URL(reply.url).host
    if reply.status in _MISSING:
        raise NotFound(missing)
    if reply.status == 401:
        raise LoginWall(f"{host} shows this only to those who are logged in.")
    if reply.status in _LIMITED:
        raise RateLimited(f"{host} takes no more requests for now (HTTP {reply.status}).")
    if reply.status != _OK:
        raise ProviderFailure(f"{host} answered with HTTP {reply.status}.")


def load_json(body: bytes) -> Any:
    """The JSON of an answer that came with success; nothing where it cannot be read."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
