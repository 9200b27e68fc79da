"""The file `page.html` -> its bytes, and the headers under which a browser runs nothing but what
stands in it.

The page is one file without data: all that it shows it asks for with a token. Its script and its
style are named by their hashes, and with Trusted Types no text can become markup.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from webquarry import __version__

_ICON = '<link rel="icon" href="data:,">'  # keeps browsers from asking for one; hosts refuse it
_PART = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@dataclass(frozen=True)
class PageFile:
    """The page as it is sent."""

    body: bytes
    headers: dict[str, str]


@cache
def load_page() -> PageFile:
    """The page with its headers."""
    text = _read_page()
    policy = [*_build_policy(text), "connect-src 'self'", "frame-ancestors 'none'"]
    headers = {"Content-Security-Policy": "; ".join(policy), **PRIVATE_HEADERS}
    return PageFile(text.encode(), headers)


@cache
def load_app() -> str:
    """The page as an MCP App: told that it is one, and with its policy inside, since a host sends
    no headers of ours. The script puts the policy into force: hosts put the page into a document of
    their own, where a policy that stands in the text would be ignored.
    """
    text = _read_page()
    policy = "; ".join(_build_policy(text))
    rule = f'<meta name="policy" content="{policy}">'
    told = text.replace("<html ", f'<html data-app="{__version__}" ', 1)
    return told.replace(_ICON, rule, 1)


def _read_page() -> str:
    return (files("webquarry") / "surfaces" / "ui" / "page.html").read_text("utf-8")


def _build_policy(text: str) -> list[str]:
    """What holds wherever the page is shown: nothing runs but its own script, and no text becomes
    markup.
    """
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


# Of everything that is sent to the page: nobody keeps it, frames it or reads it from elsewhere.
PRIVATE_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
