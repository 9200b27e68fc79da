"""Where the records are: settings and environment in, their folder out. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webquarry.settings import Settings
from webquarry.store.folder import find_folder


def find_records_folder(settings: Settings, environ: Mapping[str, str]) -> Path | None:
    """The folder of the records; None when this user has no home."""
    return find_folder(settings.state_folder, environ, "XDG_STATE_HOME", ".local/state")
