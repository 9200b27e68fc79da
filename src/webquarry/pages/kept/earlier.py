"""Pages whose time in the cache is over: kept longer, by what their servers know them by, so that a
server can be asked whether they have changed instead of for all of them again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from webquarry.net.models import Reply, Validators
from webquarry.pages.snapshot import pack_snapshot, unpack_snapshot
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, name_variant

_VERSION = 1
_SECONDS = 7 * 86_400.0  # how long a page is worth to be asked for


@dataclass(frozen=True)
class EarlierPage:
    """A packed snapshot, and what its server knows it by."""

    validators: Validators
    packed: bytes

    def renew(self, moment: datetime) -> bytes:
        """The same page, as it still is at this moment."""
        snapshot = unpack_snapshot(self.packed, cached=False)
        return pack_snapshot(replace(snapshot, fetched_at=moment))


class EarlierPages:
    """Pages by the keys of their snapshots."""

    def __init__(self, cache: Cache, settings: Settings) -> None:
        self._cache = cache
        self._settings = settings

    async def find(self, key: str) -> EarlierPage | None:
        """The page that was read before, if its server can be asked for it."""
        kept = await self._cache.get(self.build_key(key))
        if kept is None:
            return None
        line, _, packed = kept.value.partition(b"\n")
        return EarlierPage(Validators(**json.loads(line)), packed)

    async def keep(
        self, key: str, reply: Reply | None, packed: bytes, earlier: EarlierPage | None
    ) -> None:
        """Keep a page that has come, or has not changed, if its server can be asked for it."""
        if reply is None or self._settings.cache_read_seconds <= 0:
            return
        validators = Validators.of(reply)
        if reply.is_unchanged and earlier is not None:
            validators = earlier.validators
        if validators is None or "no-store" in reply.headers.get("cache-control", "").lower():
            return
        line = json.dumps(asdict(validators)).encode("utf-8", "replace")
        seconds = max(_SECONDS, self._settings.cache_read_seconds)
        await self._cache.keep(self.build_key(key), Made(line + b"\n" + packed, seconds))

    def build_key(self, key: str) -> str:
        """The key of what is kept longer than the snapshot of this key."""
        return name_variant(key, f"earlier {_VERSION}")
