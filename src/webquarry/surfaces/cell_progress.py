"""Progress below a cell of a notebook: how far something is comes in, one output that changes goes
out.

Jupyter's own messages are enough (a display with an id, updated from any thread), so that neither
ipywidgets nor a terminal is needed, and a saved notebook holds the last state alone.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from html import escape
from typing import Any

_EVERY_SECONDS = 0.2
INTERRUPTED = "Interrupted. What was paid for is kept; run it again to ask for the rest."


def is_in_kernel() -> bool:
    """Whether this process is the kernel of a notebook, whose cells can show HTML."""
    ipython = sys.modules.get("IPython")
    if ipython is None or "ipykernel" not in sys.modules:
        return False
    shell = ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def build_interrupt(sentence: str) -> KeyboardInterrupt:
    """An interrupt of which a notebook shows one line, as of every error of ours: to write down all
    frames takes it a second or more.
    """
    interrupt = KeyboardInterrupt(sentence)
    vars(interrupt)["_render_traceback_"] = lambda: [f"KeyboardInterrupt: {sentence}"]
    return interrupt


class CellProgress:
    """One output of a cell. Any thread may say how far the work is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handle: Any = None
        self._next = 0.0
        self._last = ("", 0, 0)

    @property
    def is_begun(self) -> bool:
        """Whether there is something to be seen."""
        return self._handle is not None

    def show(self, line: str, done: int, total: int) -> None:
        """Show it, a few times a second at most; the latest is kept for the end."""
        with self._lock:
            self._last = (line, done, total)
            now = time.monotonic()
            if now < self._next:
                return
            self._next = now + _EVERY_SECONDS
            self._publish(_write_bar(line, done, total), line)

    def end(self, line: str | None = None) -> None:
        """Leave one line, without a bar; the next work has an output of its own."""
        with self._lock:
            if self._handle is not None:
                line = line or self._last[0]
                self._publish(_write_line(line), line)
            self._handle, self._next = None, 0.0

    def _publish(self, html: str, plain: str) -> None:
        """Send it to the front end: as something new, then in the place of that."""
        bundle = {"text/html": html, "text/plain": plain}
        if self._handle is None:
            display = importlib.import_module("IPython.display").display
            self._handle = display(bundle, raw=True, display_id=True)
            self._end_with_cell()
        else:
            self._handle.update(bundle, raw=True)

    def _end_with_cell(self) -> None:
        """Whoever says no end (a statement on a plain connection) ends with its cell."""
        events = sys.modules["IPython"].get_ipython().events

        def end_cell(_: Any) -> None:
            events.unregister("post_run_cell", end_cell)
            self.end()

        events.register("post_run_cell", end_cell)


def _write_bar(line: str, done: int, total: int) -> str:
    """A bar with words behind it; one that only moves where nobody knows how much there is."""
    extent = f'max="{total}" value="{done}"' if total > 1 else ""
    return _write_line(f" {line}", f"<progress {extent}></progress>")


def _write_line(line: str, before: str = "") -> str:
    """Words that are no markup, and no formula."""
    return f'<div class="webquarry tex2jax_ignore mathjax_ignore">{before}{escape(line)}</div>'
