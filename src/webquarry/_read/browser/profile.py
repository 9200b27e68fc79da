"""The folder that one browser writes to: made, locked as long as we live, and swept afterwards.

A process that was killed leaves its folder behind. Whoever starts a browser next removes the
folders that nobody holds the lock of.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import shutil
import tempfile
import time
from pathlib import Path

log = logging.getLogger(__name__)

_PREFIX = "webquarry-browser-"
_OTHER_PLACES = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - each folder in it is ours alone
_LOCK = "lock"
_PROFILE = "profile"
_OPEN_LOCK = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_NEW_SECONDS = 60.0  # so young a folder may not be locked yet


class Profile:
    """A fresh folder, for the user that the browser runs as."""

    def __init__(self, user: int | None) -> None:
        place = _choose_place(user)
        sweep(place, user)
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        self.folder.chmod(0o711)  # the browser may be another user
        self.path = self.folder / _PROFILE
        self.path.mkdir(mode=0o700)
        if user is not None:
            os.chown(self.path, user, user)
        self.lock = os.open(self.folder / _LOCK, _OPEN_LOCK, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def remove(self) -> None:
        """Remove the folder with all that the browser wrote."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self.lock)


def _choose_place(user: int | None) -> Path:
    """A folder for temporary files that the browser's user can get at, too."""
    usual = Path(tempfile.gettempdir()).resolve()
    if user is None or _is_open(usual):
        return usual
    for place in _OTHER_PLACES:
        if place.is_dir() and _is_open(place):
            return place
    return usual


def _is_open(folder: Path) -> bool:
    """Whether everybody may go through a folder and those above it."""
    return all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents))


def sweep(place: Path, user: int | None = None) -> None:
    """Remove the folders of browsers whose process has ended."""
    now = time.time()
    owners = {os.geteuid(), user}
    for folder in place.glob(f"{_PREFIX}*"):
        try:
            state = folder.lstat()
            is_ours = state.st_uid in owners and folder.is_dir() and not folder.is_symlink()
            if not is_ours or now - state.st_mtime < _NEW_SECONDS:
                continue
            lock = os.open(folder / _LOCK, _OPEN_LOCK, 0o600)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # in use
        else:
            log.debug("the folder %s of a browser that has ended is removed", folder)
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
