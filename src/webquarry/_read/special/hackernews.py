"""Hacker News by its APIs: an item with its comments, the lists of stories, a user.

A thread comes from Algolia in one request; where that fails, from Firebase, one request for each
comment and therefore only the first few hundred, which the page then says. Lists and users come
from Firebase. The site's own pages want thirty seconds between two requests.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Dated, Page
from webquarry._read.special._parts.hackernews_items import (
    Item,
    Thread,
    arrange_firebase_comments,
    parse_algolia_thread,
    parse_firebase_item,
    parse_numbers,
)
from webquarry._read.special._parts.hackernews_markdown import (
    SITE,
    item_url,
    title_of,
    write_list,
    write_thread,
    write_user,
)
from webquarry._read.special_reader import SiteContext, SpecialReader
from webquarry.errors import NotFound, WebquarryError

ALGOLIA = "https://hn.algolia.com"
FIREBASE = "https://hacker-news.firebaseio.com"
MOST_COMMENTS = 300  # by one request each
_AT_ONCE = 10
_PAGE = 30  # stories, as on the site
_LONGEST_NUMBER = 12
_LONGEST_NAME = 40  # characters
_HOSTS = frozenset({"news.ycombinator.com", "www.news.ycombinator.com"})
_LISTS = {
    "/": "top", "/news": "top", "/newest": "new", "/best": "best", "/ask": "ask", "/show": "show",
    "/jobs": "job",
}  # fmt: skip


_Fields = Mapping[str, Any]  # of one item, as Firebase gives them


class HackerNewsReader(SpecialReader):
    name = "hackernews"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        if url.host not in _HOSTS:
            return False
        if url.path in ("/item", "/user"):
            return bool(_find_id(url))
        other_parameters = set(url.params) - {"p"}
        return url.path in _LISTS and not other_parameters

    async def read(self, url: str, context: SiteContext) -> Page:
        address = httpx2.URL(url)
        request = _HackerNewsRequest(url, context)
        if address.path == "/item":
            return await request.read_item(int(_find_id(address)))
        if address.path == "/user":
            return await request.read_user(_find_id(address))
        page = address.params.get("p", "1")
        number = 1
        if page.isascii() and page.isdigit():
            number = int(page)
        return await request.read_list(address.path, number)


def _find_id(url: httpx2.URL) -> str:
    """The number of the item or the name of the user that a URL asks for; empty where it has
    none.
    """
    identity = str(url.params.get("id", ""))
    if url.path == "/item":
        is_valid = identity.isascii() and identity.isdigit() and len(identity) <= _LONGEST_NUMBER
    else:
        letters = identity.replace("_", "").replace("-", "")
        is_valid = len(identity) <= _LONGEST_NAME and letters.isalnum()
    if is_valid:
        return identity
    return ""


class _HackerNewsRequest:
    """One page while it is read."""

    def __init__(self, url: str, context: SiteContext) -> None:
        self._url = url
        self._context = context
        self._started = context.clock.monotonic()

    async def read_item(self, number: int) -> Page:
        """A story or a comment with its thread."""
        thread = await self._fetch_thread(number)
        if thread.root.state:
            raise NotFound(
                f"Item {number} of Hacker News is {thread.root.state}: its text is shown to nobody."
            )
        return await asyncio.to_thread(self._build_thread_page, thread)

    async def read_user(self, name: str) -> Page:
        """What is known of a user."""
        fields = await self._fetch_firebase(f"user/{quote(name, safe='')}")
        if not isinstance(fields, dict):
            raise NotFound(f"Hacker News has no user {name!r}.")
        composer = Composer(SITE)
        markdown = write_user(fields, composer)
        url = f"{SITE}user?id={quote(name)}"
        title = f"{name} on Hacker News"
        return self._build_page(url, title, markdown, composer.removed)

    async def read_list(self, path: str, page: int) -> Page:
        """One page of a list of stories."""
        kind = _LISTS[path]
        first = (max(1, page) - 1) * _PAGE
        ranking = parse_numbers(await self._fetch_firebase(f"{kind}stories"))
        numbers = ranking[first : first + _PAGE]
        fetched = await self._fetch_items(numbers)
        items: list[Item] = []
        for number in numbers:
            item = parse_firebase_item(fetched.get(number, {}))
            if item is not None and not item.state:
                items.append(item)
        if not items:
            raise NotFound(f"Hacker News has no page {page} of that list.")
        heading = f"Hacker News: {kind} stories"
        if kind == "job":
            heading = "Hacker News: jobs"
        composer = Composer(SITE)
        markdown = write_list(heading, first + 1, items, composer)
        return self._build_page(self._url, heading, markdown, composer.removed)

    async def _fetch_thread(self, number: int) -> Thread:
        """A thread from Algolia in one request, or from Firebase where that fails or has not heard
        of it yet.
        """
        url = self._context.url("hackernews", ALGOLIA, f"/api/v1/items/{number}")
        thread = None
        try:
            fields = await self._context.json(httpx2.Request("GET", url), self._started)
            if isinstance(fields, dict):
                thread = parse_algolia_thread(fields)
        except WebquarryError:
            thread = None
        return thread or await self._fetch_firebase_thread(number)

    async def _fetch_firebase_thread(self, number: int) -> Thread:
        """A thread by one request for each of its items."""
        fields = await self._fetch_firebase(f"item/{number}")
        root = None
        if isinstance(fields, dict):
            root = parse_firebase_item(fields)
        if root is None:
            raise NotFound(f"Hacker News has no item {number}.")
        fetched, unread = await self._fetch_comments(fields)
        comments = arrange_firebase_comments(fields, fetched)
        option_numbers = parse_numbers(fields.get("parts"))[:_PAGE]
        options: list[Item] = []
        for option_fields in (await self._fetch_items(option_numbers)).values():
            option = parse_firebase_item(option_fields)
            if option is not None:
                options.append(option)
        return Thread(root, comments, tuple(options), unread)

    async def _fetch_comments(self, root: _Fields) -> tuple[dict[int, _Fields], int]:
        """Comments level by level until there are enough of them, and how many were left."""
        fetched: dict[int, _Fields] = {}
        failed = 0
        waiting = list(dict.fromkeys(parse_numbers(root.get("kids"))))
        known = set(waiting)
        while waiting and len(fetched) + failed < MOST_COMMENTS:
            batch = waiting[:_AT_ONCE]
            waiting = waiting[_AT_ONCE:]
            items = await self._fetch_items(batch)
            failed += len(batch) - len(items)
            fetched |= items
            for fields in items.values():
                for reply in parse_numbers(fields.get("kids")):
                    if reply not in known:
                        known.add(reply)
                        waiting.append(reply)
        return fetched, failed + len(waiting)

    async def _fetch_items(self, numbers: list[int]) -> dict[int, _Fields]:
        """The items that could be fetched."""
        answers = await asyncio.gather(*map(self._fetch_item, numbers))
        items: dict[int, _Fields] = {}
        for number, fields in zip(numbers, answers, strict=True):
            if fields is not None:
                items[number] = fields
        return items

    async def _fetch_item(self, number: int) -> _Fields | None:
        """The fields of an item; None where they cannot be had."""
        try:
            fields = await self._fetch_firebase(f"item/{number}")
        except WebquarryError:
            return None
        if isinstance(fields, dict):
            return fields
        return None

    async def _fetch_firebase(self, path: str) -> Any:
        """What the API answers for a path."""
        url = self._context.url("hackernews_firebase", FIREBASE, f"/v0/{path}.json")
        request = httpx2.Request("GET", url)
        return await self._context.json(request, self._started)

    def _build_thread_page(self, thread: Thread) -> Page:
        """The page of a thread that was fetched."""
        composer = Composer(SITE)
        root = thread.root
        markdown = write_thread(thread, composer)
        lost: tuple[str, ...] = ()
        if thread.unread:
            lost = (f"{thread.unread} of the comments could not be fetched.",)
        title = title_of(root, composer)
        page = self._build_page(item_url(root.number), title, markdown, composer.removed, lost)
        published = None
        if root.when:
            moment = root.when.astimezone(UTC)
            created = moment.isoformat().replace("+00:00", "Z")
            published = Dated(created, "hackernews:created")
        return replace(page, author=root.author, published=published)

    def _build_page(
        self,
        url: str,
        title: str,
        markdown: str,
        removed: Counter[str],
        lost: tuple[str, ...] = (),
    ) -> Page:
        return Page(
            url=url,
            requested_url=self._url,
            title=title,
            markdown=markdown,
            content_type="html",
            encoding="utf-8",
            outcome="ok",
            notes=lost,
            fetched_at=self._context.clock.now(),
            removed={reason: count for reason, count in removed.items() if count},
            lost=lost,
            reader=HackerNewsReader.name,
        )
