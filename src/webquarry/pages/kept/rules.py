"""Which pages go into the library, and what of them: a reply and its page in, whether it may be
kept out; a packed snapshot in, the page that is kept out.

Pages whose robots.txt forbids them were never read. A site that says `noarchive`, in the page or in
a header, or `no-store`, wants no copy kept.
"""

from __future__ import annotations

import re

from webquarry._read.models import Page
from webquarry.library import KeptPage
from webquarry.net.models import Reply
from webquarry.pages.snapshot import unpack_snapshot

_FORBIDS = re.compile(r"\b(?:noarchive|nocache)\b", re.IGNORECASE)
_NO_STORE = re.compile(r"\bno-store\b", re.IGNORECASE)


def may_keep(reply: Reply | None, page: Page) -> bool:
    """Whether the site lets a copy of a page be kept; what came by its interface, always."""
    if reply is not None:
        headers = reply.headers
        if "cache-control" in headers and _NO_STORE.search(headers["cache-control"]):
            return False
        if "x-robots-tag" in headers and _FORBIDS.search(headers["x-robots-tag"]):
            return False
    if page.document is None:
        return True
    for meta in page.document.statements.by_name["meta"]:
        name = meta.get("name")
        is_for_robots = name is not None and name.strip().lower() == "robots"
        if is_for_robots and _FORBIDS.search(meta.get("content") or ""):
            return False
    return True


def build_kept_page(packed: bytes) -> KeptPage | None:
    """The page of a packed snapshot; None for one without text."""
    snapshot = unpack_snapshot(packed, cached=False)
    if not snapshot.data.strip():
        return None
    return KeptPage(
        url=snapshot.fields["url"],
        title=snapshot.csl.get("title") or "",
        text=snapshot.data,
        fetched_at=snapshot.fetched_at.timestamp(),
        published=None,
    )
