"""Hacker News: items with their threads through Algolia, in one request; lists through
Firebase. If Algolia fails the page itself is read.

API: https://hn.algolia.com/api, https://github.com/HackerNews/API
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter, count
from webquarry.errors import NotFound, ProviderFailure

_SITE = "https://news.ycombinator.com/"
_ALGOLIA = "https://hn.algolia.com"
_FIREBASE = "https://hacker-news.firebaseio.com"
_PAGE_SIZE = 30  # stories, as on the site
_LISTS = {
    "/": "top", "/news": "top", "/newest": "new", "/best": "best", "/ask": "ask", "/show": "show",
    "/jobs": "job",
}  # fmt: skip


class HackerNewsReader(SiteReader):
    name = "hackernews"
    hosts = "news.ycombinator.com"

    def match(self, url: httpx2.URL) -> str:
        """Return the id of an item, or the number of a page of a list."""
        if url.path in _LISTS:
            page = str(url.params.get("p", "1")) if set(url.params) <= {"p"} else ""
            return page if re.fullmatch(r"[1-9][0-9]{0,5}", page) else ""
        identity = str(url.params.get("id", "")) if url.path == "/item" else ""
        return identity if re.fullmatch(r"[0-9]{1,12}", identity) else ""

    async def fetch(self, request: SiteRequest) -> SiteReply:
        if request.url.path == "/item":
            return await _fetch_thread(request)
        return await _fetch_list(request)

    def write(self, reply: SiteReply, url: str) -> Page:
        page = SiteWriter(reply, url, _SITE)
        if "items" in reply.data:
            return _write_list(page)
        return _write_thread(JsonData.parse(reply.body), page)


async def _fetch_thread(request: SiteRequest) -> SiteReply:
    number = request.target
    reply = await request.send(request.at("hackernews", _ALGOLIA, f"/api/v1/items/{number}"))
    is_missing = reply.status == 404  # or not indexed yet
    if is_missing and not (await _fetch_firebase(request, f"item/{number}")).value:
        raise NotFound(f"Hacker News has no item {number}.")
    if reply.status != 200 or not reply.body.startswith(b"{"):
        raise ProviderFailure(f"Unexpected response from Algolia (HTTP {reply.status}).")
    return request.build_reply({}, reply.body)


async def _fetch_list(request: SiteRequest) -> SiteReply:
    """Request one page of a list of stories."""
    kind, first = _LISTS[request.url.path], (int(request.target) - 1) * _PAGE_SIZE
    ranking = await _fetch_firebase(request, f"{kind}stories")
    numbers = ranking.numbers()[first : first + _PAGE_SIZE]
    requests = [_fetch_firebase(request, f"item/{number}") for number in numbers]
    answers = await asyncio.gather(*requests, return_exceptions=True)
    items = [one for one in answers if isinstance(one, JsonData) and not one.flag("dead")]
    shown = [one.value for one in items if one.text("title")]
    if not shown:
        raise NotFound(f"Hacker News has no page {request.target} of that list.")
    return request.build_reply({"items": shown, "kind": kind, "first": first + 1})


async def _fetch_firebase(request: SiteRequest, path: str) -> JsonData:
    url = request.at("hackernews_firebase", _FIREBASE, f"/v0/{path}.json")
    return await request.get_json(url, "Hacker News has no such list.")


def _walk(root: JsonData) -> Iterator[tuple[int, JsonData]]:
    """Yield the comments below an item with their depths, in reading order."""
    waiting = [(0, child) for child in reversed(root.objects("children"))]
    while waiting:
        depth, comment = waiting.pop()
        if comment.number("id") is not None:
            yield depth, comment
        waiting += [(depth + 1, child) for child in reversed(comment.objects("children"))]


def _is_deleted(item: JsonData) -> bool:
    return not any(item.text(name) for name in ("author", "text", "title"))


def _write_thread(item: JsonData, page: SiteWriter) -> Page:
    number, story = item.number("id"), item.number("story_id")
    if _is_deleted(item):
        raise NotFound(f"Item {number} of Hacker News is deleted.")
    comments = list(_walk(item))
    title = page.plain(item.text("title"), is_html=True)
    title = title or f"Comment by {page.plain(item.text('author')) or 'an unknown author'}"
    is_reply = item.text("type") == "comment" and story not in (None, number)
    parent = page.link_url(_url_of(story)) if is_reply else ""
    written = _write_comments(page, comments)
    blocks: list[Content] = [
        page.label("Link: ", page.link_url(item.text("url"))),
        page.label("In reply to: ", parent),
        _write_facts(page, item, count(len(comments), "comment")),
        page.fragment(item.text("text")),
    ]
    if written:
        blocks.append(page.heading(2, "Comments"))
        blocks.append(f"The URL of a comment: {_SITE}item?id=NUMBER")
    created = item.time("created_at_i")
    return page.build_page(
        [*blocks, *written],
        title,
        url=_url_of(number),
        author=item.text("author"),
        published=f"{created:%Y-%m-%dT%H:%M:%SZ}" if created else "",
    )


def _write_comments(page: SiteWriter, comments: list[tuple[int, JsonData]]) -> list[Content]:
    """Write comments; a deleted comment only if it has replies."""
    blocks: list[Content] = []
    for depth, comment in comments:
        name = page.name(comment.text("author")) or "deleted"
        is_deleted = _is_deleted(comment)
        if is_deleted and not comment.objects("children"):
            page.removed["deleted comment"] += 1
            continue
        time = _format_time(comment, "created_at_i")
        details = ", ".join(filter(None, [f"#{comment.number('id')}", time]))
        head = f"{page.emphasis(name) if is_deleted else page.strong(name)} ({details})"
        blocks.append(page.item(head, page.fragment(comment.text("text")), depth))
    return blocks


def _write_list(page: SiteWriter) -> Page:
    kind = page.data.text("kind")
    title = "Hacker News: jobs" if kind == "job" else f"Hacker News: {kind} stories"
    stories = []
    for item in page.data.objects("items"):
        url = _url_of(item.number("id"))
        name = page.plain(item.text("title"), is_html=True)
        comments = page.link(count(item.number("descendants") or 0, "comment"), url)
        facts = _write_facts(page, item, comments)
        stories.append(f"{page.link(name, item.text('url') or url)}\n{facts}")
    first = page.data.number("first") or 1
    return page.build_page([page.numbered_items(stories, first)], title)


def _write_facts(page: SiteWriter, item: JsonData, comments: str) -> str:
    """Write points, author, time and comments of an item of one of the two APIs in one line."""
    points = item.number("points")
    points = item.number("score") if points is None else points
    author = page.label("by ", page.name(item.text("author") or item.text("by")))
    details = " ".join(filter(None, [count(points, "point"), author]))
    time = _format_time(item, "created_at_i") or _format_time(item, "time")
    return ", ".join(filter(None, [details, time, comments]))


def _format_time(item: JsonData, field: str) -> str:
    time = item.time(field)
    return f"{time:%Y-%m-%d %H:%M} UTC" if time else ""


def _url_of(number: int | None) -> str:
    return f"{_SITE}item?id={number}"
