"""PDF, DOCX and PPTX files: bytes to Markdown, or an error that says why there is none.

The libraries that parse such files may crash, so documents are read in worker processes only
(`Job.isolated`).
"""

from __future__ import annotations

import importlib
import logging
from urllib.parse import urlsplit, urlunsplit

from webquarry._read.documents.text import Refusal
from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.workers.error_form import describe_place
from webquarry.errors import Unreadable, WebquarryError
from webquarry.secret import redact

log = logging.getLogger(__name__)

LARGEST_FILE = 50_000_000  # bytes


class DocumentFormat(Format):
    """A binary document. Its first media type is the one that `signatures.py` detects."""

    binary = True

    def recognises(self, kind: str | None) -> bool:
        return kind in self.media_types[:1]

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        return read_document(self.name, source.url, source.body)


def read_document(kind: str, url: str, body: bytes) -> ConvertedDocument:
    """Convert a document with the converter of its kind; raises `Unreadable`."""
    if len(body) > LARGEST_FILE:
        raise Unreadable(
            f"{redact(url)} is too large: {kind} files of up to {LARGEST_FILE // 10**6} MB "
            "are read."
        )
    convert = importlib.import_module(f"webquarry._read.documents.{kind}.convert").convert
    try:
        document: ConvertedDocument = convert(body, _strip_secrets(url))
    except Refusal as refusal:
        raise Unreadable(f"{redact(url)} {refusal}.") from None
    except (MemoryError, RecursionError, WebquarryError):
        raise
    except Exception as error:
        log.debug("a %s could not be read: %s", kind, describe_place(error))
        raise Unreadable(f"{redact(url)} is damaged: no text can be made of it.") from error
    return document


def _strip_secrets(url: str) -> str:
    """Return a URL without credentials and query, which relative links do not need."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
