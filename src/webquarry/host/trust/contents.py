"""A project's tool folder -> one hash over all that lies in it, and a private copy of just those
bytes.

A tool runs whatever lies beside it: what it sources, imports or opens. So all files count, by their
names, their bytes and whether they can be run; a link counts as what it leads to. What is left out
of the hash is left out of the copy too, so that nothing of it is ever run.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 5_000
MOST_BYTES = 100_000_000
# Python and git write these by themselves, beside tools that have not changed.
LEFT_OUT = frozenset({"__pycache__", ".git"})
_PIECE_BYTES = 1_000_000


class CannotVouch(Exception):
    """The content of a folder cannot be known; the message goes on from "its folder"."""


@dataclass(frozen=True)
class _File:
    """A file of a folder, by its path below it."""

    name: str
    path: Path


def hash_folder(folder: Path) -> str:
    """One hash over the names and bytes of all files."""
    return _hash_files(folder, None)


def copy_folder(folder: Path, to: Path) -> str:
    """The same hash, over the very bytes that were copied; the copy is readable by us alone."""
    to.mkdir(mode=0o700, parents=True)
    return _hash_files(folder, to)


def _hash_files(folder: Path, copy_to: Path | None) -> str:
    whole = hashlib.sha256()
    bytes_left = MOST_BYTES
    for number, file in enumerate(_list_files(folder)):
        if number >= MOST_FILES:
            raise CannotVouch(f"holds more than {MOST_FILES:,} files")
        copy = None
        if copy_to is not None:
            copy = copy_to / file.name
        try:
            digest, size, can_run = _hash_file(file.path, copy, bytes_left)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise CannotVouch(f"holds {file.name}, which cannot be read ({reason})") from error
        bytes_left -= size
        kind = "program" if can_run else "file"
        whole.update(f"{file.name!a}\0{kind}\0{digest}\0".encode())
    return f"sha256:{whole.hexdigest()}"


def _list_files(folder: Path) -> list[_File]:
    """All files below a folder by their names, those behind links included."""
    files: list[_File] = []
    for name, path in _walk(folder, "", frozenset()):
        files.append(_File(name, path))
        if len(files) > MOST_FILES:
            break
    return sorted(files, key=lambda file: file.name)


def _walk(folder: Path, below: str, above: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """The names and paths of the files below a folder; a link that leads back up is an error."""
    place = os.path.realpath(folder)
    if place in above:
        raise CannotVouch(f"holds {below}, a link that leads back to a folder around it")
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CannotVouch(f"cannot be read ({reason})") from error
    for entry in entries:
        if entry.name in LEFT_OUT:
            continue
        name = f"{below}/{entry.name}".lstrip("/")
        if entry.is_dir():
            yield from _walk(Path(entry.path), name, above | {place})
        elif entry.is_file():
            yield name, Path(entry.path)
        elif entry.is_symlink():
            continue  # it leads to nothing, and nothing can be run of it
        else:
            raise CannotVouch(f"holds {name}, which is neither a file nor a folder")


def _hash_file(path: Path, copy: Path | None, most_bytes: int) -> tuple[str, int, bool]:
    """The digest of a file, its size and whether it can be run; copied as it is read."""
    # Without waiting: it may have become a pipe since it was listed.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            raise OSError("it is no file any more")
        can_run = bool(mode & stat.S_IXUSR)
        digest = hashlib.sha256()
        size = 0
        target = _open_copy(copy, can_run)
        try:
            while piece := file.read(_PIECE_BYTES):
                size += len(piece)
                if size > most_bytes:
                    raise CannotVouch(f"holds more than {MOST_BYTES // 1_000_000} MB")
                digest.update(piece)
                if target is not None:
                    _write_all(target, piece)
        finally:
            if target is not None:
                os.close(target)
    return digest.hexdigest(), size, can_run


def _open_copy(copy: Path | None, can_run: bool) -> int | None:
    """A new file for the copy, for its owner alone."""
    if copy is None:
        return None
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = 0o700 if can_run else 0o600
    return os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)


def _write_all(target: int, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(target, rest) :]
