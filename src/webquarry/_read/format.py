"""What a format is: something that knows its documents when it sees them and makes Markdown of
them.

A format is one file in `formats/`. Binary ones say so by the first bytes (`recognises`); text ones
are told apart in `detect.py`, which weighs what the header, the name and the beginning of the text
say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from webquarry._read.encoding.decode import DecodedText, decode
from webquarry._read.html.page_blocks import PageBlocks
from webquarry._read.html.traits import Traits
from webquarry._read.models import Dated, LeftOutText
from webquarry._read.slices.text import WrittenText
from webquarry._read.text.remember import found_once

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document

# Everything a person sees on a page, or the part of it that they came for.
Selection = Literal["whole", "main"]


@dataclass(frozen=True)
class FetchedDocument:
    """What was fetched, before anybody has made sense of it."""

    url: str
    body: bytes
    content_type: str = ""  # the whole header, parameters included
    nosniff: bool = False  # the server asked to be taken at its word
    selection: Selection = "whole"  # how much is wanted of it, where the format can tell
    styles: bytes = b""  # the style sheets of its site that it links to, packed
    fragment: str = ""  # of the URL that was asked for: the section that is wanted first

    @property
    def media_type(self) -> str:
        """The type without its parameters, in lower case; empty where there is no header."""
        media_type, _, _ = self.content_type.partition(";")
        return media_type.strip().lower()

    @found_once
    def text(self) -> DecodedText:
        """The body decoded, once."""
        return decode(self.body, self.content_type)


@dataclass(frozen=True)
class ConvertedDocument:
    """A document as Markdown, before its outcome is known."""

    text: WrittenText
    title: str = ""
    encoding: str = ""  # the WHATWG name; empty where the format has no such thing
    removed: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # how the page is built, where the format can tell; asked if in doubt
    traits: Callable[[], Traits] | None = None
    author: str = ""  # as the file itself says
    published: Dated | None = None
    modified: Dated | None = None
    lost: tuple[str, ...] = ()  # those of the notes which say that some of the text is missing
    # the Markdown of the whole page, where `text` is a short part of it
    whole: str | None = None
    document: Document | None = None  # the parsed page, for those who look for more in it
    # the texts that the page consists of, and whether its main part is known among them already
    blocks: Callable[[], PageBlocks] | None = None
    is_chosen: bool = False
    left_out: LeftOutText | None = None  # where only the main part was taken
    is_rendered: bool = False  # its scripts have run
    reader: str = ""  # the site reader of the page, if there is one

    @found_once
    def markdown(self) -> str:
        """The Markdown by which the outcome is judged: that of the whole page."""
        return self.text.markdown if self.whole is None else self.whole

    @found_once
    def part(self) -> str:
        """The short part of the page that is returned, if it is judged by the whole page."""
        return "" if self.whole is None else self.text.markdown


class Format(ABC):
    """One kind of document."""

    name: ClassVar[str]
    media_types: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()  # how the names of such files end
    binary: ClassVar[bool] = False  # its bytes decide alone; a label or a name does not make one

    def recognises(self, kind: str | None) -> bool:
        """Whether what the bytes alone show a document to be (`binary_type`) is this format."""
        return False

    @abstractmethod
    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        """A document of this format -> the same as Markdown."""
