"""Where a user's files of ours are: a setting, a variable of the XDG standard, or the home."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from webquarry.credentials import find_home


def find_folder(
    chosen: Path | None, environ: Mapping[str, str], variable: str, below_home: str
) -> Path | None:
    """A folder of ours: the chosen one, or where this variable says, or below the user's home; None
    without a home.
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
