"""The call log: each call of a tool is described when it ends, and written to one table in batches.

    with kit.calls.watch("web_search", arguments) as call:
        call.answer = await ...
    kit.calls.list_after(0)            # of the current caller, in the order in which they ended

Stored are masked arguments of bounded size, the outcome and the sources, but not the text of the
answer. A call that cannot be logged does not fail: a log that cannot be written is reported once,
and if too many calls wait to be written, the oldest are discarded.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from webquarry.caller import caller
from webquarry.errors import WebquarryError
from webquarry.secret import HEADERS, MASK, PARAMETERS, redact

if TYPE_CHECKING:
    from webquarry.store.database import Connection, DisposableDatabase
    from webquarry.store.encryption import Cipher

log = logging.getLogger(__name__)

RECEIPT_META = "webquarry/receipt"  # the receipt of a call in the `_meta` of its answer
_LONGEST_TEXT = 500  # characters of one argument, title, URL or message
_LONGEST_MASKED = 20_000  # characters that are searched for secrets; the rest is cut off
_MOST_MEMBERS = 20  # of a list or an object among the arguments
_DEEPEST = 4
_MOST_SOURCES = 20
_SECRET_NAMES = PARAMETERS | HEADERS
_BATCH_SECONDS = 0.2  # between two writes
_MAX_BATCH = 1_000
_MAX_WAITING = 10_000  # calls that are not written yet
_LIST_LIMIT = 100  # default number of listed calls
_EMPTY: tuple[Any, ...] = (None, "", (), {})
_OWNER_DIGITS = 32
_DELETED_PART = 10  # a tenth, of a log that is larger than its maximum size
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
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class OngoingCall:
    """A call of a tool, and the context manager that logs it at its end. `receipt` is the id of
    its row in the log.
    """

    __slots__ = (
        "_log", "answer", "arguments", "began_at", "caller", "error", "receipt", "seconds", "tool",
    )  # fmt: skip

    def __init__(self, tool: str, arguments: Mapping[str, Any], log: CallLog | None = None) -> None:
        self.tool = tool
        self.arguments = arguments
        self.caller = caller()
        self.began_at = time.time()  # real time, also while a recording is replayed
        self.seconds = -time.perf_counter()
        self.answer: Any = None  # a `tool.Answer`
        self.error: BaseException | None = None
        self.receipt = f"wq-{secrets.token_hex(16)}"
        self._log = log

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.error = self.error or error
        self.seconds += time.perf_counter()
        if self._log is not None:
            self._log.add(self)


def describe_call(call: OngoingCall) -> dict[str, Any]:
    """Return a call as the log stores it, without empty fields."""
    outcome, message = "ok", ""
    if isinstance(call.error, WebquarryError):
        outcome, message = call.error.kind, call.error.sentence
    elif call.error is not None:
        outcome = "internal" if isinstance(call.error, Exception) else "cancelled"
        message = type(call.error).__name__
    session = call.arguments.get("sessionId")
    fields = {
        "arguments": mask(call.arguments),
        "message": mask(message),
        "session": mask(session.strip()) if isinstance(session, str) else None,
        **_describe_answer(call),
        "tool": call.tool,
        "caller": call.caller,
        "at": call.began_at,
        "outcome": outcome,
        "seconds": round(call.seconds, 6),
        "receipt": call.receipt,
        "process": os.getpid(),
    }
    return {name: value for name, value in fields.items() if value or value == 0}


def mask(value: Any, depth: int = _DEEPEST) -> Any:
    """Return a JSON value of bounded size without secrets: texts are redacted before they are
    truncated, and members whose names denote secrets are masked.
    """
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        text = redact(value[:_LONGEST_MASKED])
        return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "..."
    if isinstance(value, Mapping) and depth:
        masked: dict[str, Any] = {}
        for name in list(value)[:_MOST_MEMBERS]:
            is_secret = str(name).lower() in _SECRET_NAMES
            masked[mask(str(name))] = MASK if is_secret else mask(value[name], depth - 1)
        return masked
    if isinstance(value, (list, tuple)) and depth:
        return [mask(member, depth - 1) for member in value[:_MOST_MEMBERS]]
    return "..." if isinstance(value, (Mapping, list, tuple)) else mask(str(value))


def _describe_answer(call: OngoingCall) -> dict[str, Any]:
    """Return the providers and sources of an answer, or the providers of an error."""
    if isinstance(call.error, WebquarryError) and call.error.attempts:
        attempts = [
            {"provider": one.provider, "outcome": one.outcome} for one in call.error.attempts
        ]
        return {"providers": mask({"attempts": attempts})}
    if call.answer is None:
        return {}
    meta = call.answer.meta
    sources = call.answer.sources()
    listed = [
        {"url": mask(source.url), "title": mask(source.title), "read": source.was_read}
        for source in sources[:_MOST_SOURCES]
    ]
    read = sum(source.was_read for source in sources)
    return {
        "cached": meta.get("webquarry/cache", {}).get("cached"),
        "providers": mask(meta.get("webquarry/trace") or meta.get("webquarry/routing")),
        "cost": meta.get("webquarry/cost"),
        "found": len(sources) - read,
        "read": read,
        "sources": listed,
        "failures": len(call.answer.failures()),
    }


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

    @classmethod
    def parse(cls, id: int, stored: bytes) -> LoggedCall:
        """Return a stored call; fields of other releases are ignored."""
        fields = {"arguments": {}, "caller": "", **json.loads(stored)}
        known = {name: fields[name] for name in cls.__dataclass_fields__ if name in fields}
        sources = tuple(LoggedSource(**source) for source in fields.get("sources", ()))
        return cls(**{**known, "id": id, "sources": sources})

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are not empty."""
        fields = {name: value for name, value in vars(self).items() if value not in _EMPTY}
        if self.sources:
            fields["sources"] = [vars(source) for source in self.sources]
        return fields


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
        self._waiting: deque[dict[str, Any]] = deque(maxlen=_MAX_WAITING)
        self._has_calls = threading.Event()
        self._is_closing = threading.Event()
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None

    def watch(self, tool: str, arguments: Mapping[str, Any]) -> OngoingCall:
        """Return a context manager for a call."""
        return OngoingCall(tool, arguments, self)

    def add(self, call: OngoingCall) -> None:
        """Add a call that has ended. It is described here, so that its answer is not kept alive."""
        if self._folder is None:
            return
        try:
            self._waiting.append(describe_call(call))
        except Exception as error:  # the answer of a plug-in may be of any type
            log.debug("cannot log a call of %s: %s", call.tool, type(error).__name__)
            return
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
            while self._waiting and self._folder is not None:
                size = min(len(self._waiting), _MAX_BATCH)
                self._write(self._folder, [self._waiting.popleft() for _ in range(size)])

    def _write(self, folder: Path, batch: list[dict[str, Any]]) -> None:
        """Write some calls in one transaction."""

        def insert(connection: Connection, cipher: Cipher) -> None:
            values: list[Any] = []
            for fields in batch:
                owner = _hash_owner(cipher, fields.get("caller", ""))
                stored = cipher.encrypt(_encode(fields).encode("utf-8", "replace"), owner)
                values += [owner, fields["receipt"], fields["at"], stored]
            # one statement, so that the thread releases the interpreter lock only once
            rows = ", ".join(["(?, ?, ?, ?)"] * len(batch))
            connection.execute(
                f"INSERT INTO calls (owner, receipt, at, value) VALUES {rows}",  # noqa: S608
                values,
            )
            self._sweep(connection)

        self._open(folder).try_do(insert, None)

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
            self._database = DisposableDatabase(path, _MIGRATIONS, key_path=folder / "key")
        return self._database

    def _sweep(self, connection: Connection) -> None:
        """Delete calls that are too old, and the oldest beyond the maximum size."""
        oldest = time.time() - self._max_seconds
        connection.execute(
            "DELETE FROM calls WHERE id < (SELECT min(id) FROM calls WHERE at >= ?)", (oldest,)
        )
        pages, free, page_bytes = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * page_bytes > self._max_bytes:
            connection.execute(
                "DELETE FROM calls WHERE id <= "
                "(SELECT min(id) + (max(id) - min(id)) / ? FROM calls)",
                (_DELETED_PART,),
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


def _hash_owner(cipher: Cipher, owner: str) -> bytes:
    return cipher.hash_name(f"calls of {owner}").hex()[:_OWNER_DIGITS].encode()
