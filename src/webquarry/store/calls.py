"""The call log: each call is described when it ends, and written to one table in batches.

    with kit.calls.watch("web_search", arguments) as call:
        call.answer = await ...
    kit.calls.list_after(0)            # of the current caller, in the order in which they ended

A call that cannot be logged does not fail: a log that cannot be written is reported once, and if
too many calls wait to be written, the oldest are discarded.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from base64 import b64decode
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from webquarry.caller import caller
from webquarry.store.call_description import OngoingCall, describe_call

if TYPE_CHECKING:
    from webquarry.store.database import DisposableDatabase
    from webquarry.store.encryption import Cipher
    from webquarry.store.sqlite import Connection

log = logging.getLogger(__name__)

RECEIPT_META = "webquarry/receipt"  # the receipt of a call in the `_meta` of its answer
_BATCH_SECONDS = 0.2  # between two writes
_MAX_WAITING = 10_000  # calls that are not written yet
_LIST_LIMIT = 100  # default number of listed calls
_EMPTY: tuple[Any, ...] = (None, "", (), {})
_OWNER_DIGITS = 32
_KEPT_SHARE = 0.9  # of the maximum size, after the oldest calls were deleted
_WRITES_BETWEEN_SWEEPS = 20
_MIGRATIONS = [
    """
    CREATE TABLE calls (
        id INTEGER PRIMARY KEY AUTOINCREMENT, owner BLOB NOT NULL, receipt TEXT NOT NULL,
        at REAL NOT NULL, value BLOB NOT NULL
    );
    CREATE INDEX calls_by_owner ON calls (owner, id);
    CREATE INDEX calls_by_receipt ON calls (receipt)
    """
]
_INSERT = "INSERT INTO calls (owner, receipt, at, value) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True)
class LoggedSource:
    """A source of a call: found, or also read."""

    url: str
    title: str = ""
    read: bool = False


@dataclass(frozen=True)
class LoggedCall:
    """One call in the log. `id` increases with every call of all callers."""

    id: int
    tool: str
    arguments: dict[str, Any]  # masked, long texts truncated
    caller: str
    at: float  # seconds since the epoch, when it began
    outcome: str  # `ok`, the kind of an error, or `cancelled`
    seconds: float
    receipt: str
    message: str = ""  # of an error
    cached: bool | None = None
    providers: dict[str, Any] | None = None  # each provider that was asked, with its outcome
    cost: float | None = None  # in US dollars, if known
    session: str | None = None
    found: int = 0  # sources that were found and not read
    read: int = 0
    sources: tuple[LoggedSource, ...] = ()  # the first of them
    failures: int = 0  # pages and providers that failed without failing the call
    process: int = 0
    more: dict[str, Any] = field(default_factory=dict)  # fields of other releases

    @classmethod
    def parse(cls, id: int, stored: bytes) -> LoggedCall:
        fields = json.loads(stored)
        known = cls.__dataclass_fields__
        more = {name: fields.pop(name) for name in list(fields) if name not in known}
        sources = tuple(LoggedSource(**source) for source in fields.pop("sources", ()))
        fields.setdefault("arguments", {})
        fields.setdefault("caller", "")
        return cls(id=id, sources=sources, **{"more": more, **fields})

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are not empty."""
        fields = {name: value for name, value in vars(self).items() if value not in _EMPTY}
        if self.sources:
            fields["sources"] = [vars(source) for source in self.sources]
        fields.pop("more", None)
        return fields


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
        call.seconds += time.perf_counter()
        self._log.add(call)


class CallLog:
    """The calls of all processes that use a folder: at most `max_bytes` of them, each for at most
    `max_seconds`. Without a folder nothing is stored, but calls have receipts.
    """

    def __init__(
        self, folder: Path | None, max_bytes: int = 20_000_000, max_seconds: float = 2_592_000
    ) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._database: DisposableDatabase | None = None
        self._writes = 0
        self._waiting: deque[OngoingCall] = deque(maxlen=_MAX_WAITING)
        self._has_calls = threading.Event()
        self._is_closing = threading.Event()
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None

    def watch(self, tool: str, arguments: Mapping[str, Any]) -> WatchedCall:
        """Return a context manager for a call."""
        return WatchedCall(self, OngoingCall(tool, arguments))

    def add(self, call: OngoingCall) -> None:
        """Add a call that has ended."""
        if self._folder is None:
            return
        self._waiting.append(call)
        self._has_calls.set()
        if self._writer is None:
            self._start_writer()

    def list_after(
        self, after: int = 0, most: int = _LIST_LIMIT, receipt: str | None = None
    ) -> list[LoggedCall]:
        """Return at most `most` calls of the current caller with an id above `after`, oldest first.

        Calls of other processes are included. `receipt` selects the call with that receipt.
        """
        condition = "id > ? AND (? IS NULL OR receipt = ?) ORDER BY id LIMIT ?"
        return self._select(condition, (after, receipt, receipt, most))

    def list_latest(self, most: int = _LIST_LIMIT) -> list[LoggedCall]:
        """Return the last calls of the current caller, oldest first."""
        return self._select("id > 0 ORDER BY id DESC LIMIT ?", (most,))[::-1]

    def flush(self) -> None:
        """Write the calls that have been added so far; return when they are on disk."""
        with self._lock:
            batch = []
            while self._waiting:
                call = self._waiting.popleft()
                try:
                    batch.append((call, describe_call(call)))
                except Exception as error:  # the answer of a plug-in may be of any type
                    log.debug("cannot log a call of %s: %s", call.tool, type(error).__name__)
            if self._folder is None or not batch:
                return

            def insert(connection: Connection, cipher: Cipher) -> None:
                for call, stored in batch:
                    _insert(connection, cipher, _hash_owner(cipher, call.caller), stored)
                if self._writes % _WRITES_BETWEEN_SWEEPS == 0 or len(batch) > 1:
                    self._sweep(connection)
                self._writes += 1

            self._open(self._folder).try_do(insert, None)

    def close(self) -> None:
        """Write the remaining calls and stop the thread."""
        self._is_closing.set()
        self._has_calls.set()
        if self._writer is not None:
            self._writer.join()
        self.flush()
        if self._database is not None:
            self._database.close()

    def _select(self, condition: str, arguments: Sequence[Any]) -> list[LoggedCall]:
        if self._folder is None or not self._folder.is_dir():
            return []
        current = caller()
        oldest = time.time() - self._max_seconds

        def select(connection: Connection, cipher: Cipher) -> list[LoggedCall]:
            owner = _hash_owner(cipher, current)
            rows = connection.execute(
                f"SELECT id, value FROM calls WHERE owner = ? AND at >= ? AND {condition}",  # noqa: S608
                (owner, oldest, *arguments),
            )
            found = []
            for id, encrypted in rows:
                stored = cipher.decrypt(encrypted, owner)
                if stored is not None:
                    found.append(LoggedCall.parse(id, stored))
            return found

        return self._open(self._folder).try_do(select, [], write=False)

    def _open(self, folder: Path) -> DisposableDatabase:
        if self._database is None:
            from webquarry.store.database import DisposableDatabase

            path = folder / "calls.sqlite3"
            database = DisposableDatabase(path, _MIGRATIONS, key_path=folder / "key")
            if any(folder.glob("*.calls")):
                database.try_do(lambda *opened: _import_files(folder, *opened), None)
            self._database = database
        return self._database

    def _sweep(self, connection: Connection) -> None:
        """Delete calls that are too old, and the oldest beyond the maximum size."""
        oldest = time.time() - self._max_seconds
        connection.execute("DELETE FROM calls WHERE at < ?", (oldest,))
        (size,) = connection.execute("SELECT coalesce(sum(length(value)), 0) FROM calls").fetchone()
        if size > self._max_bytes * _KEPT_SHARE:
            connection.execute(
                "DELETE FROM calls WHERE id <= (SELECT max(id) FROM ("
                "SELECT id, sum(length(value)) OVER (ORDER BY id DESC) AS total FROM calls)"
                " WHERE total > ?)",
                (self._max_bytes * _KEPT_SHARE,),
            )

    def _start_writer(self) -> None:
        # The last calls are written at exit, when this module can no longer be imported.
        import webquarry.store.database  # noqa: F401

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


def _hash_owner(cipher: Cipher, owner: str) -> bytes:
    return cipher.hash_name(f"calls of {owner}").hex()[:_OWNER_DIGITS].encode()


def _insert(connection: Connection, cipher: Cipher, owner: bytes, stored: bytes) -> None:
    call = json.loads(stored)
    encrypted = cipher.encrypt(stored, owner)
    connection.execute(_INSERT, (owner, call["receipt"], call["at"], encrypted))


def _import_files(folder: Path, connection: Connection, cipher: Cipher) -> None:
    """Import the files of releases before 1.0, one encrypted call per line."""
    for path in sorted(folder.glob("*.calls")):
        with suppress(FileNotFoundError):  # another process has imported it
            for line in path.read_bytes().splitlines():
                owner = line[:_OWNER_DIGITS]
                with suppress(ValueError, KeyError):
                    stored = cipher.decrypt(b64decode(line[_OWNER_DIGITS:]), owner)
                    if stored is not None:
                        _insert(connection, cipher, owner, stored)
            path.unlink()
