"""One browser process with its children: started on two pipes, watched, and ended with its group.

It ends when our ends of the pipes are closed, however that happens: a kill of our process closes
them too, so no copy of our process (`fork`) may keep them.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import resource
import signal
import weakref
from pathlib import Path

from webquarry._read.browser.flags import list_arguments
from webquarry._read.browser.isolation import Isolation
from webquarry._read.browser.profile import Profile
from webquarry._read.browser.program import Program

_FIRST_FREE = 20  # descriptors; the browser's own two are 3 and 4
_CLOSE_POLL_SECONDS = 0.02
_CLOSE_POLLS = 50
_open_descriptors: weakref.WeakSet[BrowserProcess] = weakref.WeakSet()


class BrowserProcess:
    """A browser that was started. `commands` and `answers` are our ends of its pipes, which belong
    to whoever reads them.
    """

    def __init__(self, program: Program, isolation: Isolation, data_bytes: int) -> None:
        self.profile = Profile(isolation.user)
        ends: list[int] = []
        try:
            for end in (*os.pipe(), *os.pipe()):
                ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE))
                os.close(end)
            its_commands, self.commands, self.answers, its_answers = ends
            self.pid = _spawn(program, isolation, self.profile, its_commands, its_answers)
        except BaseException:
            for end in ends:
                os.close(end)
            self.profile.remove()
            raise
        os.close(its_commands)
        os.close(its_answers)
        if hasattr(resource, "prlimit"):
            with contextlib.suppress(OSError):  # its children inherit it
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (data_bytes, data_bytes))
        _open_descriptors.add(self)

    async def aclose(self) -> None:
        """End it, once its pipes are closed, and remove its folder."""
        try:
            for _ in range(_CLOSE_POLLS):
                if self._is_reaped():
                    break
                await asyncio.sleep(_CLOSE_POLL_SECONDS)
        finally:
            self.kill()
        await asyncio.to_thread(self.profile.remove)

    def kill(self) -> None:
        """End it and its children now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        _open_descriptors.discard(self)

    def forget_pipes(self) -> None:
        """Our ends are closed: their numbers may be somebody else's soon."""
        self.commands = self.answers = -1

    def _is_reaped(self) -> bool:
        try:
            found, _ = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:
            return True
        return found == self.pid

    def list_processes(self) -> list[int]:
        """The processes of its group, where the system tells."""
        found: list[int] = []
        if not Path("/proc/self").is_dir():
            return found
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal() and _find_group(folder) == self.pid:
                found.append(int(folder.name))
        return found


def _find_group(folder: Path) -> int | None:
    """The process group of a process, by its folder in /proc."""
    try:
        return os.getpgid(int(folder.name))
    except OSError:
        return None


def _spawn(
    program: Program, isolation: Isolation, profile: Profile, commands: int, answers: int
) -> int:
    arguments = list_arguments(program, isolation, str(profile.path))
    # Nothing of ours, least of all keys; its home is its profile.
    environ = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(profile.path),
        "XDG_CONFIG_HOME": str(profile.path),
        "XDG_CACHE_HOME": str(profile.path),
        "TMPDIR": str(profile.path),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    pipes = [(os.POSIX_SPAWN_DUP2, commands, 3), (os.POSIX_SPAWN_DUP2, answers, 4)]
    return os.posix_spawn(
        arguments[0], arguments, environ, setpgroup=0, file_actions=[*pipes, *nothing]
    )


def _close_in_copy() -> None:
    """A copy of our process holds neither the pipes nor the lock: the browser would outlive us."""
    for browser in list(_open_descriptors):
        for descriptor in (browser.commands, browser.answers, browser.profile.lock):
            with contextlib.suppress(OSError):
                os.close(descriptor)
    _open_descriptors.clear()


os.register_at_fork(after_in_child=_close_in_copy)
