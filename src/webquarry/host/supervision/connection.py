"""Our end of the socket to a supervisor: what it tells of its tool, and how it is told to end.

A line is open for as long as the tool is wanted. It is closed by the kernel when we die, in
whatever way, so that no signal has to be handled anywhere for a tool to end with us.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
# Where some Pythons find the libraries that they are made of
_FOR_PYTHON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_LOCALE = "LC_CTYPE"  # Python changes it for itself where it is C or missing
_OPEN: set[socket.socket] = set()  # our ends, which a copy of this process must not keep open


class SupervisorConnection:
    """A socket to one supervisor. `started` becomes the tool's process number, or the error of its
    start; `ended` its exit code, or minus the number of a signal.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._heard = bytearray()
        self.started: asyncio.Future[int] = loop.create_future()
        self.ended: asyncio.Future[int] = loop.create_future()
        _OPEN.add(self._ours)
        loop.add_reader(self._ours.fileno(), self._hear)

    @property
    def their_end(self) -> int:
        """The file number that the supervisor inherits."""
        return self._theirs.fileno()

    def hand_over(self) -> None:
        """Close their end here, once the supervisor has it: so we hear of its end."""
        self._theirs.close()

    def close(self) -> None:
        """Let the supervisor end its tool; a second time changes nothing."""
        self._theirs.close()
        if self._ours.fileno() >= 0:
            self._loop.remove_reader(self._ours.fileno())
            _OPEN.discard(self._ours)
            self._ours.close()
        self.started.cancel()
        self.ended.cancel()

    def _hear(self) -> None:
        try:
            data = self._ours.recv(4096)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:  # the supervisor has ended, which its process tells better
            self._loop.remove_reader(self._ours.fileno())
            return
        self._heard += data
        while b"\n" in self._heard:
            sentence, _, rest = self._heard.partition(b"\n")
            self._heard = rest
            self._understand(sentence.decode("ascii"))

    def _understand(self, sentence: str) -> None:
        word, _, value = sentence.partition(" ")
        number = int(value)
        if word == "ended" and not self.ended.done():
            self.ended.set_result(number)
        if self.started.done():
            return
        if word == "started":
            self.started.set_result(number)
        elif word == "failed":
            self.started.set_exception(OSError(number, os.strerror(number)))
            self.started.exception()  # seen, also where nobody waits for it any more


def wrap_command(
    command: Sequence[str], their_end: int, environment: Mapping[str, str]
) -> tuple[list[str], dict[str, str]]:
    """The command that runs another one under a supervisor, and the environment for both: the
    supervisor takes out what is in it for itself alone.
    """
    both = dict(environment)
    for name in _FOR_PYTHON:
        if name in os.environ:
            both.setdefault(name, os.environ[name])
    changes = [name for name in (*_FOR_PYTHON, _LOCALE) if name not in environment]
    if _LOCALE in environment:
        changes.append(f"{_LOCALE}={environment[_LOCALE]}")
    python = [sys.executable, "-I", "-S", str(_SUPERVISOR)]
    return [*python, str(their_end), "\n".join(changes), *command], both


@cache
def can_supervise() -> bool:
    """Is there a Python to run a supervisor with? A program that has us built in is none."""
    if sys.platform == "win32" or not sys.executable:
        return False
    python = Path(sys.executable)
    is_python = python.name.startswith(("python", "pypy"))
    return is_python and os.access(python, os.X_OK) and _SUPERVISOR.is_file()


def _forget_lines() -> None:
    """In a copy of this process: the lines are not ours."""
    for end in _OPEN:
        with suppress(OSError):
            end.close()
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lines)
