"""Progress of a long call: the engine reports it with `note`, the interface may listen.

    with listening(lambda message: ...):
        await tool.call(kit, arguments)      # somewhere below: note("asking Brave Search")

In a notebook, `CellProgress` shows it below the cell.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("webquarry_progress", default=None)
_EVERY_SECONDS = 0.2
INTERRUPTED = "Interrupted. Paid answers are stored; run the cell again to ask for the rest."


def note(message: str) -> None:
    """Report in a few words what starts now; the listener must not block."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(message)


@contextmanager
def listening(hear: Callable[[str], None]) -> Iterator[None]:
    """Call `hear` with every note of this context and its child tasks."""
    token = _LISTENER.set(hear)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def is_in_kernel() -> bool:
    """Whether this process is the kernel of a notebook, whose cells can show HTML."""
    ipython = sys.modules.get("IPython")
    if ipython is None or "ipykernel" not in sys.modules:
        return False
    return getattr(ipython.get_ipython(), "kernel", None) is not None


def build_interrupt(sentence: str) -> KeyboardInterrupt:
    """Return an interrupt that a notebook shows in one line; its traceback takes a second."""
    interrupt = KeyboardInterrupt(sentence)
    vars(interrupt)["_render_traceback_"] = lambda: [f"KeyboardInterrupt: {sentence}"]
    return interrupt


class CellProgress:
    """One output of a notebook cell that changes with the progress; thread-safe.

    It uses Jupyter's display messages only, so that a saved notebook has the last state.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handle: Any = None
        self._next = 0.0
        self._last = ""

    @property
    def is_begun(self) -> bool:
        """Whether anything was shown."""
        return self._handle is not None

    def show(self, line: str, done: int, total: int) -> None:
        """Show the progress, at most five times a second."""
        with self._lock:
            self._last = line
            now = time.monotonic()
            if now < self._next:
                return
            self._next = now + _EVERY_SECONDS
            extent = f'max="{total}" value="{done}"' if total > 1 else ""
            self._publish(line, f"<progress {extent}></progress> ")

    def end(self, line: str | None = None) -> None:
        """Replace the bar by one line; the next `show` starts a new output."""
        with self._lock:
            if self._handle is not None:
                self._publish(line or self._last, "")
            self._handle, self._next = None, 0.0

    def _publish(self, line: str, bar: str) -> None:
        """Create the output, or update it."""
        # The classes keep notebooks from looking for formulas: $5 is a price.
        html = f'<div class="webquarry tex2jax_ignore mathjax_ignore">{bar}{escape(line)}</div>'
        bundle = {"text/html": html, "text/plain": line}
        if self._handle is not None:
            self._handle.update(bundle, raw=True)
            return
        ipython = importlib.import_module("IPython")
        self._handle = ipython.display.display(bundle, raw=True, display_id=True)
        events = ipython.get_ipython().events

        def end_cell(_: Any) -> None:
            events.unregister("post_run_cell", end_cell)
            self.end()

        events.register("post_run_cell", end_cell)
