"""The contract of a format: it recognises its documents and converts them.

Formats are in `formats/`. Binary formats are recognised by their first bytes (`recognises`), text
formats in `detect.py` by the header, the name and the start of the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

from webquarry._read.encoding.decode import DecodedText, decode
from webquarry._read.html.traits import Traits
from webquarry._read.markdown.blocks import Block, write_blocks
from webquarry._read.markdown.words import PageBlocks, Words
from webquarry._read.models import Dated, LeftOutText
from webquarry._read.slices.text import WrittenText

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document

# Everything that a person sees on a page, or its main content.
Selection = Literal["whole", "main"]


@dataclass(frozen=True)
class FetchedDocument:
    """A fetched document that is not parsed yet."""

    url: str
    body: bytes
    content_type: str = ""  # the whole header, parameters included
    nosniff: bool = False  # `X-Content-Type-Options: nosniff`
    selection: Selection = "whole"  # how much of it is returned, if the format distinguishes it
    styles: bytes = b""  # packed style sheets of its site that it links to
    fragment: str = ""  # of the requested URL: the section to show first

    @property
    def media_type(self) -> str:
        """Return the type in lower case without parameters; empty if there is no header."""
        media_type, _, _ = self.content_type.partition(";")
        return media_type.strip().lower()

    @cached_property
    def text(self) -> DecodedText:
        """Return the decoded body."""
        return decode(self.body, self.content_type)


@dataclass(frozen=True)
class ConvertedDocument:
    """The blocks of a document, before its outcome is decided."""

    blocks: Sequence[Block]
    title: str = ""
    encoding: str = ""  # WHATWG name; empty for formats without one
    removed: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()
    # computes facts about the markup, for HTML
    traits: Callable[[], Traits] | None = None
    author: str = ""  # stated by the file itself
    published: Dated | None = None
    modified: Dated | None = None
    lost: tuple[str, ...] = ()  # the notes on missing text
    # of the whole page, by which the outcome is judged, if `blocks` are a short part of it
    whole: Sequence[Block] | None = None
    document: Document | None = None  # the parsed page, for metadata
    # computes the texts of the page; `is_chosen` if its main content was selected
    page_blocks: Callable[[], PageBlocks] | None = None
    is_chosen: bool = False
    left_out: LeftOutText | None = None  # if only the main content was taken
    is_rendered: bool = False  # its scripts have run
    reader: str = ""  # the site reader of the page, if any

    @cached_property
    def text(self) -> WrittenText:
        """The blocks as Markdown; escaped chat delimiters are added to `removed`."""
        return write_blocks(self.blocks, self.removed)

    @property
    def markdown(self) -> str:
        """The Markdown with its link targets."""
        return self.text.markdown

    @cached_property
    def words(self) -> Words:
        """The words by which the outcome is judged."""
        return Words(self.blocks if self.whole is None else self.whole)


class Format(ABC):
    """One kind of document."""

    name: ClassVar[str]
    media_types: ClassVar[tuple[str, ...]] = ()
    suffixes: ClassVar[tuple[str, ...]] = ()  # how the names of such files end
    binary: ClassVar[bool] = False  # recognised by its bytes only

    def recognises(self, kind: str | None) -> bool:
        """Return whether a binary type (`binary_type`) is this format."""
        return False

    @abstractmethod
    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        """Convert a document of this format."""
