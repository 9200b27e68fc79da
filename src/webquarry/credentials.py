"""Where credentials come from: one module that knows all the places.

A credential is looked for in the environment, then in the folder of the tool family it came from,
then in ours:

    BRAVE_API_KEY  ->  ~/.config/ikigai/brave-api-key  ->  ~/.config/webquarry/brave-api-key

Values are `Secret`s from the moment they are read. Files looser than mode 0600 earn a warning,
never a refusal. Only plain files are read: a pipe or a device could hold us up for ever. A user
without a home has no files, and the environment alone counts.
"""

from __future__ import annotations

import codecs
import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webquarry.errors import AuthFailure
from webquarry.secret import Secret

log = logging.getLogger(__name__)

NOWHERE = Path(os.devnull)  # a folder in which nothing can be, for users without a home
_WARNED: set[Path] = set()  # credential files that others can read
_LARGEST_FILE = 64 * 1024  # bytes; a key has some dozens
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # which editors put first, as a byte order mark


@dataclass(frozen=True)
class Credential:
    """What a provider needs: its environment variable and the name of its file. Not every one is
    secret (an engine id).
    """

    variable: str
    file: str
    secret: bool = True


@dataclass(frozen=True)
class FoundCredential:
    """A credential that was found, and where."""

    value: Secret
    source: str


def find_home(environ: Mapping[str, str]) -> Path | None:
    """The home folder of this environment, or else of this user; None when there is neither, as in
    a container that runs under a number.
    """
    try:
        return Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        return None


def expand_home(path: Path) -> Path:
    """A path of the user's with `~` as the home folder; without one, a path where nothing can
    be.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        return NOWHERE / path


def folders(environ: Mapping[str, str]) -> list[Path]:
    """The folders that may hold credential files, in the order they are tried."""
    home = find_home(environ) or NOWHERE
    usual = home / ".config"
    chosen = Path(environ.get("XDG_CONFIG_HOME") or usual)
    order = [usual / "ikigai", chosen / "webquarry", usual / "webquarry"]
    return list(dict.fromkeys(order))


def find(
    credential: Credential, environ: Mapping[str, str] | None = None
) -> FoundCredential | None:
    """The first place that holds a value, or None."""
    environ = os.environ if environ is None else environ
    value = _strip(environ.get(credential.variable, ""))
    if value:
        secret = _check_value(value, credential.variable)
        return FoundCredential(secret, f"environment variable {credential.variable}")
    for folder in folders(environ):
        path = folder / credential.file
        found = find_in_file(path, str(path))
        if found is not None:
            return found
    return None


def find_in_file(path: Path, source: str) -> FoundCredential | None:
    """Return the value of a credential file; None if there is none. `source` names the file."""
    try:
        value = read_key_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        log.warning(
            "the credential file %s cannot be read (%s); it is passed over",
            source,
            explain_unreadable(error),
        )
        return None
    if not value:
        return None
    _warn_if_open(path)
    return FoundCredential(_check_value(value, source), source)


def read_key_file(path: Path) -> str:
    """What a file holds, without the white space around it and without a byte order mark; OSError
    or ValueError for what cannot be read, or is no plain file.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is no plain file")
    # A pipe that took its place meanwhile must not hold us up either.
    with open(path, "rb", opener=_open_without_waiting) as file:
        content = file.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise ValueError(f"it is larger than {_LARGEST_FILE} bytes")
    encoding = "utf-8"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as some shells write
        encoding = "utf-16"
    return _strip(content.decode(encoding))


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def explain_unreadable(error: OSError | ValueError) -> str:
    """Why a key file cannot be read, without anything of what it holds."""
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return str(error)
    return type(error).__name__


def _strip(value: str) -> str:
    """The value without what people and editors put around it."""
    return value.strip().removeprefix(_MARK).strip()


def _check_value(value: str, source: str) -> Secret:
    """The value as a secret, if it fits into a header; the error must not repeat the value."""
    secret = Secret(value)
    if not fits_header(value):
        raise AuthFailure(
            f"The value in {source} cannot be a key: it holds a blank, a control character or a "
            "letter outside ASCII.",
            suggested_action=f"Put the bare key, and nothing else, into {source}.",
        )
    return secret


def fits_header(value: str) -> bool:
    """Whether a value can be sent in a header."""
    return value.isascii() and value.isprintable() and " " not in value


def _warn_if_open(path: Path) -> None:
    """Warn once per file."""
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        return
    if os.name == "posix" and mode & 0o077 and path not in _WARNED:
        _WARNED.add(path)
        log.warning(
            "others can read the credential file %s (mode %04o); run: chmod 600 %s",
            path,
            mode,
            path,
        )
