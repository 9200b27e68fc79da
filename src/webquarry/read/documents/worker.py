"""One warm child process: a document goes in, the child's answer comes out, or `WorkerDied` when
there is none.

The child sees none of our environment and none of our files and sockets: it gets two pipes and the
places to import from. Whoever has seen `WorkerDied` must throw the worker away; `close` leaves
neither a process nor a pipe behind.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import webquarry
from webquarry.read.documents.frames import BrokenFrame, RawStream, read_frame, write_frame
from webquarry.read.documents.models import DocumentLimits, Job

_LARGEST_ANSWER = 200_000_000  # bytes of JSON, in which one character may take twelve
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[2]); "
    "from webquarry.read.documents.child import serve; serve(int(sys.argv[1]))"
)
# What an interpreter may need in order to start at all; nothing else of the environment is passed
# on.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class WorkerDied(Exception):
    """The child ended without an answer. The message goes on from the document's name."""


class Worker:
    """A child process, started at once. Not for two threads at the same time."""

    def __init__(self, limits: DocumentLimits) -> None:
        self._limits = limits
        self._worn = False
        self.documents = 0
        # An isolated interpreter that imports from where we do, and from the folder we stand in
        # only if we live there.
        home = str(Path(webquarry.__file__).resolve().parent.parent)
        places = dict.fromkeys([home, *filter(None, sys.path)])
        arguments = [str(limits.memory_bytes), json.dumps(list(places))]
        environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
        self._process = subprocess.Popen(  # noqa: S603, our own interpreter and our own code
            [sys.executable, "-I", "-S", "-c", _START, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment,
            cwd=Path(sys.executable).anchor or None,
            start_new_session=True,  # Ctrl-C is for us, and we end the child
        )

    @property
    def pid(self) -> int:
        """The number of the child process."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether it is alive and has not yet had its fill."""
        if self._worn:
            return False
        return self._process.poll() is None

    def ask(self, job: Job, body: bytes) -> dict[str, Any]:
        """What the child makes of a document."""
        # until it has answered: whoever is interrupted leaves half a frame behind
        self._worn = True
        answer: bytes | None = None
        with self._deadline() as too_late, suppress(OSError, BrokenFrame):
            to_child, from_child = self._pipes()
            write_frame(to_child, json.dumps(asdict(job)).encode("ascii"))
            write_frame(to_child, body)
            answer = read_frame(from_child, _LARGEST_ANSWER)
        if answer is None or too_late.is_set():
            raise WorkerDied(self._explain_death(too_late.is_set()))
        fields: dict[str, Any] = json.loads(answer)
        self.documents += 1
        is_heavy = fields["resident"] > self._limits.resident_bytes
        is_old = self.documents >= self._limits.documents
        self._worn = is_heavy or is_old or bool(fields.get("last"))
        return fields

    def close(self) -> None:
        """End the process and wait until it is gone."""
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        self._close_pipes()

    def forget(self) -> None:
        """In a fork: let go of the pipes; the process is the other side's."""
        self._close_pipes()
        self._process.returncode = 0  # or its destructor would wait for a child that is not ours

    @contextmanager
    def _deadline(self) -> Iterator[threading.Event]:
        """Kill the child when the time is up, which ends every read and write; never once the block
        is left.
        """
        too_late = threading.Event()
        lock = threading.Lock()
        over = False

        def kill() -> None:
            with lock:
                if not over:
                    too_late.set()
                    self._process.kill()

        timer = threading.Timer(self._limits.wall_seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            yield too_late
        finally:
            with lock:
                over = True
            timer.cancel()

    def _explain_death(self, too_late: bool) -> str:
        """Why there is no answer, going on from the document's name."""
        with suppress(OSError):
            self._process.kill()
        code = self._process.wait()
        if sys.platform != "win32" and code == -signal.SIGXCPU:
            too_late = True
        if too_late:
            return "could not be read safely: it takes too long"
        if code == 1:  # how Python ends when it cannot even import
            return "could not be read: the program that reads such files failed"
        return "could not be read safely: it brings down the program that reads such files"

    def _pipes(self) -> tuple[RawStream, RawStream]:
        """The pipe to the child, and the one that comes from it."""
        to_child = self._process.stdin
        from_child = self._process.stdout
        assert to_child is not None
        assert from_child is not None
        return to_child, from_child

    def _close_pipes(self) -> None:
        """Close our ends of the pipes, whatever state they are in."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
