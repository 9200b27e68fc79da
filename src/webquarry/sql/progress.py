"""Progress of a statement: one rewritten line on stderr, or below the cell of a notebook."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Sequence
from typing import TextIO

from webquarry.ask.models import Progress
from webquarry.progress import CellProgress, is_in_kernel
from webquarry.terminal import one_line

_INTERVAL_SECONDS = 0.2
_MOST_REASONS = 3
_LONGEST_REASON = 120  # characters
_ERASE = "\r\x1b[K"


def summarize(progress: Progress) -> str:
    """Return the result and cost of a statement in one line, with the reasons of failures."""
    parts = _count(progress, reasons=True)
    if progress.unsearched:
        parts.append(f"{progress.unsearched:,} answered without a search, which failed")
    return ", ".join(parts)


def format_line(progress: Progress) -> str:
    """Return the progress of a statement in one line, with the estimated time left."""
    text = ", ".join(_count(progress, reasons=False))
    if progress.seconds_left is None:
        return text
    minutes, seconds = divmod(round(progress.seconds_left), 60)
    return f"{text}, {minutes}:{seconds:02} left" if minutes else f"{text}, {seconds} s left"


def _count(progress: Progress, *, reasons: bool) -> list[str]:
    usage = progress.usage
    is_done = progress.done >= progress.rows
    parts = [
        f"{progress.done:,} rows" if is_done else f"{progress.done:,} of {progress.rows:,} rows",
        f"{usage.calls:,} calls",
        f"{progress.hits:,} kept",
        f"{usage.searches:,} searches",
    ]
    if usage.kept_searches:
        parts.append(f"{usage.kept_searches:,} kept searches")
    if progress.failed:
        why = f" ({_join_reasons(progress.failures)})" if reasons and progress.failures else ""
        parts.append(f"{progress.failed:,} failed{why}")
    if progress.throttled:
        parts.append(f"{progress.throttled:,} x 429")
    parts.append(f"${usage.usd:.4f}")
    if progress.planned:
        parts.append(f"dry run: {progress.planned:,} calls, at most ${progress.worst_usd:.4f}")
    return parts


def _join_reasons(failures: Sequence[tuple[str, int]]) -> str:
    """Return the most frequent reasons of failures."""
    reasons = []
    for message, count in failures[:_MOST_REASONS]:
        reason = one_line(message).rstrip(".")
        if len(reason) > _LONGEST_REASON:
            reason = reason[: _LONGEST_REASON - 3] + "..."
        reasons.append(f"{count:,} x {reason}" if len(failures) > 1 else reason)
    if len(failures) > _MOST_REASONS:
        reasons.append("and other reasons")
    return "; ".join(reasons)


class ProgressLine:
    """Shows progress on stderr: always, never, or (None) if it is a terminal."""

    def __init__(self, stream: TextIO | None = None, *, wanted: bool | None = None) -> None:
        self._stream = stream
        self.wanted = wanted
        self._lock = threading.Lock()
        self._next = 0.0
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Show the progress, at most a few times per second."""
        stream = self._stream or sys.stderr
        with self._lock:
            now = time.monotonic()
            is_wanted = stream.isatty() if self.wanted is None else self.wanted
            if now < self._next or not is_wanted:
                return
            self._next, self._shown = now + _INTERVAL_SECONDS, True
            line = format_line(progress)
            if stream.isatty():  # a wrapped line cannot be erased
                line = line[: shutil.get_terminal_size().columns - 1]
            stream.write(f"{_ERASE}{line}")
            stream.flush()

    def clear(self) -> None:
        """Erase the line."""
        stream = self._stream or sys.stderr
        with self._lock:
            if self._shown:
                stream.write(_ERASE)
                stream.flush()
            self._shown, self._next = False, 0.0

    def end(self, progress: Progress, prefix: str = "") -> None:
        """Erase the line at the end of a statement."""
        self.clear()


class CellProgressLine(ProgressLine):
    """Shows progress below the cell of a notebook; the last line is the bill."""

    def __init__(self) -> None:
        super().__init__()
        self._cell = CellProgress()

    def __call__(self, progress: Progress) -> None:
        if self.wanted is not False:
            self._cell.show(format_line(progress), progress.done, progress.rows)

    def clear(self) -> None:
        """Leave the output: the next call of the statement continues it."""

    def end(self, progress: Progress, prefix: str = "") -> None:
        """Replace the progress by the result and cost of the statement."""
        if self._cell.is_begun:
            self._cell.end(f"{prefix}{summarize(progress)}")


def open_progress_line() -> ProgressLine:
    """Return the progress line of this process."""
    return CellProgressLine() if is_in_kernel() else ProgressLine()
