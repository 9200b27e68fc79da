"""Folders and private files of a user."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from webquarry.credentials import find_home
from webquarry.settings import Settings


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
    if home is None:
        return None
    return home / below_home / "webquarry"


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
