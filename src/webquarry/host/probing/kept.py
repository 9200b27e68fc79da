"""What tools have said of themselves, kept for a day: by path, time and content.

An executable goes in, what it answered when it was last asked comes out, or None when it has to be
asked. An answer counts as long as nothing has changed that it may hang on: the path, the time and
the bytes of the file, the files beside it that are no programs, and the PATH by which interpreters
are found. A failure is kept too, but only to be told: it may have come from a busy machine or a
missing library, so that the tool is asked again whenever it is wanted. One small file for each tool
in the cache folder; one that is damaged, or cannot be read or written, is as good as none.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from webquarry.host.models import Executable
from webquarry.host.options.regular_file import read_regular
from webquarry.settings import Settings
from webquarry.store.folder import find_folder, write_private

log = logging.getLogger(__name__)

KEPT_SECONDS = 86_400.0
_VERSION = 1
_MOST_PROGRAM_BYTES = 64_000_000  # to read a larger one takes longer than to ask it
_MOST_KEPT_BYTES = 16_000_000  # a tool that says more is asked each time
_PIECE_BYTES = 1_000_000
# Whatever a damaged file can raise
_UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Fingerprint:
    """All that a tool's description may hang on, as far as it can be seen from outside."""

    path: str
    time: int  # of the last change, in nanoseconds
    content: str  # hash of the file
    around: str  # hash of what lies beside it, and of the PATH


@dataclass(frozen=True)
class KeptDescription:
    """What a tool answered: the description that it printed, or why it has none."""

    output: bytes = b""
    reason: str = ""


class KeptDescriptions:
    """The answers that are kept, for one search for tools; with no folder, none are."""

    def __init__(self, folder: Path | None, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._search_path = environ.get("PATH", "")
        self._around: dict[Path, str] = {}  # by folder

    @classmethod
    def of(cls, settings: Settings, environ: Mapping[str, str]) -> KeptDescriptions:
        """The user's own."""
        cache = None
        if settings.cache:
            cache = find_folder(settings.cache_folder, environ, "XDG_CACHE_HOME", ".cache")
        if cache is None:
            return cls(None, environ)
        return cls(cache / "tool-schemas", environ)

    def identify(self, executable: Executable) -> Fingerprint | None:
        """What the executable is right now; None when nothing shall be kept of it."""
        if self._folder is None or executable.ours:  # ours are quick, and change with the package
            return None
        try:
            with executable.program.open("rb") as file:
                status = os.fstat(file.fileno())
                if status.st_size > _MOST_PROGRAM_BYTES:
                    return None
                digest = hashlib.sha256()
                while piece := file.read(_PIECE_BYTES):
                    digest.update(piece)
            around = self._hash_around(executable.program.parent)
            changed = executable.path.stat().st_mtime_ns  # a copy has that of its making
        except OSError:
            return None
        return Fingerprint(str(executable.path), changed, digest.hexdigest(), around)

    def load(self, fingerprint: Fingerprint | None) -> KeptDescription | None:
        """What the tool answered when it was the same."""
        file = self._find_file(fingerprint)
        if fingerprint is None or file is None:
            return None
        try:
            kept = json.loads(read_regular(file, _MOST_KEPT_BYTES))
            age = time.time() - kept["asked"]
            is_current = kept["version"] == _VERSION and 0 <= age <= KEPT_SECONDS
            if not is_current or kept["tool"] != asdict(fingerprint):
                return None
            return KeptDescription(kept["output"].encode(), str(kept["reason"]))
        except FileNotFoundError:
            return None
        except _UNREADABLE as error:
            log.debug("what is kept of %s cannot be read: %s", fingerprint.path, error)
            return None

    def save(self, fingerprint: Fingerprint | None, answer: KeptDescription) -> None:
        """Keep what the tool answered; where that cannot be done, it will be asked again."""
        file = self._find_file(fingerprint)
        if fingerprint is None or file is None:
            return
        try:
            content = {
                "version": _VERSION,
                "tool": asdict(fingerprint),
                "asked": time.time(),
                "output": answer.output.decode("utf-8"),
                "reason": answer.reason,
            }
            text = json.dumps(content)
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(file, text.encode("ascii"))
            _remove_old(file.parent)
        except (OSError, ValueError) as error:
            log.debug("what %s answered cannot be kept: %s", fingerprint.path, error)

    def _find_file(self, fingerprint: Fingerprint | None) -> Path | None:
        if self._folder is None or fingerprint is None:
            return None
        name = hashlib.sha256(os.fsencode(fingerprint.path)).hexdigest()
        return self._folder / f"{name}.json"

    def _hash_around(self, folder: Path) -> str:
        """One hash over the files of a folder that are no programs, and the PATH. Of a copy of a
        trusted folder the name tells all of its content.
        """
        if folder not in self._around:
            parts = [self._search_path, folder.name]
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
                with suppress(OSError):  # a link to nothing, or one that is just being removed
                    status = entry.stat()
                    is_program = status.st_mode & stat.S_IXUSR
                    if stat.S_ISREG(status.st_mode) and not is_program:
                        parts.append(f"{entry.name!a} {status.st_size} {status.st_mtime_ns}")
            text = "\0".join(parts)
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
            self._around[folder] = digest.hexdigest()
        return self._around[folder]


def _remove_old(folder: Path) -> None:
    """Remove what is too old to be used, such as the answers of tools that are gone."""
    oldest = time.time() - KEPT_SECONDS
    for entry in os.scandir(folder):
        with suppress(OSError):
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                Path(entry.path).unlink()
