"""The progress line: how far a statement is comes in, one line on stderr that rewrites itself goes
out.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import TextIO

from webquarry.ask.models import Progress
from webquarry.surfaces.sql.shell.tables import shorten

_EVERY_SECONDS = 0.2


def summarize(progress: Progress) -> str:
    """What a statement has done so far, in one line."""
    usage = progress.usage
    rows = f"{progress.done:,} rows"
    if progress.done < progress.rows:
        rows = f"{progress.done:,} of {progress.rows:,} rows"
    parts = [
        rows,
        f"{usage.calls:,} calls",
        f"{progress.hits:,} kept",
        f"{usage.searches:,} searches",
    ]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    if progress.throttled:
        parts.append(f"{progress.throttled:,} x 429")
    parts.append(f"${usage.usd:.4f}")
    if progress.planned:
        parts.append(f"dry run: {progress.planned:,} calls, at most ${progress.worst_usd:.4f}")
    return ", ".join(parts)


def format_line(progress: Progress) -> str:
    """The same, with the time that is left where it can be told."""
    text = summarize(progress)
    if progress.seconds_left is None:
        return text
    minutes, seconds = divmod(round(progress.seconds_left), 60)
    if minutes:
        return f"{text}, {minutes}:{seconds:02} left"
    return f"{text}, {seconds} s left"


class ProgressLine:
    """Where progress is shown: on a terminal, or wherever it is told to."""

    def __init__(self, stream: TextIO | None = None, *, wanted: bool | None = None) -> None:
        self._stream = stream
        self.wanted = wanted
        self._lock = threading.Lock()
        self._next = 0.0
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Show it, a few times a second at most."""
        stream = self._stream or sys.stderr
        with self._lock:
            now = time.monotonic()
            if now < self._next or not self._is_wanted(stream):
                return
            self._next, self._shown = now + _EVERY_SECONDS, True
            line = format_line(progress)
            if stream.isatty():  # a line that wraps could not be taken back
                line = shorten(line, shutil.get_terminal_size().columns - 1)
            stream.write(f"\r\x1b[K{line}")
            stream.flush()

    def clear(self) -> None:
        """Leave nothing behind."""
        stream = self._stream or sys.stderr
        with self._lock:
            if self._shown:
                stream.write("\r\x1b[K")
                stream.flush()
            self._shown, self._next = False, 0.0

    def _is_wanted(self, stream: TextIO) -> bool:
        """Whether to show anything: as the user says, else on a terminal."""
        if self.wanted is None:
            return stream.isatty()
        return self.wanted
