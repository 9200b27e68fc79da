"""A web of two sites on this machine for pages with scripts, and a browser to read it with.

The sites are 127.0.0.2 and 127.0.0.3, which a client may reach; 127.0.0.1 is where traps stand.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import pytest

from webquarry._read.browser.chromium import find_program
from webquarry.settings import Settings
from webquarry.toolkit import Toolkit
from webquarry.tools import load

T = TypeVar("T")

BROWSER = find_program(Settings())
needs_browser = pytest.mark.skipif(BROWSER is None, reason="Chromium is not installed")
NETWORKS = "127.0.0.2/31"
_TYPES = {
    "js": "text/javascript",
    "json": "application/json",
    "css": "text/css",
    "txt": "text/plain",
    "bin": "application/zip",
}


class Site:
    """Serves texts by their paths on two addresses. `/go?to=` redirects, `/post` answers with what
    was sent, `/cookie` with the cookies that came; `?wait=` seconds delay anything.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.asked: list[tuple[str, str, str]] = []  # method, path, host
        self._servers = [self._serve(host) for host in ("127.0.0.2", "127.0.0.3")]
        self.origin, self.other = map(_find_origin, self._servers)

    def _serve(self, host: str) -> ThreadingHTTPServer:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.answer(self)

            do_POST = do_OPTIONS = do_GET

            def log_message(self, *arguments: Any) -> None:
                pass

        server = ThreadingHTTPServer((host, 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        return server

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        query = dict(parse_qsl(parts.query))
        length = int(handler.headers.get("Content-Length") or 0)
        sent = handler.rfile.read(length)
        self.asked.append((handler.command, handler.path, handler.headers.get("Host", "")))
        if "wait" in query:
            time.sleep(float(query["wait"]))
        headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
        status, kind, body = 200, "text/html; charset=utf-8", b""
        if parts.path == "/go":
            status = 302
            headers |= {"Location": query["to"], "Set-Cookie": "pass=9; Path=/"}
        elif parts.path == "/post":
            kind, body = "text/plain", b"posted " + sent
        elif parts.path == "/cookie":
            kind, body = "text/plain", (handler.headers.get("Cookie") or "none").encode()
        elif parts.path in self.files:
            text = (
                self.files[parts.path].replace("@SITE@", self.origin).replace("@OTHER@", self.other)
            )
            kind = _TYPES.get(parts.path.rpartition(".")[2], kind)
            body = text.encode()
        else:
            status, kind, body = 404, "text/plain", b"not here"
        handler.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **headers,
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


def _find_origin(server: ThreadingHTTPServer) -> str:
    host, port = server.socket.getsockname()
    return f"http://{host}:{port}"


class Traps:
    """Listeners on 127.0.0.1, TCP and UDP: any touch is a hole."""

    def __init__(self) -> None:
        self.touched: list[str] = []
        self._tcp = socket.socket()
        self._tcp.bind(("127.0.0.1", 0))
        self._tcp.listen(64)
        self.port = self._tcp.getsockname()[1]
        self._udp = socket.socket(type=socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        for watch in (self._watch_tcp, self._watch_udp):
            threading.Thread(target=watch, daemon=True).start()

    def _watch_tcp(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            self.touched.append("tcp")
            connection.close()

    def _watch_udp(self) -> None:
        while True:
            try:
                self._udp.recvfrom(100)
            except OSError:
                return
            self.touched.append("udp")

    def close(self) -> None:
        for one in (self._tcp, self._udp):
            one.close()


class Reading:
    """A toolkit with a browser, on a loop of its own, for the tests of a module."""

    def __init__(self, **settings: Any) -> None:
        values = {"browser": BROWSER, "allow_networks": NETWORKS, "retries": 0} | settings
        self._settings = Settings(**values)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._open = Toolkit.open(self._settings, {})
        self.kit: Toolkit = self.run(self._open.__aenter__())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(90)

    def scrape(self, url: str, **arguments: Any) -> dict[str, Any]:
        """The answer of `scrape_page`."""
        return self.run(self._scrape(url, arguments))

    def scrape_all(self, urls: list[str]) -> list[dict[str, Any] | BaseException]:
        """Several at once."""

        async def work() -> list[dict[str, Any] | BaseException]:
            calls = [self._scrape(url, {}) for url in urls]
            return await asyncio.gather(*calls, return_exceptions=True)

        return self.run(work())

    async def _scrape(self, url: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = await load("research", "scrape_page").call(self.kit, {"url": url} | arguments)
        shown: dict[str, Any] = answer.as_dict()
        return shown

    def close(self) -> None:
        self.run(self._open.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@contextmanager
def serving(files: Mapping[str, str], **settings: Any) -> Iterator[tuple[Site, Reading]]:
    """A site and somebody who reads it."""
    site = Site(files)
    try:
        reading = Reading(**settings)
        try:
            yield site, reading
        finally:
            reading.close()
    finally:
        site.close()
