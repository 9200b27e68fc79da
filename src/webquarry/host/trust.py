"""Which project folders the user has trusted: by path, and by the content that they had then.

Tools in a project's folder are code of whoever wrote the project. They are run, `--schema`
included, only while the names and bytes of all executables there are those that were trusted; any
change takes the trust away. What is remembered is one small file in the state folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webquarry.errors import BadInput, WebquarryError
from webquarry.host.folders import Folder, executables_in

log = logging.getLogger(__name__)

Verdict = Literal["trusted", "unknown", "changed"]

# Whatever a damaged file can raise
_UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class TrustStore:
    """The remembered folders, in one file."""

    file: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> TrustStore:
        """The user's own store."""
        state = Path(environ.get("XDG_STATE_HOME") or "")
        if not state.is_absolute():  # the XDG rules ignore relative paths
            home = Path(environ.get("HOME") or Path.home())
            state = home / ".local" / "state"
        return cls(state / "webquarry" / "trusted-tools.json")

    def judge(self, folder: Path) -> Verdict:
        """Is this folder trusted as it is right now?"""
        remembered = self._read().get(str(folder.resolve()))
        if remembered is None:
            return "unknown"
        if remembered == hash_folder(folder):
            return "trusted"
        return "changed"

    def trust(self, folder: Path) -> str:
        """Remember the folder with its present content; gives the digest."""
        folders = self._read()
        content = hash_folder(folder)
        folders[str(folder.resolve())] = content
        self._write(folders)
        return content

    def forget(self, folder: Path) -> bool:
        """Trust the folder no more; says whether it was remembered."""
        folders = self._read()
        was_known = folders.pop(str(folder.resolve()), None) is not None
        if was_known:
            self._write(folders)
        return was_known

    def _read(self) -> dict[str, str]:
        try:
            folders = json.loads(self.file.read_bytes())["folders"]
            return {str(path): str(value) for path, value in folders.items()}
        except FileNotFoundError:
            return {}
        except _UNREADABLE as error:
            log.warning(
                "the list of trusted folders %s cannot be read (%s); none is trusted",
                self.file,
                type(error).__name__,
            )
            return {}

    def _write(self, folders: dict[str, str]) -> None:
        """All or nothing, readable by the user alone."""
        content = {"version": 1, "folders": folders}
        text = json.dumps(content, indent=2, sort_keys=True) + "\n"
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # made with mode 0600
            handle, name = tempfile.mkstemp(dir=self.file.parent, prefix=".trusted-tools-")
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self.file)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise WebquarryError(
                f"The list of trusted folders {self.file} cannot be written: {error.strerror}.",
                suggested_action="Make its folder writable, or set XDG_STATE_HOME to one that is.",
            ) from error


def hash_folder(folder: Path) -> str:
    """One hash over the names and bytes of all executables; a link counts as what it leads to."""
    whole = hashlib.sha256()
    executables, _ = executables_in(Folder(folder, "project"))
    for executable in executables:
        try:
            with executable.path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
        # it may be executable without being readable, or just gone: then nobody can vouch for it
        except OSError as error:
            never_the_same = os.urandom(8).hex()
            content = f"unreadable:{type(error).__name__}:{never_the_same}"
        whole.update(f"{executable.path.name!a}\0{content}\0".encode())
    return f"sha256:{whole.hexdigest()}"


def folder_to_trust(path: Path, project_tools: Path) -> Path:
    """The tool folder that a person means: that of the project at `path`, or `path` itself."""
    inside = path / project_tools
    folder = inside if inside.is_dir() else path
    if not executables_in(Folder(folder, "project"))[0]:
        raise BadInput(
            f"There is no executable to trust in {folder}.",
            suggested_action=f"Name a project that has tools in {project_tools}, or the tool "
            "folder itself.",
        )
    return folder
