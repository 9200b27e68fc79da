"""Worker processes that are copies of one: the template has loaded all that pages need, does no
job, and is copied for every worker (`template.py` is its side). A copy is there in milliseconds,
and what was loaded is in memory once.

    byte and a socket -> template -> "start PID", later "end PID CODE", each a line

The template dies with us, and its copies with it. It waits for them, so we hear from it how each
ended.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import socket
import subprocess
from asyncio.subprocess import Process
from collections import deque
from contextlib import suppress

from webquarry.read.workers.job import WorkerLimits
from webquarry.read.workers.processes.process import (
    CHUNK,
    FAILED_IMPORT,
    ProcessSource,
    ProgramFailed,
    WorkerProcess,
    has_been_waited_for,
    start_interpreter,
)
from webquarry.read.workers.processes.socket_pipe import SocketPipe

_SERVE = "webquarry.read.workers.template:serve_copies"
_LOAD_SECONDS = 30
_MOST_READ = 4096
_PEEK = int(socket.MSG_PEEK | socket.MSG_DONTWAIT)
# What nobody has closed stays as it is until we end, as other processes of asyncio's do.
_unclosed: set[object] = set()


class _TemplateGone(OSError):
    """The template has ended, and with it all of its copies."""


class CopiedProcesses(ProcessSource):
    """Copies of a template, which is started with the first and given up with the last."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._template: asyncio.Task[_Template] | None = None
        self._waiting = 0  # for copies
        self._closed = False
        self._ending: set[asyncio.Task[None]] = set()

    async def start(self) -> WorkerProcess:
        self._waiting += 1
        try:
            try:
                return await self._copy()
            except _TemplateGone:  # somebody has ended it
                if self._closed:
                    raise
                self._give_up()
                return await self._copy()
        finally:
            self._waiting -= 1

    def rest(self) -> None:
        if not self._waiting:
            self._give_up()

    async def aclose(self) -> None:
        self._closed = True
        self._give_up()
        await asyncio.gather(*self._ending, return_exceptions=True)

    def forget(self) -> None:
        if self._template is not None and self._template.done():
            with suppress(OSError):
                self._template.result().forget()
        self._template = None

    @property
    def template_pid(self) -> int | None:
        """The number of the template, if there is one."""
        if self._template is None or not self._template.done():
            return None
        return self._template.result().pid

    async def _copy(self) -> WorkerProcess:
        if self._template is None:
            self._template = asyncio.ensure_future(_Template.start(self._limits))
        # shared: whoever is called off does not take it from the others
        try:
            template = await asyncio.shield(self._template)
        except OSError:
            self._template = None
            raise
        return await template.copy()

    def _give_up(self) -> None:
        """End the template, and see to it that it is gone."""
        if self._template is None:
            return
        task = asyncio.ensure_future(_end_template(self._template))
        self._template = None
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


async def _end_template(starting: asyncio.Task[_Template]) -> None:
    with suppress(OSError):
        template = await starting
        await template.aclose()


class _Template:
    """The process that is copied, from our side."""

    def __init__(self, process: Process, control: socket.socket) -> None:
        self._process = process
        self._control = control
        self.pid = process.pid
        self._loop = asyncio.get_running_loop()
        self._received = b""
        self._asked: deque[asyncio.Future[int]] = deque()  # for copies, in this order
        self._ends: dict[int, asyncio.Future[int | None]] = {}  # of copies that are there
        self.is_gone = False
        self._loop.add_reader(control.fileno(), self._receive)
        _unclosed.add(self)

    @classmethod
    async def start(cls, limits: WorkerLimits) -> _Template:
        """An interpreter that loads what pages need; it can be asked for copies at once."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                process = await start_interpreter(
                    _SERVE, limits, theirs.fileno(), subprocess.DEVNULL
                )
            except BaseException:
                ours.close()
                raise
        ours.setblocking(False)
        return cls(process, ours)

    async def copy(self) -> WorkerProcess:
        """A copy, once it is there."""
        if self.has_ended():
            raise _TemplateGone("the template has ended")
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):  # a page goes through in fewer turns
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)
        asked = self._loop.create_future()
        try:
            with theirs:
                socket.send_fds(self._control, [b"c"], [theirs.fileno()])
            self._asked.append(asked)
            async with asyncio.timeout(_LOAD_SECONDS):
                pid = await asked
            _, pipe = await self._loop.create_unix_connection(SocketPipe, sock=ours)
        except BaseException:
            ours.close()  # the copy ends when it has nobody to read from
            if self.has_ended() and await self._process.wait() == FAILED_IMPORT:
                raise ProgramFailed from None
            raise
        return _CopiedProcess(pid, ours, pipe, self)

    def has_ended(self) -> bool:
        """Whether it is gone, and its copies are going."""
        return self.is_gone or has_been_waited_for(self._process)

    def find_end(self, pid: int) -> asyncio.Future[int | None]:
        """How a copy ends: known when it has."""
        return self._ends[pid]

    def drop_end(self, pid: int) -> None:
        """Nobody wants to know any more how a copy ended."""
        self._ends.pop(pid, None)

    async def aclose(self) -> None:
        """End it, and with it all of its copies."""
        _unclosed.discard(self)
        self._hang_up()
        if not has_been_waited_for(self._process):
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
        await self._process.wait()

    def forget(self) -> None:
        """In a fork: let go of it."""
        transport: asyncio.SubprocessTransport = vars(self._process)["_transport"]
        transport.get_extra_info("subprocess").returncode = 0
        os.close(self._control.detach())

    def _receive(self) -> None:
        """Hear what it says."""
        try:
            data = self._control.recv(_MOST_READ)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._hang_up()
            return
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            word, *numbers = line.split()
            if word == b"start":
                self._note_start(int(numbers[0]))
            elif word == b"end":
                self._note_end(int(numbers[0]), int(numbers[1]))

    def _note_start(self, pid: int) -> None:
        asked = self._asked.popleft()
        if asked.done():
            return  # called off meanwhile; the copy finds nobody to read from
        self._ends[pid] = self._loop.create_future()
        asked.set_result(pid)

    def _note_end(self, pid: int, code: int) -> None:
        end = self._ends.get(pid)
        if end is not None and not end.done():
            end.set_result(code)

    def _hang_up(self) -> None:
        """Nothing more is heard of it, nor of its copies."""
        if self.is_gone:
            return
        self.is_gone = True
        self._loop.remove_reader(self._control.fileno())
        self._control.close()
        for asked in self._asked:
            if not asked.done():
                asked.set_exception(_TemplateGone("the template has ended"))
        self._asked.clear()
        for end in self._ends.values():
            if not end.done():
                end.set_result(None)


class _CopiedProcess(WorkerProcess):
    """A copy with a socket of its own."""

    def __init__(
        self,
        pid: int,
        connection: socket.socket,
        pipe: SocketPipe,
        template: _Template,
    ) -> None:
        self.pid = pid
        self.reader = self.writer = self._pipe = pipe
        self._connection = connection
        self._template = template
        self._end = template.find_end(pid)
        self._news = select.poll()
        self._news.register(connection, select.POLLIN)
        _unclosed.add(self)

    def has_ended(self) -> bool:
        if self._end.done() or self._template.is_gone:
            return True
        if not self._news.poll(0):
            return False  # as mostly: it says nothing, and is there
        try:
            return not self._connection.recv(1, _PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def kill(self) -> None:
        # A template that ends takes its copies along. One that has ended has been waited for, and
        # its number may be another one's by now.
        if self._end.done() or self._template.has_ended():
            return
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int | None:
        return await asyncio.shield(self._end)

    async def aclose(self) -> None:
        _unclosed.discard(self)
        self.kill()
        self._pipe.close()
        await self.wait()
        self._template.drop_end(self.pid)
        await self._pipe.wait_closed()

    def forget(self) -> None:
        with suppress(OSError):
            os.close(self._connection.detach())
