"""Discourse: all posts of a topic, the accepted answer after the question.

Anyone can run a forum: it is known by the name of its host or by a fetched page, and its API is
fetched as pages are.

API: https://docs.discourse.org/#tag/Topics
"""

from __future__ import annotations

import re

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter, count
from webquarry.errors import LoginWall, ProviderFailure
from webquarry.net.models import Reply

_PREFIXES = ("discourse.", "discuss.", "forum.", "forums.", "community.", "meta.", "talk.")
_PATH = r"((?:/[\w-]{1,40}){0,2}/t/)(?:[^/]{1,200}/)?([0-9]{1,9})(?:/[0-9]{1,6})?/?"
_BATCH = 50  # posts in one request
_MAX_REQUESTS = 5
_SMALL_ACTION = 3  # post type
_LIKE = 2  # action id


class DiscourseReader(SiteReader):
    name = "discourse"

    def match(self, url: httpx2.URL) -> re.Match[str] | None:
        found = re.fullmatch(_PATH, url.path) if url.host.startswith(_PREFIXES) else None
        return found if found and found[1] == "/t/" else None  # a folder is known by its page

    def recognizes(self, page: Reply) -> bool:
        if page.status != 200 or not re.fullmatch(_PATH, httpx2.URL(page.url).path):
            return False
        from webquarry._read.html.sheet_links import find_tags

        for _, attributes in find_tags(page.body[:100_000], "meta"):
            if attributes.get("name", "").lower() == "generator":
                return attributes.get("content", "").startswith("Discourse ")
        return False

    async def fetch_instead(self, request: SiteRequest, page: Reply) -> SiteReply:
        return await _fetch_topic(request, httpx2.URL(page.url))

    async def fetch(self, request: SiteRequest) -> SiteReply:
        return await _fetch_topic(request, request.url)

    def write(self, reply: SiteReply, url: str) -> Page:
        page = SiteWriter(reply, url)
        topic = page.data.object("topic")
        accepted = topic.number("accepted_answer", "post_number")
        total = topic.number("posts_count")
        facts = [
            ", ".join(filter(None, map(page.name, topic.texts("tags")))),
            count(total, "post"),
            f"opened {topic.day('created_at')}",
            page.label("solved by #", str(accepted or "")),
        ]
        posts = [
            one
            for one in page.data.objects("posts")
            if not one.flag("hidden") and one.number("post_type") != _SMALL_ACTION
        ]
        posts.sort(key=lambda post: _rank(post, accepted))
        blocks: list[Content] = [page.facts(facts)]
        for post in posts[:1]:
            blocks += _write_post(post, accepted, page)
        blocks.append(page.count_heading("Comments", len(posts[1:]), (total or 0) - 1))
        for post in posts[1:]:
            blocks += _write_post(post, accepted, page)
        return page.build_page(
            blocks,
            topic.text("title"),
            author=posts[0].text("username") if posts else "",
            published=topic.day("created_at"),
            modified=topic.day("last_posted_at"),
        )


async def _fetch_topic(request: SiteRequest, url: httpx2.URL) -> SiteReply:
    """Request a topic with its first posts, then the others in batches."""
    found = re.fullmatch(_PATH, url.path)
    assert found is not None
    base = str(url.join(f"{found[1]}{found[2]}"))
    topic = await _get(request, f"{base}.json", f"{url.host} has no topic {found[2]}.")
    posts = topic.values("post_stream", "posts")
    if not posts:
        raise ProviderFailure(f"Unexpected response from {url.host}: not a Discourse forum.")
    known = {post.number("id") for post in topic.objects("post_stream", "posts")}
    waiting = [one for one in topic.numbers("post_stream", "stream") if one not in known]
    total = len(known) + len(waiting)
    for start in range(0, min(len(waiting), _BATCH * _MAX_REQUESTS), _BATCH):
        query = "&".join(f"post_ids%5B%5D={one}" for one in waiting[start : start + _BATCH])
        wanted = _get(request, f"{base}/posts.json?{query}", "No posts.")
        more = await request.optional(wanted, "Posts are missing", None)
        if more is None:
            break
        posts = posts + more.values("post_stream", "posts")
    if len(posts) < total:
        request.lost.append(f"{len(posts)} of {total} posts are shown.")
    return request.build_reply({"topic": topic.value, "posts": posts})


async def _get(request: SiteRequest, url: str, missing: str) -> JsonData:
    reply = await request.fetch(url)
    if reply.status == 403 and b"invalid_access" in reply.body[:2000]:
        raise LoginWall(f"{httpx2.URL(url).host} shows this topic to members only.")
    return request.parse(reply, missing)


def _rank(post: JsonData, accepted: int | None) -> tuple[bool, bool, int]:
    number = post.number("post_number") or 0
    return number != 1, number != accepted, number


def _write_post(post: JsonData, accepted: int | None, page: SiteWriter) -> list[Content]:
    from webquarry._read.html.parse import parse_html
    from webquarry._read.html.tree import find_by_class

    number = post.number("post_number")
    actions = post.objects("actions_summary")
    likes = sum(one.number("count") or 0 for one in actions if one.number("id") == _LIKE)
    answer = "accepted answer" if number == accepted else ""
    name = f"#{number} {page.name(post.text('username')) or 'unknown'}"
    head = page.attribution(name, post.day("created_at"), count(likes or None, "like"), answer)
    target = page.label(" -> #", str(post.number("reply_to_post_number") or ""))
    document = parse_html(post.text("cooked"))
    for image in find_by_class(document, "emoji"):
        image.tag, image.text = "span", image.get("alt") or ""
    return [head + target, page.document(document)]
