"""Serialization of replies for workers preserves headers of any bytes."""

from __future__ import annotations

from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

import webquarry
from tests.local_site import LocalSite
from webquarry._read.page_form import build_reply, describe_reply, pack_fields, unpack_fields
from webquarry.net.models import Reply

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)
HEADERS = [(b"Content-Type", b"text/html"), (b"X-Note", b"a"), (b"X-Note", "café".encode())]


def test_headers_become_a_dictionary_with_names_in_lower_case() -> None:
    reply = Reply("https://site.example/", 200, httpx2.Headers(HEADERS), b"", MOMENT)

    fields, _ = unpack_fields(pack_fields(describe_reply(reply)))

    expected = {"content-type": "text/html", "x-note": "a, café"}
    assert build_reply(fields, b"").headers == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Note", b"caf\xe9"),
        ("X-Note", "café".encode()),
        ("Content-Disposition", 'inline; filename="été.html"'.encode()),
        ("ETag", b'"\xff"'),
        ("Link", "</é>; rel=next".encode()),
        ("Age", "９".encode()),
        ("Retry-After", "９".encode()),
        ("Content-Language", "é".encode()),
    ],
)
def test_page_with_any_header_bytes_is_read(
    name: str, value: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBQUARRY_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("WEBQUARRY_CACHE", "0")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<article>" + b"<p>Otters sleep on their backs in the sea.</p>" * 20
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.send_header(name, value.decode("latin-1"))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with LocalSite(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as site:
        answer = webquarry.call("scrape_page", url=f"{site.origin}/page")

    assert "Otters sleep" in answer.content


def test_lone_surrogate_becomes_question_mark() -> None:
    assert pack_fields({"a": "\ud800é"}) == '{"a": "?é"}\n'.encode()
