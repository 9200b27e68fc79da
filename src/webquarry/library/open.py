"""Where the library is: settings and environment in, the library out.

There is none while exchanges are recorded or replayed: a recording must not answer for the web, nor
the web for a recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webquarry.clock import Clock
from webquarry.library.library import Library
from webquarry.settings import Settings
from webquarry.store.folder import find_folder

_NO_HOME = Path("/nonexistent")  # which many systems give to users that have none


def open_library(settings: Settings, environ: Mapping[str, str], clock: Clock) -> Library | None:
    """The library, which creates its file on first use; None if it is turned off."""
    if not has_library(settings):
        return None
    folder = find_folder(settings.state_folder, environ, "XDG_STATE_HOME", ".local/state")
    if folder is None or folder.is_relative_to(_NO_HOME):
        return None
    return Library(folder, settings.library_max_bytes, clock)


def has_library(settings: Settings) -> bool:
    """Whether pages are kept."""
    return settings.library and not settings.record and not settings.replay
