"""Folders and private files of a user, and the stores that the settings and the environment
describe. Imports nothing heavy.

While exchanges are recorded or replayed, the cache is in memory only, so that a recording does not
answer for the web, nor the web for a recording.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.clock import Clock
from webquarry.credentials import find_home
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.store.cache import Cache
    from webquarry.store.calls import CallLog
    from webquarry.store.disk_cache import DiskStore
    from webquarry.store.records import RecordFile
    from webquarry.store.redis_connection import RedisConnection

log = logging.getLogger(__name__)

_MEMORY_BYTES = 32_000_000


def find_folder(
    chosen: Path | None, environ: Mapping[str, str], variable: str, below_home: str
) -> Path | None:
    """Return our folder: the chosen one, below the XDG `variable`, or below the home directory;
    None without a home directory.
    """
    if chosen is not None:
        try:
            return chosen.expanduser()
        except RuntimeError:  # `~` without a home
            return None
    base = Path(environ.get(variable) or "")
    if base.is_absolute():
        return base / "webquarry"
    home = find_home(environ)
    return home / below_home / "webquarry" if home else None


def find_cache_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the cache; None without a home directory."""
    return find_folder(settings.cache_folder, environ, "XDG_CACHE_HOME", ".cache")


def find_records_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """Return the folder of the records; None without a home directory."""
    return find_folder(settings.state_folder, environ, "XDG_STATE_HOME", ".local/state")


def write_private(path: Path, data: bytes) -> None:
    """Replace a file atomically by one that only this user can read."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)


def open_cache(
    settings: Settings,
    environ: Mapping[str, str],
    clock: Clock,
    connection: RedisConnection | None = None,
) -> Cache:
    """Open the cache; with a connection to Redis, the one that several servers share."""
    from webquarry.store.cache import Cache, MemoryStore

    if not settings.cache:
        return Cache([], clock)
    memory = MemoryStore(min(_MEMORY_BYTES, settings.cache_max_bytes))
    if settings.record or settings.replay:
        return Cache([memory], clock)
    if connection is not None:
        from webquarry.store.redis_stores import RedisStore

        return Cache([memory, RedisStore(connection, settings.cache_max_bytes)], clock)
    disk = open_disk_cache(settings, environ)
    return Cache([memory] if disk is None else [memory, disk], clock)


def open_disk_cache(settings: Settings, environ: Mapping[str, str]) -> DiskStore | None:
    """Open the cache on disk, which creates its file on first use."""
    folder = find_cache_folder(settings, environ)
    if folder is None:
        log.warning("no cache on disk: there is no home folder; answers are cached in memory only")
        return None
    from webquarry.store.disk_cache import DiskStore

    return DiskStore(folder, settings.cache_max_bytes)


def open_records(settings: Settings, environ: Mapping[str, str]) -> RecordFile:
    """Return the record file, which is created when it is first used. Records are in memory only
    if that is configured.
    """
    from webquarry.store.records import MissingRecordFile, RecordFile

    if settings.records == "memory":
        return RecordFile(None)
    folder = find_records_folder(settings, environ)
    return RecordFile(folder) if folder else MissingRecordFile()


def open_call_log(settings: Settings, environ: Mapping[str, str]) -> CallLog:
    """Return the call log, next to the records; one without a folder if it is turned off."""
    from webquarry.store.calls import CallLog

    folder = find_records_folder(settings, environ)
    if not settings.call_log or settings.records == "memory" or folder is None:
        return CallLog(None)
    return CallLog(folder / "calls", settings.call_log_max_bytes, settings.call_log_seconds)
