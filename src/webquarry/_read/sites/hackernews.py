"""Hacker News: items with their threads through Algolia, in one request.

API: https://hn.algolia.com/api
"""

from __future__ import annotations

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


class HackerNewsReader(SiteReader):
    name = "hackernews"
    hosts = "news.ycombinator.com"

    def match(self, url: httpx2.URL) -> str:
        """Return the id of an item."""
        identity = str(url.params.get("id", "")) if url.path == "/item" else ""
        return identity if re.fullmatch(r"[0-9]{1,12}", identity) else ""

    async def fetch(self, request: SiteRequest) -> SiteReply:
        url = request.at("hackernews", _ALGOLIA, f"/api/v1/items/{request.target}")
        reply = await request.send(url)
        if reply.status != 200 or not reply.body.startswith(b"{"):  # 404: not indexed yet
            raise ProviderFailure(f"Unexpected response from Algolia (HTTP {reply.status}).")
        return request.build_reply({}, reply.body)

    def write(self, reply: SiteReply, url: str) -> Page:
        return _write_thread(JsonData.parse(reply.body), SiteWriter(reply, url, _SITE))


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
        time = _format_time(comment)
        details = ", ".join(filter(None, [f"#{comment.number('id')}", time]))
        head = f"{page.strong(name)} ({details})"
        blocks.append(page.item(head, page.fragment(comment.text("text")), depth))
    return blocks


def _write_facts(page: SiteWriter, item: JsonData, comments: str) -> str:
    """Write points, author, time and comments of an item in one line."""
    author = page.label("by ", page.name(item.text("author")))
    details = " ".join(filter(None, [count(item.number("points"), "point"), author]))
    return ", ".join(filter(None, [details, _format_time(item), comments]))


def _format_time(item: JsonData) -> str:
    time = item.time("created_at_i")
    return f"{time:%Y-%m-%d %H:%M} UTC" if time else ""


def _url_of(number: int | None) -> str:
    return f"{_SITE}item?id={number}"
