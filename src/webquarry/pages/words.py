"""Words of a page as they are stored, with which quotes are compared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from webquarry._read.models import Page
from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.plain.words import PageWords, build_words, describe_words
from webquarry.pages.clean import clean_url

_VERBATIM = frozenset({"text", "json", "xml"})  # formats without Markdown syntax


@dataclass(frozen=True)
class KeptWords:
    """The words of a page as it was when it was fetched."""

    url: str  # after redirects
    title: str
    words: PageWords
    fetched_at: datetime
    cached: bool = False


def read_words(page: Page) -> PageWords:
    """Return the words of a whole page; runs in a job."""
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
    """Serialize the words of a page."""
    words = read_words(page)
    fields = {
        "url": clean_url(page.url),
        "title": page.title,
        "fetched_at": page.fetched_at.isoformat(),
        "words": describe_words(words),
    }
    return pack_fields(fields, words.text.encode("utf-8", "replace"))


def unpack_words(packed: bytes, *, cached: bool) -> KeptWords:
    """Restore serialized words."""
    fields, text = unpack_fields(packed)
    words = build_words(fields["words"], text.decode())
    fetched_at = datetime.fromisoformat(fields["fetched_at"])
    return KeptWords(fields["url"], fields["title"], words, fetched_at, cached)
