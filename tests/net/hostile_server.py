"""A web server on 127.0.0.1 that misbehaves on purpose, in a thread of its own.

Every answer is bounded in time and size, so a client that never gives up still ends; leaving the
block ends them all. The paths are those of `cases/hostile.jsonl`.
"""

from __future__ import annotations

import io
import threading
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MARK = "HOSTILE-MARKER-VISIBLE"
MOST_BYTES = 1 << 28
HTML = "text/html; charset=utf-8"
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


class HostileServer(ThreadingHTTPServer):
    """Counts what it was asked for, by path."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.hits: Counter[str] = Counter()
        self.over = threading.Event()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def hostile_server() -> Iterator[HostileServer]:
    with HostileServer() as server:
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    server: HostileServer

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.hits[path] += 1
        answer = ROUTES.get(path)
        try:
            if answer is None:
                self.answer(page("not here"), status=404)
            else:
                answer(self)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            pass
        self.close_connection = True

    def answer(
        self,
        body: bytes,
        kind: str = HTML,
        status: int = 200,
        headers: Sequence[tuple[str, str]] = (),
        length: int | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def stream(self, chunks: Iterable[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", HTML)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        sent = 0
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            sent += len(chunk)
            if self.server.over.is_set() or sent > MOST_BYTES:
                break
        self.wfile.write(b"0\r\n\r\n")


def page(body: str, title: str = "t") -> bytes:
    head = f"<head><title>{title}</title></head>"
    return f"<!doctype html><html>{head}<body>{body}</body></html>".encode()


def robots(handler: Handler) -> None:
    handler.answer(b"User-agent: *\nAllow: /\n", "text/plain")


def control(handler: Handler) -> None:
    plain = "It has several plain sentences in it. " * 20
    text = (
        f"{MARK} This ordinary page exists so that a working fetcher has something to return. "
        f"{plain}"
    )
    handler.answer(page(f"<main><h1>Control page</h1><p>{text}</p></main>", "Control"))


@cache
def gzip_of_spaces(mebibytes: int) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    packed = [packer.compress(f"<html><body><p>{MARK}</p>".encode())]
    packed += [packer.compress(b" " * (1 << 20)) for _ in range(mebibytes)]
    return b"".join([*packed, packer.flush()])


def gzip_bomb(handler: Handler) -> None:
    handler.answer(gzip_of_spaces(256), headers=[("Content-Encoding", "gzip")])


def endless(handler: Handler) -> None:
    paragraphs = (f"<p>{MARK} endless body paragraph, more is coming. </p>\n" * 200).encode()

    def chunks() -> Iterator[bytes]:
        yield b"<!doctype html><html><body>"
        while True:
            yield paragraphs

    handler.stream(chunks())


def slow_drip(handler: Handler) -> None:
    def chunks() -> Iterator[bytes]:
        yield f"<!doctype html><html><body><p>{MARK} slow".encode()
        while not handler.server.over.wait(1):
            yield b"."

    handler.stream(chunks())


def length_too_long(handler: Handler) -> None:
    body = page(f"<p>{MARK} the header promised far more than this. {'word ' * 200}</p>")
    handler.answer(body, length=len(body) + 1_000_000)


def wrong_charset(handler: Handler) -> None:
    plain = "Plain words follow here. " * 40
    text = f"<p>{MARK} caf\u00e9 na\u00efve r\u00e9sum\u00e9 \u00fcber. {plain}</p>"
    handler.answer(page("").replace(b"<body>", b"<body>" + text.encode("latin-1")))


def one_line(handler: Handler) -> None:
    handler.answer(f"{MARK} {'lorem ipsum dolor ' * 600_000}".encode(), "text/plain; charset=utf-8")


def deep_divs(handler: Handler) -> None:
    depth = 100_000
    before = f"<p>{MARK} before the nest. {'Some plain text. ' * 30}</p>"
    handler.answer(page(f"{before}{'<div>' * depth}inner{'</div>' * depth}<p>AFTER-NEST</p>"))


def pdf_garbage(handler: Handler) -> None:
    noise = bytes(range(256)) * 4000
    handler.answer(b"%PDF-1.7\n" + noise + b"\nstartxref\n99999999\n%%EOF", "application/pdf")


@cache
def docx_of_letters(mebibytes: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w") as document:
            document.write(
                f"<?xml version='1.0'?><w:document {WORD}><w:body><w:p><w:r><w:t>".encode()
            )
            for _ in range(mebibytes):
                document.write(b"A" * (1 << 20))
            document.write(b"</w:t></w:r></w:p></w:body></w:document>")
    return packed.getvalue()


def docx_bomb(handler: Handler) -> None:
    handler.answer(
        docx_of_letters(256),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )


def redirect_loop(handler: Handler) -> None:
    other = "b" if handler.path.endswith("a") else "a"
    handler.answer(b"", status=302, headers=[("Location", f"/redirect-loop/{other}")])


def invalid_utf8(handler: Handler) -> None:
    text = (
        MARK.encode()
        + b" ok \xff\xfe\xc3\x28 \xf0\x28\x8c\xbc tail. "
        + b"More readable text. " * 40
    )
    handler.answer(b"<!doctype html><html><body><p>" + text + b"</p></body></html>")


def nul_bytes(handler: Handler) -> None:
    text = MARK.encode() + b" a\x00b\x00c " + b"Readable text here. " * 40 + b"\x00"
    handler.answer(b"<!doctype html><html><body><p>" + text + b"</p></body></html>")


def huge_table(handler: Handler) -> None:
    row = f"<tr>{''.join(f'<td>c{column}</td>' for column in range(20))}</tr>"
    handler.answer(page(f"<p>{MARK}</p><table>{row * 20_000}</table>"))


def header_flood(handler: Handler) -> None:
    flood = [(f"X-Flood-{number}", "v" * 100) for number in range(2000)]
    handler.answer(page(f"<p>{MARK} {'text ' * 100}</p>"), headers=flood)


def nested_entities(handler: Handler) -> None:
    entities = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10))
    channel = f"<channel><title>{MARK} &l9;</title></channel>"
    feed = f'<!DOCTYPE rss [<!ENTITY l0 "lol">{entities}]><rss>{channel}</rss>'
    handler.answer(f'<?xml version="1.0"?>{feed}'.encode(), "application/rss+xml")


def encoding_lie(handler: Handler) -> None:
    body = page(f"<p>{MARK} labelled gzip but plain. {'text ' * 100}</p>")
    handler.answer(body, headers=[("Content-Encoding", "gzip")])


ROUTES: dict[str, Callable[[Handler], None]] = {
    "/robots.txt": robots,
    "/control": control,
    "/gzip-bomb": gzip_bomb,
    "/endless": endless,
    "/slow-drip": slow_drip,
    "/cl-long": length_too_long,
    "/charset-wrong": wrong_charset,
    "/one-line-10mb": one_line,
    "/deep-divs": deep_divs,
    "/pdf-garbage.pdf": pdf_garbage,
    "/bomb.docx": docx_bomb,
    "/redirect-loop/a": redirect_loop,
    "/redirect-loop/b": redirect_loop,
    "/invalid-utf8": invalid_utf8,
    "/nul": nul_bytes,
    "/huge-table": huge_table,
    "/header-flood": header_flood,
    "/feed.xml": nested_entities,
    "/encoding-lie": encoding_lie,
}
