"""The first bytes of a file -> the media type of a binary format, or nothing. Names and headers are
not asked.
"""

from __future__ import annotations

import re

_START = (
    (b"%PDF-", "application/pdf"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Office document that is password-protected or in the old binary format",
    ),
    (b"{\\rtf", "application/rtf"),
    (b"%!PS", "application/postscript"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"8BPS\x00", "image/vnd.adobe.photoshop"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x7fELF", "an executable program"),
    (b"\xcf\xfa\xed\xfe", "an executable program"),
    (b"\xca\xfe\xba\xbe", "an executable program"),
    (b"\x00asm", "application/wasm"),
    (b"OggS\x00", "application/ogg"),
    (b"fLaC\x00", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"\x00\x00\x01\xba", "video/mpeg"),
    (b"FLV\x01", "video/x-flv"),
    (b"OTTO\x00", "font/otf"),
    (b"\x00\x01\x00\x00", "font/ttf"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"!<arch>\n", "application/x-archive"),
)
# a few signatures are ordinary letters, so more of the file has to agree
_DEEPER = (
    (re.compile(rb"MZ[\s\S]{1,62}\x00"), "an executable program"),
    (re.compile(rb"BM[\s\S]{4}\x00\x00\x00\x00"), "image/bmp"),
    (re.compile(rb"GIF8[79]a[\s\S]{0,6}[\x00-\x08]"), "image/gif"),
    (re.compile(rb"BZh[1-9]1AY&SY"), "application/x-bzip2"),
    (re.compile(rb"ID3[\x02-\x04]\x00"), "audio/mpeg"),
    (re.compile(rb"wOF[F2](?:\x00\x01\x00\x00|OTTO|true)"), "font/woff"),
    (re.compile(rb"PAR1[\x00-\x1f]"), "application/vnd.apache.parquet"),
    (re.compile(rb"RIFF[\s\S]{4}WEBP"), "image/webp"),
    (re.compile(rb"RIFF[\s\S]{4}WAVE"), "audio/wav"),
    (re.compile(rb"RIFF[\s\S]{4}AVI "), "video/x-msvideo"),
    (re.compile(rb"[\s\S]{4}ftyp(?:avif|heic|heix|mif1)"), "image/avif"),
    (re.compile(rb"\x00\x00[\s\S]{2}ftyp"), "video/mp4"),
    (re.compile(rb"\xff[\xfb\xf3\xf2][\s\S]"), "audio/mpeg"),
    (re.compile(rb"[\s\S]{257}ustar[\x00 ]"), "application/x-tar"),
)
# What stands further on in the few of these that may begin like a page, and where.
_FILM_MARK, _FILM_PLACE = b"ftyp", 4
_TAR_MARK, _TAR_PLACE = b"ustar", 257
_LATE_PDF = b"\n%PDF-1."
_ANY_START = tuple(start for start, _ in _START)
_ANY_DEEPER = re.compile(b"|".join(pattern.pattern for pattern, _ in _DEEPER))
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_INSIDE_ZIP = (
    (b"word/document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (
        b"ppt/presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    (b"xl/workbook", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (b"mimetypeapplication/epub+zip", "application/epub+zip"),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text"),
)


def binary_type(body: bytes) -> str | None:
    """What a binary file is, in words that fit after "is"; None when nothing is known about these
    bytes.
    """
    if body.startswith(b"<") and not _is_marked_inside(body):
        return None  # as nearly all pages
    head = body[:512]
    if head.startswith(_ZIP):
        names = _read_zip_names(body)
        for inside, kind in _INSIDE_ZIP:
            if inside in names:
                return kind
        return "application/zip"

    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-"):
        return "application/pdf"
    # Some servers put a header or a warning in front; readers look for the mark in the first
    # kilobyte.
    if body.find(_LATE_PDF, 0, 1024) >= 0 and b"startxref" in body[-2048:]:
        return "application/pdf"
    if head.startswith(_ANY_START):
        for start, kind in _START:
            if head.startswith(start):
                return kind
    if _ANY_DEEPER.match(head):
        for pattern, kind in _DEEPER:
            if pattern.match(head):
                return kind
    return None


def _is_marked_inside(body: bytes) -> bool:
    """Whether something that begins like a page may be a film, an archive or a PDF all the same."""
    if body.startswith(_FILM_MARK, _FILM_PLACE) or body.startswith(_TAR_MARK, _TAR_PLACE):
        return True
    return body.find(_LATE_PDF, 0, 1024) >= 0


def _read_zip_names(body: bytes) -> bytes:
    """The first name of a zip and the list of names at its end; a document may hold other documents
    in between.
    """
    end = body.rfind(b"PK\x05\x06")
    if end < 0 or len(body) < end + 20:
        return body
    # The record at the end says where that list starts.
    start = int.from_bytes(body[end + 16 : end + 20], "little")
    if start >= end:
        return body
    first_name = body[:100]
    return first_name + body[start:end]
