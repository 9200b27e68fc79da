"""Trust in the tool folders of projects.

Tools of a project are code of its authors. They are run, `--schema` included, only while the names,
bytes and modes of all files in the folder are those that the user trusted. One hash over them is
stored for each folder, in one file in the state folder, and compared before each start.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from webquarry.credentials import NOWHERE, find_home, open_regular
from webquarry.errors import BadInput, WebquarryError
from webquarry.store.open import write_private

log = logging.getLogger(__name__)

MAX_FILES = 5_000
MAX_BYTES = 100_000_000
_CHUNK_BYTES = 1_000_000
_DAMAGED = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Unverifiable(Exception):
    """The content of a folder cannot be verified. The message continues the words "its folder"."""


@dataclass(frozen=True)
class TrustStore:
    """The trusted folders, in one file."""

    file: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> TrustStore:
        """Return the store of the user."""
        state = Path(environ.get("XDG_STATE_HOME") or "")
        if not state.is_absolute():  # the XDG rules ignore relative paths
            home = find_home(environ) or NOWHERE
            state = home / ".local" / "state"
        return cls(state / "webquarry" / "trusted-tools.json")

    def explain_distrust(self, folder: Path) -> str:
        """Return why the tools of a folder may not be run, and what to do; empty if they may."""
        trusted = self._read().get(str(folder.resolve()))
        if trusted is None:
            return "its folder is not trusted; look at it and run: webquarry tools trust"
        try:
            has_changed = hash_folder(folder) != trusted
        except Unverifiable as problem:
            return f"its folder {problem}; look at it and run: webquarry tools trust"
        if has_changed:
            return (
                "its folder has changed since it was trusted; look at it again and run: "
                "webquarry tools trust"
            )
        return ""

    def trust(self, folder: Path) -> str:
        """Trust a folder with its present content. Returns the hash. Raises BadInput."""
        try:
            content = hash_folder(folder)
        except Unverifiable as problem:
            raise BadInput(
                f"The folder {folder} {problem}, so that it cannot be verified.",
                suggested_action="Keep only what the tools need in it, and trust it again.",
            ) from None
        self._write(self._read() | {str(folder.resolve()): content})
        return content

    def forget(self, folder: Path) -> bool:
        """End the trust in a folder. Returns whether it was trusted."""
        folders = self._read()
        was_trusted = folders.pop(str(folder.resolve()), None) is not None
        if was_trusted:
            self._write(folders)
        return was_trusted

    def _read(self) -> dict[str, str]:
        try:
            folders = json.loads(self.file.read_bytes())["folders"]
            return {str(path): str(value) for path, value in folders.items()}
        except FileNotFoundError:
            return {}
        except _DAMAGED as error:
            log.warning(
                "the list of trusted folders %s cannot be read (%s); none is trusted",
                self.file,
                type(error).__name__,
            )
            return {}

    def _write(self, folders: Mapping[str, str]) -> None:
        text = json.dumps({"version": 2, "folders": folders}, indent=2, sort_keys=True) + "\n"
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(self.file, text.encode())
        except OSError as error:
            raise WebquarryError(
                f"The list of trusted folders {self.file} cannot be written: {error.strerror}.",
                suggested_action="Make its folder writable, or set XDG_STATE_HOME to one that is.",
            ) from error


def hash_folder(folder: Path) -> str:
    """Return a hash over the names, bytes and modes of all files below a folder; links count as
    their targets. Raises Unverifiable.
    """
    whole = hashlib.sha256()
    size = 0
    for number, (name, path) in enumerate(sorted(_walk(folder, "", frozenset()))):
        if number >= MAX_FILES:
            raise Unverifiable(f"holds more than {MAX_FILES:,} files")
        try:
            with open_regular(path) as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                digest = hashlib.sha256()
                while chunk := file.read(_CHUNK_BYTES):
                    size += len(chunk)
                    if size > MAX_BYTES:
                        raise Unverifiable(f"holds more than {MAX_BYTES // 1_000_000} MB")
                    digest.update(chunk)
        except OSError as error:
            reason = error.strerror or str(error)
            raise Unverifiable(f"holds {name}, which cannot be read ({reason})") from error
        whole.update(f"{name!a}\0{mode:o}\0{digest.hexdigest()}\0".encode())
    return f"sha256:{whole.hexdigest()}"


def _walk(folder: Path, below: str, parents: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files below a folder with their names."""
    place = os.path.realpath(folder)
    if place in parents:
        raise Unverifiable(f"holds {below}, a link to a folder that contains it")
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        raise Unverifiable(f"cannot be read ({error.strerror})") from error
    for entry in entries:
        name = f"{below}/{entry.name}".lstrip("/")
        if entry.is_dir():
            yield from _walk(Path(entry.path), name, parents | {place})
        elif entry.is_file():
            yield name, Path(entry.path)
        elif not entry.is_symlink():  # a broken link cannot be run
            raise Unverifiable(f"holds {name}, which is neither a file nor a folder")
