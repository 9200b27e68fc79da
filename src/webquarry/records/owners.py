"""Who holds a claim: a process in one line of text, and whether a process of this machine is dead.

    owner = describe_owner()      # "<machine> <pid> <start> <token>"
    is_dead(owner)                # True only where it is certain

A machine is its boot, its name and the processes that can be seen from here: in two containers the
same number stands for two processes.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

_START_FIELD = 19  # of /proc/<pid>/stat, counted behind the name, which may hold anything
_UNKNOWN = "?"


def describe_owner() -> str:
    """This process, and a token that tells its owners apart."""
    pid = os.getpid()
    return f"{_describe_machine()} {pid} {_read_start(pid)} {secrets.token_hex(8)}"


def is_dead(owner: str) -> bool:
    """Whether the process of an owner has certainly ended; of another machine that is not known."""
    parts = owner.split(" ")
    if len(parts) != 4 or parts[0] != _describe_machine() or not parts[1].isdigit():
        return False
    pid = int(parts[1])
    if os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it is there, and another user's
    start = _read_start(pid)
    # The number may have been given to another process since.
    return _UNKNOWN not in (start, parts[2]) and start != parts[2]


def _read_start(pid: int) -> str:
    """When a process was started, as the system counts; of a zombie, that it has ended."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return _UNKNOWN
    fields = text.rpartition(")")[2].split()
    if len(fields) <= _START_FIELD:
        return _UNKNOWN
    if fields[0] in "ZX":
        return "ended"
    return fields[_START_FIELD]


@cache
def _describe_machine() -> str:
    """What tells this machine, since it was started, from others."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("utf-8"))
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
