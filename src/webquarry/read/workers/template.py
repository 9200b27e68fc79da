"""The process that is copied: it loads what pages need, and for every socket that it is sent it
makes a copy of itself, which answers jobs there. It reads no page but ours, and has no other
threads, so a copy finds everything as it was loaded.

It tells the number of each copy when it is there, and how it ended when it has.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
from contextlib import suppress
from typing import NoReturn

from webquarry.read.workers.child import answer_jobs, silence_streams
from webquarry.read.workers.garbage import put_off_collection
from webquarry.read.workers.job import load_what_pages_need
from webquarry.read.workers.limits import end_with_parent, interrupt_nobody, trim_memory

_TIMES = 16  # that our page is read: by then the interpreter has adapted to it, for all copies
_TIMES_IN_COPY = 2
_SEVERAL = 64  # bytes: one for each signal


def serve_copies(parent: int, memory_bytes: int) -> None:
    """Make copies until the parent is gone."""
    end_with_parent(parent)
    interrupt_nobody()  # nor do its copies
    control = socket.socket(fileno=os.dup(0))
    silence_streams()
    gc.disable()
    load_what_pages_need(_TIMES)  # while the first page is being fetched
    put_off_collection()
    trim_memory()
    gc.enable()
    asked = control.fileno()
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    with suppress(OSError):  # the other side may be gone at any moment
        while True:
            ready, _, _ = select.select([asked, woken], [], [])
            if woken in ready:
                os.read(woken, _SEVERAL)
                tell_ends(control)
            if control.fileno() in ready and not take_request(
                control, memory_bytes, (woken, waker)
            ):
                break
    os._exit(0)


def take_request(control: socket.socket, memory_bytes: int, ours: tuple[int, ...]) -> bool:
    """Make the copy that is asked for; False where nobody asks any more."""
    wish, sockets, _, _ = socket.recv_fds(control, 1, 1)
    if not wish:
        return False
    (connection,) = sockets
    pid = os.fork()
    if not pid:
        os.close(control.detach())
        for descriptor in ours:
            os.close(descriptor)
        work(connection, memory_bytes)
    os.close(connection)
    control.sendall(b"start %d\n" % pid)
    return True


def tell_ends(control: socket.socket) -> None:
    """Wait for the copies that have ended, and say how they did."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            code = os.waitstatus_to_exitcode(status)
            control.sendall(b"end %d %d\n" % (pid, code))


def work(connection: int, memory_bytes: int) -> NoReturn:
    """In the copy: answer jobs until nobody asks any more."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        end_with_parent(os.getppid())
        is_awaited, _, _ = select.select([connection], [], [], 0)
        if not is_awaited:  # what a page changes is copied now: a first one would wait for it
            load_what_pages_need(_TIMES_IN_COPY)
        answer_jobs(connection, connection, memory_bytes)
    finally:
        os._exit(0)  # nothing of ours is left to be tidied up, and libraries need not try
