"""Open the stores that the settings and the environment describe."""

from __future__ import annotations

from collections.abc import Mapping

from webquarry.settings import Settings
from webquarry.store.calls import CallLog
from webquarry.store.folder import find_records_folder


def open_call_log(settings: Settings, environ: Mapping[str, str]) -> CallLog:
    """The call log, next to the records; one without a folder if it is turned off."""
    folder = find_records_folder(settings, environ)
    if not settings.call_log or settings.records == "memory" or folder is None:
        return CallLog(None)
    return CallLog(folder / "calls", settings.call_log_max_bytes, settings.call_log_seconds)
