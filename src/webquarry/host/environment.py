"""What a tool sees of our environment, and what of a tool's words may be shown.

A tool of somebody else gets the few variables that any program needs, those that are named for it
(`options/`), and none of ours: no key, no setting, no proxy password. Our own executables look for
credentials themselves, so they get everything. At a run, each is told how much it may print.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

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
    "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
    "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "NO_PROXY",
})  # fmt: skip
# These may hold a name and a password, which are ours.
_PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY"})
_USERINFO = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)?.*@")  # up to the last, whatever it holds
# Where a project's tool lies, of which a copy is run.
_FOLDER_VARIABLE = "WEBQUARRY_TOOL_FOLDER"
# How much a tool may print, and how much Markdown our own web_fetch may then put into its answer.
_OUTPUT_VARIABLE = "WEBQUARRY_TOOL_MAX_OUTPUT_BYTES"
_FETCH_VARIABLE = "WEBQUARRY_FETCH_MAX_BYTES"
_ANSWER_BYTES = 4096  # for the rest of an answer: the other fields, and what was lost
_JSON_GROWTH = 2  # a quotation mark or an end of line has two characters in JSON
_SECRET_NAME = re.compile(r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")
_SHORTEST_SECRET = 8  # shorter values under such names are mostly switches and paths


def environment_for(
    executable: Executable, environ: Mapping[str, str], variables: Container[str] = ()
) -> dict[str, str]:
    """The environment that this executable is started with; `variables` are named for it."""
    if executable.ours:
        return dict(environ)
    passed = {}
    for name, value in environ.items():
        if name in variables or name.upper() in _PASSED:
            passed[name] = value
        elif name.upper() in _PROXIES:
            passed[name] = _USERINFO.sub(r"\1", value)
    if executable.copy is not None:
        passed[_FOLDER_VARIABLE] = str(executable.path.parent)
        passed["PYTHONDONTWRITEBYTECODE"] = "1"  # or the copy would not stay what it is
    return passed


def tell_limit(environment: dict[str, str], most_bytes: int, fetch_bytes: int) -> None:
    """Tell a tool in its environment how much it may print; `fetch_bytes` is what the user allows
    web_fetch, 0 for any size.
    """
    environment[_OUTPUT_VARIABLE] = str(most_bytes)
    room = min(_ANSWER_BYTES, most_bytes // 2)
    fitting = (most_bytes - room) // _JSON_GROWTH
    environment[_FETCH_VARIABLE] = str(min(fitting, fetch_bytes or fitting))


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
