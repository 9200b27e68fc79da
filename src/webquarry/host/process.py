"""One run of somebody else's program, bounded in time and in bytes.

A command goes in, `Completed` comes out: how it ended and what it printed. The program gets a
session, and so a process group, of its own; whatever of that group is still alive when the run is
over is ended, also when the run went well or was cancelled. Nothing is left behind: no process, no
zombie, no pipe. A program that cannot be started is an OSError.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal["exited", "timed_out", "too_much", "held_open"]

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
    transport, watch = await _spawn(command, limits, environment, stdin is not None)
    deadline = loop.time() + limits.seconds
    try:
        on_start(transport.get_pid())
        if stdin is not None:
            # A program that does not read its input is free not to: the loop swallows the broken
            # pipe.
            pipe: Any = transport.get_pipe_transport(0)
            pipe.write(stdin)
            pipe.write_eof()
        ending = await watch.wait_for_end(deadline)
        closed_stdout = watch.closed[1].done()
    finally:
        await _end_group(transport, watch)
    exit_code = None
    if ending in ("exited", "held_open"):
        exit_code = transport.get_returncode()
    return Completed(ending, exit_code, bytes(watch.stdout), bytes(watch.stderr), closed_stdout)


async def _spawn(
    command: Sequence[str], limits: ProcessLimits, environment: Mapping[str, str], with_stdin: bool
) -> tuple[asyncio.SubprocessTransport, _Watch]:
    """Start the program; a cancellation waits until it can be ended with its whole group."""
    loop = asyncio.get_running_loop()
    starting = asyncio.ensure_future(
        loop.subprocess_exec(
            lambda: _Watch(loop, limits),
            *command,
            stdin=subprocess.PIPE if with_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(OSError):
            await _end_group(*await starting)
        raise


class _Watch(asyncio.SubprocessProtocol):
    """Collects what a program prints, up to the limits, and notes its end."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: ProcessLimits) -> None:
        self._limits = limits
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.overflowed: asyncio.Future[None] = loop.create_future()
        self.closed: dict[int, asyncio.Future[None]] = {}  # by number of the pipe
        for fd in (0, 1, 2):
            self.closed[fd] = loop.create_future()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.let_go: asyncio.Future[None] = loop.create_future()

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
        _settle(self.exited)

    def connection_lost(self, exc: Exception | None) -> None:
        _settle(self.let_go)


def _settle(future: asyncio.Future[None]) -> None:
    """Mark it as done; a second time changes nothing."""
    if not future.done():
        future.set_result(None)


async def _wait_for_first(*futures: asyncio.Future[None], seconds: float) -> None:
    """Wait until one of these is done, or so long."""
    for future in futures:
        if future.done():
            return
    timeout = max(seconds, 0)
    await asyncio.wait(futures, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)


async def _end_group(transport: asyncio.SubprocessTransport, watch: _Watch) -> None:
    """End the whole group, wait until its leader is reaped, close every pipe."""
    try:
        if not watch.exited.done():
            _signal_group(transport, force=False)
            await _wait_for_first(watch.exited, seconds=_GRACE_SECONDS)
    finally:  # a second cancellation may arrive in the grace period
        _signal_group(transport, force=True)
        try:
            await _wait_for_first(watch.exited, seconds=_REAP_SECONDS)
            await _wait_for_first(watch.closed[2], seconds=_DRAIN_SECONDS)
        finally:
            stdin: Any = transport.get_pipe_transport(0)
            if stdin is not None and stdin.get_write_buffer_size():
                stdin.abort()  # closing would wait for somebody to read what is left
            transport.close()
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
