"""Where records are kept: settings and environment in, the record file out."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from webquarry.records.file import RecordFile
from webquarry.settings import Settings

log = logging.getLogger(__name__)


def records_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """The folder of the records; None when this user has no home."""
    if settings.state_folder is not None:
        return settings.state_folder.expanduser()
    given = Path(environ.get("XDG_STATE_HOME") or "")
    if given.is_absolute():
        return given / "webquarry"
    try:
        home = Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        return None
    return home / ".local" / "state" / "webquarry"


def open_records(settings: Settings, environ: Mapping[str, str]) -> RecordFile:
    """The record file, which is made when it is first used."""
    folder = records_folder(settings, environ)
    if folder is None:
        log.warning("records are kept in memory only: there is no home folder")
    return RecordFile(folder)
