"""What reading gives: a page as Markdown, with all that is known about how it was read."""

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
    """A date, and where it was found. Nothing is added to it: a date without a zone stays
    without.
    """

    value: str  # ISO 8601, as exact as it was given
    field: str  # such as `pdf:CreationDate`


@dataclass(frozen=True)
class LeftOutText:
    """What the main part of a page leaves out: how much, and the headings in it."""

    bytes: int  # of UTF-8
    headings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Page:
    """One page that was fetched and read. Its text came from the web and is not to be trusted."""

    url: str  # the address that answered, after redirects
    requested_url: str
    title: str
    text: WrittenText
    # the name of the format: html, markdown, text, json, xml, pdf, docx, pptx, csv, feed
    content_type: str
    encoding: str  # the WHATWG name of the character encoding
    # ok; thin or js_shell when there is some text but hardly the page; teaser, consent or cut_list
    # when it is a part of something
    outcome: str
    notes: tuple[str, ...]
    fetched_at: datetime
    removed: Mapping[str, int] = field(default_factory=dict)  # what was left out, and how often
    author: str = ""  # as the file itself says
    published: Dated | None = None
    modified: Dated | None = None
    lost: tuple[str, ...] = ()  # those of the notes which say that some of the text is missing
    # the parsed page, where it is HTML
    document: Document | None = field(default=None, repr=False, compare=False)
    reader: str = ""  # the site reader of the page, if there is one
    left_out: LeftOutText | None = None  # where only the main part was taken
    tier: str = ""  # how it was had, where not by reading what the server sent: browser, exa:cached
    blocks: Sequence[Block] = field(default=(), repr=False, compare=False)
    need: str = ""  # of its scripts: none, `may` where they might bring more, `must`

    @property
    def markdown(self) -> str:
        """The text with its link targets."""
        return self.text.markdown


@dataclass(frozen=True)
class RawPage:
    """What a server sent, as it sent it."""

    url: str  # the address that answered, after redirects
    requested_url: str
    body: bytes
    text: str | None  # the body decoded; None where it is no text, or not all of it can be read
    content_type: str  # the server's header, whole; empty where it sent none
    title: str
    fetched_at: datetime
    is_cut: bool = False  # there is more of it, which was not fetched
    total: int | None = None  # bytes of the whole, where it was cut and the server tells
    document: Document | None = field(default=None, repr=False, compare=False)
