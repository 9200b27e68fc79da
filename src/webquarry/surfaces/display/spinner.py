"""A word on what is being done, on stderr, while a person waits; nothing where nobody looks.

It is one line that is written over and gone in the end. It is written past Python's streams: pages
are read in copies of this process, and a copy must not find a stream that nobody will unlock.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from webquarry.progress import listening

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_SECONDS = 0.1  # between two frames, and before the first: what is quick shows nothing
_ERASE = "\r\x1b[K"


@contextmanager
def show_progress(message: str) -> Iterator[None]:
    """Show what the work inside notes, beginning with a message."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    line = _ProgressLine(message)
    with line.turn(), listening(line.say):
        yield


class _ProgressLine:
    """The line, and the thread that turns its first sign."""

    def __init__(self, message: str) -> None:
        self._message = message
        self._file = sys.stderr.fileno()
        self._over = threading.Event()

    def say(self, message: str) -> None:
        """Something else is being done now."""
        self._message = message

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Show it for as long as the context lasts."""
        thread = threading.Thread(target=self._run, name="webquarry-spinner", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def _run(self) -> None:
        number = 0
        while not self._over.wait(_SECONDS):
            self._write(f"{_ERASE}{_FRAMES[number % len(_FRAMES)]} {self._describe()}")
            number += 1
        if number:
            self._write(_ERASE)

    def _describe(self) -> str:
        """What is being done, in one line of this terminal."""
        from rich.cells import cell_len, set_cell_size

        words = "".join(sign if sign.isprintable() else " " for sign in self._message)
        line = f"{' '.join(words.split())} ..."
        room = shutil.get_terminal_size().columns - len("⠋  ")
        if cell_len(line) > room:
            line = set_cell_size(line, max(room, 0))
        return line

    def _write(self, text: str) -> None:
        try:
            os.write(self._file, text.encode())
        except OSError:  # the terminal has gone
            self._over.set()
