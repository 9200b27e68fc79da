"""PDF, DOCX and PPTX files, recognised by their first bytes.

The libraries that parse such files may crash, so documents are read in worker processes only
(`Job.isolated`).
"""

from __future__ import annotations

import importlib
import logging
from typing import ClassVar
from urllib.parse import urlsplit, urlunsplit

from webquarry._read.documents.text import Refusal
from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.workers.protocol import describe_place
from webquarry.errors import Unreadable, WebquarryError
from webquarry.secret import redact

log = logging.getLogger(__name__)

LARGEST_FILE = 50_000_000  # bytes
_OFFICE = "application/vnd.openxmlformats-officedocument"


class _Document:
    """Methods of binary formats. The first media type is the one that `signatures.py` detects."""

    name: ClassVar[str]
    media_types: ClassVar[tuple[str, ...]]
    binary = True

    def recognises(self, kind: str | None) -> bool:
        return kind in self.media_types[:1]

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        return read_document(self.name, source.url, source.body)


class Pdf(_Document, Format):
    name = "pdf"
    media_types = ("application/pdf", "application/x-pdf")
    suffixes = (".pdf",)


class Docx(_Document, Format):
    name = "docx"
    media_types = (
        f"{_OFFICE}.wordprocessingml.document",
        "application/vnd.ms-word.document.macroenabled.12",
    )
    suffixes = (".docx", ".docm")


class Pptx(_Document, Format):
    name = "pptx"
    media_types = (
        f"{_OFFICE}.presentationml.presentation",
        f"{_OFFICE}.presentationml.slideshow",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    )
    suffixes = (".pptx", ".ppsx", ".pptm")


def read_document(kind: str, url: str, body: bytes) -> ConvertedDocument:
    """Convert a document with the converter of its kind; raises `Unreadable`."""
    if len(body) > LARGEST_FILE:
        raise Unreadable(
            f"{redact(url)} is too large: {kind} files of up to {LARGEST_FILE // 10**6} MB "
            "are read."
        )
    convert = importlib.import_module(f"webquarry._read.documents.{kind}").convert
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
