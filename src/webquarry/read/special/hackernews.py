"""Hacker News by its APIs: an item with its comments, the lists of stories, a user.

A thread comes from Algolia in one request; where that fails, from Firebase, one request for each
comment and therefore only the first few hundred, which the page then says. Lists and users come
from Firebase. The site's own pages want thirty seconds between two requests.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from datetime import UTC
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry.errors import NotFound, WebquarryError
from webquarry.read.markdown.compose import Composer
from webquarry.read.models import Dated, Page
from webquarry.read.special._hackernews_items import (
    Item,
    Thread,
    algolia_thread,
    firebase_item,
    firebase_replies,
    numbers,
)
from webquarry.read.special._hackernews_markdown import (
    SITE,
    item_url,
    list_markdown,
    thread_markdown,
    title_of,
    user_markdown,
)
from webquarry.read.special_reader import SiteContext, SpecialReader

ALGOLIA = "https://hn.algolia.com"
FIREBASE = "https://hacker-news.firebaseio.com"
MOST_COMMENTS = 300  # by one request each
_AT_ONCE = 10
_PAGE = 30  # stories, as on the site
_HOSTS = frozenset({"news.ycombinator.com", "www.news.ycombinator.com"})
_LISTS = {
    "/": "top", "/news": "top", "/newest": "new", "/best": "best", "/ask": "ask", "/show": "show",
    "/jobs": "job",
}  # fmt: skip


class HackerNewsReader(SpecialReader):
    name = "hackernews"

    def knows(self, url: httpx2.URL) -> bool:
        if url.host not in _HOSTS:
            return False
        if url.path in ("/item", "/user"):
            return bool(_wanted(url))
        return url.path in _LISTS and not set(url.params) - {"p"}

    async def read(self, url: str, desk: SiteContext) -> Page:
        address = httpx2.URL(url)
        errand = _Errand(url, desk)
        if address.path == "/item":
            return await errand.item(int(_wanted(address)))
        if address.path == "/user":
            return await errand.user(_wanted(address))
        page = address.params.get("p", "1")
        return await errand.stories(
            address.path, int(page) if page.isascii() and page.isdigit() else 1
        )


class _Errand:
    """One page while it is read."""

    def __init__(self, url: str, desk: SiteContext) -> None:
        self._url = url
        self._desk = desk
        self._started = desk.clock.monotonic()

    async def item(self, number: int) -> Page:
        thread = await self._thread(number)
        if thread.root.state:
            raise NotFound(
                f"Item {number} of Hacker News is {thread.root.state}: its text is shown to nobody."
            )
        return await asyncio.to_thread(self._thread_page, thread)

    async def user(self, name: str) -> Page:
        fields = await self._firebase(f"user/{quote(name, safe='')}")
        if not isinstance(fields, dict):
            raise NotFound(f"Hacker News has no user {name!r}.")
        composer = Composer(SITE)
        markdown = user_markdown(fields, composer)
        return self._page(
            f"{SITE}user?id={quote(name)}", f"{name} on Hacker News", markdown, composer.removed
        )

    async def stories(self, path: str, page: int) -> Page:
        kind = _LISTS[path]
        first = (max(1, page) - 1) * _PAGE
        chosen = numbers(await self._firebase(f"{kind}stories"))[first : first + _PAGE]
        fetched = await self._items(chosen)
        items = [
            item
            for number in chosen
            if (item := firebase_item(fetched.get(number, {}))) and not item.state
        ]
        if not items:
            raise NotFound(f"Hacker News has no page {page} of that list.")
        composer = Composer(SITE)
        heading = f"Hacker News: {kind} stories" if kind != "job" else "Hacker News: jobs"
        markdown = list_markdown(heading, first + 1, items, composer)
        return self._page(self._url, heading, markdown, composer.removed)

    async def _thread(self, number: int) -> Thread:
        """From Algolia, or from Firebase where that fails or has not heard of it yet."""
        url = self._desk.url("hackernews", ALGOLIA, f"/api/v1/items/{number}")
        try:
            fields = await self._desk.json(httpx2.Request("GET", url), self._started)
            thread = algolia_thread(fields) if isinstance(fields, dict) else None
        except WebquarryError:
            thread = None
        return thread or await self._firebase_thread(number)

    async def _firebase_thread(self, number: int) -> Thread:
        fields = await self._firebase(f"item/{number}")
        root = firebase_item(fields) if isinstance(fields, dict) else None
        if root is None:
            raise NotFound(f"Hacker News has no item {number}.")
        found, unread = await self._comments(fields)
        polled = numbers(fields.get("parts"))[:_PAGE]
        options = (await self._items(polled)).values()
        return Thread(
            root,
            firebase_replies(fields, found),
            tuple(item for one in options if (item := firebase_item(one))),
            unread,
        )

    async def _comments(self, root: Mapping[str, Any]) -> tuple[dict[int, Mapping[str, Any]], int]:
        """Comments level by level until there are enough of them, and how many were left."""
        found: dict[int, Mapping[str, Any]] = {}
        waiting, failed = list(dict.fromkeys(numbers(root.get("kids")))), 0
        known = set(waiting)
        while waiting and len(found) + failed < MOST_COMMENTS:
            batch, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            fetched = await self._items(batch)
            failed += len(batch) - len(fetched)
            found |= fetched
            below = [
                kid
                for fields in fetched.values()
                for kid in numbers(fields.get("kids"))
                if kid not in known
            ]
            known.update(below)
            waiting += dict.fromkeys(below)
        return found, failed + len(waiting)

    async def _items(self, wanted: list[int]) -> dict[int, Mapping[str, Any]]:
        """The items that could be fetched."""
        fetched = await asyncio.gather(*(self._item_or_none(number) for number in wanted))
        return {
            number: fields
            for number, fields in zip(wanted, fetched, strict=True)
            if fields is not None
        }

    async def _item_or_none(self, number: int) -> Mapping[str, Any] | None:
        try:
            fields = await self._firebase(f"item/{number}")
        except WebquarryError:
            return None
        return fields if isinstance(fields, dict) else None

    async def _firebase(self, path: str) -> Any:
        url = self._desk.url("hackernews_firebase", FIREBASE, f"/v0/{path}.json")
        return await self._desk.json(httpx2.Request("GET", url), self._started)

    def _thread_page(self, thread: Thread) -> Page:
        composer = Composer(SITE)
        root = thread.root
        markdown = thread_markdown(thread, composer)
        lost = (f"{thread.unread} of the comments could not be fetched.",) if thread.unread else ()
        return self._page(
            item_url(root.number), title_of(root, composer), markdown, composer.removed, root, lost
        )

    def _page(
        self,
        url: str,
        title: str,
        markdown: str,
        removed: Counter[str],
        item: Item | None = None,
        lost: tuple[str, ...] = (),
    ) -> Page:
        when = (
            item.when.astimezone(UTC).isoformat().replace("+00:00", "Z")
            if item and item.when
            else None
        )
        return Page(
            url=url,
            requested_url=self._url,
            title=title,
            markdown=markdown,
            content_type="html",
            encoding="utf-8",
            outcome="ok",
            notes=lost,
            fetched_at=self._desk.clock.now(),
            removed={reason: count for reason, count in removed.items() if count},
            author=item.author if item else "",
            published=Dated(when, "hackernews:created") if when else None,
            lost=lost,
            reader=HackerNewsReader.name,
        )


def _wanted(url: httpx2.URL) -> str:
    """The item or the user that a URL names; empty where it names none."""
    wanted = str(url.params.get("id", ""))
    if url.path == "/item":
        return wanted if wanted.isascii() and wanted.isdigit() and len(wanted) <= 12 else ""
    return (
        wanted
        if 0 < len(wanted) <= 40 and wanted.replace("_", "").replace("-", "").isalnum()
        else ""
    )
