"""Posts of Mastodon servers by their interface: what was answered to, the post, and the answers.

Anybody can run such a server: what it says is fetched as pages are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_number,
    get_objects,
    get_text,
    get_texts,
)
from webquarry._read.special._parts.site_markdown import (
    count,
    join_blocks,
    join_facts,
    write_nested,
)
from webquarry._read.special._parts.site_request import SiteRequest, SiteWriter, parse_json
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import ProviderFailure, WebquarryError

_PATH = re.compile(
    r"/(?:@[\w.-]{1,100}(?:@[\w.-]{1,200})?|users/[\w.-]{1,100}/statuses|web/statuses)"
    r"/([0-9]{15,20})"
)


class MastodonReader(SpecialReader):
    name = "mastodon"

    def knows(self, url: httpx2.URL) -> bool:
        return _PATH.fullmatch(url.path) is not None

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        address = httpx2.URL(url)
        found = _PATH.fullmatch(address.path)
        assert found is not None
        origin = f"{address.scheme}://{address.netloc.decode()}"
        request = SiteRequest(self.name, url, context)
        place = f"{origin}/api/v1/statuses/{found[1]}"
        missing = f"{address.host} has no post {found[1]}: it is gone, or not public."
        post = get_fields(await _fetch(request, place, missing))
        if not get_text(post, "content") and not get_fields(post, "account"):
            raise ProviderFailure(f"{address.host} is no Mastodon server.")
        lost = []
        thread: Any = {}
        try:
            thread = await _fetch(request, f"{place}/context", missing)
        except WebquarryError as error:
            lost.append(f"The answers are missing: {error.sentence}")
        answers = len(get_objects(thread, "descendants"))
        told = get_number(post, "replies_count") or 0
        if not lost and answers < told:
            lost.append(f"{answers} of {told} answers are shown: others are on other servers.")
        return request.build_reply({"post": post, "thread": thread, "lost": lost})

    def write(self, reply: SiteReply, url: str) -> Page:
        post = get_fields(reply.data, "post")
        writer = SiteWriter(reply, url)
        name = get_text(post, "account", "display_name") or get_text(post, "account", "acct")
        return writer.build_page(
            write_thread(post, reply.data, writer.composer),
            f"{name} on {httpx2.URL(url).host}",
            url=get_text(post, "url"),
            author=name,
            published=get_day(post, "created_at"),
            modified=get_day(post, "edited_at"),
            lost=get_texts(reply.data, "lost"),
        )


async def _fetch(request: SiteRequest, url: str, missing: str) -> Any:
    """What a server answers. One that is closed to visitors may show the page all the same."""
    reply = await request.fetch(url)
    if reply.status in (401, 422):
        raise ProviderFailure("The server answers its members only.")
    return parse_json(reply, missing)


def write_thread(post: Mapping[str, Any], data: Mapping[str, Any], composer: Composer) -> str:
    """What came before a post, the post, and the answers as a tree."""
    name = composer.name(get_text(post, "account", "display_name"))
    account = composer.name(get_text(post, "account", "acct"))
    blocks = [f"# {name or account}"]
    parents = get_objects(data, "thread", "ancestors")
    if parents:
        blocks.append("## In reply to")
        blocks += [write_nested(_write_post(parent, composer), 0) for parent in parents]
        blocks.append("## The post")
    facts = [
        f"@{account}",
        get_day(post, "created_at"),
        count(get_number(post, "favourites_count"), "favourite"),
        count(get_number(post, "reblogs_count"), "boost"),
    ]
    blocks += [join_facts(facts), _write_text(post, composer)]
    answers = get_objects(data, "thread", "descendants")
    if answers:
        total = max(get_number(post, "replies_count") or 0, len(answers))
        blocks.append(f"## Comments ({len(answers)} of {total})")
        blocks += _write_answers(answers, get_text(post, "id"), composer)
    return join_blocks(blocks)


def _write_answers(
    answers: Sequence[Mapping[str, Any]], root: str, composer: Composer
) -> list[str]:
    """Answers below what they answer; the server gives them in that order."""
    depths = {root: -1}
    blocks = []
    for answer in answers:
        depth = depths.get(get_text(answer, "in_reply_to_id"), -1) + 1
        depths[get_text(answer, "id")] = depth
        blocks.append(write_nested(_write_post(answer, composer), depth))
    return blocks


def _write_post(post: Mapping[str, Any], composer: Composer) -> str:
    likes = get_number(post, "favourites_count")
    account = composer.name(get_text(post, "account", "acct")) or "somebody"
    details = [get_day(post, "created_at"), f"+{likes}" if likes else ""]
    head = f"**@{account}** ({', '.join(filter(None, details))})"
    return f"{head}\n\n{_write_text(post, composer)}".rstrip()


def _write_text(post: Mapping[str, Any], composer: Composer) -> str:
    """A post: its warning, its text, its poll, what its pictures show and what it links to."""
    warning = composer.name(get_text(post, "spoiler_text"))
    blocks = [f"Content warning: {warning}" if warning else ""]
    blocks.append(composer.fragment(get_text(post, "content")))
    options = []
    for option in get_objects(post, "poll", "options"):
        votes = count(get_number(option, "votes_count"), "vote")
        options.append(f"- {composer.name(get_text(option, 'title'))} ({votes})")
    blocks.append("\n".join(options))
    for picture in get_objects(post, "media_attachments"):
        shown = composer.name(get_text(picture, "description"))
        if shown:
            blocks.append(f"Picture: {shown}")
    title = composer.plain(get_text(post, "card", "title"))
    if title:
        blocks.append(f"Link: {composer.link(title, get_text(post, 'card', 'url'))}")
    return join_blocks(blocks)
