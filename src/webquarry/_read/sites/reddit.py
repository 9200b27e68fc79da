"""Reddit: threads, subreddits and users through their Atom feeds, which have no scores and no
nesting. Reddit blocks its pages for programs and leaves its feeds open.

With `Settings(reddit=True)` the feed is requested instead of the page. Otherwise it is fetched
after the page was refused, if robots.txt allows it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry.errors import LoginWall, ProviderFailure
from webquarry.net.models import Reply
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._read.feeds import FeedEntry

_SITE = "https://www.reddit.com"
_PATHS = (
    r"/r/\w+(?:/(?:hot|new|top|rising))?|/user/[\w-]+"
    r"|(?:/r/\w+|/user/[\w-]+)?/comments/\w+(?:/[^/]+(?:/\w+)?)?"
)
_MAX_COMMENTS = 100
_CLOSED = {"private": "is private", "quarantined": "is quarantined"}
_ADVICE = "Search results or an archived copy of the page may help."
_NOTE = "Reddit blocks the page for programs: its feed was read."
_LOST = "The feed of Reddit has no scores and no nesting of replies."


class RedditReader(SiteReader):
    name = "reddit"
    hosts = "reddit.com old.reddit.com new.reddit.com np.reddit.com m.reddit.com redd.it"

    def is_enabled(self, settings: Settings) -> bool:
        return settings.reddit

    def match(self, url: httpx2.URL) -> str:
        """Return the path whose feed has the content of a URL."""
        path = url.path.rstrip("/")
        path = re.sub(r"^/(?=\w+$)" if url.host == "redd.it" else r"^/gallery/", "/comments/", path)
        path = re.sub(r"^/u/", "/user/", path)
        return path if re.fullmatch(_PATHS, path) else ""

    async def fetch(self, request: SiteRequest) -> SiteReply:
        limit = f"?limit={_MAX_COMMENTS}" if "/comments/" in request.target else ""
        reply = await request.send(request.at("reddit", _SITE, f"{request.target}/.rss{limit}"))
        if reply.status == 403:
            place = re.match(r"/(r/\w+)/", request.target)
            reason = _CLOSED.get(JsonData.parse(reply.body).text("reason"), "requires a login")
            message = f"{place[1] if place else 'This page'} {reason} on Reddit."
            raise LoginWall(message, suggested_action=_ADVICE)
        request.check(reply, f"Reddit has nothing at {request.target}")
        return _build_reply(request, request.target, reply)

    def recognizes(self, page: Reply) -> bool:
        return page.status in (401, 403) and bool(self.match(httpx2.URL(page.url)))

    async def fetch_instead(self, request: SiteRequest, page: Reply) -> SiteReply:
        path = self.match(httpx2.URL(page.url))
        reply = await request.fetch(f"{_SITE}{path}/.rss", "application/atom+xml")
        return _build_reply(request, path, reply, _NOTE)

    def write(self, reply: SiteReply, url: str) -> Page:
        from webquarry._read.feeds import parse_xml_feed, write_feed, write_title

        page = SiteWriter(reply, url, _SITE)
        feed = parse_xml_feed(page.text)
        if feed is None or not feed.entries:
            raise ProviderFailure("Unexpected response from Reddit: invalid feed.")
        if "/comments/" not in page.data.text("path"):
            written, lost = write_feed(feed, page)
            title = write_title(feed.title, page)
            return page.build_page([written], title, lost=lost, heading="", url=feed.link)
        post, *comments = feed.entries
        place = re.search(r"/(r/\w{1,50})/", post.link or page.data.text("path"))
        author, day = post.author.removeprefix("/"), post.date[:10]
        facts = map(page.name, [place[1] if place else "", author, day])
        blocks: list[Content] = [page.facts(facts), _write_text(post, page)]
        if comments:
            blocks.append(page.heading(2, f"Comments ({len(comments)}, without scores)"))
        for comment in comments:
            name = page.name(comment.author.removeprefix("/")) or "unknown"
            head = page.attribution(name, page.name(comment.date[:10]))
            blocks.append(page.item(head, _write_text(comment, page)))
        lost = (_LOST,)
        if len(feed.entries) >= _MAX_COMMENTS:
            lost = (_LOST, f"{len(comments)} comments are shown: there may be more.")
        link = post.link or feed.link
        title = post.title.value
        return page.build_page(blocks, title, url=link, author=author, published=day, lost=lost)


def _build_reply(request: SiteRequest, path: str, reply: Reply, note: str = "") -> SiteReply:
    if reply.status != 200 or b"<entry" not in reply.body:
        raise ProviderFailure(f"Reddit returned no feed of the page (HTTP {reply.status}).")
    return request.build_reply({"path": path, "note": note}, reply.body)


def _write_text(entry: FeedEntry, page: SiteWriter) -> Content:
    """Write the text of a post or comment, and what a post links to."""
    from webquarry._read.html.parse import parse_html
    from webquarry._read.html.tree import find_by_class, get_text

    if not entry.content.is_html:
        return page.paragraphs(entry.content.value)
    document = parse_html(entry.content.value)
    links = [one for one in document.elements() if one.tag == "a" and get_text(one) == "[link]"]
    target = (links[0].get("href") or "") if links else ""
    written = find_by_class(document, "md")
    text = page.document(document, written) if written or not target else ""
    is_own = target.rstrip("/") == entry.link.rstrip("/")
    link = "" if is_own else page.label("Link: ", page.link_url(target))
    return page.join([text, link])
