"""The log of calls: calls come in while they are made, and are written down a moment later.

    with kit.calls.watch("web_search", arguments) as call:
        call.answer = await ...
    kit.calls.list_after(0)            # of whoever asks, in the order in which they ended

Whoever calls a tool pays for an object and a place in a queue. A thread of our own masks, encrypts
and writes what has come in, a batch at a time. A log that cannot be written costs nobody an answer:
it is said once, and what waits for too long is left out and counted.
"""

from __future__ import annotations

import logging
import threading
import time
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

_BATCH_SECONDS = 0.2  # how long calls are gathered before they are written
_PAUSE_SECONDS = 0.000_05  # after each call, so that whoever answers the next one goes first
_MOST_WAITING = 10_000  # calls; a disk that is slower than the callers holds nobody up
_AT_ONCE = 100  # calls that are listed unless more are asked for


class WatchedCall:
    """The block in which a call is made."""

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
    """What was called through one toolkit, and what the log holds of all of them."""

    def __init__(self, segments: CallSegments | None) -> None:
        """Without segments nothing is kept: calls have their receipts all the same."""
        self._segments = segments
        self._waiting: deque[OngoingCall] = deque(maxlen=_MOST_WAITING)
        self._has_calls = threading.Event()
        self._is_closing = threading.Event()
        self._start_lock = threading.Lock()
        self._write_lock = threading.Lock()
        self._writer: threading.Thread | None = None
        self._is_failing = False

    def watch(self, tool: str, arguments: Mapping[str, Any]) -> WatchedCall:
        """A call that is made within the block, and logged when it is over, however it ends."""
        return WatchedCall(self, OngoingCall(tool, arguments))

    def add(self, call: OngoingCall) -> None:
        """Put a call that is over in the log."""
        if self._segments is None:
            return
        self._waiting.append(call)
        if not self._has_calls.is_set():
            self._has_calls.set()
            if self._writer is None:
                self._start_writer()

    def list_after(
        self, after: int = 0, most: int = _AT_ONCE, receipt: str | None = None
    ) -> list[LoggedCall]:
        """The caller's calls with a higher id, the oldest first, so many at most; of one receipt
        alone, if it is named. From other processes, too.
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

    def list_latest(self, most: int = _AT_ONCE) -> list[LoggedCall]:
        """The caller's last calls, the oldest of them first."""
        if self._segments is None:
            return []
        latest = deque(self._segments.read(caller(), 0), maxlen=most)
        return [*latest]

    def flush(self) -> None:
        """Write what has come in so far, in its order, also what another thread is writing."""
        if self._segments is None:
            return
        with self._write_lock:
            batch = self._take_waiting()
            if batch:
                self._write(self._segments, batch)

    def _take_waiting(self) -> list[tuple[str, bytes]]:
        """The calls that wait, with who made them, as they are written."""
        batch: list[tuple[str, bytes]] = []
        while self._waiting:
            call = self._waiting.popleft()
            try:
                batch.append((call.caller, describe_call(call).write()))
            except Exception as error:  # an answer of another package may be of any kind
                log.debug("a call of %s cannot be logged: %s", call.tool, type(error).__name__)
            if not self._is_closing.is_set():
                time.sleep(_PAUSE_SECONDS)
        return batch

    def _write(self, segments: CallSegments, batch: list[tuple[str, bytes]]) -> None:
        try:
            segments.append(batch)
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                log.warning("the log of calls cannot be written: %s", error.strerror)
            self._is_failing = True

    def close(self) -> None:
        """Write what has come in, and end."""
        self._is_closing.set()
        self._has_calls.set()
        if self._writer is not None:
            self._writer.join()
        self.flush()

    def _start_writer(self) -> None:
        with self._start_lock:
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._write_on, name="webquarry-calls", daemon=True
                )
                self._writer.start()

    def _write_on(self) -> None:
        while not self._is_closing.is_set():
            self._has_calls.wait()
            self._is_closing.wait(_BATCH_SECONDS)
            self._has_calls.clear()
            self.flush()


NO_LOG = CallLog(None)
