"""Where the log of calls is kept: settings and environment in, the log out."""

from __future__ import annotations

from collections.abc import Mapping

from webquarry.calls.log import CallLog
from webquarry.records.place import find_records_folder
from webquarry.settings import Settings

_FOLDER = "calls"  # beside the records


def open_call_log(settings: Settings, environ: Mapping[str, str]) -> CallLog:
    """The log of this user's calls; one that keeps nothing where it is turned off, where records
    are not to last, and where the user has no home.
    """
    if not settings.call_log or settings.records == "memory":
        return CallLog(None)
    folder = find_records_folder(settings, environ)
    if folder is None:
        return CallLog(None)
    from webquarry.calls.segments import CallSegments

    segments = CallSegments(
        folder / _FOLDER, settings.call_log_max_bytes, settings.call_log_seconds
    )
    return CallLog(segments)
