"""The child processes of this process: one per core at most, started when needed, ended at exit,
forgotten by a fork.

`read_document` is what formats call, from any thread. It returns the Markdown or raises
`Unreadable` with a sentence that says why there is none; a document that kills its reader costs
that reader only.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
from contextlib import suppress
from urllib.parse import urlsplit, urlunsplit

from webquarry.errors import Unreadable
from webquarry.read.documents.models import LARGEST_FILE, DocumentLimits, DocumentText, Job
from webquarry.read.documents.worker import Worker, WorkerDied
from webquarry.secret import redact

log = logging.getLogger(__name__)


class Pool:
    """Child processes, each for one document at a time."""

    def __init__(self, limits: DocumentLimits | None = None, size: int | None = None) -> None:
        self._limits = limits or DocumentLimits()
        cores = os.cpu_count() or 1
        if hasattr(os, "sched_getaffinity"):  # those that this process may use
            cores = len(os.sched_getaffinity(0)) or 1
        self._size = size or cores
        self._free = threading.Condition()
        self._idle: list[Worker] = []
        self._busy: list[Worker] = []
        self._starting = 0

    def read(self, kind: str, url: str, body: bytes) -> DocumentText:
        """The document, read in a child process."""
        if len(body) > LARGEST_FILE:
            raise Unreadable(
                f"{redact(url)} is too large: {kind} files of up to {LARGEST_FILE // 10**6} MB "
                "are read."
            )
        # Relative links need the place only; a query or a login may be somebody's secret.
        place = ""
        with suppress(ValueError):
            parts = urlsplit(url)
            host = parts.netloc.rpartition("@")[2]
            place = urlunsplit((parts.scheme, host, parts.path, "", ""))
        job = Job(kind, place, self._limits.cpu_seconds)
        try:
            worker = self._take()
            try:
                answer = worker.ask(job, body)
            finally:
                self._give_back(worker)
        except WorkerDied as death:
            raise Unreadable(f"{redact(url)} {death}.") from death
        except OSError as error:
            raise Unreadable(
                f"{redact(url)} could not be read: no process could be started for it."
            ) from error
        if "detail" in answer:
            log.debug("a %s could not be read: %s", kind, answer["detail"])
        if "document" not in answer:
            raise Unreadable(f"{redact(url)} {answer['refusal']}.")
        return DocumentText.from_dict(answer["document"])

    def close(self) -> None:
        """End every child; those that are busy, too."""
        with self._free:
            workers = [*self._idle, *self._busy]
            self._idle = []
            self._busy = []
        for worker in workers:
            worker.close()

    def forget(self) -> None:
        """In a fork: the children belong to the parent."""
        for worker in [*self._idle, *self._busy]:
            worker.forget()

    def _take(self) -> Worker:
        """A worker that nobody else has: an idle one, a new one, or the next that comes back."""
        with self._free:
            while not self._idle and len(self._busy) + self._starting >= self._size:
                self._free.wait()
            if self._idle:
                worker = self._idle.pop()
                if worker.usable:
                    self._busy.append(worker)
                    return worker
                worker.close()  # it died while nobody asked it anything
            self._starting += 1
        started: Worker | None = None
        try:
            started = Worker(self._limits)
            return started
        finally:
            with self._free:
                self._starting -= 1
                if started is not None:
                    self._busy.append(started)
                self._free.notify()

    def _give_back(self, worker: Worker) -> None:
        """Keep a worker for the next document, or end it if it is of no more use."""
        usable = worker.usable
        with self._free:
            closed = worker not in self._busy  # the whole pool was closed meanwhile
            if not closed:
                self._busy.remove(worker)
                if usable:
                    self._idle.append(worker)
            self._free.notify()
        if closed or not usable:
            worker.close()


_lock = threading.Lock()
_pool: Pool | None = None


def read_document(kind: str, url: str, body: bytes) -> DocumentText:
    """A document as Markdown, by the workers that this process shares."""
    global _pool
    with _lock:
        if _pool is None:
            _pool = Pool()
        pool = _pool
    return pool.read(kind, url, body)


def close_workers() -> None:
    """End the children now; the next document starts new ones."""
    global _pool
    with _lock:
        pool, _pool = _pool, None
    if pool is not None:
        pool.close()


def _forget_workers() -> None:
    """In a fork: start over, without ending the children of the parent."""
    global _pool, _lock
    pool, _pool = _pool, None
    _lock = threading.Lock()  # another thread may have held it at the moment of the fork
    if pool is not None:
        pool.forget()


atexit.register(close_workers)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_workers)
