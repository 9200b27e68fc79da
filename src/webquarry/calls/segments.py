"""The log of calls on disk: a folder of files that are only ever appended to, the oldest deleted.

Each line is one call: the keyed hash of its caller and the call itself, encrypted. Lines are
appended whole, under a lock, by any number of processes; a line that a crash has cut short is
passed over by whoever reads. A file that has grown to its size is followed by the next one. The
id of a call is the number of its file and its place in it, so ids grow and are never used twice.
"""

from __future__ import annotations

import json
import os
import sys
import time
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.calls.models import LoggedCall

if TYPE_CHECKING:
    from webquarry.store.encryption import Cipher

if sys.platform != "win32":
    import fcntl

_FILES = 8  # that the log is divided into; the oldest goes as a whole
_SUFFIX = ".calls"
_KEY_NAME = "key"
_LOCK_NAME = "lock"
_PLACE_BITS = 32  # of an id; the number of the file stands before them
_OWNER_DIGITS = 32
_MODE = 0o600


class CallSegments:
    """The files of a log below `folder`: `most_bytes` of them in all, each no longer than
    `most_seconds` after it was last written to.
    """

    def __init__(self, folder: Path, most_bytes: int, most_seconds: float) -> None:
        self._folder = folder
        self._file_bytes = max(1, most_bytes // _FILES)
        self._most_seconds = most_seconds
        self._cipher: Cipher | None = None

    def append(self, calls: Sequence[tuple[str, bytes]]) -> None:
        """Write calls down, each with its caller. `OSError` where that cannot be done."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        cipher = self._open_cipher()
        with self._lock():
            number = self._find_last()
            lines: list[bytes] = []
            room = self._file_bytes - self._measure(number)
            for owner, stored in calls:
                line = _write_line(cipher, owner, stored)
                if room <= 0:
                    self._write(number, lines)
                    lines, number, room = [], number + 1, self._file_bytes
                lines.append(line)
                room -= len(line)
            self._write(number, lines)
            self._delete_old(number)

    def read(self, owner: str, after: int) -> Iterator[LoggedCall]:
        """The calls of one caller with a higher id, the oldest first."""
        if not (self._folder / _KEY_NAME).is_file():
            return
        cipher = self._open_cipher()
        mark = _hash_owner(cipher, owner)
        oldest = time.time() - self._most_seconds
        for number in self._list_numbers():
            if number < after >> _PLACE_BITS:
                continue
            with suppress(FileNotFoundError):  # the oldest may have been deleted meanwhile
                yield from self._read_file(number, cipher, mark, after, oldest)

    def _read_file(
        self, number: int, cipher: Cipher, mark: bytes, after: int, oldest: float
    ) -> Iterator[LoggedCall]:
        """The calls of one file. The place of an id is where its line ends, from where reading
        goes on.
        """
        start = 0
        if number == after >> _PLACE_BITS:
            start = after & ((1 << _PLACE_BITS) - 1)
        with self._name(number).open("rb") as file:
            file.seek(start)
            place = start
            for line in file:
                if not line.endswith(b"\n"):
                    return  # somebody is writing it, or died meanwhile
                place += len(line)
                logged = None
                if line.startswith(mark):
                    logged = _parse_line(cipher, mark, line, (number << _PLACE_BITS) + place)
                if logged is not None and logged.at >= oldest:
                    yield logged

    def _open_cipher(self) -> Cipher:
        if self._cipher is None:
            from webquarry.store.encryption import Cipher  # heavy, and no call waits for it

            self._cipher = Cipher.open(self._folder / _KEY_NAME)
        return self._cipher

    def _write(self, number: int, lines: Sequence[bytes]) -> None:
        """Append lines to a file. One that was cut short by a crash is ended first."""
        if not lines:
            return
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        handle = os.open(self._name(number), flags, _MODE)
        try:
            size = os.fstat(handle).st_size
            data = b"".join(lines)
            if size:
                os.lseek(handle, size - 1, os.SEEK_SET)
                if os.read(handle, 1) != b"\n":
                    data = b"\n" + data
            while data:
                data = data[os.write(handle, data) :]
        finally:
            os.close(handle)

    def _delete_old(self, last: int) -> None:
        """Delete the files that are too many, and those that nobody has written to for too long."""
        oldest = time.time() - self._most_seconds
        for number in self._list_numbers():
            path = self._name(number)
            with suppress(FileNotFoundError):
                is_old = path.stat().st_mtime < oldest
                if number <= last - _FILES or (is_old and number < last):
                    path.unlink()

    def _list_numbers(self) -> list[int]:
        """The numbers of the files that are there, the oldest first."""
        numbers = []
        for path in self._folder.glob(f"*{_SUFFIX}"):
            name = path.name.removesuffix(_SUFFIX)
            if name.isdecimal():
                numbers.append(int(name))
        return sorted(numbers)

    def _find_last(self) -> int:
        return max(self._list_numbers(), default=1)

    def _measure(self, number: int) -> int:
        try:
            return self._name(number).stat().st_size
        except FileNotFoundError:
            return 0

    def _name(self, number: int) -> Path:
        return self._folder / f"{number:08}{_SUFFIX}"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Nobody else writes; where the system has such locks, no other process either."""
        handle = os.open(self._folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT, _MODE)
        try:
            if sys.platform != "win32":
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)  # which lets go of the lock


def _hash_owner(cipher: Cipher, owner: str) -> bytes:
    """What a caller's lines begin with."""
    return cipher.hash_name(f"calls of {owner}").hex()[:_OWNER_DIGITS].encode()


def _write_line(cipher: Cipher, owner: str, stored: bytes) -> bytes:
    mark = _hash_owner(cipher, owner)
    return mark + b64encode(cipher.encrypt(stored, mark)) + b"\n"


def _parse_line(cipher: Cipher, mark: bytes, line: bytes, id: int) -> LoggedCall | None:
    """The call of a line; None where it is damaged."""
    try:
        encrypted = b64decode(line[len(mark) : -1], validate=True)
        stored = cipher.decrypt(encrypted, mark)
        if stored is None:
            return None
        return LoggedCall.parse(id, stored)
    except (NotBase64, json.JSONDecodeError, TypeError, UnicodeDecodeError):
        return None
