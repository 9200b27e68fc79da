"""The keys of one engine: set by the user for this engine, else from the environment, else from
files.

    stps_set_api_key  ->  ANTHROPIC_API_KEY  ->  ~/.stps/anthropic_api_key
                      ->  ~/.config/webquarry/anthropic-api-key
    webquarry_set_key ->  OPENAI_API_KEY     ->  ~/.config/webquarry/openai-api-key

Values are `Secret`s from the moment they come in. What was set belongs to this engine alone, not to
the process.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.credentials import (
    NOWHERE,
    Credential,
    FoundCredential,
    explain_unreadable,
    find,
    find_home,
    read_key_file,
)
from webquarry.errors import AuthFailure, BadInput
from webquarry.secret import Secret

if TYPE_CHECKING:
    from webquarry.ask.vendors.base import ModelVendor

log = logging.getLogger(__name__)
_WARNED: set[Path] = set()  # files that were warned of: once is enough, and they are read often

NO_MODEL_KEY = "No Anthropic API key is configured."
# Errors in the words of the original, whose rows have them as their texts.
KEY_ERRORS = {
    NO_MODEL_KEY: "Anthropic API key not configured. Use stps_set_api_key() or set "
    "ANTHROPIC_API_KEY environment variable."
}
MODEL_KEY = "ANTHROPIC_API_KEY"
SEARCH_KEY = "BRAVE_API_KEY"
GOOGLE_KEY = "GOOGLE_SEARCH_API_KEY"
GOOGLE_ENGINE = "GOOGLE_SEARCH_ENGINE_ID"

# By variable: the file in ~/.stps, the file in our own folders, and the function that sets it.
NAMES: dict[str, tuple[str, str, str]] = {
    MODEL_KEY: ("anthropic_api_key", "anthropic-api-key", "stps_set_api_key"),
    SEARCH_KEY: ("brave_api_key", "brave-api-key", "stps_set_brave_api_key"),
    GOOGLE_KEY: ("google_api_key", "google-api-key", "stps_set_google_api_key"),
    GOOGLE_ENGINE: ("google_cse_id", "google-engine-id", "stps_set_google_cse_id"),
}
VENDOR_SETTER = "webquarry_set_key"  # sets the key of any vendor of models


def find_vendor_credential(name: str) -> Credential:
    """The key of a vendor of models by the vendor's name; one that nobody is, is `BadInput`."""
    from webquarry.ask.vendors.base import find_vendors

    vendors = find_vendors()
    vendor = vendors.get(name.strip().lower())
    if vendor is None or not vendor.credentials:
        raise BadInput(
            f"No vendor of models is called {name!r}.",
            suggested_action=f"Name one of: {', '.join(vendors)}.",
        )
    return vendor.credentials[0]


def find_key_names(variable: str) -> tuple[str | None, str, str]:
    """For the variable of a key: the file in ~/.stps if there is one, that in our own folders, and
    the function that sets it. One that is no key of ours is `BadInput`.
    """
    from webquarry.ask.vendors.base import find_vendors

    if variable in NAMES:
        return NAMES[variable]
    for vendor in find_vendors().values():
        for credential in vendor.credentials:
            if credential.variable == variable:
                return None, credential.file, VENDOR_SETTER
    raise BadInput(f"{variable} is none of the keys: {', '.join(NAMES)}.")


class Keys:
    """Where one engine looks for its keys. Any thread may set one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._set: dict[str, Secret] = {}
        self._lock = threading.Lock()
        # Counts the changes, so that whoever built on the keys knows when to build anew.
        self.version = 0

    def set(self, variable: str, value: str) -> None:
        """Use this value from now on; an empty one forgets what was set."""
        find_key_names(variable)  # one that is no key is an error
        value = value.strip()
        secret = Secret(value)
        if value and not _is_key(value):
            raise BadInput(
                f"The value given for {variable} cannot be a key: it holds a blank or a letter "
                "outside ASCII."
            )
        with self._lock:
            if value:
                self._set[variable] = secret
            else:
                self._set.pop(variable, None)
            self.version += 1

    def find(self, variable: str) -> FoundCredential | None:
        """The value and the place it came from; None when there is none."""
        stps, ours, setter = find_key_names(variable)
        secret = self._set.get(variable)
        if secret is not None:
            return FoundCredential(secret, setter)
        if stps is not None and not self._environ.get(variable, "").strip():
            in_file = self._read_stps_file(stps)
            if in_file is not None:
                return in_file
        return find(Credential(variable, ours), self._environ)

    def find_model_key(self, vendor: ModelVendor) -> FoundCredential | None:
        """The key of a model's vendor and the place it came from; None when there is none."""
        for credential in vendor.credentials:
            found = self.find(credential.variable)
            if found is not None:
                return found
        return None

    def model_key(self, vendor: ModelVendor) -> Secret | None:
        """The key of a model's vendor, None for one that needs none; where it is missing, an error
        that names the ways to give one.
        """
        found = self.find_model_key(vendor)
        if found is not None:
            self._check_way(vendor)
            return found.value
        if not vendor.needs_key:
            return None
        first = vendor.credentials[0]
        if first.variable == MODEL_KEY:
            raise AuthFailure(
                NO_MODEL_KEY,
                suggested_action=f"Set the environment variable {MODEL_KEY}, or put the key into "
                "the file "
                "~/.stps/anthropic_api_key (mode 0600), or in SQL call stps_set_api_key('...').",
            )
        raise AuthFailure(
            f"No key of {vendor.label.replace('The ', 'the ', 1)} is configured.",
            suggested_action=f"Set the environment variable {first.variable}, or put the key into "
            f"the file ~/.config/webquarry/{first.file} (mode 0600), or in SQL call "
            f"{VENDOR_SETTER}('{vendor.name}', '...').",
        )

    def find_refusals(self, vendors: Iterable[ModelVendor]) -> dict[ModelVendor, AuthFailure]:
        """Those of the vendors that cannot be asked for want of a key, with the reason."""
        refusals: dict[ModelVendor, AuthFailure] = {}
        for vendor in vendors:
            try:
                self.model_key(vendor)
            except AuthFailure as error:
                refusals[vendor] = error
        return refusals

    def _check_way(self, vendor: ModelVendor) -> None:
        """A key goes neither unencrypted nor beyond this machine; who set ANTHROPIC_BASE_URL before
        that was so keeps what works.
        """
        is_anthropic = vendor.credentials[0].variable == MODEL_KEY
        if is_anthropic or vendor.may_send_key:
            return
        variable = f"WEBQUARRY_{vendor.name.upper()}_URL"
        raise AuthFailure(
            f"{vendor.label} has a key, and {variable} is an address without encryption on another "
            "machine: the key is not sent.",
            suggested_action=f"Give {variable} as https://, or take the key away if the server "
            "needs none.",
        )

    def environ(self) -> Mapping[str, str]:
        """The environment as search providers are to see it: with the keys that were set here or
        lie in ~/.stps.
        """
        environ = dict(self._environ)
        for variable in NAMES:
            if variable == MODEL_KEY:
                continue
            found = self._find_own(variable)
            if found is not None:
                environ[variable] = found.value.reveal()
        return environ

    def _find_own(self, variable: str) -> FoundCredential | None:
        """What only we know of: set for this engine, or in ~/.stps when the environment has
        none.
        """
        stps, _, setter = NAMES[variable]
        secret = self._set.get(variable)
        if secret is not None:
            return FoundCredential(secret, setter)
        if self._environ.get(variable, "").strip():
            return None
        return self._read_stps_file(stps)

    def _read_stps_file(self, name: str) -> FoundCredential | None:
        """What a file in ~/.stps holds, if it can be a key."""
        home = find_home(self._environ) or NOWHERE
        path = home / ".stps" / name
        try:
            value = read_key_file(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            log.warning(
                "the credential file ~/.stps/%s cannot be read (%s); it is passed over",
                name,
                explain_unreadable(error),
            )
            return None
        if not value:
            return None
        if not _is_key(value):
            Secret(value)  # known from now on, so that no text repeats it
            raise AuthFailure(
                f"The value in ~/.stps/{name} cannot be a key: it holds a blank, a control "
                "character or a letter outside ASCII.",
                suggested_action=f"Put the bare key, and nothing else, into ~/.stps/{name}.",
            )
        mode = path.stat().st_mode & 0o777
        is_open = os.name == "posix" and mode & 0o077  # others can read it
        if is_open and path not in _WARNED:
            _WARNED.add(path)  # it is said once
            log.warning(
                "others can read the credential file %s (mode %04o); run: chmod 600 %s",
                path,
                mode,
                path,
            )
        return FoundCredential(Secret(value), f"~/.stps/{name}")


def _is_key(value: str) -> bool:
    """Only what fits into a header."""
    return value.isascii() and value.isprintable() and " " not in value
