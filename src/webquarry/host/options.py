"""Options and environment of tools, and text of tools that is safe to show.

Options are in a TOML file next to the tool, such as `weather.toml` for `weather`: variables,
timeout and output limit. Variables can also be named in the setting WEBQUARRY_TOOL_VARIABLES. Tools
of others get the variables that all programs need and those that their options name; no key, no
setting and no proxy password of ours. Our own executables get everything.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from webquarry.credentials import open_regular
from webquarry.host.models import Executable
from webquarry.secret import Secret, redact
from webquarry.settings import Settings

SUFFIX = ".toml"
_MAX_FILE_BYTES = 65_536
_OWN_PREFIXES = ("WEBQUARRY_", "WEBSEARCH_")
_Variable = Annotated[str, Meta(pattern="^[A-Za-z_][A-Za-z0-9_]*$")]


class BadOptions(Exception):
    """The options of a tool cannot be used. The message continues the words "its weather.toml"."""


class _OptionsFile(msgspec.Struct, forbid_unknown_fields=True):
    variables: Annotated[list[_Variable], Meta(max_length=100)] = []
    timeout_seconds: Annotated[float, Meta(gt=0, le=3600)] | None = None
    max_output_bytes: Annotated[int, Meta(ge=1024, le=100_000_000)] | None = None


@dataclass(frozen=True)
class ToolOptions:
    """Options of one tool; the limits are those of a run."""

    timeout_seconds: float
    max_output_bytes: int
    variables: tuple[str, ...] = ()  # names of variables that are passed on


def find_options(executable: Executable, settings: Settings) -> ToolOptions:
    """Return the options of a tool. Raises BadOptions."""
    names = name_forms(executable.path)
    entries = [entry.partition("=") for entry in settings.tool_variables]
    by_user = [variable for name, _, variable in entries if name in names]
    file = _OptionsFile()
    if not executable.ours:
        file = _read_file(executable.path.with_name(executable.path.name + SUFFIX))
    for variable in file.variables:
        if variable not in by_user and is_own_variable(variable):
            raise BadOptions(
                f"names {variable}, which is webquarry's own; if the tool shall have it, set "
                f"WEBQUARRY_TOOL_VARIABLES={names[0]}={variable}"
            )
    return ToolOptions(
        file.timeout_seconds or settings.tool_timeout_seconds,
        file.max_output_bytes or settings.tool_max_output_bytes,
        tuple(dict.fromkeys([*file.variables, *by_user])),
    )


def name_forms(path: Path) -> list[str]:
    """Return the names that the tool of a file may have, first the name of the file."""
    bare = path.name
    for suffix in (".exe", ".py", ".sh", ".js", ".rb", ".pl"):
        bare = bare.removesuffix(suffix)
    forms = [path.name]
    for form in (bare, bare.removesuffix("-tool")):
        forms += [form, form.replace("-", "_")]
    return list(dict.fromkeys(forms))


def is_own_variable(name: str) -> bool:
    """Return whether a variable is a setting or a credential of webquarry, in any case."""
    upper = name.upper()
    return upper.startswith(_OWN_PREFIXES) or upper in _list_credentials()


def _read_file(path: Path) -> _OptionsFile:
    """Return the content of a file of options; the defaults without a file."""
    try:
        with open_regular(path) as opened:
            data = opened.read(_MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return _OptionsFile()
    except OSError as error:
        raise BadOptions(f"cannot be read ({error.strerror})") from error
    if len(data) > _MAX_FILE_BYTES:
        raise BadOptions(f"is longer than {_MAX_FILE_BYTES:,} bytes")
    try:
        return msgspec.convert(tomllib.loads(data.decode("utf-8")), _OptionsFile)
    except (ValueError, RecursionError) as error:
        reason = escape_unprintable(str(error)) or "nested too deep"
        raise BadOptions(f"is not usable: {reason}") from error


@cache
def _list_credentials() -> frozenset[str]:
    # Imported here because few tools name variables, and loading all providers takes long.
    from webquarry._search.patents.provider import PatentProvider
    from webquarry._search.provider import Provider
    from webquarry._search.scholarly.provider import Scholarly
    from webquarry.ask.keys import NAMES
    from webquarry.store.redis_config import REDIS_URL, STORE_KEY, USUAL_URL

    services = [*Provider.members(), *Scholarly.members(), *PatentProvider.members()]
    names = {credential.variable for service in services for credential in service.credentials}
    return frozenset({*names, *NAMES, REDIS_URL.variable, STORE_KEY.variable, USUAL_URL.variable})


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
_MIN_SECRET = 8  # shorter values of such names are mostly switches and paths


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
        if _SECRET_NAME.search(name) and len(value) >= _MIN_SECRET:
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
