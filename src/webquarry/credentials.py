"""Where credentials come from: one module that knows all the places.

A credential is looked for in the environment, then in the folder of the tool family it came from,
then in ours:

    BRAVE_API_KEY  ->  ~/.config/ikigai/brave-api-key  ->  ~/.config/webquarry/brave-api-key

Values are `Secret`s from the moment they are read. Files looser than mode 0600 earn a warning,
never a refusal.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from webquarry.errors import AuthFailure
from webquarry.secret import Secret

log = logging.getLogger(__name__)


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


def folders(environ: Mapping[str, str]) -> list[Path]:
    """The folders that may hold credential files, in the order they are tried."""
    home = Path(environ.get("HOME") or Path.home())
    usual = home / ".config"
    chosen = Path(environ.get("XDG_CONFIG_HOME") or usual)
    order = [usual / "ikigai", chosen / "webquarry", usual / "webquarry"]
    return list(dict.fromkeys(order))


def find(
    credential: Credential, environ: Mapping[str, str] | None = None
) -> FoundCredential | None:
    """The first place that holds a value, or None."""
    environ = os.environ if environ is None else environ
    value = environ.get(credential.variable, "").strip()
    if value:
        secret = _check_value(value, credential.variable)
        return FoundCredential(secret, f"environment variable {credential.variable}")
    for folder in folders(environ):
        path = folder / credential.file
        try:
            value = path.read_text("utf-8").strip()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            log.warning(
                "the credential file %s cannot be read (%s); it is passed over",
                path,
                type(error).__name__,
            )
            continue
        if value:
            _warn_if_open(path)
            secret = _check_value(value, str(path))
            return FoundCredential(secret, str(path))
    return None


def _check_value(value: str, source: str) -> Secret:
    """The value as a secret, if it fits into a header; the error must not repeat the value."""
    secret = Secret(value)
    fits_header = value.isascii() and value.isprintable() and " " not in value
    if not fits_header:
        raise AuthFailure(
            f"The value in {source} cannot be a key: it holds a blank, a control character or a "
            "letter outside ASCII.",
            suggested_action=f"Put the bare key, and nothing else, into {source}.",
        )
    return secret


def _warn_if_open(path: Path) -> None:
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        return
    if os.name == "posix" and mode & 0o077:
        log.warning(
            "others can read the credential file %s (mode %04o); run: chmod 600 %s",
            path,
            mode,
            path,
        )
