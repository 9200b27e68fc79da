"""The environment of tools, and text of tools that is safe to show.

Tools of others get the variables that all programs need and those that their options name; no key,
no setting and no proxy password of ours. Our own executables get everything.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from webquarry.host.models import Executable
from webquarry.secret import Secret, redact

# Full names, no prefixes: LC_API_KEY is no locale.
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
_PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY"})
_USERINFO = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*://)?.*@")
_ANSWER_BYTES = 4096  # for the fields of an answer besides its text
_JSON_GROWTH = 2  # quotation marks and line ends have two characters in JSON
_SECRET_NAME = re.compile(r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$")
_SHORTEST_SECRET = 8  # shorter values of such names are mostly switches and paths


def environment_for(
    executable: Executable, environ: Mapping[str, str], variables: Container[str] = ()
) -> dict[str, str]:
    """Return the environment of an executable; `variables` are the names in its options."""
    if executable.ours:
        return dict(environ)
    passed = {}
    for name, value in environ.items():
        if name in variables or name.upper() in _PASSED:
            passed[name] = value
        elif name.upper() in _PROXIES:
            passed[name] = _USERINFO.sub(r"\1", value)
    if executable.origin == "project":
        passed["WEBQUARRY_TOOL_FOLDER"] = str(executable.path.parent)
        passed["PYTHONDONTWRITEBYTECODE"] = "1"  # a new file would end the trust in the folder
    return passed


def add_limits(environment: dict[str, str], most_bytes: int, fetch_bytes: int) -> None:
    """Add how much a tool may print, and how much Markdown our web_fetch may return so that it
    fits; `fetch_bytes` is the limit of the user, 0 for none.
    """
    environment["WEBQUARRY_TOOL_MAX_OUTPUT_BYTES"] = str(most_bytes)
    room = min(_ANSWER_BYTES, most_bytes // 2)
    fitting = (most_bytes - room) // _JSON_GROWTH
    environment["WEBQUARRY_FETCH_MAX_BYTES"] = str(min(fitting, fetch_bytes or fitting))


def remember_secrets(environ: Mapping[str, str]) -> None:
    """Register the secrets of this environment for `redact`: our executables may print them."""
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET:
            Secret(value)


def escape_unprintable(text: str) -> str:
    """Return the text in one line, with unprintable characters as escapes."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def quote_output(data: bytes, length: int = 80) -> str:
    """Return the start of an output in quotation marks, safe to show."""
    text = redact(data.decode("utf-8", "replace")).strip()
    rest = "…" if len(text) > length else ""
    return f'"{escape_unprintable(text[:length])}{rest}"'


def last_line(data: bytes, length: int = 200) -> str:
    """Return the last line that is not blank; empty if there is none."""
    text = redact(data.decode("utf-8", "replace"))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return escape_unprintable(lines[-1][:length]) if lines else ""
