"""Recognises binary formats by the first bytes of a file, regardless of its name and headers."""

from __future__ import annotations

import re

_START = (
    (b"%PDF-", "application/pdf"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Office document that is password-protected or in the old binary format",
    ),
    (b"{\\rtf", "application/rtf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
# Signatures of ordinary letters, of which more of the file has to match.
_DEEPER = (
    (
        re.compile(rb"\x7fELF|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe|MZ[\s\S]{1,62}\x00"),
        "an executable program",
    ),
    (re.compile(rb"GIF8[79]a[\s\S]{0,6}[\x00-\x08]"), "image/gif"),
    (re.compile(rb"ID3[\x02-\x04]\x00"), "audio/mpeg"),
    (re.compile(rb"RIFF[\s\S]{4}WEBP"), "image/webp"),
    (re.compile(rb"[\s\S]{4}ftyp(?:avif|heic|heix|mif1)"), "image/avif"),
    (re.compile(rb"\x00\x00[\s\S]{2}ftyp"), "video/mp4"),
    (re.compile(rb"\xff[\xfb\xf3\xf2][\s\S]"), "audio/mpeg"),
    (re.compile(rb"[\s\S]{257}ustar[\x00 ]"), "application/x-tar"),
)
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OFFICE = "application/vnd.openxmlformats-officedocument"
_INSIDE_ZIP = (
    (b"word/document", f"{_OFFICE}.wordprocessingml.document"),
    (b"ppt/presentation", f"{_OFFICE}.presentationml.presentation"),
    (b"xl/workbook", f"{_OFFICE}.spreadsheetml.sheet"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
)


def binary_type(body: bytes) -> str | None:
    """Return what a binary file is, in words that fit after "is"; None if the bytes are unknown."""
    head = body[:512]
    if head.startswith(_ZIP):
        names = _read_zip_names(body)
        return next((kind for inside, kind in _INSIDE_ZIP if inside in names), "application/zip")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-"):
        return "application/pdf"
    # Some servers send a header or a warning first; PDF readers search the first kilobyte.
    if b"\n%PDF-1." in body[:1024] and b"startxref" in body[-2048:]:
        return "application/pdf"
    for start, kind in _START:
        if head.startswith(start):
            return kind
    for pattern, kind in _DEEPER:
        if pattern.match(head):
            return kind
    return None


def _read_zip_names(body: bytes) -> bytes:
    """Return the first name of a zip and the list of names at its end; a document can contain
    others in between.
    """
    end = body.rfind(b"PK\x05\x06")
    if end < 0 or len(body) < end + 20:
        return body
    start = int.from_bytes(body[end + 16 : end + 20], "little")  # of the list
    return body if start >= end else body[:100] + body[start:end]
