"""Format detection: bytes first, then the header, then the name."""

from __future__ import annotations

import io
import zipfile

import pytest

from webquarry._read.detect import pick_format
from webquarry._read.format import FetchedDocument
from webquarry.errors import Unreadable

HTML = b"<!DOCTYPE html><html><body><p>Hello there</p></body></html>"
RSS = b"<?xml version='1.0'?><rss version='2.0'><channel><title>News</title></channel></rss>"


def name_of(
    body: bytes, content_type: str = "", url: str = "https://site.example/", nosniff: bool = False
) -> str:
    return pick_format(FetchedDocument(url, body, content_type, nosniff)).name


def office(part: str, inside: bytes = b"<w/>") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("embedded", inside)
        archive.writestr(part, "<w/>")
    return buffer.getvalue()


BINARY = [
    pytest.param(office("xl/workbook.xml"), "spreadsheetml", id="xlsx"),
    pytest.param(office("readme"), "application/zip", id="zip"),
    pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "Office document", id="ole"),
    pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(20), "image/png", id="png"),
    pytest.param(b"\xff\xd8\xff\xe0" + bytes(20), "image/jpeg", id="jpeg"),
    pytest.param(b"GIF89a\x01\x00\x01\x00", "image/gif", id="gif"),
    pytest.param(b"RIFF\x00\x01\x00\x00WEBPVP8 ", "image/webp", id="webp"),
    pytest.param(b"\x1f\x8b\x08" + bytes(20), "application/gzip", id="gzip"),
    pytest.param(b"\x7fELF" + bytes(20), "executable", id="elf"),
    pytest.param(b"MZ\x90\x00\x03" + bytes(60), "executable", id="exe"),
    pytest.param(b"\x00\x00\x00\x18ftypmp42" + bytes(20), "video/mp4", id="mp4"),
    pytest.param(b"{\\rtf1\\ansi hello}", "application/rtf", id="rtf"),
    pytest.param(bytes(257) + b"ustar\x00" + bytes(200), "application/x-tar", id="tar"),
    pytest.param(
        b"<a>" + bytes(254) + b"ustar\x00" + bytes(200), "application/x-tar", id="tar-like-a-page"
    ),
    pytest.param(b"<\x00\x00\x18ftypavif" + bytes(20), "image/avif", id="avif-like-a-page"),
    pytest.param(bytes(range(256)) * 10, "binary data", id="noise"),
]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b"%PDF-1.7\n" + bytes(range(256)), "pdf", id="pdf"),
        pytest.param(b"\n\n%PDF-1.4 ...", "pdf", id="pdf-after-blank-lines"),
        pytest.param(
            b"HTTP/1.1 200 OK\n\n%PDF-1.4 ... startxref\n9\n%%EOF", "pdf", id="pdf-after-junk"
        ),
        pytest.param(office("word/document.xml"), "docx", id="docx"),
        pytest.param(office("word/document2.xml"), "docx", id="docx-of-another-name"),
        pytest.param(office("ppt/presentation.xml"), "pptx", id="pptx"),
        pytest.param(
            office("ppt/presentation.xml", office("word/document.xml")), "pptx", id="docx-in-pptx"
        ),
    ],
)
@pytest.mark.parametrize(
    "label", ["text/html; charset=utf-8", "text/plain", "application/json", ""]
)
def test_bytes_have_priority_over_the_label(body: bytes, expected: str, label: str) -> None:
    assert name_of(body, label, "https://site.example/page.html") == expected


@pytest.mark.parametrize(("body", "kind"), BINARY)
@pytest.mark.parametrize(
    "label", ["text/html; charset=utf-8", "text/plain", "application/json", ""]
)
def test_unsupported_binary_file_is_refused_despite_its_label(
    body: bytes, kind: str, label: str
) -> None:
    with pytest.raises(Unreadable, match=kind):
        name_of(body, label, "https://site.example/page.html")


def test_error_names_type_and_size() -> None:
    with pytest.raises(
        Unreadable, match=r"^https://site.example/a.rtf is application/rtf, 1\.2 MB; "
    ) as caught:
        name_of(b"{\\rtf1 " + b"x" * 1_200_000, "application/pdf", "https://site.example/a.rtf")

    assert caught.value.kind == "unsupported"


@pytest.mark.parametrize(
    "label", ["application/vnd.ms-excel", "image/png", "application/pdf", "video/mp4"]
)
def test_unknown_bytes_with_a_binary_label_are_refused(label: str) -> None:
    with pytest.raises(Unreadable, match=label):
        name_of(b"something or other", label)


def test_wrong_label_is_named_in_the_error() -> None:
    with pytest.raises(
        Unreadable, match=r"is labelled application/pdf, but it is no such file, 18 bytes\.$"
    ):
        name_of(b"something or other", "application/pdf")


@pytest.mark.parametrize(
    "label",
    [
        "application/pdf",
        "application/octet-stream",
        "text/markdown",
        "text/plain",
        "image/png",
        "text/xml",
        "",
    ],
)
def test_document_that_starts_as_html_is_html(label: str) -> None:
    assert name_of(HTML, label, "https://site.example/paper.pdf") == "html"
    assert name_of(b"\n<!-- made by hand -->\n" + HTML, label) == "html"


def test_html_with_nosniff_and_text_label_is_plain_text() -> None:
    assert name_of(HTML, "text/plain", "https://raw.example/index.html", nosniff=True) == "text"


@pytest.mark.parametrize(
    ("body", "label", "url", "expected"),
    [
        (b"<p>Just a fragment</p>", "", "/", "html"),
        (b"<p>Just a fragment</p>", "text/plain", "/", "text"),
        (b"<p>Hello</p>", "text/html", "/", "html"),
        (b"Fish &amp; chips", "text/html", "/", "html"),
        (b"", "text/html", "/", "html"),
        (b"a\x00b\x00c <p>some text that goes on</p>", "text/html", "/", "html"),
        (b"Line one\nLine two, x < y\n", "text/html", "/", "text"),
        (b'{"a": [1, 2]}', "text/html; charset=utf-8", "/", "json"),
        (b'{"a": "<p>x</p>"}', "text/html", "/", "json"),
        (b"{{ template }} <p>not JSON</p>", "text/html", "/", "html"),
        (RSS, "text/html", "/", "feed"),
        (RSS, "application/rss+xml", "/", "feed"),
        (RSS, "application/xml", "/", "feed"),
        (RSS, "text/plain", "/feed", "feed"),
        (RSS, "text/plain", "/feed.xml", "feed"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'/>", "", "/feed", "feed"),
        (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "application/rdf+xml", "/", "feed"),
        (b"<rdf:RDF xmlns:x='http://x.example/'>", "application/rdf+xml", "/", "xml"),
        (b"<?xml version='1.0'?><rssfeeds/>", "text/xml", "/", "xml"),
        (b"{}", "application/feed+json", "/", "json"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html "
         b"xmlns='x'><p>a</p></html>", "application/xhtml+xml", "/", "html"),
        (b"<?xml version='1.0'?>\n<html "
         b"xmlns='http://www.w3.org/1999/xhtml'/>", "text/xml", "/", "html"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "/", "xml"),
        (b"# Title\n", "text/markdown; charset=utf-8", "/", "markdown"),
        (b"# Title\n", "text/plain", "/README.md", "markdown"),
        (b"# Title\n", "text/plain", "/readme.MD?raw=1", "markdown"),
        (b"# Title\n", "text/plain", "/llms.txt", "markdown"),
        (b"# Title\n", "application/octet-stream", "/guide.md", "markdown"),
        (b"plain words", "text/plain", "/", "text"),
        (b"plain words", "", "/", "text"),
        (b"plain words", "application/octet-stream", "/x", "text"),
        (b"plain words", "text/plain", "/page.html", "text"),
        (b"a,b\n1,2\n", "text/csv", "/", "csv"),
        (b"a,b\n1,2\n", "text/plain", "/x.csv", "csv"),
        (b"a,b\n1,2\n", "text/plain", "/", "text"),
        (b"words", "text/plain", "/x.pdf", "text"),
        (b"key: value\n", "application/yaml", "/", "text"),
        (b"{}", "application/json", "/", "json"),
        (b"{}", "application/problem+json", "/", "json"),
        (b'{"a": 1}', "text/plain", "/api", "json"),
        (b"[draft] a note", "text/plain", "/", "text"),
        (b"not json at all", "application/json", "/", "json"),
        ("Zeile für Zeile".encode("utf-16"), "text/plain", "/", "text"),
        ("<html><p>wide</p></html>".encode("utf-16-le"), "text/html", "/", "html"),
        (b"BMW builds cars", "text/plain", "/", "text"),
        (b"MZ is the title of a magazine that nobody reads", "text/plain", "/", "text"),
        (b"GIF89a is a format for pictures", "text/plain", "/", "text"),
        (b"ID3 tags describe songs", "text/plain", "/", "text"),
    ],
)  # fmt: skip
def test_text_format_is_detected(body: bytes, label: str, url: str, expected: str) -> None:
    assert name_of(body, label, "https://site.example" + url) == expected


def test_unsupported_encoding_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="encoding"):
        name_of(b"~{<:Ky2;6~}", "text/html; charset=hz-gb-2312")


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"a":' * 50_000, b" " * 100_000, b"<!--" * 50_000, b"<" * 500_000]
)
def test_hostile_starts_are_detected(body: bytes) -> None:
    assert name_of(body, "text/html") in {"html", "text", "json"}
    assert name_of(body, "") in {"html", "text", "json", "xml"}
