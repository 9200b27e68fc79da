"""Which files may be tools: those of the system, user and project folders, in that order.

The system folder is by default that of our own scripts, and there only the executables that this
package installed under a name ending in -tool: pip and python live in the same place and are never
run.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from webquarry.host.models import Executable, Origin
from webquarry.settings import Settings


@dataclass(frozen=True)
class Folder:
    """A tool folder; one whose `names` are given holds other things too, which are left alone."""

    path: Path
    origin: Origin
    names: tuple[str, ...] | None = None


def tool_folders(settings: Settings, environ: Mapping[str, str]) -> list[Folder]:
    """The folders to look into, each once: in your home directory the project's folder is your own."""
    if settings.system_tools is None:
        system = _scripts()
    else:
        system = expand(settings.system_tools, environ)
    mixed = system.resolve() == _scripts().resolve()
    folders = [
        Folder(system, "system", _own_names() if mixed else None),
        Folder(expand(settings.user_tools, environ), "user"),
        Folder(expand(settings.project_tools, environ), "project"),
    ]
    once: dict[Path, Folder] = {}
    for folder in folders:
        once.setdefault(folder.path.resolve(), folder)
    return list(once.values())


def needs_trust(folder: Path, settings: Settings, environ: Mapping[str, str]) -> bool:
    """Is this a project's tool folder, of this project or by its name of another?"""
    known = {one.path.resolve(): one.origin for one in tool_folders(settings, environ)}
    origin = known.get(folder.resolve())
    tail = settings.project_tools.parts
    named = (
        not settings.project_tools.is_absolute() and folder.resolve().parts[-len(tail) :] == tail
    )
    return origin == "project" or (origin is None and named)


def expand(path: Path, environ: Mapping[str, str]) -> Path:
    """The absolute path; `~` is the HOME of this environment."""
    if path.parts[:1] == ("~",):
        path = Path(environ.get("HOME") or Path.home(), *path.parts[1:])
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links, and they are shown to people


def executables_in(folder: Folder) -> tuple[list[Executable], dict[Path, str]]:
    """The files to ask, and those that need no asking with the reason why not; hidden files are
    nobody's tools.
    """
    try:
        present = sorted(
            entry.name for entry in os.scandir(folder.path) if not entry.name.startswith(".")
        )
    except OSError:
        return [], {}
    if folder.names is None:
        names = present
    else:
        names = sorted(folder.names)
    found: list[Executable] = []
    refused: dict[Path, str] = {}
    for name in names:
        executable = Executable(folder.path / name, folder.origin, is_ours(folder.path / name))
        reason = not_runnable(executable.path)
        if reason:
            refused[executable.path] = reason
        else:
            found.append(executable)
    return found, refused


def is_ours(path: Path) -> bool:
    """Is this one of the executables that this package installed?"""
    return path.name in _own_names() and path.parent.resolve() == _scripts().resolve()


def not_runnable(path: Path) -> str:
    """Why this file cannot be a program; empty when it may be one."""
    if not os.path.lexists(path):
        return "it is missing"
    if not path.exists():
        return "it is a link to a file that does not exist"
    if path.is_dir():
        return "it is a directory"
    if not path.is_file():
        return "it is not a regular file"
    if not os.access(path, os.X_OK):
        return "it is not executable"
    return ""


def _scripts() -> Path:
    return Path(sysconfig.get_path("scripts"))


@cache
def _own_names() -> tuple[str, ...]:
    try:
        points = distribution("webquarry").entry_points.select(group="console_scripts")
    except PackageNotFoundError:
        return ()
    suffix = ".exe" if sys.platform == "win32" else ""
    return tuple(sorted({point.name + suffix for point in points if point.name.endswith("-tool")}))
