"""Which project folders the user has trusted: by path, and by the content that they had then.

Tools in a project's folder are code of whoever wrote the project. They are run, `--schema`
included, only while the names and bytes of all files there are those that were trusted; any change
takes the trust away. What is run is a private copy of the bytes that were compared: whatever is put
in their place a moment later is not. What is remembered is one small file in the state folder, and
the copies lie beside it.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from webquarry.credentials import NOWHERE, find_home
from webquarry.errors import BadInput, WebquarryError
from webquarry.host.folders import Folder, executables_in
from webquarry.host.trust.contents import CannotVouch, copy_folder, hash_folder
from webquarry.store.folder import write_private

log = logging.getLogger(__name__)

Verdict = Literal["trusted", "unknown", "changed", "unknowable"]

# Whatever a damaged file can raise
_UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Judged:
    """What is thought of a folder: why its tools are not run, or the copy of which they are."""

    verdict: Verdict
    reason: str = ""
    copy: Path | None = None

    @property
    def distrust(self) -> str:
        """Why the tools of the folder are not run, and what to do; empty when they may be."""
        if self.verdict == "trusted":
            return ""
        look = "look at it"
        if self.verdict == "changed":
            look = "look at it again"
        return f"{self.reason}; {look} and run: webquarry tools trust"


_CHANGED = Judged("changed", "its folder has changed since it was trusted")


@dataclass(frozen=True)
class TrustStore:
    """The remembered folders, in one file."""

    file: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> TrustStore:
        """The user's own store."""
        state = Path(environ.get("XDG_STATE_HOME") or "")
        if not state.is_absolute():  # the XDG rules ignore relative paths
            home = find_home(environ) or NOWHERE
            state = home / ".local" / "state"
        return cls(state / "webquarry" / "trusted-tools.json")

    def judge(self, folder: Path) -> Judged:
        """Is this folder trusted as it is right now? One that is comes with its private copy."""
        remembered = self._read().get(str(folder.resolve()))
        if remembered is None:
            return Judged("unknown", "its folder is not trusted")
        try:
            if remembered != hash_folder(folder):
                return _CHANGED
            copy = self._find_copy(remembered) or self._make_copy(folder, remembered)
        except CannotVouch as problem:
            return Judged("unknowable", f"its folder {problem}, so nobody can vouch for it")
        except OSError as error:
            words = error.strerror or type(error).__name__
            place = self.file.parent
            return Judged("unknowable", f"its folder cannot be copied to {place} ({words})")
        if copy is None:  # it changed between looking and copying
            return _CHANGED
        return Judged("trusted", copy=copy)

    def trust(self, folder: Path) -> str:
        """Remember the folder with its present content; gives the digest."""
        folders = self._read()
        try:
            content = hash_folder(folder)
        except CannotVouch as problem:
            raise BadInput(
                f"The folder {folder} {problem}, so nobody can vouch for what it runs.",
                suggested_action="Keep only what the tools need in it, and trust it again.",
            ) from None
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

    @property
    def _copies(self) -> Path:
        return self.file.with_name("trusted-copies")

    def _find_copy(self, content: str) -> Path | None:
        """The copy that is there, if nothing in it has changed since it was made."""
        copy = self._copies / content.partition(":")[2]
        if not copy.is_dir():
            return None
        with suppress(CannotVouch):
            if hash_folder(copy) == content:
                return copy
        shutil.rmtree(copy, ignore_errors=True)
        return None

    def _make_copy(self, folder: Path, content: str) -> Path | None:
        """A copy of the folder, if what was copied is what was trusted."""
        self._copies.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._forget_copies()
        with tempfile.TemporaryDirectory(dir=self._copies, prefix=".new-") as scratch:
            made = Path(scratch) / "tools"
            if copy_folder(folder, made) != content:
                return None
            copy = self._copies / content.partition(":")[2]
            with suppress(OSError):  # somebody else has just made the same
                made.rename(copy)
        return copy

    def _forget_copies(self) -> None:
        """Remove the copies of what is trusted no more."""
        needed = {content.partition(":")[2] for content in self._read().values()}
        for copy in self._copies.iterdir():
            if copy.name not in needed and not copy.name.startswith("."):
                shutil.rmtree(copy, ignore_errors=True)

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
            write_private(self.file, text.encode())
        except OSError as error:
            raise WebquarryError(
                f"The list of trusted folders {self.file} cannot be written: {error.strerror}.",
                suggested_action="Make its folder writable, or set XDG_STATE_HOME to one that is.",
            ) from error


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
