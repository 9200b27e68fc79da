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

from webquarry.credentials import NOWHERE, find_home
from webquarry.host.models import Executable, Origin
from webquarry.settings import Settings


@dataclass(frozen=True)
class Folder:
    """A tool folder; one whose `names` are given holds other things too, which are left alone."""

    path: Path
    origin: Origin
    names: tuple[str, ...] | None = None


def tool_folders(settings: Settings, environ: Mapping[str, str]) -> list[Folder]:
    """The folders to look into, each once: in your home directory the project's folder is your
    own.
    """
    system = find_scripts()
    if settings.system_tools is not None:
        system = expand(settings.system_tools, environ)
    names = None
    if system.resolve() == find_scripts().resolve():
        names = list_own_names()  # others' programs lie there, too
    folders = [
        Folder(system, "system", names),
        Folder(expand(settings.user_tools, environ), "user"),
        Folder(expand(settings.project_tools, environ), "project"),
    ]
    by_path: dict[Path, Folder] = {}
    for folder in folders:
        by_path.setdefault(folder.path.resolve(), folder)
    return list(by_path.values())


def needs_trust(folder: Path, settings: Settings, environ: Mapping[str, str]) -> bool:
    """Is this a project's tool folder, of this project or by its name of another?"""
    place = folder.resolve()
    for known in tool_folders(settings, environ):
        if known.path.resolve() == place:
            return known.origin == "project"
    if settings.project_tools.is_absolute():
        return False
    name = settings.project_tools.parts
    return place.parts[-len(name) :] == name


def expand(path: Path, environ: Mapping[str, str]) -> Path:
    """The absolute path; `~` is the HOME of this environment. Without a home, or in a folder that
    was deleted, it is one where nothing can be.
    """
    if path.parts[:1] == ("~",):
        home = find_home(environ) or NOWHERE
        path = home.joinpath(*path.parts[1:])
    try:
        # resolve() would follow links, and they are shown to people
        return Path(os.path.abspath(path))  # noqa: PTH100
    except FileNotFoundError:
        return NOWHERE / path


def executables_in(folder: Folder) -> tuple[list[Executable], dict[Path, str]]:
    """The files to ask, and those that need no asking with the reason why not; hidden files are
    nobody's tools, and weather.toml belongs to the tool weather.
    """
    try:
        names = [entry.name for entry in os.scandir(folder.path)]
    except OSError:
        return [], {}
    if folder.names is not None:
        names = list(folder.names)
    executables: list[Executable] = []
    refused: dict[Path, str] = {}
    for name in sorted(names):
        if name.startswith("."):
            continue
        path = folder.path / name
        if path.suffix == ".toml" and path.stem in names:
            continue
        reason = explain_not_runnable(path)
        if reason:
            refused[path] = reason
        else:
            executable = Executable(path, folder.origin, is_ours(path))
            executables.append(executable)
    return executables, refused


def is_ours(path: Path) -> bool:
    """Is this one of the executables that this package installed?"""
    if path.name not in list_own_names():
        return False
    return path.parent.resolve() == find_scripts().resolve()


def explain_not_runnable(path: Path) -> str:
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


def find_scripts() -> Path:
    """The folder in which this Python puts the scripts of packages."""
    return Path(sysconfig.get_path("scripts"))


@cache
def list_own_names() -> tuple[str, ...]:
    """The names under which this package installed its executables."""
    try:
        points = distribution("webquarry").entry_points.select(group="console_scripts")
    except PackageNotFoundError:
        return ()
    suffix = ".exe" if sys.platform == "win32" else ""
    names: set[str] = set()
    for point in points:
        if point.name.endswith("-tool"):
            names.add(point.name + suffix)
    return tuple(sorted(names))
