"""The page as an MCP App: the names that tools, resources and the protocol share.

ui://webquarry/page.html                 the page itself
research://view/page?url=...&session=... what a view of it shows, as JSON
"""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, urlencode

APP_URI = "ui://webquarry/page.html"
APP_EXTENSION = "io.modelcontextprotocol/ui"
_VIEW_PREFIX = "research://view/"
_VIEW_PARAMETERS = ("id", "url", "session", "find")  # none of them makes a view fetch anything


def build_view_uri(name: str, **parameters: str | None) -> str:
    """The address of what a view shows; parameters without a value are left out."""
    given = [(key, value) for key, value in parameters.items() if value]
    query = urlencode(given, quote_via=quote)
    return f"{_VIEW_PREFIX}{name}?{query}" if query else _VIEW_PREFIX + name


def parse_view_uri(uri: str) -> tuple[str, dict[str, str]] | None:
    """The name and the parameters of a view; None where the address is none of a view."""
    if not uri.startswith(_VIEW_PREFIX):
        return None
    name, _, query = uri.removeprefix(_VIEW_PREFIX).partition("?")
    try:
        given = parse_qsl(query, max_num_fields=20)
    except ValueError:
        return None
    return name, {key: value for key, value in given if key in _VIEW_PARAMETERS}
