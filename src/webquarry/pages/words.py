"""A page that was read -> its words, as they are kept: what quotes are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from webquarry._read.models import Page
from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.plain.words import PageWords, build_words, describe_words
from webquarry.pages.clean import clean_url

_VERBATIM = frozenset({"text", "json", "xml"})  # formats whose marks are words of their own


@dataclass(frozen=True)
class KeptWords:
    """The words of a page as it was when it was fetched."""

    url: str  # the address that answered
    title: str
    words: PageWords
    fetched_at: datetime
    cached: bool = False


def read_words(page: Page) -> PageWords:
    """The words of a whole page. Work for the processor, done in a job."""
    from webquarry._read.markdown.convert import FALLBACK_NOTE
    from webquarry._read.plain.blocks import read_block_words, read_verbatim_words
    from webquarry._read.plain.html import read_html_words

    if page.document is not None:
        with_fallbacks = FALLBACK_NOTE in page.notes
        return read_html_words(page.document, page.title, with_fallbacks=with_fallbacks)
    if page.content_type in _VERBATIM:
        return read_verbatim_words(page.markdown)
    return read_block_words(page.title, page.blocks)


def pack_words(page: Page) -> bytes:
    """The words of a page in the form in which they are kept."""
    words = read_words(page)
    fields = {
        "url": clean_url(page.url),
        "title": page.title,
        "fetched_at": page.fetched_at.isoformat(),
        "words": describe_words(words),
    }
    return pack_fields(fields, words.text.encode("utf-8", "replace"))


def unpack_words(packed: bytes, *, cached: bool) -> KeptWords:
    """The words that were packed."""
    fields, text = unpack_fields(packed)
    words = build_words(fields["words"], text.decode())
    fetched_at = datetime.fromisoformat(fields["fetched_at"])
    return KeptWords(fields["url"], fields["title"], words, fetched_at, cached)
