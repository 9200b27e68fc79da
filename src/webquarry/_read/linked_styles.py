"""Style sheets of its own site that a fetched page links to, within limits of time and size.

They determine which text is visible. A sheet that fails, times out or is too large is ignored.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from itertools import islice
from urllib.parse import urlsplit

from webquarry._read.html.sheet_links import find_sheet_links
from webquarry.errors import WebquarryError
from webquarry.net.domains import is_same_site
from webquarry.net.models import Reply
from webquarry.secret import redact

log = logging.getLogger(__name__)

MOST_SHEETS = 4
MOST_BYTES = 512_000  # of all sheets together
_SECONDS = 2.0  # for all of them
_LARGEST_PAGE = 5_000_000  # bytes; a larger page is read without style sheets
_SEPARATOR = b"\0"

GetStyle = Callable[[str], Awaitable[bytes]]


def find_addresses(reply: Reply) -> list[str]:
    """Return the URLs of the style sheets to fetch for a page."""
    if not 200 <= reply.status < 300 or len(reply.body) > _LARGEST_PAGE:
        return []
    if "html" not in reply.headers.get("content-type", "html").lower():
        return []
    host = (urlsplit(reply.url).hostname or "").lower()
    links = find_sheet_links(reply.body, reply.url)
    same_site = (one for one in links if is_same_site(host, (urlsplit(one).hostname or "").lower()))
    return list(islice(same_site, MOST_SHEETS))


async def fetch_styles(reply: Reply, get_style: GetStyle) -> bytes:
    """Fetch the style sheets of a page; return them packed."""
    addresses = find_addresses(reply)
    if not addresses:
        return b""
    tasks = [asyncio.ensure_future(_fetch(address, get_style)) for address in addresses]
    try:
        await asyncio.wait(tasks, timeout=_SECONDS)
    finally:
        for task in tasks:
            task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    styles: dict[str, bytes] = {}
    left = MOST_BYTES
    for address, result in zip(addresses, results, strict=True):
        if isinstance(result, bytes) and len(result) <= left:
            styles[address] = result
            left -= len(result)
    return pack_styles(styles)


async def _fetch(address: str, get_style: GetStyle) -> bytes | None:
    """Fetch a style sheet; None on failure."""
    try:
        return await get_style(address)
    except WebquarryError as error:
        log.debug("the style sheet %s was not read: %s", redact(address), redact(error.message))
        return None


def pack_styles(styles: dict[str, bytes]) -> bytes:
    """Pack URLs and style sheets, separated by NUL bytes."""
    pieces: list[bytes] = []
    for address, css in styles.items():
        pieces += [address.encode(errors="replace"), css.replace(_SEPARATOR, b"\xef\xbf\xbd")]
    return _SEPARATOR.join(pieces)
