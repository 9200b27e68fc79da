"""Credentials, from the environment or from files. The first value counts:

    BRAVE_API_KEY  ->  ~/.config/ikigai/brave-api-key  ->  ~/.config/webquarry/brave-api-key

Values are `Secret`s as soon as they are read. A file that other users can read causes a warning.
Only regular files are read, because a pipe or a device could block. Without a home directory, only
the environment counts.
"""

from __future__ import annotations

import codecs
import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from webquarry.errors import AuthFailure
from webquarry.secret import Secret

log = logging.getLogger(__name__)

NOWHERE = Path(os.devnull)  # the folder of files of users without a home directory
_WARNED: set[Path] = set()  # credential files that others can read
_LARGEST_FILE = 64 * 1024  # bytes
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # a byte order mark


@dataclass(frozen=True)
class Credential:
    """The environment variable and the file name of a credential. Some are not secret, such as an
    engine id.
    """

    variable: str
    file: str
    secret: bool = True


@dataclass(frozen=True)
class FoundCredential:
    """A credential and its source."""

    value: Secret
    source: str


def find_home(environ: Mapping[str, str]) -> Path | None:
    """Return the home directory of the environment, else of the user; None if there is neither, as
    in a container with a numeric user.
    """
    try:
        return Path(environ.get("HOME") or Path.home())
    except RuntimeError:
        return None


def expand_home(path: Path) -> Path:
    """Return a path with `~` expanded; below `NOWHERE` without a home directory."""
    try:
        return path.expanduser()
    except RuntimeError:
        return NOWHERE / path


def folders(environ: Mapping[str, str]) -> list[Path]:
    """Return the folders of credential files in order."""
    usual = (find_home(environ) or NOWHERE) / ".config"
    chosen = Path(environ.get("XDG_CONFIG_HOME") or usual)
    return list(dict.fromkeys([usual / "ikigai", chosen / "webquarry", usual / "webquarry"]))


def find(
    credential: Credential, environ: Mapping[str, str] | None = None
) -> FoundCredential | None:
    """Return the first value of a credential, or None."""
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
        with open_regular(path) as file:
            content = file.read(_LARGEST_FILE)
            mode = os.fstat(file.fileno()).st_mode & 0o777
        is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        value = _strip(content.decode("utf-16" if is_utf16 else "utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        log.warning("the credential file %s cannot be read (%s); it is ignored", source, reason)
        return None
    if not value:
        return None
    if os.name == "posix" and mode & 0o077 and path not in _WARNED:
        _WARNED.add(path)
        text = "others can read the credential file %s (mode %04o); run: chmod 600 %s"
        log.warning(text, path, mode, path)
    return FoundCredential(_check_value(value, source), source)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file. Raises OSError, also for pipes and devices, which could block."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(0, "it is not a file")
    # not blocking, if a pipe has replaced the file since
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")


def fits_header(value: str) -> bool:
    """Return whether a value can be sent in a header."""
    return value.isascii() and value.isprintable() and " " not in value


def _strip(value: str) -> str:
    return value.strip().removeprefix(_MARK).strip()


def _check_value(value: str, source: str) -> Secret:
    """Return the value as a secret if it fits into a header; the error does not repeat it."""
    secret = Secret(value)
    if not fits_header(value):
        raise AuthFailure(
            f"The value in {source} cannot be a key: it holds a blank, a control character or a "
            "letter outside ASCII.",
            suggested_action=f"Put the bare key, and nothing else, into {source}.",
        )
    return secret
