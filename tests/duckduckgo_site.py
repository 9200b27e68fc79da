"""A DuckDuckGo on 127.0.0.1: its html and lite pages and its Instant Answers, from recorded replies
or made to measure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.local_site import LocalSite
from tests.search.replies import recorded

WAYS = {"/html/": "html", "/lite/": "lite", "/": "api"}
FIRST_PAGE = 10  # results on the first page; later ones hold up to 15
FURTHER_PAGE = 15


@dataclass(frozen=True)
class Asked:
    """A request that the site received: by which way, with which fields and headers (names in lower
    case).
    """

    way: str
    fields: dict[str, str]
    headers: dict[str, str]


@dataclass(frozen=True)
class Said:
    """What the site answers."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Rule = Callable[[Asked], "Said | bytes"]


def as_recorded(asked: Asked) -> bytes:
    """The recorded page of four results and its last page, the recorded lite page, the recorded
    article.
    """
    if asked.way == "api":
        return recorded("instant/article")
    if asked.way == "lite":
        return recorded("duckduckgo/ok_200_lite")
    return recorded("duckduckgo/ok_200_page2_last" if "s" in asked.fields else "duckduckgo/ok_200")


def many(total: int) -> Rule:
    """A site with so many results on the html page, over as many pages as it takes."""

    def answer(asked: Asked) -> bytes:
        start = int(asked.fields.get("s", "0"))
        if start and not asked.fields.get("vqd"):
            return recorded("duckduckgo/challenge_202_html_anomaly")
        end = min(total, start + (FURTHER_PAGE if start else FIRST_PAGE))
        rows = [
            (f"Result {n}", f"https://site{n}.example/", f"Text {n}.")
            for n in range(start + 1, end + 1)
        ]
        return page(rows, asked.fields["q"], end if end < total else None)

    return answer


def page(rows: list[tuple[str, str, str]], query: str = "q", further: int | None = None) -> bytes:
    """A page of results (title, URL, snippet), with the form that leads on where there are more."""
    boxes = "".join(
        '<div class="result results_links results_links_deep web-result "><div '
        'class="links_main result__body">'
        '<h2 class="result__title"><a rel="nofollow" class="result__a" '
        f'href="{escape(url)}">{escape(title)}</a></h2>'
        f'<a class="result__snippet" href="{escape(url)}">{escape(snippet)}</a></div></div>'
        for title, url, snippet in rows
    )
    fields = {
        "q": query,
        "s": further,
        "nextParams": "",
        "v": "l",
        "o": "json",
        "dc": further,
        "api": "d.js",
        "vqd": "4-1",
    }
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(str(value))}">'
        for name, value in fields.items()
    )
    form = (
        f'<div class="nav-link"><form action="/html/" method="post">{inputs}</form></div>'
        if further
        else ""
    )
    return f'<html><body><div id="links" class="results">{boxes}{form}</div></body></html>'.encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # one that still waits must not hold up the end of a test

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client may leave before it has its answer."""


class DuckDuckGoSite(LocalSite):
    """Answers by its rule; everything it was asked is in `asked`."""

    def __init__(self, rule: Rule | bytes = as_recorded) -> None:
        self.rule = rule
        self.asked: list[Asked] = []
        super().__init__(_Server(("127.0.0.1", 0), self._handler()))

    @property
    def environ(self) -> dict[str, str]:
        """The settings under which this site stands for DuckDuckGo, without its pauses."""
        urls = {f"WEBQUARRY_DUCKDUCKGO_{way}_URL": self.origin for way in ("HTML", "LITE", "API")}
        return urls | {
            "WEBSEARCH_RATE_LIMIT_MS": "0",
            "WEBSEARCH_MAX_RETRIES": "0",
            "WEBQUARRY_CACHE": "0",
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(urlsplit(self.path).query)

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def _answer(self, form: str) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                fields = dict(parse_qsl(form, keep_blank_values=True))
                asked = Asked(WAYS[urlsplit(self.path).path], fields, headers)
                site.asked.append(asked)
                said = site.rule(asked) if callable(site.rule) else site.rule
                said = Said(said) if isinstance(said, bytes) else said
                self.send_response(said.status)
                for name, value in said.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(said.body)))
                self.end_headers()
                self.wfile.write(said.body)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing: stderr belongs to the test."""

        return Handler
