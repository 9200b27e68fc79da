"""Open the stores that the settings and the environment describe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from webquarry.settings import Settings
from webquarry.store.calls import CallLog
from webquarry.store.folder import find_records_folder

if TYPE_CHECKING:
    from webquarry.store.records import RecordFile


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
