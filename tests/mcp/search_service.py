"""A SearXNG on loopback whose responses a test can hold back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SearchService:
    def __init__(self) -> None:
        self.requests: list[str] = []
        self.requested = threading.Event()
        self.may_respond = threading.Event()
        self.may_respond.set()

    def respond(self, path: str) -> bytes:
        self.requests.append(path)
        self.requested.set()
        self.may_respond.wait(60)
        results = [
            {"url": f"https://example.org/{number}", "title": f"Result {number}", "content": "x"}
            for number in range(5)
        ]
        return json.dumps({"query": "x", "results": results, "unresponsive_engines": []}).encode()


@contextmanager
def running_search() -> Iterator[tuple[SearchService, dict[str, str]]]:
    """The service, and the environment of a server that uses it."""
    service = SearchService()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = service.respond(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):
                self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}"
            yield service, {"SEARXNG_URL": url, "SEARCH_PROVIDER": "searxng"}
        finally:
            service.may_respond.set()
            server.shutdown()
            thread.join()
