"""Pages as Markdown, and how they were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from webquarry._read.slices.text import WrittenText

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document
    from webquarry._read.markdown.blocks import Block


@dataclass(frozen=True)
class Dated:
    """A date as precise as its source: no time zone is added."""

    value: str  # ISO 8601, as exact as it was given
    field: str  # such as `pdf:CreationDate`


@dataclass(frozen=True)
class LeftOutText:
    """Size and headings of the text outside the main content."""

    bytes: int  # of UTF-8
    headings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page that was fetched and read. Its text is untrusted."""

    url: str  # after redirects
    requested_url: str
    title: str
    text: WrittenText
    # the name of the format: html, markdown, text, json, xml, pdf, docx, pptx, csv, feed
    content_type: str
    encoding: str  # the WHATWG name of the character encoding
    # ok; thin or js_shell with little text; teaser, consent or cut_list if it is incomplete
    outcome: str
    notes: tuple[str, ...]
    fetched_at: datetime
    removed: Mapping[str, int] = field(default_factory=dict)  # removed text: counts by reason
    author: str = ""  # stated by the file
    published: Dated | None = None
    modified: Dated | None = None
    lost: tuple[str, ...] = ()  # the notes on missing text
    # the parsed page of HTML
    document: Document | None = field(default=None, repr=False, compare=False)
    reader: str = ""  # the site reader of the page, if any
    left_out: LeftOutText | None = None  # if only the main content was selected
    tier: str = ""  # source, if not the reply of the server: browser, exa:cached
    blocks: Sequence[Block] = field(default=(), repr=False, compare=False)
    need: str = ""  # of scripts: empty, `may` (they may add content) or `must`

    @property
    def markdown(self) -> str:
        """Text with link targets."""
        return self.text.markdown


@dataclass(frozen=True)
class RawPage:
    """The unconverted response of a server."""

    url: str  # after redirects
    requested_url: str
    body: bytes
    text: str | None  # the decoded body; None if it is not text, or parts cannot be decoded
    content_type: str  # the whole header; empty if there is none
    title: str
    fetched_at: datetime
    is_cut: bool = False  # the rest was not fetched
    total: int | None = None  # bytes of a truncated body, if the server states them
    document: Document | None = field(default=None, repr=False, compare=False)
