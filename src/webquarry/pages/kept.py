"""Pages that are stored beyond the cache: expired ones for conditional requests, and those of the
library.

Pages whose server sends validators are stored longer, so that a request can ask whether they have
changed. A site that says `noarchive` or `no-store` allows no copy in the library.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from webquarry._read.models import Page
from webquarry.library import KeptPage
from webquarry.net.models import Reply, Validators
from webquarry.pages.snapshot import pack_snapshot, unpack_snapshot
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made

_VERSION = 1
_SECONDS = 7 * 86_400.0
_NO_ARCHIVE = re.compile(r"\b(?:noarchive|nocache)\b", re.IGNORECASE)
_NO_STORE = re.compile(r"\bno-store\b", re.IGNORECASE)


@dataclass(frozen=True)
class EarlierPage:
    """A packed snapshot and the validators of its response."""

    validators: Validators
    packed: bytes

    def renew(self, moment: datetime) -> bytes:
        """Return the packed snapshot as fetched at a moment."""
        snapshot = unpack_snapshot(self.packed, cached=False)
        return pack_snapshot(replace(snapshot, fetched_at=moment))


class EarlierPages:
    """Earlier pages by the cache keys of their snapshots."""

    def __init__(self, cache: Cache, settings: Settings) -> None:
        self._cache = cache
        self._settings = settings

    async def find(self, key: str) -> EarlierPage | None:
        """Return the earlier page, if there is one."""
        found = await self._cache.get(f"{key} earlier {_VERSION}")
        if found is None:
            return None
        line, _, packed = found.value.partition(b"\n")
        return EarlierPage(Validators(**json.loads(line)), packed)

    async def keep(
        self, key: str, reply: Reply | None, packed: bytes, earlier: EarlierPage | None
    ) -> None:
        """Store a page that is new or has not changed, if its server sent validators."""
        if reply is None or self._settings.cache_read_seconds <= 0:
            return
        validators = Validators.of(reply)
        if reply.is_unchanged and earlier is not None:
            validators = earlier.validators
        if validators is None or _NO_STORE.search(reply.headers.get("cache-control", "")):
            return
        line = json.dumps(asdict(validators)).encode("utf-8", "replace")
        made = Made(line + b"\n" + packed, max(_SECONDS, self._settings.cache_read_seconds))
        await self._cache.keep(f"{key} earlier {_VERSION}", made)


def may_keep(reply: Reply | None, page: Page) -> bool:
    """Return whether the site allows a copy of a page."""
    headers = {} if reply is None else reply.headers
    if _NO_STORE.search(headers.get("cache-control", "")):
        return False
    rules = [headers.get("x-robots-tag", "")]
    if page.document is not None:
        for meta in page.document.statements.by_name["meta"]:
            if (meta.get("name") or "").strip().lower() == "robots":
                rules.append(meta.get("content") or "")
    return not any(map(_NO_ARCHIVE.search, rules))


def build_kept_page(packed: bytes) -> KeptPage | None:
    """Return the page of a packed snapshot for the library; None if it has no text."""
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
