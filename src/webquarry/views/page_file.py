"""The file `page.html` and its Content Security Policy.

The page is one static file, which requests all data with a token. The policy allows its script and
style by their hashes; with Trusted Types no text can become markup.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from webquarry import __version__

_ICON = '<link rel="icon" href="data:,">'  # prevents a request for it; hosts of MCP Apps refuse it
_PART = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True)
class PageFile:
    """The page and its headers."""

    body: bytes
    headers: dict[str, str]


@cache
def load_page() -> PageFile:
    """Load the page for browsers."""
    text = _read_page()
    policy = [*_build_policy(text), "connect-src 'self'", "frame-ancestors 'none'"]
    headers = {"Content-Security-Policy": "; ".join(policy), **PRIVATE_HEADERS}
    return PageFile(text.encode(), headers)


@cache
def load_app() -> str:
    """Load the page as an MCP App, with its policy in a `meta` element, because hosts send no
    headers of ours. The script applies it: hosts ignore a policy in the text.
    """
    text = _read_page()
    policy = "; ".join(_build_policy(text))
    rule = f'<meta name="policy" content="{policy}">'
    marked = text.replace("<html ", f'<html data-app="{__version__}" ', 1)
    return marked.replace(_ICON, rule, 1)


def _read_page() -> str:
    return (files("webquarry") / "views" / "page.html").read_text("utf-8")


def _build_policy(text: str) -> list[str]:
    """Return the directives that hold in browsers and in hosts of MCP Apps."""
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, part in _PART.findall(text):
        digest = b64encode(sha256(part.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    return [
        "default-src 'none'",
        f"script-src {' '.join(hashes['script'])}",
        f"style-src {' '.join(hashes['style'])}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]


# Of every response: it is not cached, framed or readable for other origins.
PRIVATE_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
