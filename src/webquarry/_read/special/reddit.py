"""Posts, subreddits and users of Reddit by its feeds (Atom): the post and the comments that a feed
has, flat and without votes.

Off unless the user wants it (`WEBQUARRY_REDDIT`): Reddit refuses its pages to programs, leaves its
feeds open, and limits those who ask often. A limit is kept for as long as it says.
"""

from __future__ import annotations

import re

import httpx2

from webquarry._read.feeds.models import Feed, FeedEntry
from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.page_feed import REDDIT, find_feed
from webquarry._read.special._parts.article_html import find_by_class, text_in
from webquarry._read.special._parts.json_fields import get_text
from webquarry._read.special._parts.site_markdown import join_blocks, join_facts, write_nested
from webquarry._read.special._parts.site_request import (
    SiteRequest,
    SiteWriter,
    check_status,
    load_json,
)
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import LoginWall, NotFound, ProviderFailure, RateLimited
from webquarry.net.models import Reply
from webquarry.settings import Settings

_MOST_COMMENTS = 100
_THREAD = re.compile(r"/comments/(\w{1,12})")
_COMMUNITY = re.compile(r"/(r/\w{1,50})/")
_FEED = re.compile(rb"<feed[\s>]")
_BEGINNING = 1_000  # bytes
_PAUSE = 60.0  # seconds, where a limit does not say how long it lasts
_CLOSED = {
    "private": "is private",
    "quarantined": "is shown only to those who confirm that they want to see it",
    "gold_only": "is for paying members",
}
_ELSEWHERE = "What search engines show of it, or a copy in an archive, may help."
_LOST = "Reddit's feed has no scores and not the shape of the replies."


class RedditReader(SpecialReader):
    name = "reddit"

    def is_on(self, settings: Settings) -> bool:
        return settings.reddit

    def knows_host(self, host: str) -> bool:
        return "redd" in host

    def knows(self, url: httpx2.URL) -> bool:
        return find_feed(str(url)) is not None

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        feed = find_feed(url)
        assert feed is not None
        path = feed.removeprefix(REDDIT)
        if _THREAD.search(path):
            path += f"?limit={_MOST_COMMENTS}"
        request = SiteRequest(self.name, url, context)
        reply = await request.send(context.url("reddit", REDDIT, path))
        _check(request, reply, path)
        return request.build_reply({"path": path}, reply.body)

    def write(self, reply: SiteReply, url: str) -> Page:
        from webquarry._read.feeds.write import write_feed
        from webquarry._read.feeds.xml_feed import parse_xml_feed

        feed = parse_xml_feed(reply.body.decode("utf-8", "replace"))
        if feed is None or not feed.entries:
            raise ProviderFailure("Reddit answered with a feed that cannot be read.")
        writer = SiteWriter(reply, url, REDDIT)
        path = get_text(reply.data, "path")
        composer = writer.composer
        if not _THREAD.search(path):
            written = write_feed(feed, composer)
            return writer.build_page(
                written.markdown, written.title, url=feed.link, lost=written.lost
            )
        post = feed.entries[0]
        comments = feed.entries[1:]
        lost = [_LOST]
        if len(comments) + 1 >= _MOST_COMMENTS:
            lost.append(f"{len(comments)} comments are shown: there may be more.")
        return writer.build_page(
            write_thread(feed, path, composer),
            post.title.value,
            url=post.link or feed.link,
            author=_name_author(post),
            published=post.date[:10],
            lost=lost,
        )


def _check(request: SiteRequest, reply: Reply, path: str) -> None:
    """Raise what an answer stands for that is no feed."""
    if reply.status == 403:
        reason = _CLOSED.get(get_text(load_json(reply.body), "reason"), "")
        what = "This"
        community = _COMMUNITY.match(path)
        if community is not None:
            what = community[1]
        sentence = f"{what} {reason} on Reddit."
        if not reason:
            sentence = "Reddit shows this only to people who are logged in."
        raise LoginWall(sentence, suggested_action=_ELSEWHERE)
    if reply.status == 429:
        host = httpx2.URL(REDDIT).host
        request.context.pause(host, _read_reset(reply.headers))
        request.keep_away(host, reply)
        raise RateLimited("Reddit takes no more requests for now (HTTP 429).")
    check_status(reply, f"Reddit has nothing at {path.partition('.rss')[0]}")
    if not _FEED.search(reply.body[:_BEGINNING]):
        raise ProviderFailure("Reddit answered with something else than a feed.")
    if b"<entry" not in reply.body:
        raise NotFound(f"Reddit has nothing at {path.partition('.rss')[0]}")


def _read_reset(headers: httpx2.Headers) -> float:
    """Seconds until a limit ends, as Reddit tells them."""
    try:
        seconds = float(headers.get("x-ratelimit-reset", ""))
    except ValueError:
        return _PAUSE
    if not seconds > 0:
        return _PAUSE
    return seconds


def write_thread(feed: Feed, path: str, composer: Composer) -> str:
    """A post and its comments, in the order of the feed."""
    post, *comments = feed.entries
    community = _COMMUNITY.search(post.link or path)
    facts = join_facts(
        [
            composer.name(community[1] if community else ""),
            composer.name(_name_author(post)),
            composer.name(post.date[:10]),
        ]
    )
    blocks = [f"# {composer.name(post.title.value)}", facts, _write_text(post, composer)]
    if comments:
        blocks.append(f"## Comments ({len(comments)}, without scores)")
    for comment in comments:
        name = composer.name(_name_author(comment)) or "somebody"
        head = f"**{name}** ({composer.name(comment.date[:10])})"
        text = _write_text(comment, composer)
        blocks.append(write_nested(f"{head}\n\n{text}".rstrip(), 0))
    return join_blocks(blocks)


def _name_author(entry: FeedEntry) -> str:
    return entry.author.removeprefix("/")


def _write_text(entry: FeedEntry, composer: Composer) -> str:
    """What was written, and what a post links to; who submitted it is said elsewhere."""
    from webquarry._read.html.parse import parse_html
    from webquarry._read.markdown.convert import render, to_markdown

    if not entry.content.is_html:
        return composer.paragraphs(entry.content.value)
    document = parse_html(entry.content.value)
    written = list(find_by_class(document, "md"))
    links = [element for element in document.elements() if element.tag == "a"]
    target = ""
    for link in links:
        if text_in(link) == "[link]":
            target = link.get("href") or ""
    text = ""
    if written:
        page = render(written, REDDIT, document.roots)
        composer.removed.update(page.removed)
        text = page.text
    elif not target:
        page = to_markdown(document, REDDIT)
        composer.removed.update(page.removed)
        text = page.text
    if not target or target.rstrip("/") == entry.link.rstrip("/"):
        return text
    return join_blocks([text, f"Link: {composer.link(composer.plain(target), target)}"])
