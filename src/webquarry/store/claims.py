"""Claims in the record file: which process works on a named question. Call them in a transaction.

A claim that is not renewed expires, and at once if its process on this machine has ended. An owner
is one line of text: "<machine> <pid> <start> <token>". A machine is identified by its boot, its
name and its process namespace, since two containers use the same process ids.
"""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

from webquarry.store.database import Connection
from webquarry.store.encryption import Cipher

_START_FIELD = 19  # of /proc/<pid>/stat, counted after the name, which may contain anything
_UNKNOWN = "?"


def take_claim(
    database: Connection, cipher: Cipher, key: str, owner: str, now: float, seconds: float
) -> bool:
    """Claim a key for `seconds`; return False if another owner has it."""
    name = _name(cipher, key)
    query = "SELECT owner, ends_at FROM ask_claims WHERE name = ?"
    holder, ends_at = database.execute(query, (name,)).fetchone() or ("", 0.0)
    # a damaged claim, or one that was made while a clock was wrong, is replaced
    is_sound = isinstance(holder, str) and isinstance(ends_at, float)
    if is_sound and holder != owner and now < ends_at <= now + 2 * seconds and not is_dead(holder):
        return False
    row = (name, owner, now + seconds)
    database.execute("INSERT OR REPLACE INTO ask_claims VALUES (?, ?, ?)", row)
    return True


def renew_claims(database: Connection, owner: str, now: float, seconds: float) -> None:
    """Renew every claim of an owner for `seconds`."""
    database.execute("UPDATE ask_claims SET ends_at = ? WHERE owner = ?", (now + seconds, owner))


def release_claim(database: Connection, cipher: Cipher, key: str, owner: str) -> None:
    """Delete a claim if this owner still has it."""
    row = (_name(cipher, key), owner)
    database.execute("DELETE FROM ask_claims WHERE name = ? AND owner = ?", row)


def delete_ended_claims(database: Connection, now: float) -> None:
    """Delete expired claims."""
    database.execute("DELETE FROM ask_claims WHERE ends_at < ?", (now,))


def _name(cipher: Cipher, key: str) -> bytes:
    return cipher.hash_name(f"claim {key}")


def describe_owner() -> str:
    """Return the owner line of this process, with a random token."""
    pid = os.getpid()
    return f"{_describe_machine()} {pid} {_read_start(pid)} {secrets.token_hex(8)}"


def is_dead(owner: str) -> bool:
    """Return whether the process of an owner has certainly ended."""
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
        pass  # it exists, and belongs to another user
    start = _read_start(pid)
    # the process id may have been reused
    return _UNKNOWN not in (start, parts[2]) and start != parts[2]


def _read_start(pid: int) -> str:
    """Return the start time of a process in clock ticks, or `ended` for a zombie."""
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
    """Return a hash that identifies this machine since its start."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text("utf-8"))
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
