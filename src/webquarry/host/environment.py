"""What a tool sees of our environment, and what of a tool's words may be shown.

A tool of somebody else gets the few variables that any program needs and none of ours: no key, no
setting, no proxy password. Our own executables look for credentials themselves, so they get
everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from webquarry.host.models import Executable
from webquarry.secret import Secret, redact

# By name, not by prefix: LC_API_KEY is nobody's locale.
_PASSED = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR", "LANG", "LANGUAGE",
    "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT",
    "LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE",
    "USERNAME", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
})  # fmt: skip
# Where a project's tool lies, of which a copy is run.
_FOLDER_VARIABLE = "WEBQUARRY_TOOL_FOLDER"
_SECRET_NAME = re.compile(r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")
_SHORTEST_SECRET = 8  # shorter values under such names are mostly switches and paths


def environment_for(executable: Executable, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that this executable is started with."""
    if executable.ours:
        return dict(environ)
    passed = {}
    for name, value in environ.items():
        if name.upper() in _PASSED:
            passed[name] = value
    if executable.copy is not None:
        passed[_FOLDER_VARIABLE] = str(executable.path.parent)
        passed["PYTHONDONTWRITEBYTECODE"] = "1"  # or the copy would not stay what it is
    return passed


def remember_secrets(environ: Mapping[str, str]) -> None:
    """Make `redact` know the secrets of this environment: our own executables see them, and might
    repeat them.
    """
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET:
            Secret(value)


def escape_unprintable(text: str) -> str:
    """The text on one line, with whatever a terminal would obey, or UTF-8 cannot hold, written as
    an escape.
    """
    if text.isprintable():
        return text
    shown = []
    for char in text:
        if not char.isprintable():
            char = char.encode("unicode_escape").decode()
        shown.append(char)
    return "".join(shown)


def quote_output(data: bytes, length: int = 80) -> str:
    """The first bytes of an output, safe to show."""
    text = redact(data.decode("utf-8", "replace")).strip()
    beginning = escape_unprintable(text[:length])
    if len(text) > length:
        beginning += "…"
    return f'"{beginning}"'


def last_line(data: bytes, length: int = 200) -> str:
    """The last line that says something, as a program's parting words; empty when there is none."""
    text = redact(data.decode("utf-8", "replace"))
    for line in reversed(text.splitlines()):
        words = line.strip()
        if words:
            return escape_unprintable(words[:length])
    return ""
