"""Where records are kept: settings and environment in, the record file out."""

from __future__ import annotations

from collections.abc import Mapping

from webquarry.records.file import MissingRecordFile, RecordFile
from webquarry.settings import Settings
from webquarry.store.folder import find_records_folder


def open_records(settings: Settings, environ: Mapping[str, str]) -> RecordFile:
    """The record file, which is made when it is first used. In memory only where the user has
    chosen that: what was acknowledged would otherwise be lost without anybody knowing.
    """
    if settings.records == "memory":
        return RecordFile(None)
    folder = find_records_folder(settings, environ)
    if folder is None:
        return MissingRecordFile()
    return RecordFile(folder)
