"""What a tool gets of its own: the variables, the time and the output limit that are named for it.

An executable and the settings go in, `ToolOptions` come out. The file `weather.toml` beside the
tool `weather` is its author's; the settings WEBQUARRY_TOOL_VARIABLES, WEBQUARRY_TOOL_TIMEOUTS and
WEBQUARRY_TOOL_OUTPUT_LIMITS are the user's, and count for more. Of a project's tool the file is
read from the private copy, so that the trust in the folder covers it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webquarry.host.environment import escape_unprintable
from webquarry.host.models import Executable
from webquarry.host.options.own_variables import is_own_variable
from webquarry.host.options.regular_file import read_regular
from webquarry.settings import Settings

SUFFIX = ".toml"
_KEYS = ("variables", "timeout_seconds", "max_output_bytes")
_MOST_FILE_BYTES = 65_536
_MOST_VARIABLES = 100
_MOST_SECONDS = 3600
_LEAST_OUTPUT_BYTES = 1024
_MOST_OUTPUT_BYTES = 100_000_000
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class BadOptions(Exception):
    """The file beside a tool cannot be used; the message goes on from "its weather.toml"."""


@dataclass(frozen=True)
class ToolOptions:
    """What one tool gets; the limits are those of its runs."""

    timeout_seconds: float
    max_output_bytes: int
    variables: tuple[str, ...] = ()  # names, of which those that are set are handed on


def find_options(executable: Executable, settings: Settings) -> ToolOptions:
    """What this tool gets; `BadOptions` when the file beside it cannot be used."""
    seconds: float = settings.tool_timeout_seconds
    size = settings.tool_max_output_bytes
    names = name_forms(executable.path)
    by_user = tuple(_entries_for(names, settings.tool_variables))
    by_author: tuple[str, ...] = ()
    if not executable.ours:
        said = _read_file(executable.program.with_name(executable.program.name + SUFFIX))
        by_author = _read_variables(said, by_user, names[0])
        seconds = _read_number(said, "timeout_seconds", 0, _MOST_SECONDS, seconds)
        least, most = _LEAST_OUTPUT_BYTES, _MOST_OUTPUT_BYTES
        size = int(_read_number(said, "max_output_bytes", least, most, size))
    for text in _entries_for(names, settings.tool_timeouts):
        seconds = float(text)
    for text in _entries_for(names, settings.tool_output_limits):
        size = max(int(text), _LEAST_OUTPUT_BYTES)
    variables = tuple(dict.fromkeys((*by_author, *by_user)))
    return ToolOptions(seconds, size, variables)


def name_forms(path: Path) -> list[str]:
    """The names that a tool may have by its file: the file's own first, then those that a tool of
    this file would have by the conventions.
    """
    forms = [path.name]
    bare = path.name
    for suffix in (".exe", ".py", ".sh", ".js", ".rb", ".pl"):
        bare = bare.removesuffix(suffix)
    for form in (bare, bare.removesuffix("-tool")):
        forms += [form, form.replace("-", "_")]
    return list(dict.fromkeys(forms))


def _entries_for(names: list[str], entries: list[str]) -> Iterator[str]:
    """The values that entries such as weather=120 give to a tool of these names."""
    for entry in entries:
        name, _, value = entry.partition("=")
        if name in names:
            yield value


def _read_file(path: Path) -> dict[str, Any]:
    """What the file says; nothing when there is none."""
    try:
        data = read_regular(path, _MOST_FILE_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadOptions(f"cannot be read ({error.strerror})") from error
    if len(data) > _MOST_FILE_BYTES:
        raise BadOptions(f"is longer than {_MOST_FILE_BYTES:,} bytes")
    try:
        said = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        reason = escape_unprintable(str(error)) or "nested too deep"
        raise BadOptions(f"is not TOML: {reason}") from error
    for key in said:
        if key not in _KEYS:
            shown = escape_unprintable(key)
            raise BadOptions(f"has the unknown key {shown!r}; known are: {', '.join(_KEYS)}")
    return said


def _read_variables(said: dict[str, Any], by_user: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The variables that the author names. A key of ours is handed on only if the user says so,
    too.
    """
    variables = said.get("variables", [])
    if not isinstance(variables, list) or len(variables) > _MOST_VARIABLES:
        raise BadOptions(f"must have at most {_MOST_VARIABLES} names in a list as `variables`")
    for variable in variables:
        if not isinstance(variable, str) or not _VARIABLE.fullmatch(variable):
            shown = escape_unprintable(repr(variable)[:60])
            raise BadOptions(f"names {shown}, which is no name of a variable")
        if variable not in by_user and is_own_variable(variable):
            raise BadOptions(
                f"names {variable}, which is webquarry's own; if the tool shall have it, set "
                f"WEBQUARRY_TOOL_VARIABLES={name}={variable}"
            )
    return tuple(variables)


def _read_number(
    said: dict[str, Any], key: str, least: float, most: float, otherwise: float
) -> float:
    value = said.get(key, otherwise)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if key in said and not (is_number and value > 0 and least <= value <= most):
        shown = escape_unprintable(repr(value)[:60])
        above = "above 0" if least == 0 else f"of at least {least:,}"
        raise BadOptions(f"must have a number {above} and at most {most:,} as `{key}`, not {shown}")
    return float(value)
