"""One page of a site while it is read by the site's own interface: what is asked, and the page that
comes of it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx2

from webquarry.errors import LoginWall, NotFound, ProviderFailure, RateLimited
from webquarry.net.models import Reply
from webquarry.read.markdown.compose import Composer
from webquarry.read.models import Dated, Page
from webquarry.read.special_reader import SiteContext

_OK = 200
_MISSING = frozenset({404, 410})
_LIMITED = frozenset({403, 429})


class SiteRequest:
    """Asks a site's interface for one page, and puts the page together."""

    def __init__(self, reader: str, url: str, context: SiteContext) -> None:
        self.url = url
        self.context = context
        self.composer = Composer(url)
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
        return await self.context.send(request, self._started)

    async def get_json(
        self, url: str, missing: str, headers: Mapping[str, str] | None = None
    ) -> Any:
        """The JSON that an interface of a fixed host answers; NotFound with the sentence `missing`
        where there is no such thing.
        """
        reply = await self.send(url, headers)
        return parse_json(reply, missing)

    async def fetch_json(self, url: str, missing: str) -> Any:
        """The same of a host that only the URL names: guarded as any page is."""
        reply = await self.context.client.fetch(url, accept="application/json")
        return parse_json(reply, missing)

    async def build_page(
        self,
        write: Callable[[Composer], str],
        title: str,
        *,
        url: str = "",
        author: str = "",
        published: str = "",
        modified: str = "",
        lost: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> Page:
        """The page whose Markdown `write` composes, in a thread: a long thread takes a while. Dates
        are ISO 8601, or empty.
        """
        markdown = await asyncio.to_thread(write, self.composer)
        return Page(
            url=url or self.url,
            requested_url=self.url,
            title=self.composer.plain(title),
            markdown=markdown,
            content_type="html",
            encoding="utf-8",
            outcome="ok",
            notes=notes + lost,
            fetched_at=self.context.clock.now(),
            removed={reason: count for reason, count in self.composer.removed.items() if count},
            author=self.composer.plain(author),
            published=self._date(published, "created"),
            modified=self._date(modified, "modified"),
            lost=lost,
            reader=self._reader,
        )

    def _date(self, value: str, field: str) -> Dated | None:
        if not value:
            return None
        return Dated(value, f"{self._reader}:{field}")


def parse_json(reply: Reply, missing: str) -> Any:
    """The JSON of an answer with success. Raises NotFound with the sentence `missing`, LoginWall,
    or what makes the page itself be read instead.
    """
    host = httpx2.URL(reply.url).host
    if reply.status in _MISSING:
        raise NotFound(missing)
    if reply.status == 401:
        raise LoginWall(f"{host} shows this only to those who are logged in.")
    if reply.status in _LIMITED:
        raise RateLimited(f"{host} takes no more requests for now (HTTP {reply.status}).")
    if reply.status != _OK:
        raise ProviderFailure(f"{host} answered with HTTP {reply.status}.")
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise ProviderFailure(f"{host} answered with unreadable JSON.") from error
