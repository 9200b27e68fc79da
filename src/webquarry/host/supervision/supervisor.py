"""The process between us and a tool: it starts the tool, and ends it with everything it started.

It is run as a script, with nothing of ours imported, because it is started for every run of a tool.
On its command line come the number of a socket to us, changes to the environment for the tool (one
a line: a name takes a variable out, name=value sets one), and the tool's command. To the socket go
`started PID` or `failed ERRNO`, and then `ended CODE`. Nothing comes back on it: when our end of it
is closed, by us or by our death, the tool's whole tree is ended, and then this process.

On Linux it adopts every process of the tree whose parent has ended, so that neither a second fork
nor a session of its own lets one get away. Elsewhere the tool's process group is ended.
"""

from __future__ import annotations

import os
import select
import sys
from time import monotonic

TYPE_CHECKING = False  # what is for type checkers alone takes longer to load than all else here
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # without the enumerations that `signal` makes of it

_PR_SET_CHILD_SUBREAPER = 36
_GRACE_SECONDS = 0.2  # between asking a tree to end and making it
_LOOK_SECONDS = 0.02  # how often a tree that is being ended is looked at
_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Tree:
    """A tool and everything that it started."""

    def __init__(self, leader: int, is_adopted: bool) -> None:
        self._leader = leader
        self._is_adopted = is_adopted  # whether those whose parent has ended are ours
        self.status: int | None = None  # of the leader, once it has ended
        self.is_empty = False

    def reap(self) -> None:
        """Take note of every process that has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self.is_empty = True
                return
            if pid == 0:
                return
            if pid == self._leader:
                self.status = status

    def end(self, wake: int) -> None:
        """Ask it to end, if its leader still runs, and soon make it."""
        self.reap()
        if self.status is None:
            self._send(signal.SIGTERM)
            deadline = monotonic() + _GRACE_SECONDS
            while self.status is None and monotonic() < deadline:
                _sleep(wake)
                self.reap()
        if not self._is_adopted:
            self._send(signal.SIGKILL)
        while not self.is_empty:
            self._send(signal.SIGKILL)  # again and again: one may have forked just before
            _sleep(wake)
            self.reap()

    def _send(self, number: int) -> None:
        """Send a signal to all of it that is known."""
        members = list_descendants(os.getpid())
        for pid in members:
            _send_signal(os.kill, pid, number)
        if not members or not self._is_adopted:
            # It outlives its leader, and its number is nobody else's while a member is alive.
            _send_signal(os.killpg, self._leader, number)


def list_descendants(root: int) -> list[int]:
    """All processes below one, as far as the kernel tells."""
    children: dict[int, list[int]] = {}
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - pathlib is slow to load
    except OSError:
        return []
    for name in names:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - see above
                after_name = file.read().rpartition(b")")[2]
        except OSError:
            continue
        parent = int(after_name.split()[1])
        children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def main(line: int, changes: list[str], command: list[str]) -> None:
    """Start the command, tell how it fares, and end it when nobody wants it any more."""
    os.set_inheritable(line, False)
    for change in changes:
        name, sign, value = change.partition("=")
        os.environ.pop(name, None)
        if sign:
            os.environ[name] = value
    is_adopted = _adopt_orphans()
    wake, waker = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, *_ENDING):
        signal.signal(number, lambda number, frame: None)
    leader, problem = _start(command)
    if problem:
        _tell(line, f"failed {problem}")
        return
    _let_go_of_streams()
    tree = Tree(leader, is_adopted)
    _tell(line, f"started {leader}")
    is_told = False
    while True:
        ready = _wait([line, wake], None)
        numbers = b""
        if wake in ready:
            numbers = os.read(wake, 4096)
        tree.reap()
        if tree.status is not None and not is_told:
            is_told = True
            _tell(line, f"ended {os.waitstatus_to_exitcode(tree.status)}")
        if line in ready or any(number in numbers for number in _ENDING):
            break
    tree.end(wake)


def _start(command: list[str]) -> tuple[int, int]:
    """The tool's process number and 0, or anything and the number of the error."""
    reading, writing = os.pipe()  # closed by a start that succeeds
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)  # Python ignores them, and that is inherited
            os.execve(command[0], command, os.environ)  # noqa: S606 - the tool itself
        except OSError as error:
            os.write(writing, str(error.errno or 1).encode())
        finally:
            os._exit(127)
    os.close(writing)
    problem = os.read(reading, 16)
    os.close(reading)
    return pid, int(problem or b"0")


def _adopt_orphans() -> bool:
    """Become the parent of every process below whose own parent has ended; whether that can be."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False  # the group is ended all the same


def _let_go_of_streams() -> None:
    """Leave the tool's pipes to the tool, so that they close when it closes them."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)


def _send_signal(send: Callable[[int, int], None], target: int, number: int) -> None:
    try:
        send(target, number)
    except OSError:  # it has ended, or changed its user
        return


def _sleep(wake: int) -> None:
    """Wait for a process to end, but not for long."""
    if _wait([wake], _LOOK_SECONDS):
        os.read(wake, 4096)


def _wait(files: list[int], seconds: float | None) -> list[int]:
    """Those of the files that have something to read, after a while at the latest."""
    return select.select(files, [], [], seconds)[0]


def _tell(line: int, sentence: str) -> None:
    try:
        os.write(line, sentence.encode() + b"\n")
    except OSError:  # nobody is there any more, which the next look finds
        return


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2].splitlines(), sys.argv[3:])
    os._exit(0)
