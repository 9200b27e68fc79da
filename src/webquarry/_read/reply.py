"""Convert a reply to a page of Markdown, or raise the error that describes it.

    status and walls -> detect -> decode -> Format.to_markdown -> outcome

This runs in jobs: a process that only fetches pages does not import this module.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

from webquarry._read.detect import pick_format
from webquarry._read.encoding.signatures import binary_type
from webquarry._read.format import ConvertedDocument, FetchedDocument, Format, Selection
from webquarry._read.formats.html import Html
from webquarry._read.models import Page, RawPage
from webquarry._read.outcome.outcome import judge, raise_if_login, raise_if_walled
from webquarry._read.outcome.walls import wall_headers
from webquarry.errors import ThinPage, Unreadable
from webquarry.net.models import Reply
from webquarry.secret import redact

log = logging.getLogger(__name__)

_GONE = frozenset({404, 410})
_FORBIDDEN = frozenset({401, 403})
_LARGEST_WALL = 1_000_000  # bytes; a larger refusal is not parsed
_NOSNIFF = "x-content-type-options"


def read_rendered(requested_url: str, reply: Reply, selection: Selection) -> Page:
    """Read a rendered page; the body of the reply is a DOM snapshot."""
    from webquarry._read.browser.snapshot import read_snapshot

    page = read_reply(requested_url, read_snapshot(reply), selection, is_rendered=True)
    return replace(page, tier="browser")


def read_reply(
    requested_url: str,
    reply: Reply,
    selection: Selection = "whole",
    styles: bytes = b"",
    *,
    is_rendered: bool = False,
) -> Page:
    """Return the page of a reply. `styles` are packed style sheets that it links to."""
    headers = _pick_headers(reply)
    source = _build_source(requested_url, reply, headers, selection)
    if styles:
        source = replace(source, styles=styles)
    if not reply.body or reply.body.isspace():
        raise ThinPage(f"{redact(reply.url)} is empty: the server sent an empty page.")
    chosen = pick_format(source)
    converted = chosen.to_markdown(source)
    if is_rendered:
        converted = replace(converted, is_rendered=True)
    outcome = judge(reply.url, requested_url, headers, converted)
    encoding_notes: tuple[str, ...] = ()
    if converted.encoding and source.text.source in {"detected", "fallback"}:
        how = "assumed"
        if source.text.source == "detected":
            how = "guessed from its letters"
        encoding = source.text.encoding
        encoding_notes = (f"The page declares no encoding that fits it; {encoding} was {how}.",)
    return Page(
        url=reply.url,
        requested_url=requested_url,
        title=converted.title,
        text=converted.text,
        blocks=converted.blocks,
        content_type=chosen.name,
        encoding=converted.encoding,
        outcome=outcome.kind,
        notes=(*encoding_notes, *converted.notes, *outcome.notes),
        fetched_at=reply.fetched_at,
        removed=converted.removed,
        author=converted.author,
        published=converted.published,
        modified=converted.modified,
        lost=(*converted.lost, *outcome.notes),
        document=converted.document,
        left_out=converted.left_out,
        reader=converted.reader,
        need=outcome.need,
    )


def raw_reply(requested_url: str, reply: Reply) -> RawPage:
    """Return the body of a reply. HTML is parsed, because a wall is never returned as a page."""
    headers = _pick_headers(reply)
    source = _build_source(requested_url, reply, headers, "whole")
    chosen: Format | None = None
    with suppress(Unreadable):
        chosen = pick_format(source)
    converted = ConvertedDocument([])
    if isinstance(chosen, Html) and source.body.strip():
        converted = chosen.to_markdown(source)
    try:
        judge(reply.url, requested_url, headers, converted)
    except Unreadable:
        log.debug("%s has no text to read; its bytes are returned", redact(reply.url))
    text: str | None = None
    if chosen is not None and not binary_type(source.body):
        text = source.text.text
        if reply.is_cut:
            text = text.rstrip("\ufffd")  # half a character
        if "\ufffd" in text and "\ufffd".encode() not in source.body:
            text = None  # not every character could be read
    return RawPage(
        url=reply.url,
        requested_url=requested_url,
        body=reply.body,
        text=text,
        content_type=headers.get("content-type", ""),
        title=converted.title,
        fetched_at=reply.fetched_at,
        is_cut=reply.is_cut,
        total=_find_total(reply, text),
        document=converted.document,
    )


def _find_total(reply: Reply, text: str | None) -> int | None:
    """Return the length of a truncated body in bytes if the server states it for this text."""
    length = reply.headers.get("content-length", "")
    is_encoded = "content-encoding" in reply.headers
    if not reply.is_cut or is_encoded or not (length.isascii() and length.isdecimal()):
        return None
    if text is not None and not reply.body.startswith(text.encode("utf-8", "replace")):
        return None
    return int(length[:18])


def _pick_headers(reply: Reply) -> dict[str, str]:
    """Return the headers that are needed here, by name."""
    headers = reply.headers
    names = ("content-type", _NOSNIFF, *(one[0] for one in wall_headers()))
    return {name: headers[name] for name in names if name in headers}


def _build_source(
    requested_url: str, reply: Reply, headers: Mapping[str, str], selection: Selection
) -> FetchedDocument:
    """Return a successful reply as a document. Raises the error of a wall, a login or a status."""
    nosniff = headers.get(_NOSNIFF, "").strip().lower() == "nosniff"
    source = FetchedDocument(
        url=reply.url,
        body=reply.body,
        content_type=headers.get("content-type", ""),
        nosniff=nosniff,
        selection=selection,
        fragment=urlsplit(requested_url).fragment if "#" in requested_url else "",
    )
    raise_if_walled(reply.url, headers, None)  # by headers, whatever the body
    if 200 <= reply.status < 300:
        return source

    refusal: ConvertedDocument | None = None
    may_be_wall = reply.status not in _GONE and len(source.body) <= _LARGEST_WALL
    if may_be_wall and source.body.strip():
        whole = replace(source, selection="whole")
        with suppress(Unreadable):
            refusal = pick_format(whole).to_markdown(whole)
    raise_if_walled(reply.url, headers, refusal)
    if refusal is not None and reply.status in _FORBIDDEN:
        raise_if_login(reply.url, requested_url, refusal)
    from webquarry.net.failures import raise_for_status  # imports httpx2

    raise_for_status(reply)
    return source
