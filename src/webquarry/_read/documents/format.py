"""What binary documents have in common: bytes go in, a draft comes out, or a sentence that says why
there is none.

The libraries that parse such files may crash, so nobody reads one but in a worker process or a copy
of ours (`Job.isolated`).
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from webquarry._read.documents.models import LARGEST_FILE, DocumentText, Refusal
from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.workers.error_form import describe_place
from webquarry.errors import Unreadable, WebquarryError
from webquarry.secret import redact

log = logging.getLogger(__name__)

Converter = Callable[[bytes, str], DocumentText]


class DocumentFormat(Format):
    """A binary document. The first of its media types is the one that `signatures.py` gives it."""

    binary = True

    def recognises(self, kind: str | None) -> bool:
        return kind == self.media_types[0]

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        document = read_document(self.name, source.url, source.body)
        return ConvertedDocument(
            document.markdown,
            title=document.title,
            author=document.author,
            published=document.published,
            modified=document.modified,
            removed=document.removed,
            notes=document.notes,
            lost=document.lost,
        )


def read_document(kind: str, url: str, body: bytes) -> DocumentText:
    """The text of a document, by the converter of its format."""
    if len(body) > LARGEST_FILE:
        raise Unreadable(
            f"{redact(url)} is too large: {kind} files of up to {LARGEST_FILE // 10**6} MB "
            "are read."
        )
    convert: Converter = importlib.import_module(
        f"webquarry._read.documents.{kind}.convert"
    ).convert
    try:
        return convert(body, _place_of(url))
    except Refusal as refusal:
        raise Unreadable(f"{redact(url)} {refusal}.") from None
    except (MemoryError, RecursionError, WebquarryError):
        raise
    except Exception as error:  # a document nobody foresaw
        log.debug("a %s could not be read: %s", kind, describe_place(error))
        raise Unreadable(f"{redact(url)} is damaged: no text can be made of it.") from error


def _place_of(url: str) -> str:
    """Relative links need the place only; a query or a login may be somebody's secret."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
