"""One run of somebody else's program, bounded in time and in bytes.

A command goes in, `Completed` comes out: how it ended and what it printed. The program runs in a
session of its own under a supervisor (`supervision/`), which ends whatever is still alive of its
tree when the run is over: also when it went well, was cancelled, or when we are killed. Where no
supervisor can be had, its process group is ended. Nothing is left behind: no process, no zombie, no
pipe. A program that cannot be started is an OSError.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from webquarry.host.supervision.connection import (
    SupervisorConnection,
    can_supervise,
    wrap_command,
)

Ending = Literal["exited", "timed_out", "too_much", "held_open"]

_START_SECONDS = 60.0  # for a supervisor to start the program, on a machine that is very busy
_GRACE_SECONDS = 0.2  # between asking a program to end and making it
_LINGER_SECONDS = 1.0  # for the output of a program that has ended to end too
_REAP_SECONDS = 5.0  # a killed process is gone at once, unless the kernel holds it
_DRAIN_SECONDS = 0.2  # for what a killed process had written to its stderr


@dataclass(frozen=True)
class ProcessLimits:
    """How long a program may run and how much it may print."""

    seconds: float
    stdout_bytes: int
    stderr_bytes: int = 8192  # what is beyond is dropped: a talkative program is not a broken one


@dataclass(frozen=True)
class Completed:
    """How a run ended and what was printed until then."""

    ending: Ending
    exit_code: int | None  # None unless it ended by itself; minus the number of a signal
    stdout: bytes
    stderr: bytes
    closed_stdout: bool  # before the end: tells a program that hangs after its answer


async def run_bounded(
    command: Sequence[str],
    limits: ProcessLimits,
    environment: Mapping[str, str],
    stdin: bytes | None = None,
    on_start: Callable[[int], None] = lambda pid: None,
) -> Completed:
    """Run a program to its end or to the first limit it meets; its time counts from its own
    start.
    """
    loop = asyncio.get_running_loop()
    watch = await _spawn(command, limits, environment, stdin is not None)
    try:
        on_start(await watch.wait_for_start())
        deadline = loop.time() + limits.seconds
        if stdin is not None:
            # A program that does not read its input is free not to: the loop swallows the broken
            # pipe.
            pipe: Any = watch.transport.get_pipe_transport(0)
            pipe.write(stdin)
            pipe.write_eof()
        ending = await watch.wait_for_end(deadline)
        closed_stdout = watch.closed[1].done()
    finally:
        await _end_tree(watch)
    exit_code = None
    if ending in ("exited", "held_open"):
        exit_code = watch.exit_code
    return Completed(ending, exit_code, bytes(watch.stdout), bytes(watch.stderr), closed_stdout)


async def _spawn(
    command: Sequence[str], limits: ProcessLimits, environment: Mapping[str, str], with_stdin: bool
) -> _Watch:
    """Start the program, or its supervisor; a cancellation waits until it can be ended with its
    whole tree.
    """
    loop = asyncio.get_running_loop()
    line = None
    inherited: tuple[int, ...] = ()
    if can_supervise():
        line = SupervisorConnection(loop)
        inherited = (line.their_end,)
        command, environment = wrap_command(command, line.their_end, environment)
    watch = _Watch(loop, limits, line)
    starting = asyncio.ensure_future(
        loop.subprocess_exec(
            lambda: watch,
            *command,
            stdin=subprocess.PIPE if with_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
            pass_fds=inherited,
        )
    )
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError, ValueError):
            await starting
            await _end_tree(watch)
        watch.close_line()
        raise
    except BaseException:
        watch.close_line()
        raise
    if line is not None:
        line.hand_over()
    return watch


class _Watch(asyncio.SubprocessProtocol):
    """Collects what a program prints, up to the limits, and notes its end."""

    transport: asyncio.SubprocessTransport

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: ProcessLimits,
        line: SupervisorConnection | None,
    ) -> None:
        self._limits = limits
        self.line = line  # to its supervisor, where it has one
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.overflowed: asyncio.Future[None] = loop.create_future()
        self.closed: dict[int, asyncio.Future[None]] = {}  # by number of the pipe
        for fd in (0, 1, 2):
            self.closed[fd] = loop.create_future()
        self.exited: asyncio.Future[None] = loop.create_future()  # the program
        self.reaped: asyncio.Future[None] = loop.create_future()  # it, or its supervisor
        self.let_go: asyncio.Future[None] = loop.create_future()
        self.exit_code: int | None = None
        if line is not None:
            line.ended.add_done_callback(self._note_end)

    async def wait_for_start(self) -> int:
        """The number of the program's process; an OSError when it does not start."""
        if self.line is None:
            return self.transport.get_pid()
        await _wait_for_first(self.line.started, self.reaped, seconds=_START_SECONDS)
        if not self.line.started.done():
            raise OSError(errno.EAGAIN, "the system was too slow, or ended it")
        return self.line.started.result()

    def close_line(self) -> None:
        """Let the supervisor end its tree; where there is none, nothing is done."""
        if self.line is not None:
            self.line.close()

    def _note_end(self, ended: asyncio.Future[int]) -> None:
        if not ended.cancelled():
            self.exit_code = ended.result()
            _settle(self.exited)

    async def wait_for_end(self, deadline: float) -> Ending:
        """How the run ended: the program, or a limit that it met first."""
        loop = asyncio.get_running_loop()
        await _wait_for_first(self.exited, self.overflowed, seconds=deadline - loop.time())
        if self.exited.done() and not self.overflowed.done():
            linger = min(_LINGER_SECONDS, deadline - loop.time())
            await _wait_for_first(self.closed[1], self.overflowed, seconds=linger)
        if self.overflowed.done():
            return "too_much"
        if not self.exited.done():
            return "timed_out"
        if self.closed[1].done():
            return "exited"
        return "held_open"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self.transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            room = self._limits.stderr_bytes - len(self.stderr)
            self.stderr += data[:room]
            return
        room = self._limits.stdout_bytes - len(self.stdout)
        self.stdout += data[:room]
        if len(data) > room:
            _settle(self.overflowed)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        _settle(self.closed[fd])

    def process_exited(self) -> None:
        # A supervisor ends last, unless somebody has killed it.
        if not self.exited.done():
            self.exit_code = self.transport.get_returncode()
        _settle(self.exited)
        _settle(self.reaped)

    def connection_lost(self, exc: Exception | None) -> None:
        _settle(self.let_go)


def _settle(future: asyncio.Future[None]) -> None:
    """Mark it as done; a second time changes nothing."""
    if not future.done():
        future.set_result(None)


async def _wait_for_first(*futures: asyncio.Future[Any], seconds: float) -> None:
    """Wait until one of these is done, or so long."""
    for future in futures:
        if future.done():
            return
    timeout = max(seconds, 0)
    await asyncio.wait(futures, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


async def _end_tree(watch: _Watch) -> None:
    """End the program with all that it started, wait until that is done, close every pipe."""
    try:
        if watch.line is None and not watch.exited.done():
            _signal_group(watch.transport, force=False)
            await _wait_for_first(watch.exited, seconds=_GRACE_SECONDS)
    finally:  # a second cancellation may arrive in the grace period
        if watch.line is None:
            _signal_group(watch.transport, force=True)
        watch.close_line()
        try:
            await _wait_for_first(watch.reaped, seconds=_REAP_SECONDS)
            await _wait_for_first(watch.closed[2], seconds=_DRAIN_SECONDS)
        finally:
            stdin: Any = watch.transport.get_pipe_transport(0)
            if stdin is not None and stdin.get_write_buffer_size():
                stdin.abort()  # closing would wait for somebody to read what is left
            watch.transport.close()
            await _wait_for_first(watch.let_go, seconds=_REAP_SECONDS)


def _signal_group(transport: asyncio.SubprocessTransport, force: bool) -> None:
    """The group outlives its leader, and its number is not given to anybody else while a member is
    alive.
    """
    try:
        if sys.platform == "win32":
            transport.kill() if force else transport.terminate()
        else:
            os.killpg(transport.get_pid(), signal.SIGKILL if force else signal.SIGTERM)
    except (ProcessLookupError, PermissionError):  # macOS answers the latter for a group of zombies
        return
