"""Running programs with limits of time and output.

A program is started in a process group of its own. The group is ended when the run is over, also
when it succeeded or was cancelled, so that no process of it remains.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal["exited", "timed_out", "too_much", "held_open"]

_GRACE_SECONDS = 0.2  # between SIGTERM and SIGKILL
_LINGER_SECONDS = 1.0  # for the output to end after the program
_REAP_SECONDS = 5.0  # for a killed process to end


@dataclass(frozen=True)
class ProcessLimits:
    """How long a program may run and how much it may print."""

    seconds: float
    stdout_bytes: int
    stderr_bytes: int = 8192  # the rest is dropped


@dataclass(frozen=True)
class Completed:
    """How a run ended, and its output."""

    ending: Ending
    exit_code: int | None  # negative for a signal; None if the program did not end by itself
    stdout: bytes
    stderr: bytes


async def run_bounded(
    command: Sequence[str],
    limits: ProcessLimits,
    environment: Mapping[str, str],
    stdin: bytes | None = None,
) -> Completed:
    """Run a program until it ends or exceeds a limit. Raises OSError if it cannot be started."""
    loop = asyncio.get_running_loop()
    run = _Run(loop, limits)
    starting = asyncio.ensure_future(
        loop.subprocess_exec(
            lambda: run,
            *command,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
    )
    try:
        await asyncio.shield(starting)
        if stdin is not None:
            pipe: Any = run.transport.get_pipe_transport(0)
            pipe.write(stdin)
            pipe.write_eof()
        ending = await run.wait(limits.seconds)
    finally:
        # A cancellation waits for the start, so that the process can be ended.
        await asyncio.wait([starting])
        if starting.exception() is None:
            await run.end()
    exit_code = None
    if ending in ("exited", "held_open"):
        exit_code = run.transport.get_returncode()
    return Completed(ending, exit_code, bytes(run.stdout), bytes(run.stderr))


class _Run(asyncio.SubprocessProtocol):
    """Collects the output of a program up to the limits."""

    transport: asyncio.SubprocessTransport

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: ProcessLimits) -> None:
        self._limits = limits
        self.stdout = bytearray()
        self.stderr = bytearray()
        self._overflowed = loop.create_future()
        self._closed = loop.create_future()  # stdout
        self._exited = loop.create_future()
        self._finished = loop.create_future()  # all pipes are closed, too

    async def wait(self, seconds: float) -> Ending:
        """Wait for the end of the program, or for the first limit that it exceeds."""
        await _wait_for_any(self._exited, self._overflowed, seconds=seconds)
        if self._exited.done() and not self._overflowed.done():
            await _wait_for_any(self._closed, self._overflowed, seconds=_LINGER_SECONDS)
        if self._overflowed.done():
            return "too_much"
        if not self._exited.done():
            return "timed_out"
        return "exited" if self._closed.done() else "held_open"

    async def end(self) -> None:
        """End the process group and close the pipes."""
        try:
            if not self._exited.done():
                self._signal(force=False)
                await _wait_for_any(self._exited, seconds=_GRACE_SECONDS)
        finally:
            self._signal(force=True)
            try:
                await _wait_for_any(self._exited, seconds=_REAP_SECONDS)
            finally:
                stdin: Any = self.transport.get_pipe_transport(0)
                if stdin is not None and stdin.get_write_buffer_size():
                    stdin.abort()  # closing would wait for the rest to be read
                self.transport.close()
                await _wait_for_any(self._finished, seconds=_REAP_SECONDS)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self.transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.stderr += data[: self._limits.stderr_bytes - len(self.stderr)]
            return
        room = self._limits.stdout_bytes - len(self.stdout)
        self.stdout += data[:room]
        if len(data) > room:
            _set(self._overflowed)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            _set(self._closed)

    def process_exited(self) -> None:
        _set(self._exited)

    def connection_lost(self, exc: Exception | None) -> None:
        _set(self._finished)

    def _signal(self, *, force: bool) -> None:
        try:
            if sys.platform == "win32":
                self.transport.kill()
            else:
                number = signal.SIGKILL if force else signal.SIGTERM
                os.killpg(self.transport.get_pid(), number)
        except (ProcessLookupError, PermissionError):  # macOS: the latter for zombies
            return


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


async def _wait_for_any(*futures: asyncio.Future[None], seconds: float) -> None:
    await asyncio.wait(futures, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)
