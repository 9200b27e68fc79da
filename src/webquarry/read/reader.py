"""The reader: a URL comes in, a page as Markdown goes out, or an error that says what was there
instead.

    special reader, if one knows the URL -> fetch -> status and walls -> detect -> decode -> Format.to_markdown -> outcome

`read` gives the main part of a page and asks for native Markdown in the same request, or gives the
whole page as it is seen; `read_raw` gives the bytes. Everything after the fetch is work for the
processor and runs in a thread, so that ten pages do not wait for each other, unless they are large
(`room.py`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from webquarry.clock import Clock
from webquarry.errors import LoginWall, NotFound, ThinPage, Unreadable, WebquarryError
from webquarry.net.client import Client
from webquarry.net.http.status import raise_for_status
from webquarry.net.models import Reply
from webquarry.progress import note
from webquarry.read.detect import pick_format
from webquarry.read.encoding.decode import DecodedText
from webquarry.read.encoding.signatures import binary_type
from webquarry.read.executor import Room
from webquarry.read.format import ConvertedDocument, FetchedDocument, Format, Selection
from webquarry.read.formats.html import Html
from webquarry.read.models import Page, RawPage
from webquarry.read.special_reader import SiteContext, find_special_reader
from webquarry.read.walls.outcome import Outcome, judge, raise_if_login, raise_if_walled
from webquarry.secret import redact
from webquarry.settings import Settings

log = logging.getLogger(__name__)
T = TypeVar("T")

ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5"
# Some servers send Markdown only to those who want it most, and take no wildcard for an answer.
ACCEPT_MARKDOWN = (
    "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
)
_GONE = frozenset({404, 410})
_NOT_ACCEPTABLE = 406
_LARGEST_WALL = 1_000_000  # bytes; a refusal larger than that is not looked into


class Reader:
    """Reads pages through one client."""

    def __init__(
        self, client: Client, settings: Settings | None = None, clock: Clock | None = None
    ) -> None:
        self._client = client
        self._desk = SiteContext(client, settings or Settings(), clock or Clock())
        self.room = Room()

    async def read(self, url: str, *, selection: Selection = "whole") -> Page:
        """The page at a URL. Raises whatever the client raises, and what `outcome` makes of walls
        and empty pages.
        """
        if selection == "whole":
            reply = await self._client.fetch(url, accept=ACCEPT)
            return await self.room.run(_size(reply), lambda: read_reply(url, reply))
        page, document = await self.look_into(url, lambda page: page.document)
        return replace(page, document=document)

    async def look_into(self, url: str, look: Callable[[Page], T]) -> tuple[Page, T]:
        """The main part of the page at a URL, and what a look at its parsed document gives, which
        is then let go.
        """
        special, why = await self._read_specially(url)
        if special is not None:
            return replace(special, document=None), await asyncio.to_thread(look, special)
        reply = await self._client.fetch(url, accept=ACCEPT_MARKDOWN)
        if reply.status == _NOT_ACCEPTABLE:  # a server that knows no second choice
            note("fetching the page")
            reply = await self._client.fetch(url, accept=ACCEPT)
        note("reading the page")
        page, seen = await self.room.run(_size(reply), lambda: _looked_into(url, reply, look))
        return replace(page, notes=(*page.notes, why)) if why else page, seen

    async def read_raw(self, url: str) -> RawPage:
        """The bytes at a URL, unless what was sent is no page but a wall, a login or a refusal."""
        reply = await self._client.fetch(url, accept=ACCEPT)
        return await self.room.run(_size(reply), lambda: raw_reply(url, reply))

    async def _read_specially(self, url: str) -> tuple[Page | None, str]:
        """By a reader of its own, for sites that have one; where that fails the page itself is
        read, and why is said.
        """
        special = find_special_reader(url)
        if special is None:
            return None, ""
        try:
            return await special.read(url, self._desk), ""
        except (NotFound, LoginWall):
            raise  # the site has been understood, and said no
        except WebquarryError as error:
            return (
                None,
                f"The page itself was read, because its API ({special.name}) failed: "
                f"{redact(error.message)}",
            )


def _looked_into(url: str, reply: Reply, look: Callable[[Page], T]) -> tuple[Page, T]:
    page = read_reply(url, reply, "main")
    return replace(page, document=None), look(page)


def _size(reply: Reply) -> int:
    """The bytes that are parsed here; binary documents are read in a process of their own."""
    if binary_type(reply.body):
        return 0
    return len(reply.body)


def read_reply(requested_url: str, reply: Reply, selection: Selection = "whole") -> Page:
    """The page that a reply holds."""
    source = _source(requested_url, reply, selection)
    if not reply.body.strip():
        raise ThinPage(f"{redact(reply.url)} is empty: the server sent an empty page.")
    chosen = pick_format(source)
    draft = chosen.to_markdown(source)
    outcome = _judged(requested_url, reply.url, reply.headers, draft)
    return Page(
        url=reply.url,
        requested_url=requested_url,
        title=draft.title,
        markdown=draft.markdown,
        content_type=chosen.name,
        encoding=draft.encoding,
        outcome=outcome.kind,
        notes=(
            *_encoding_notes(source.text if draft.encoding else None),
            *draft.notes,
            *outcome.notes,
        ),
        fetched_at=reply.fetched_at,
        removed=draft.removed,
        author=draft.author,
        published=draft.published,
        modified=draft.modified,
        lost=draft.lost,
        document=draft.document,
    )


def raw_reply(requested_url: str, reply: Reply) -> RawPage:
    """The bytes that a reply holds; HTML is looked into, for a wall is no page in any form."""
    source = _source(requested_url, reply, "whole")
    chosen = _format_if_known(source)
    if isinstance(chosen, Html) and source.body.strip():
        draft = chosen.to_markdown(source)
    else:
        draft = ConvertedDocument("")
    try:
        _judged(requested_url, reply.url, reply.headers, draft)
    except Unreadable:
        log.debug("%s has no text to read; its bytes are given all the same", redact(reply.url))
    return RawPage(
        url=reply.url,
        requested_url=requested_url,
        body=reply.body,
        text=_verbatim(source, chosen),
        content_type=reply.headers.get("content-type", ""),
        title=draft.title,
        fetched_at=reply.fetched_at,
        document=draft.document,
    )


def _source(requested_url: str, reply: Reply, selection: Selection) -> FetchedDocument:
    """What was fetched, if it was answered with success and no header says that it is a wall."""
    source = FetchedDocument(
        url=reply.url,
        body=reply.body,
        content_type=reply.headers.get("content-type", ""),
        nosniff=reply.headers.get("x-content-type-options", "").strip().lower() == "nosniff",
        selection=selection,
    )
    raise_if_walled(reply.url, reply.headers, None)  # some say so in a header, over any body
    if not 200 <= reply.status < 300:
        _raise_refusal(requested_url, reply, replace(source, selection="whole"))
    return source


def _judged(
    requested_url: str, url: str, headers: Mapping[str, str], draft: ConvertedDocument
) -> Outcome:
    if draft.whole is None:
        shown = draft
    else:
        shown = replace(draft, markdown=draft.whole)
    return judge(url, requested_url, headers, shown)


def _format_if_known(source: FetchedDocument) -> Format | None:
    try:
        return pick_format(source)
    except Unreadable:
        return None


def _verbatim(source: FetchedDocument, chosen: Format | None) -> str | None:
    """The body as text, if it is text and every character of it can be read."""
    if chosen is None or binary_type(source.body):
        return None
    text = source.text.text
    if "\ufffd" not in text or "\ufffd".encode() in source.body:
        return text
    return None


def _raise_refusal(requested_url: str, reply: Reply, source: FetchedDocument) -> None:
    """Say what a reply without success is: a wall, a login, or what its status code says."""
    if reply.status in _GONE:
        draft = None
    else:
        draft = _draft_of_refusal(source)
    raise_if_walled(reply.url, reply.headers, draft)
    if draft is not None and reply.status in {401, 403}:
        raise_if_login(reply.url, requested_url, draft)
    raise_for_status(reply)


def _draft_of_refusal(source: FetchedDocument) -> ConvertedDocument | None:
    if not source.body.strip() or len(source.body) > _LARGEST_WALL:
        return None
    try:
        return pick_format(source).to_markdown(source)
    except Unreadable:
        return None


def _encoding_notes(text: DecodedText | None) -> tuple[str, ...]:
    if text is None or text.source not in {"detected", "fallback"}:
        return ()
    how = "assumed"
    if text.source == "detected":
        how = "guessed from its letters"
    return (f"The page declares no encoding that fits it; {text.encoding} was {how}.",)
