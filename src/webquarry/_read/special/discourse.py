"""Topics of Discourse forums by their JSON: all posts, the accepted answer right behind the
question.

Anybody can run such a forum, so its host is known by a list, by how it is called or by a page of it
that was fetched, and what it says is fetched as pages are: guarded, and by the rules of its
robots.txt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import httpx2

from webquarry._read.html.head_tags import find_tags
from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.article_html import find_by_class
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
    get_number,
    get_objects,
    get_text,
    get_texts,
    get_value,
)
from webquarry._read.special._parts.site_markdown import count, join_blocks, join_facts
from webquarry._read.special._parts.site_request import SiteRequest, SiteWriter, parse_json
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import LoginWall, ProviderFailure, WebquarryError
from webquarry.net.models import Reply

_HOSTS = frozenset({
    "elixirforum.com", "internals.rust-lang.org", "users.rust-lang.org", "devtalk.com",
    "ask.replit.com", "talk.jekyllrb.com", "scicomp.discourse.group", "us.forums.blizzard.com",
})  # fmt: skip
_PREFIXES = ("discourse.", "discuss.", "forum.", "forums.", "community.", "meta.", "talk.")
_NOT_DISCOURSE = frozenset({"meta.stackexchange.com", "meta.stackoverflow.com"})
_PATH = re.compile(
    r"(?P<folder>(?:/[\w-]{1,40}){0,2})/t/(?:[^/]{1,200}/)?(?P<number>[0-9]{1,9})(?:/[0-9]{1,6})?/?"
)
_BATCH = 50  # posts in one answer
_MOST_REQUESTS = 5
_HEAD = 100_000  # bytes in which a page says by what it was made
_SMALL_ACTION = 3
_LIKE = 2


class DiscourseReader(SpecialReader):
    name = "discourse"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS or host.startswith(_PREFIXES)

    def knows(self, url: httpx2.URL) -> bool:
        host = url.host
        if host in _NOT_DISCOURSE:
            return False
        if host not in _HOSTS and not host.startswith(_PREFIXES):
            return False
        found = _PATH.fullmatch(url.path)
        return found is not None and not found["folder"]  # one in a folder is known by its page

    def wants(self, reply: Reply) -> bool:
        if reply.status != 200 or "/t/" not in unquote(reply.url):
            return False  # as nearly all, told without reading the address
        if _PATH.fullmatch(httpx2.URL(reply.url).path) is None:
            return False
        for _, attributes in find_tags(reply.body[:_HEAD], "meta"):
            if attributes.get("name", "").lower() == "generator":
                return attributes.get("content", "").startswith("Discourse ")
        return False

    async def read_instead(self, url: str, page: Reply, context: SiteContext) -> SiteReply:
        return await self.read(page.url, context)

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        address = httpx2.URL(url)
        found = _PATH.fullmatch(address.path)
        assert found is not None
        number = found["number"]
        origin = f"{address.scheme}://{address.netloc.decode()}{found['folder']}"
        request = SiteRequest(self.name, url, context)
        missing = f"{address.host} has no topic {number}."
        topic = await _fetch(request, f"{origin}/t/{number}.json", missing)
        if not get_objects(topic, "post_stream", "posts"):
            raise ProviderFailure(f"{address.host} is no Discourse forum.")
        posts, lost = await _fetch_posts(request, origin, number, topic)
        return request.build_reply({"topic": topic, "posts": posts, "lost": lost})

    def write(self, reply: SiteReply, url: str) -> Page:
        topic = get_fields(reply.data, "topic")
        writer = SiteWriter(reply, url)
        posts = get_objects(reply.data, "posts")
        first: Mapping[str, Any] = next(iter(posts), {})
        return writer.build_page(
            write_topic(topic, posts, url, writer.composer),
            get_text(topic, "title"),
            author=get_text(first, "username"),
            published=get_day(topic, "created_at"),
            modified=get_day(topic, "last_posted_at"),
            lost=get_texts(reply.data, "lost"),
        )


async def _fetch(request: SiteRequest, url: str, missing: str) -> Mapping[str, Any]:
    """What a forum answers; LoginWall where it shows it to members only."""
    reply = await request.fetch(url)
    if reply.status == 403 and b"invalid_access" in reply.body[:2000]:
        host = httpx2.URL(url).host
        raise LoginWall(f"{host} shows this topic to members only.")
    return get_fields(parse_json(reply, missing))


async def _fetch_posts(
    request: SiteRequest, origin: str, number: str, topic: Mapping[str, Any]
) -> tuple[list[Mapping[str, Any]], list[str]]:
    """All posts of a topic, and what is lost of very many."""
    posts = get_objects(topic, "post_stream", "posts")
    stream = get_value(topic, "post_stream", "stream")
    known = {get_number(post, "id") for post in posts}
    waiting: list[int] = []
    if isinstance(stream, list):
        waiting = [one for one in stream if isinstance(one, int) and one not in known]
    total = len(known) + len(waiting)
    reason = "."
    for _ in range(_MOST_REQUESTS):
        batch, waiting = waiting[:_BATCH], waiting[_BATCH:]
        if not batch:
            break
        query = "&".join(f"post_ids%5B%5D={one}" for one in batch)
        try:
            more = await _fetch(request, f"{origin}/t/{number}/posts.json?{query}", "No posts.")
        except WebquarryError as error:
            reason = f": {error.sentence}"
            break
        posts += get_objects(more, "post_stream", "posts")
    if len(posts) < total:
        return posts, [f"{len(posts)} of {total} posts are shown{reason}"]
    return posts, []


def write_topic(
    topic: Mapping[str, Any], posts: Sequence[Mapping[str, Any]], url: str, composer: Composer
) -> str:
    """A topic: its first post, the accepted answer, then the others by number."""
    accepted = get_number(topic, "accepted_answer", "post_number")
    tags = [composer.name(tag) for tag in _list_tags(topic)]
    facts = join_facts(
        [
            ", ".join(filter(None, tags)),
            count(get_number(topic, "posts_count"), "post"),
            count(get_number(topic, "views"), "view"),
            f"opened {get_day(topic, 'created_at')}",
            f"last post {get_day(topic, 'last_posted_at')}",
            f"solved by #{accepted}" if accepted else "",
            "closed" if get_flag(topic, "closed") else "",
        ]
    )
    shown = [post for post in posts if _is_shown(post)]
    shown.sort(key=lambda post: _rank(post, accepted))
    blocks = [f"# {composer.name(get_text(topic, 'title'))}", facts]
    for place, post in enumerate(shown):
        if place == 1:
            total = max(get_number(topic, "posts_count") or 0, len(shown))
            blocks.append(f"## Comments ({len(shown) - 1} of {total - 1})")
        blocks.append(_write_head(post, accepted, composer))
        blocks.append(_write_post(post, url, composer))
    return join_blocks(blocks)


def _list_tags(topic: Mapping[str, Any]) -> list[str]:
    """The tags of a topic, which newer forums give as objects."""
    named = [get_text(tag, "name") for tag in get_objects(topic, "tags")]
    return get_texts(topic, "tags") + named


def _is_shown(post: Mapping[str, Any]) -> bool:
    is_action = get_number(post, "post_type") == _SMALL_ACTION
    return not is_action and not get_flag(post, "hidden")


def _rank(post: Mapping[str, Any], accepted: int | None) -> tuple[bool, bool, int]:
    number = get_number(post, "post_number") or 0
    return number != 1, number != accepted, number


def _write_head(post: Mapping[str, Any], accepted: int | None, composer: Composer) -> str:
    number = get_number(post, "post_number")
    likes = 0
    for action in get_objects(post, "actions_summary"):
        if get_number(action, "id") == _LIKE:
            likes = get_number(action, "count") or 0
    details = [get_day(post, "created_at"), count(likes, "like") if likes else ""]
    if number == accepted:
        details.append("accepted answer")
    answered = get_number(post, "reply_to_post_number")
    target = f" -> #{answered}" if answered else ""
    name = composer.name(get_text(post, "username")) or "somebody"
    return f"**#{number} {name}** ({', '.join(filter(None, details))}){target}"


def _write_post(post: Mapping[str, Any], url: str, composer: Composer) -> str:
    """What was written in a post; small pictures stand for the words that they are named by."""
    from webquarry._read.html.parse import parse_html
    from webquarry._read.markdown.convert import to_markdown

    document = parse_html(get_text(post, "cooked"))
    for element in find_by_class(document, "emoji"):
        if element.tag == "img":
            element.tag = "span"
            element.text = element.get("alt") or ""
    page = to_markdown(document, url)
    composer.removed.update(page.removed)
    return page.text
