"""Which browser there is: a headless shell or a Chromium of the system; none is ever downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webquarry.settings import Settings

INSTALL_ADVICE = (
    "Install Chromium (Debian and Ubuntu: apt install chromium-headless-shell, else chromium; "
    "or name one in WEBQUARRY_BROWSER)"
)
_SHELL_NAMES = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
_FULL_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# A system's command is often a script that starts the program and stays.
_LIBRARY_FOLDERS = (
    "/usr/lib/chromium",
    "/usr/lib64/chromium",
    "/usr/lib/chromium-browser",
    "/opt/google/chrome",
)
_PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Program:
    """A browser that can be started."""

    path: str
    is_shell: bool  # made to be used without a screen: half the memory, and it starts sooner


def find_program(settings: Settings, environ: Mapping[str, str] | None = None) -> Program | None:
    """The browser that the settings name, else the best that is installed; None without any."""
    if settings.browser is not None:
        path = shutil.which(settings.browser)
        if path is None:
            return None
        return _build_program(path)
    search_path = (environ or os.environ).get("PATH")
    for name in (*_SHELL_NAMES, *_FULL_NAMES):
        path = shutil.which(name, path=search_path)
        if path is not None:
            return _build_program(path)
    for place in _PLACES:
        if os.access(place, os.X_OK):
            return _build_program(place)
    return None


def _build_program(path: str) -> Program:
    """The program itself, where the command is a script around it."""
    command = Path(path)
    is_shell = command.name in _SHELL_NAMES
    with command.open("rb") as file:
        is_program = file.read(4) == _ELF
    if is_program:
        return Program(path, is_shell)
    for folder in _LIBRARY_FOLDERS:
        inner = Path(folder) / command.name
        if os.access(inner, os.X_OK):
            return Program(str(inner), is_shell)
    return Program(path, is_shell)
