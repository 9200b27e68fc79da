"""Reading a file that somebody else may have put there: never a wait for a pipe, never too much."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_regular(path: Path, most_bytes: int) -> bytes:
    """The first bytes of a file; an OSError when it cannot be read, or is a pipe or a device."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "it is no file")
        data = bytearray()
        while len(data) < most_bytes:
            piece = os.read(handle, most_bytes - len(data))
            if not piece:
                break
            data += piece
        return bytes(data)
    finally:
        os.close(handle)
