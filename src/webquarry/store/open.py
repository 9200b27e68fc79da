"""Open the stores that the settings and the environment describe. Imports nothing heavy.

While exchanges are recorded or replayed, the cache is in memory only, so that a recording does not
answer for the web, nor the web for a recording.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.clock import Clock
from webquarry.settings import Settings
from webquarry.store.cache import Cache, MemoryStore, Store
from webquarry.store.calls import CallLog
from webquarry.store.folder import find_folder, find_records_folder
from webquarry.store.process_locks import ProcessLocks

if TYPE_CHECKING:
    from webquarry.store.disk_cache import DiskStore
    from webquarry.store.records import RecordFile
    from webquarry.store.redis_connection import RedisConnection

log = logging.getLogger(__name__)

_MEMORY_BYTES = 32_000_000


def find_cache_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the cache; None without a home directory."""
    return find_folder(settings.cache_folder, environ, "XDG_CACHE_HOME", ".cache")


def open_cache(
    settings: Settings,
    environ: Mapping[str, str],
    clock: Clock,
    connection: RedisConnection | None = None,
) -> Cache:
    """Open the cache; with a connection to Redis, the one that several servers share."""
    if not settings.cache:
        return Cache([], clock)
    stores: list[Store] = [MemoryStore(min(_MEMORY_BYTES, settings.cache_max_bytes))]
    if settings.record or settings.replay:
        return Cache(stores, clock)
    if connection is not None:
        from webquarry.store.redis_cache import RedisStore

        stores.append(RedisStore(connection, settings.cache_max_bytes))
        return Cache(stores, clock)
    disk = open_disk_cache(settings, environ)
    if disk is None:
        return Cache(stores, clock)
    return Cache([*stores, disk], clock, ProcessLocks(disk.path.parent))


def open_disk_cache(settings: Settings, environ: Mapping[str, str]) -> DiskStore | None:
    """Open the cache on disk, which creates its file on first use."""
    folder = find_cache_folder(settings, environ)
    if folder is None:
        log.warning("no cache on disk: there is no home folder; answers are kept in memory only")
        return None
    from webquarry.store.disk_cache import DiskStore

    return DiskStore(folder, settings.cache_max_bytes)


def open_records(settings: Settings, environ: Mapping[str, str]) -> RecordFile:
    """The record file, which is created when it is first used. Records are in memory only if that
    is configured.
    """
    from webquarry.store.records import MissingRecordFile, RecordFile

    folder = find_records_folder(settings, environ)
    if settings.records == "memory":
        return RecordFile(None)
    if folder is None:
        return MissingRecordFile()
    return RecordFile(folder)


def open_call_log(settings: Settings, environ: Mapping[str, str]) -> CallLog:
    """The call log, next to the records; one without a folder if it is turned off."""
    folder = find_records_folder(settings, environ)
    if not settings.call_log or settings.records == "memory" or folder is None:
        return CallLog(None)
    return CallLog(folder / "calls", settings.call_log_max_bytes, settings.call_log_seconds)
