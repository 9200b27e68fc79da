"""The call log: each call is described when it ends, and written to disk in batches.

    with kit.calls.watch("web_search", arguments) as call:
        call.answer = await ...
    kit.calls.list_after(0)            # of the current caller, in the order in which they ended

A call that cannot be logged does not fail: a log that cannot be written is reported once, and if
too many calls wait to be written, the oldest are discarded.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from webquarry.caller import caller
from webquarry.calls.describe import describe_call
from webquarry.calls.models import LoggedCall, OngoingCall

if TYPE_CHECKING:
    from webquarry.calls.segments import CallSegments

log = logging.getLogger(__name__)

_BATCH_SECONDS = 0.2  # between two writes
_MAX_WAITING = 10_000  # calls that are not written yet
_LIST_LIMIT = 100  # default number of listed calls


class WatchedCall:
    """Context manager of a call, which is logged at its end."""

    __slots__ = ("_call", "_log")

    def __init__(self, log: CallLog, call: OngoingCall) -> None:
        self._log = log
        self._call = call

    def __enter__(self) -> OngoingCall:
        return self._call

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        call = self._call
        if error is not None:
            call.error = call.error or error
        call.end()
        self._log.add(call)


class CallLog:
    """The calls of one toolkit, and those that the files hold of all processes.

    Without segments nothing is stored, but calls have receipts.
    """

    def __init__(self, segments: CallSegments | None) -> None:
        self._segments = segments
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=_MAX_WAITING)  # caller, call
        self._has_calls = threading.Event()
        self._is_closing = threading.Event()
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None
        self._is_failing = False

    def watch(self, tool: str, arguments: Mapping[str, Any]) -> WatchedCall:
        """Return a context manager for a call."""
        return WatchedCall(self, OngoingCall(tool, arguments))

    def add(self, call: OngoingCall) -> None:
        """Add a call that has ended."""
        if self._segments is None:
            return
        try:
            self._waiting.append((call.caller, describe_call(call)))
        except Exception as error:  # the answer of a plug-in may be of any type
            log.debug("cannot log a call of %s: %s", call.tool, type(error).__name__)
            return
        if not self._has_calls.is_set():
            self._has_calls.set()
            if self._writer is None:
                self._start_writer()

    def list_after(
        self, after: int = 0, most: int = _LIST_LIMIT, receipt: str | None = None
    ) -> list[LoggedCall]:
        """Return at most `most` calls of the current caller with an id above `after`, oldest first.

        Calls of other processes are included. `receipt` selects the calls with that receipt.
        """
        if self._segments is None:
            return []
        found: list[LoggedCall] = []
        for logged in self._segments.read(caller(), after):
            if receipt is None or logged.receipt == receipt:
                found.append(logged)
            if len(found) == most:
                break
        return found

    def list_latest(self, most: int = _LIST_LIMIT) -> list[LoggedCall]:
        """Return the last calls of the current caller, oldest first."""
        if self._segments is None:
            return []
        return [*deque(self._segments.read(caller(), 0), maxlen=most)]

    def flush(self) -> None:
        """Write the calls that have been added so far; return when they are on disk."""
        with self._lock:
            batch = []
            while self._waiting:
                batch.append(self._waiting.popleft())
            if self._segments is None or not batch:
                return
            try:
                self._segments.append(batch)
                self._is_failing = False
            except OSError as error:
                if not self._is_failing:
                    log.warning("cannot write the call log: %s", error.strerror)
                self._is_failing = True

    def close(self) -> None:
        """Write the remaining calls and stop the thread."""
        self._is_closing.set()
        self._has_calls.set()
        if self._writer is not None:
            self._writer.join()
        self.flush()

    def _start_writer(self) -> None:
        with self._lock:
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._run, name="webquarry-calls", daemon=True
                )
                self._writer.start()

    def _run(self) -> None:
        while not self._is_closing.is_set():
            self._has_calls.wait()
            self._is_closing.wait(_BATCH_SECONDS)
            self._has_calls.clear()
            self.flush()


NO_LOG = CallLog(None)
