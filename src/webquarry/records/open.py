"""Where records are kept: settings and environment in, the record file out."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from webquarry.records.file import RecordFile
from webquarry.settings import Settings
from webquarry.store.folder import find_folder

log = logging.getLogger(__name__)


def find_records_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """The folder of the records; None when this user has no home."""
    return find_folder(settings.state_folder, environ, "XDG_STATE_HOME", ".local/state")


def open_records(settings: Settings, environ: Mapping[str, str]) -> RecordFile:
    """The record file, which is made when it is first used."""
    folder = find_records_folder(settings, environ)
    if folder is None:
        log.warning("records are kept in memory only: there is no home folder")
    return RecordFile(folder)
