"""The page of the web UI, which is also an MCP App: its file, its policy, and the URIs of views.

ui://webquarry/page.html                 the page itself
research://view/page?url=...&session=... the data of a view, as JSON

The page is one static file, which requests all data with a token. The Content Security Policy
allows its script and style by their hashes; with Trusted Types no text can become markup.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import parse_qsl, quote, urlencode

from webquarry import __version__

APP_URI = "ui://webquarry/page.html"
APP_EXTENSION = "io.modelcontextprotocol/ui"
_VIEW_PREFIX = "research://view/"
_VIEW_PARAMETERS = ("id", "url", "session", "find")  # none of them makes a view fetch anything
# Of every response: it is not cached, framed or readable for other origins.
PRIVATE_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_ICON = '<link rel="icon" href="data:,">'  # prevents a request for it; hosts of MCP Apps refuse it
_PART = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def build_view_uri(name: str, **parameters: str | None) -> str:
    """Return the URI of a view, without empty parameters."""
    given = {key: value for key, value in parameters.items() if value}
    query = urlencode(given, quote_via=quote)
    return f"{_VIEW_PREFIX}{name}?{query}" if query else _VIEW_PREFIX + name


def parse_view_uri(uri: str) -> tuple[str, dict[str, str]] | None:
    """Return the name and the parameters of a view, or None for another URI."""
    if not uri.startswith(_VIEW_PREFIX):
        return None
    name, _, query = uri.removeprefix(_VIEW_PREFIX).partition("?")
    try:
        given = parse_qsl(query, max_num_fields=20)
    except ValueError:
        return None
    return name, {key: value for key, value in given if key in _VIEW_PARAMETERS}


@cache
def load_page() -> tuple[bytes, dict[str, str]]:
    """Load the page for browsers, and its headers."""
    text = _read_page()
    policy = f"{_build_policy(text)}; connect-src 'self'; frame-ancestors 'none'"
    return text.encode(), {"Content-Security-Policy": policy, **PRIVATE_HEADERS}


@cache
def load_app() -> str:
    """Load the page as an MCP App, with its policy in a `meta` element, because hosts send no
    headers of ours. The script applies it: hosts ignore a policy in the text.
    """
    text = _read_page()
    rule = f'<meta name="policy" content="{_build_policy(text)}">'
    marked = text.replace("<html ", f'<html data-app="{__version__}" ', 1)
    return marked.replace(_ICON, rule, 1)


def _read_page() -> str:
    from importlib.resources import files

    return (files("webquarry") / "views" / "page.html").read_text("utf-8")


def _build_policy(text: str) -> str:
    """Return the policy that holds in browsers and in hosts of MCP Apps."""
    from base64 import b64encode
    from hashlib import sha256

    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, part in _PART.findall(text):
        digest = b64encode(sha256(part.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    return (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; "
        f"style-src {' '.join(hashes['style'])}; img-src data:; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
