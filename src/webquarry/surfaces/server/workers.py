"""Several processes behind one socket: a number and what each does in, the exit code of all of them
out.

The parent only watches: it passes on the signal to end, and puts a new process in the place of one
that died. When they die as fast as they are begun, something is wrong that another start will not
mend, and all end. Should the parent itself be killed, the others notice by a pipe that closes, and
end too.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from webquarry.errors import BadInput

log = logging.getLogger(__name__)

_YOUNG_SECONDS = 5.0  # whoever dies sooner did not come to serve
_MOST_YOUNG_DEATHS = 3  # for each worker
_FOLDER_PREFIX = "webquarry-workers-"
_LOCK_NAME = "lock"
_ABANDONED_SECONDS = 86_400.0


def supervise(
    count: int, work: Callable[[], int], at_end: Callable[[], object] = lambda: None
) -> int:
    """Run `work` in `count` processes until told to end; 0 if every one of them ended as it should.

    `at_end` is done by the parent when all are to end: what it holds open for them it lets go.
    """
    if not hasattr(os, "fork"):
        raise BadInput(
            "This system knows one worker only.", suggested_action="Leave --workers out."
        )
    return _Supervisor(count, work, at_end).run()


@contextmanager
def open_shared_folder() -> Iterator[Path]:
    """A folder for what the workers share, while they are there. Those of servers that were killed,
    and could not remove theirs, are removed now.
    """
    import fcntl

    remove_abandoned_folders()
    with tempfile.TemporaryDirectory(prefix=_FOLDER_PREFIX) as name:
        folder = Path(name)
        with (folder / _LOCK_NAME).open("wb") as lock:  # held by the workers, too
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder


def remove_abandoned_folders() -> None:
    """Remove the folders of this user's servers of which no process is left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        try:
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
                _remove_if_abandoned(folder, found.st_mtime)
        except OSError:
            continue  # somebody else's, or just being removed


def _remove_if_abandoned(folder: Path, changed: float) -> None:
    """Remove a folder whose lock nobody holds; one without a lock, when nobody can be about to
    make one.
    """
    import fcntl

    try:
        lock = (folder / _LOCK_NAME).open("rb")
    except FileNotFoundError:
        if time.time() - changed > _ABANDONED_SECONDS:
            shutil.rmtree(folder)
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        shutil.rmtree(folder)


class _Supervisor:
    """The parent: begins the workers, replaces those that die, and ends them all."""

    def __init__(self, count: int, work: Callable[[], int], at_end: Callable[[], object]) -> None:
        self._count = count
        self._work = work
        self._at_end = at_end
        self._running: dict[int, float] = {}  # process -> when it began
        self._ending = False
        self._young_deaths = 0
        # The second end is the parent's alone: when it is gone, the pipe closes.
        self._worker_pipe, self._parent_pipe = os.pipe()

    def run(self) -> int:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        for _ in range(self._count):
            self._begin()
        worst = 0
        while self._running:
            try:
                process, status = os.wait()
            except InterruptedError:
                continue
            except ChildProcessError:
                break
            code = os.waitstatus_to_exitcode(status)
            worst = max(worst, self._handle_end(process, code))
        os.close(self._worker_pipe)
        os.close(self._parent_pipe)
        return worst

    def _begin(self) -> None:
        """A new process. Signals wait until it has its own handlers, so that none is taken for its
        parent's.
        """
        signals = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        if self._ending:  # just now: nobody would tell a new process any more
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            return
        process = os.fork()
        if process:
            self._running[process] = time.monotonic()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
            return
        # Until it serves, and has a handler of its own, it ends at once.
        signal.signal(signal.SIGTERM, lambda number, frame: os._exit(0))
        # A terminal sends it to all; the parent passes on that it ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
        os.close(self._parent_pipe)
        threading.Thread(target=self._end_with_parent, daemon=True).start()
        code = 1
        try:
            code = self._work()
        except BaseException:
            log.exception("a worker failed")
        finally:
            sys.stderr.flush()
            os._exit(code)  # nothing of the parent's is to be ended or written a second time

    def _handle_end(self, process: int, code: int) -> int:
        """What the end of a process counts for; it is replaced unless all are to end."""
        age = time.monotonic() - self._running.pop(process, 0.0)
        if self._ending:
            return 0 if code == 0 else 1
        log.warning("the worker %s ended with %s after %.0f seconds", process, code, age)
        if age < _YOUNG_SECONDS:
            self._young_deaths += 1
        else:
            self._young_deaths = 0
        if self._young_deaths >= _MOST_YOUNG_DEATHS * self._count:
            log.error("workers end as soon as they begin; giving up")
            self._end(signal.SIGTERM, None)
            return 1
        self._begin()
        return 0

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._ending = True
        self._at_end()
        for process in list(self._running):
            try:
                os.kill(process, signal.SIGTERM)
            except ProcessLookupError:
                continue

    def _end_with_parent(self) -> None:
        """In a worker: wait until the parent is gone, and end then."""
        os.read(self._worker_pipe, 1)
        os.kill(os.getpid(), signal.SIGTERM)
