"""The reader: a URL comes in, a page as Markdown goes out, or an error that says what was there instead.

    fetch -> status and walls -> detect -> decode -> Format.to_markdown -> outcome

Everything after the fetch is work for the processor and runs in a thread, so that ten pages do not wait for each other.
"""

from __future__ import annotations

import asyncio

from webquarry.errors import ThinPage, Unreadable
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.net.status import raise_for_status
from webquarry.read.decode import Text
from webquarry.read.detect import pick_format
from webquarry.read.format import Draft, Source
from webquarry.read.models import Page
from webquarry.read.outcome import judge, raise_if_login, raise_if_walled
from webquarry.secret import redact

ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5"
_GONE = frozenset({404, 410})
_LARGEST_WALL = 1_000_000  # bytes; a refusal larger than that is not looked into


class Reader:
    """Reads pages through one client."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def read(self, url: str) -> Page:
        """The page at a URL. Raises whatever the client raises, and what `outcome` makes of walls and empty pages."""
        reply = await self._client.fetch(url, accept=ACCEPT)
        return await asyncio.to_thread(read_reply, url, reply)


def read_reply(requested_url: str, reply: Reply) -> Page:
    """The page that a reply holds."""
    source = Source(
        url=reply.url,
        body=reply.body,
        content_type=reply.headers.get("content-type", ""),
        nosniff=reply.headers.get("x-content-type-options", "").strip().lower() == "nosniff",
    )
    raise_if_walled(reply.url, reply.headers, None)  # some say so in a header, over any body
    if not 200 <= reply.status < 300:
        _raise_refusal(requested_url, reply, source)
    if not reply.body.strip():
        raise ThinPage(f"{redact(reply.url)} is empty: the server sent an empty page.")
    chosen = pick_format(source)
    draft = chosen.to_markdown(source)
    outcome = judge(reply.url, requested_url, reply.headers, draft)
    return Page(
        url=reply.url,
        requested_url=requested_url,
        title=draft.title,
        markdown=draft.markdown,
        content_type=chosen.name,
        encoding=draft.encoding,
        outcome=outcome.kind,
        notes=(*_encoding_notes(source.text if draft.encoding else None), *draft.notes, *outcome.notes),
        fetched_at=reply.fetched_at,
        removed=draft.removed,
        author=draft.author,
        published=draft.published,
        modified=draft.modified,
        lost=draft.lost,
    )


def _raise_refusal(requested_url: str, reply: Reply, source: Source) -> None:
    """Say what a reply without success is: a wall, a login, or what its status code says."""
    draft = None if reply.status in _GONE else _draft_of_refusal(source)
    raise_if_walled(reply.url, reply.headers, draft)
    if draft is not None and reply.status in {401, 403}:
        raise_if_login(reply.url, requested_url, draft)
    raise_for_status(reply)


def _draft_of_refusal(source: Source) -> Draft | None:
    if not source.body.strip() or len(source.body) > _LARGEST_WALL:
        return None
    try:
        return pick_format(source).to_markdown(source)
    except Unreadable:
        return None


def _encoding_notes(text: Text | None) -> tuple[str, ...]:
    if text is None or text.source not in {"detected", "fallback"}:
        return ()
    how = "guessed from its letters" if text.source == "detected" else "assumed"
    return (f"The page declares no encoding that fits it; {text.encoding} was {how}.",)
