"""Where the cache is, and what it is made of: settings and environment in, a folder or stores out.

While exchanges are recorded or replayed nothing is kept on disk, nor shared: what came from there
would not be recorded, and a recording must not answer for the web, nor the web for a recording.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.cache.base import Store
from webquarry.cache.cache import Cache
from webquarry.cache.memory import MemoryStore
from webquarry.cache.turns import Turns
from webquarry.clock import Clock
from webquarry.settings import Settings
from webquarry.store.folder import find_folder

if TYPE_CHECKING:
    from webquarry.cache.disk import DiskStore
    from webquarry.store.redis.connection import RedisConnection

log = logging.getLogger(__name__)

MEMORY_BYTES = 32_000_000


def find_cache_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """The folder of the cache; None when this user has no home."""
    return find_folder(settings.cache_folder, environ, "XDG_CACHE_HOME", ".cache")


def open_cache(
    settings: Settings,
    environ: Mapping[str, str],
    clock: Clock,
    connection: RedisConnection | None = None,
) -> Cache:
    """The cache; with a connection to Redis, the one that several servers share."""
    if connection is None or settings.record or settings.replay:
        return Cache(open_stores(settings, environ), clock, turns=_open_turns(settings, environ))
    from webquarry.cache.redis import FrontStore, RedisStore
    from webquarry.cache.redis_single_flight import RedisSingleFlight

    stores: list[Store] = []
    if settings.cache:
        behind = RedisStore(connection, settings.cache_max_bytes)
        memory_bytes = min(MEMORY_BYTES, settings.cache_max_bytes)
        front = FrontStore(memory_bytes, behind)
        stores = [front, behind]
    return Cache(stores, clock, RedisSingleFlight(connection))


def _open_turns(settings: Settings, environ: Mapping[str, str]) -> Turns | None:
    """Where processes wait for each other: beside the file that they share, if there is one."""
    folder = find_cache_folder(settings, environ)
    if folder is None or not settings.cache or settings.record or settings.replay:
        return None
    return Turns(folder)


def open_stores(settings: Settings, environ: Mapping[str, str]) -> list[Store]:
    """The stores from the nearest to the farthest; none when the cache is off."""
    if not settings.cache:
        return []
    memory_bytes = min(MEMORY_BYTES, settings.cache_max_bytes)
    stores: list[Store] = [MemoryStore(memory_bytes)]
    if settings.record or settings.replay:
        return stores
    disk = open_disk(settings, environ)
    if disk is not None:
        stores.append(disk)
    return stores


def open_disk(settings: Settings, environ: Mapping[str, str]) -> DiskStore | None:
    """The store on disk, which makes its file when it is first used."""
    folder = find_cache_folder(settings, environ)
    if folder is None:
        log.warning("no cache on disk: there is no home folder; answers are kept in memory only")
        return None
    # Brings SQLite and the cipher, which a single fetch does not need.
    from webquarry.cache.disk import DiskStore

    return DiskStore(folder, settings.cache_max_bytes)
