"""A browser process and its profile folder: started on two pipes, measured, killed as a group.

Chromium exits when our ends of the pipes are closed. A kill of our process closes them too, so a
forked copy of our process must not keep them. It leaves its profile folder, which is removed when
the next browser starts.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import re
import resource
import shutil
import signal
import tempfile
import time
import weakref
from pathlib import Path

from webquarry._read.browser.launch import Isolation, Program, build_command

log = logging.getLogger(__name__)

_FIRST_FREE = 20  # file descriptor; Chromium uses 3 and 4
_CLOSE_POLL_SECONDS = 0.02
_CLOSE_POLLS = 50
_PREFIX = "webquarry-browser-"
_SHARED_FOLDERS = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - only for folders of our own
_LOCK_FLAGS = os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_NEW_SECONDS = 60.0  # a folder of this age may not be locked yet
_OWN_MEMORY = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_open_processes: weakref.WeakSet[BrowserProcess] = weakref.WeakSet()


class Profile:
    """The folder that one browser writes to, locked while our process lives."""

    def __init__(self, user: int | None) -> None:
        parent = _choose_parent(user)
        remove_stale_profiles(parent, user)
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self.folder.chmod(0o711)  # the browser can have another user
        self.path = self.folder / "profile"
        self.path.mkdir(mode=0o700)
        if user is not None:
            os.chown(self.path, user, user)
        self.lock = os.open(self.folder / "lock", _LOCK_FLAGS, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self.lock)


def _choose_parent(user: int | None) -> Path:
    """Return a folder for temporary files that the user of the browser can traverse."""
    default = Path(tempfile.gettempdir()).resolve()
    for folder in (default, *_SHARED_FOLDERS) if user is not None else ():
        if folder.is_dir() and all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents)):
            return folder
    return default


def remove_stale_profiles(parent: Path, user: int | None = None) -> None:
    """Remove the profile folders whose process has ended."""
    now = time.time()
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            state = folder.lstat()
            is_ours = state.st_uid in (os.geteuid(), user) and folder.is_dir()
            if not is_ours or folder.is_symlink() or now - state.st_mtime < _NEW_SECONDS:
                continue
            lock = os.open(folder / "lock", _LOCK_FLAGS, 0o600)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            log.debug("removing the stale profile %s", folder)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # in use
        finally:
            os.close(lock)


class BrowserProcess:
    """A started browser. `commands` and `replies` are our ends of its pipes, closed by `Pipe`."""

    def __init__(self, program: Program, isolation: Isolation, data_bytes: int) -> None:
        self.profile = Profile(isolation.user)
        ends: list[int] = []
        try:
            for end in (*os.pipe(), *os.pipe()):
                ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE))
                os.close(end)
            its_commands, self.commands, self.replies, its_replies = ends
            command = build_command(program, isolation, str(self.profile.path))
            self.pid = _spawn(command, self.profile.path, its_commands, its_replies)
        except BaseException:
            for end in ends:
                os.close(end)
            self.profile.remove()
            raise
        os.close(its_commands)
        os.close(its_replies)
        if hasattr(resource, "prlimit"):
            with contextlib.suppress(OSError):  # inherited by its children
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (data_bytes, data_bytes))
        _open_processes.add(self)

    async def aclose(self) -> None:
        """Wait for its exit after the pipes were closed, then kill it and remove its profile."""
        try:
            for _ in range(_CLOSE_POLLS):
                if self._is_reaped():
                    break
                await asyncio.sleep(_CLOSE_POLL_SECONDS)
        finally:
            self.kill()
        await asyncio.to_thread(self.profile.remove)

    def kill(self) -> None:
        """Kill it and its children."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        _open_processes.discard(self)

    def forget_pipes(self) -> None:
        """Forget the descriptors after they were closed, because their numbers are reused."""
        self.commands = self.replies = -1

    def _is_reaped(self) -> bool:
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
        except ChildProcessError:
            return True

    def list_processes(self) -> list[int]:
        """Return the processes of its group; empty without /proc."""
        if not Path("/proc/self").is_dir():
            return []
        numbers = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal()]
        return [number for number in numbers if _get_group(number) == self.pid]

    def limit_memory(self, max_bytes: int) -> None:
        """Kill the largest page if the processes use more memory than allowed."""
        sizes = {number: _measure_process(number) for number in self.list_processes()}
        if sum(sizes.values()) <= max_bytes:
            return
        pages = [number for number in sizes if _is_page(number)]
        log.info("killing a page that uses too much memory")
        with contextlib.suppress(ProcessLookupError):
            os.kill(max(pages, key=sizes.__getitem__, default=self.pid), signal.SIGKILL)


def _get_group(process: int) -> int | None:
    try:
        return os.getpgid(process)
    except OSError:
        return None


def _measure_process(process: int) -> int:
    """Return the private memory of a process in bytes; 0 if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_bytes()
    except OSError:
        return 0
    return 1024 * sum(map(int, _OWN_MEMORY.findall(status)))


def _is_page(process: int) -> bool:
    try:
        return b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def _spawn(command: list[str], home: Path, commands: int, replies: int) -> int:
    folders = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR")}
    # None of our own variables, which can contain keys.
    environ = folders | {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TZ": "UTC"}
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    pipes = [(os.POSIX_SPAWN_DUP2, commands, 3), (os.POSIX_SPAWN_DUP2, replies, 4)]
    return os.posix_spawn(
        command[0], command, environ, setpgroup=0, file_actions=[*pipes, *nothing]
    )


def _close_in_fork() -> None:
    """Close pipes and locks in a forked process, or the browser would outlive its parent."""
    for process in list(_open_processes):
        for descriptor in (process.commands, process.replies, process.profile.lock):
            with contextlib.suppress(OSError):
                os.close(descriptor)
    _open_processes.clear()


os.register_at_fork(after_in_child=_close_in_fork)
