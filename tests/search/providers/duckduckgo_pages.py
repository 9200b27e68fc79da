"""Pages as DuckDuckGo writes them, and the fields of what is asked."""

from __future__ import annotations

from urllib.parse import parse_qsl

import httpx2

from tests.search.replies import reply
from webquarry._search.providers.duckduckgo import DuckDuckGo

HTML = {"content-type": "text/html; charset=UTF-8"}


def fields(request: httpx2.Request) -> dict[str, str]:
    return dict(parse_qsl(request.read().decode(), keep_blank_values=True))


def page(*results: str, links: str = "") -> bytes:
    """A page of DuckDuckGo's with these boxes in it."""
    form = '<form action="/html/" method="post"></form>'
    body = f'{form}<div id="links" class="results">{"".join(results)}{links}</div>'
    head = '<head><meta charset="utf-8"></head>'
    return f'<html>{head}<body class="body--html">{body}</body></html>'.encode()


def box(
    href: str, title: str = "T", snippet: str = "S", date: str = "", kind: str = "web-result"
) -> str:
    extras = f'<div class="result__extras__url"><a class="result__url" href="#">x</a>{date}</div>'
    return (
        f'<div class="result results_links {kind} "><h2><a class="result__a" '
        f'href="{href}">{title}</a></h2>{extras}'
        f'<a class="result__snippet" href="{href}">{snippet}</a></div>'
    )


def urls(duckduckgo: DuckDuckGo, body: bytes) -> list[str]:
    return [hit.url for hit in duckduckgo.parse_reply(reply(body, headers=HTML)).results]
