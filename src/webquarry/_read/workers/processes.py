"""The fork server and its forks from the parent's side (`child.py` is theirs).

    request: one byte and a socket -> fork server -> lines "start PID", later "end PID CODE"

A fork takes milliseconds and shares the memory of loaded code. The fork server is an isolated
interpreter without our environment variables. It is killed with the parent, and the forks with it.
It reaps the forks and reports their exit codes.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections import deque
from contextlib import suppress
from pathlib import Path

import webquarry
from webquarry._read.workers.job import Job, WorkerLimits

_SERVE = "webquarry._read.workers.child:serve_forks"
# Variables that an interpreter may need to start; no others are passed on.
_PASSED_VARIABLES = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
# Numeric libraries start a thread per core otherwise.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_HOME = str(Path(webquarry.__file__).resolve().parent.parent)
_SET_PATH = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
_ARGUMENTS = "(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])"
CHUNK = 1 << 18  # size of writes and of read buffers, in bytes
FAILED_IMPORT = 1  # exit code of Python after an uncaught exception


class ProgramFailed(Exception):
    """The worker process cannot import its code."""


_LOAD_SECONDS = 30
_READ_BYTES = 4096
_PEEK = int(socket.MSG_PEEK | socket.MSG_DONTWAIT)
# Unclosed objects stay alive until the interpreter exits, so that no destructor runs.
_unclosed: set[object] = set()


class _ServerGone(OSError):
    """The fork server has ended, and with it all of its forks."""


class ForkedProcesses:
    """Forks of a fork server, which is started with the first and ended with the last."""

    def __init__(self, limits: WorkerLimits, warm_up: Job | None = None) -> None:
        self._limits = limits
        self._warm_up = warm_up
        self._server: _ForkServer | None = None
        self._waiting = 0  # for forks
        self._closed = False
        self._ending: set[asyncio.Task[None]] = set()

    async def start(self) -> WorkerProcess:
        """Start a worker process. Raises OSError or ProgramFailed."""
        self._waiting += 1
        try:
            try:
                return await self._fork()
            except _ServerGone:  # killed by something else
                if self._closed:
                    raise
                self._end_server()
                return await self._fork()
        finally:
            self._waiting -= 1

    def release(self) -> None:
        """End the fork server; called when no worker is left."""
        if not self._waiting:
            self._end_server()

    async def aclose(self) -> None:
        """End the fork server and wait until it is gone."""
        self._closed = True
        self._end_server()
        await asyncio.gather(*self._ending, return_exceptions=True)

    def forget(self) -> None:
        """Close what belongs to the parent, in a fork of it."""
        if self._server is not None:
            with suppress(OSError):
                self._server.forget()
        self._server = None

    @property
    def server_pid(self) -> int | None:
        """Process ID of the fork server, if it is running."""
        return None if self._server is None else self._server.pid

    async def _fork(self) -> WorkerProcess:
        if self._server is None:
            self._server = _ForkServer.start(self._limits, self._warm_up)
        return await self._server.fork()

    def _end_server(self) -> None:
        """End the fork server in the background."""
        if self._server is None:
            return
        task = asyncio.ensure_future(self._server.aclose())
        self._server = None
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class _ForkServer:
    """The fork server, from the parent's side."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._process = process
        self._control = control
        self._parent = os.getpid()
        self.pid = process.pid
        self._loop = asyncio.get_running_loop()
        self._received = b""
        self._asked: deque[asyncio.Future[int]] = deque()  # requests, answered in this order
        self._exits: dict[int, asyncio.Future[int | None]] = {}  # of running forks
        self.is_gone = False
        self._loop.add_reader(control.fileno(), self._receive)
        _unclosed.add(self)

    @classmethod
    def start(cls, limits: WorkerLimits, warm_up: Job | None) -> _ForkServer:
        """Start it; requests are accepted at once and answered after its warm-up."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = _start_interpreter(limits, warm_up, theirs.fileno())
            except BaseException:
                ours.close()
                raise
        ours.setblocking(False)
        return cls(process, ours)

    async def fork(self) -> WorkerProcess:
        """Request a fork and wait for it."""
        if self.has_ended():
            raise _ServerGone("the fork server has ended")
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):  # fewer context switches per page
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)
        asked = self._loop.create_future()
        try:
            with theirs:
                socket.send_fds(self._control, [b"c"], [theirs.fileno()])
            self._asked.append(asked)
            async with asyncio.timeout(_LOAD_SECONDS):
                pid = await asked
            reader, writer = await asyncio.open_unix_connection(sock=ours, limit=CHUNK)
        except BaseException:
            ours.close()  # the fork exits when its socket is closed
            if self.has_ended() and self._process.wait() == FAILED_IMPORT:
                raise ProgramFailed from None
            raise
        return WorkerProcess(pid, ours, reader, writer, self)

    def has_ended(self) -> bool:
        """Whether it has exited, which ends its forks too."""
        return self.is_gone or self._process.poll() is not None

    def find_exit(self, pid: int) -> asyncio.Future[int | None]:
        """Return the future exit code of a fork."""
        return self._exits[pid]

    def drop_exit(self, pid: int) -> None:
        """Discard the exit code of a fork."""
        self._exits.pop(pid, None)

    async def aclose(self) -> None:
        """Kill it, and with it all of its forks."""
        _unclosed.discard(self)
        self._disconnect()
        self.kill()

    def kill(self) -> None:
        """Kill it and wait for its exit, which takes milliseconds; not in a fork of its parent."""
        if os.getpid() == self._parent:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Close the connection in a fork of the parent."""
        self._process.returncode = 0  # not a child of this process
        os.close(self._control.detach())

    def _receive(self) -> None:
        """Process its reports."""
        try:
            data = self._control.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._disconnect()
            self.kill()
            return
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            word, *numbers = line.split()
            if word == b"start":
                self._note_start(int(numbers[0]))
            elif word == b"end":
                self._note_exit(int(numbers[0]), int(numbers[1]))

    def _note_start(self, pid: int) -> None:
        asked = self._asked.popleft()
        if asked.done():
            return  # cancelled; the fork finds its socket closed
        self._exits[pid] = self._loop.create_future()
        asked.set_result(pid)

    def _note_exit(self, pid: int, code: int) -> None:
        exited = self._exits.get(pid)
        if exited is not None and not exited.done():
            exited.set_result(code)

    def _disconnect(self) -> None:
        """Close the connection and resolve all that waits for reports."""
        if self.is_gone:
            return
        self.is_gone = True
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        for asked in self._asked:
            if not asked.done():
                asked.set_exception(_ServerGone("the fork server has ended"))
        self._asked.clear()
        for exited in self._exits.values():
            if not exited.done():
                exited.set_result(None)


@atexit.register
def _kill_servers() -> None:
    """Kill the fork servers that were not closed, so that their destructors do not warn."""
    for unclosed in list(_unclosed):
        if isinstance(unclosed, _ForkServer):
            unclosed.kill()


class WorkerProcess:
    """A worker process with its own socket. The owner kills and closes it."""

    def __init__(
        self,
        pid: int,
        connection: socket.socket,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        server: _ForkServer,
    ) -> None:
        self.pid = pid
        self.reader = reader
        self.writer = writer
        self._connection = connection
        self._server = server
        self._exit = server.find_exit(pid)
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        _unclosed.add(self)

    def has_ended(self) -> bool:
        """Whether it has exited, even if the event loop was not notified yet."""
        if self._exit.done() or self._server.is_gone:
            return True
        if not self._poll.poll(0):
            return False
        try:
            return not self._connection.recv(1, _PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self) -> None:
        """Kill it."""
        # The ID of a process that was reaped may have been reused. Forks end with their server.
        if self._exit.done() or self._server.has_ended():
            return
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int | None:
        """Wait for its exit and return the exit code; None if unknown."""
        return await asyncio.shield(self._exit)

    async def aclose(self) -> None:
        """Kill it, wait for its exit and close its socket."""
        _unclosed.discard(self)
        self.kill()
        self.writer.close()
        await self.wait()
        self._server.drop_exit(self.pid)
        with suppress(OSError):
            await self.writer.wait_closed()

    def forget(self) -> None:
        """Close the socket in a fork of the parent, to which the process does not belong."""
        with suppress(OSError):
            os.close(self._connection.detach())


def _start_interpreter(
    limits: WorkerLimits, warm_up: Job | None, stdin: int
) -> subprocess.Popen[bytes]:
    """Start an isolated interpreter with our import path that runs the fork server.

    Not with asyncio: a cancelled `create_subprocess_exec` may wait forever (Python 3.11).
    """
    module, _, name = _SERVE.partition(":")
    code = f"{_SET_PATH}from {module} import {name}; {name}{_ARGUMENTS}"
    path = dict.fromkeys([_HOME, *filter(None, sys.path)])
    arguments = [
        json.dumps(list(path)),
        str(os.getpid()),
        str(limits.memory_bytes),
        warm_up.reference if warm_up else "",
    ]
    environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-I", "-S", "-c", code, *arguments],
        stdin=stdin,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment | _ONE_THREAD,
        cwd=Path(sys.executable).anchor or None,
        start_new_session=True,  # Ctrl-C goes to the parent only
    )
