"""The library's file, whatever happens to it: work on the shelf in, what comes of it out.

Nothing that goes wrong here fails a call. A file that is damaged is set aside with a warning and a
new one begun; where there is no room or no right to write, work is left undone for a minute.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from webquarry.library.shelf import Shelf, prepare_shelf
from webquarry.store.database_file import DatabaseFile, remove_old_asides
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import FILE_ERRORS, Trouble, classify, make_file

log = logging.getLogger(__name__)
T = TypeVar("T")

_REST_SECONDS = 60.0  # before a place that could not be written to is tried again
_REPLACED = (Trouble.DAMAGED, Trouble.NEWER, Trouble.FOREIGN)


class LibraryFile:
    """The shelf in a file, opened at its first use. For one thread at a time."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._file = DatabaseFile(path, prepare_shelf)
        self._shelf: Shelf | None = None
        self._rests_until = 0.0

    def close(self) -> None:
        """Let go of the file."""
        self._shelf = None
        self._file.close()

    def work(self, work: Callable[[Shelf], T], otherwise: T) -> T:
        """A damaged file is set aside once and the work tried again on the new one."""
        if time.monotonic() < self._rests_until:
            return otherwise
        for is_last in (False, True):
            try:
                return work(self._open())
            except OSError as error:
                self._rest(error)
                return otherwise
            except FILE_ERRORS as error:
                trouble = classify(error, self.path)
                if trouble is Trouble.BUSY:
                    log.warning("the library %s did not answer (%s)", self.path, error)
                    return otherwise
                if is_last or trouble not in _REPLACED:
                    self._rest(error)
                    return otherwise
                self._set_aside(error)
        return otherwise

    def _open(self) -> Shelf:
        """The shelf, opened at the first use, and again when its file is no longer there."""
        if self._shelf is not None and not self._file.is_moved():
            return self._shelf
        self._file.close()
        self._shelf = None
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        cipher = Cipher.open(self.path.with_name("library.key"))
        make_file(self.path)
        remove_old_asides(self.path)
        self._shelf = Shelf(self._file.open(), cipher, self._max_bytes)
        return self._shelf

    def _set_aside(self, error: BaseException) -> None:
        """Make room for a new file."""
        self.close()
        with suppress(OSError):
            aside = self._file.set_aside()
            log.warning(
                "the library %s is damaged (%s); it is set aside as %s and a new one begun",
                self.path,
                error,
                aside,
            )

    def _rest(self, error: BaseException) -> None:
        """Go on without the file for a while."""
        self.close()
        self._rests_until = time.monotonic() + _REST_SECONDS
        log.warning("no library: %s cannot be used (%s)", self.path, error)
