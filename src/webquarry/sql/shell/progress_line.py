"""The progress line: how far a statement is comes in, one line on stderr that rewrites itself goes
out.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Sequence
from typing import TextIO

from webquarry.ask.models import Progress
from webquarry.sql.shell.tables import shorten
from webquarry.surfaces.terminal import one_line

_EVERY_SECONDS = 0.2
_MOST_REASONS = 3
_LONGEST_REASON = 120  # characters


def summarize(progress: Progress) -> str:
    """What a statement has done, in one line: with the reasons why rows failed or had no search."""
    parts = _count(progress, reasons=True)
    if progress.unsearched:
        parts.append(
            f"{progress.unsearched:,} of {progress.done:,} rows wanted a search and got none"
        )
    if progress.unoffered:
        parts.append(f"{progress.unoffered:,} were asked while no search was to be had")
    return ", ".join(parts)


def _count(progress: Progress, *, reasons: bool) -> list[str]:
    """What can be counted, part by part."""
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
    if usage.kept_searches:
        parts.append(f"{usage.kept_searches:,} kept searches")
    if progress.failed:
        why = ""
        if reasons and progress.failures:
            why = f" ({_tell_reasons(progress.failures)})"
        parts.append(f"{progress.failed:,} failed{why}")
    if progress.throttled:
        parts.append(f"{progress.throttled:,} x 429")
    parts.append(f"${usage.usd:.4f}")
    if progress.planned:
        parts.append(f"dry run: {progress.planned:,} calls, at most ${progress.worst_usd:.4f}")
    return parts


def _tell_reasons(failures: Sequence[tuple[str, int]]) -> str:
    """Why rows failed, the most frequent reasons first."""
    reasons = []
    for message, count in failures[:_MOST_REASONS]:
        reason = one_line(message).rstrip(".")
        if len(reason) > _LONGEST_REASON:
            reason = reason[: _LONGEST_REASON - 3] + "..."
        reasons.append(f"{count:,} x {reason}" if len(failures) > 1 else reason)
    if len(failures) > _MOST_REASONS:
        reasons.append("and other reasons")
    return "; ".join(reasons)


def format_line(progress: Progress) -> str:
    """How far a statement is, with the time that is left where it can be told."""
    text = ", ".join(_count(progress, reasons=False))
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

    def end(self, progress: Progress, said: str = "") -> None:
        """The statement has ended. Nothing is left behind here; other places say what it took."""
        self.clear()

    def _is_wanted(self, stream: TextIO) -> bool:
        """Whether to show anything: as the user says, else on a terminal."""
        if self.wanted is None:
            return stream.isatty()
        return self.wanted
