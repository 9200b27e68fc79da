"""Mastodon: a post with the thread above and below it. Anyone can run a server, so its API is
fetched as pages are.

API: https://docs.joinmastodon.org/methods/statuses/
"""

from __future__ import annotations

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.compose import Composer, Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter, count
from webquarry.errors import ProviderFailure


class MastodonReader(SiteReader):
    name = "mastodon"
    path = (
        r"/(?:@[\w.-]{1,100}(?:@[\w.-]{1,200})?|users/[\w.-]{1,100}/statuses|web/statuses)"
        r"/([0-9]{15,20})"
    )

    async def fetch(self, request: SiteRequest) -> SiteReply:
        host, number = request.url.host, request.target[1]
        api = str(request.url.join(f"/api/v1/statuses/{number}"))
        missing = f"{host} has no post {number}: it is deleted, or not public."
        post = await _get(request, api, missing)
        if not post.text("content") and not post.fields("account"):
            raise ProviderFailure(f"Unexpected response from {host}: not a Mastodon server.")
        context = _get(request, f"{api}/context", missing)
        thread = await request.optional(context, "The replies are missing", JsonData({}))
        shown, total = len(thread.objects("descendants")), post.number("replies_count") or 0
        if shown < total and not request.lost:
            request.lost = [f"{shown} of {total} replies are shown: others are on other servers."]
        return request.build_reply({"post": post.value, "thread": thread.value})

    def write(self, reply: SiteReply, url: str) -> Page:
        page = SiteWriter(reply, url)
        post = page.data.object("post")
        parents = page.data.objects("thread", "ancestors")
        replies = page.data.objects("thread", "descendants")
        account = post.text("account", "acct")
        name = post.text("account", "display_name") or account
        blocks: list[Content] = []
        if parents:
            posts = [_write_reply(parent, 0, page) for parent in parents]
            blocks = [page.heading(2, "In reply to"), *posts, page.heading(2, "The post")]
        facts = [
            f"@{page.name(account)}",
            post.day("created_at"),
            count(post.number("favourites_count"), "favourite"),
            count(post.number("reblogs_count"), "boost"),
        ]
        blocks += [page.facts(facts), _write_text(post, page)]
        blocks.append(page.count_heading("Comments", len(replies), post.number("replies_count")))
        depths = {post.text("id"): -1}
        for one in replies:  # a reply comes after the post that it replies to
            depth = depths.get(one.text("in_reply_to_id"), -1) + 1
            depths[one.text("id")] = depth
            blocks.append(_write_reply(one, depth, page))
        return page.build_page(
            blocks,
            f"{name} on {httpx2.URL(url).host}",
            heading=page.name(name),
            url=post.text("url"),
            author=name,
            published=post.day("created_at"),
            modified=post.day("edited_at"),
        )


async def _get(request: SiteRequest, url: str, missing: str) -> JsonData:
    reply = await request.fetch(url)
    if reply.status in (401, 422):  # the page can be public nevertheless
        raise ProviderFailure("The API of the server requires a login.")
    return request.parse(reply, missing)


def _write_reply(post: JsonData, depth: int, page: Composer) -> list[Block]:
    likes = page.label("+", str(post.number("favourites_count") or ""))
    account = f"@{page.name(post.text('account', 'acct')) or 'unknown'}"
    head = page.attribution(account, post.day("created_at"), likes)
    return page.item(head, _write_text(post, page), depth)


def _write_text(post: JsonData, page: Composer) -> list[Block]:
    """Write a post: content warning, text and descriptions of pictures."""
    pictures = [page.name(one.text("description")) for one in post.objects("media_attachments")]
    contents: list[Content] = [
        page.label("Content warning: ", page.name(post.text("spoiler_text"))),
        page.fragment(post.text("content")),
        *(page.label("Picture: ", picture) for picture in pictures),
    ]
    return page.join(contents)
