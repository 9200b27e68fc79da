"""The keys of one engine: set by the user, else from the environment, else from files.

    stps_set_api_key  ->  ANTHROPIC_API_KEY  ->  ~/.stps/anthropic_api_key
                      ->  ~/.config/webquarry/anthropic-api-key
    webquarry_set_key ->  OPENAI_API_KEY     ->  ~/.config/webquarry/openai-api-key

Keys that are set belong to this engine, not to the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from webquarry.credentials import (
    NOWHERE,
    Credential,
    FoundCredential,
    find,
    find_home,
    find_in_file,
    fits_header,
)
from webquarry.errors import AuthFailure, BadInput
from webquarry.secret import Secret

if TYPE_CHECKING:
    from webquarry.ask.vendors.base import ModelVendor

NO_MODEL_KEY = "No Anthropic API key is configured."
# Errors of rows in the words of the original.
KEY_ERRORS = {
    NO_MODEL_KEY: "Anthropic API key not configured. Use stps_set_api_key() or set "
    "ANTHROPIC_API_KEY environment variable."
}
MODEL_KEY = "ANTHROPIC_API_KEY"
SEARCH_KEY = "BRAVE_API_KEY"
GOOGLE_KEY = "GOOGLE_SEARCH_API_KEY"
GOOGLE_ENGINE = "GOOGLE_SEARCH_ENGINE_ID"

# By variable: the file in ~/.stps, the file in our own folders, and the SQL function that sets it.
NAMES: dict[str, tuple[str, str, str]] = {
    MODEL_KEY: ("anthropic_api_key", "anthropic-api-key", "stps_set_api_key"),
    SEARCH_KEY: ("brave_api_key", "brave-api-key", "stps_set_brave_api_key"),
    GOOGLE_KEY: ("google_api_key", "google-api-key", "stps_set_google_api_key"),
    GOOGLE_ENGINE: ("google_cse_id", "google-engine-id", "stps_set_google_cse_id"),
}
VENDOR_SETTER = "webquarry_set_key"  # sets the key of any vendor of models


def find_vendor_credential(name: str) -> Credential:
    """Return the credential of a vendor of models. Raises BadInput."""
    from webquarry.ask.vendors.base import find_vendors

    vendors = find_vendors()
    vendor = vendors.get(name.strip().lower())
    if vendor is None or not vendor.credentials:
        raise BadInput(
            f"No vendor of models is called {name!r}.",
            suggested_action=f"Name one of: {', '.join(vendors)}.",
        )
    return vendor.credentials[0]


def find_key_names(variable: str) -> tuple[str, str, str]:
    """Return the file in ~/.stps (empty for none), the file in our own folders, and the function
    that sets a key. Raises BadInput for other variables.
    """
    from webquarry.ask.vendors.base import find_vendors

    if variable in NAMES:
        return NAMES[variable]
    for vendor in find_vendors().values():
        for credential in vendor.credentials:
            if credential.variable == variable:
                return "", credential.file, VENDOR_SETTER
    raise BadInput(f"{variable} is none of the keys: {', '.join(NAMES)}.")


class Keys:
    """The keys of one engine. Thread-safe."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._set: dict[str, Secret] = {}

    def set(self, variable: str, value: str) -> None:
        """Set a key; an empty value removes it. Raises BadInput."""
        find_key_names(variable)
        value = value.strip()
        secret = Secret(value)
        if value and not fits_header(value):
            raise BadInput(
                f"The value of {variable} is not a valid key: it has whitespace or characters "
                "outside ASCII."
            )
        if value:
            self._set[variable] = secret
        else:
            self._set.pop(variable, None)

    def find(self, variable: str) -> FoundCredential | None:
        """Return a key and its source."""
        _, file, _ = find_key_names(variable)
        return self._find_own(variable) or find(Credential(variable, file), self._environ)

    def find_model_key(self, vendor: ModelVendor) -> FoundCredential | None:
        """Return the key of a vendor of models and its source."""
        found = (self.find(credential.variable) for credential in vendor.credentials)
        return next((one for one in found if one is not None), None)

    def model_key(self, vendor: ModelVendor) -> Secret | None:
        """Return the key of a vendor of models; None if it needs none. Raises AuthFailure."""
        found = self.find_model_key(vendor)
        if found is not None:
            _check_address(vendor)
            return found.value
        if vendor.is_own_server:
            return None
        first = vendor.credentials[0]
        message = f"No key of {vendor.label.replace('The ', 'the ', 1)} is configured."
        file = f"~/.config/webquarry/{first.file}"
        setter = f"{VENDOR_SETTER}('{vendor.name}', '...')"
        if first.variable == MODEL_KEY:
            message = NO_MODEL_KEY
            file = "~/.stps/anthropic_api_key"
            setter = "stps_set_api_key('...')"
        raise AuthFailure(
            message,
            suggested_action=f"Set the environment variable {first.variable}, or put the key into "
            f"the file {file} (mode 0600), or in SQL call {setter}. {self._name_others(vendor)}",
        )

    def _name_others(self, vendor: ModelVendor) -> str:
        """Return a sentence on the other vendors: those whose key is set, or all of them."""
        from webquarry.ask.vendors.base import find_vendors

        others = [one for one in find_vendors().values() if one.name != vendor.name]
        for one in others:
            if any(self.find(credential.variable) for credential in one.credentials):
                return f"The key of {one.name} is set: name a model such as {one.name}/MODEL."
        return f"Or name a model of another vendor: {', '.join(one.name for one in others)}."

    def environ(self) -> Mapping[str, str]:
        """Return the environment of the search providers, with the keys that are set or in
        ~/.stps.
        """
        environ = dict(self._environ)
        for variable in NAMES:
            found = self._find_own(variable) if variable != MODEL_KEY else None
            if found is not None:
                environ[variable] = found.value.reveal()
        return environ

    def _find_own(self, variable: str) -> FoundCredential | None:
        """Return a key that is set here, or that is in ~/.stps and not in the environment."""
        stps, _, setter = find_key_names(variable)
        secret = self._set.get(variable)
        if secret is not None:
            return FoundCredential(secret, setter)
        if not stps or self._environ.get(variable, "").strip():
            return None
        home = find_home(self._environ) or NOWHERE
        return find_in_file(home / ".stps" / stps, f"~/.stps/{stps}")


def _check_address(vendor: ModelVendor) -> None:
    """Keys are sent encrypted or within this machine. ANTHROPIC_BASE_URL is an exception, because
    it may be a gateway of the user.
    """
    if vendor.credentials[0].variable == MODEL_KEY or vendor.may_send_key:
        return
    variable = f"WEBQUARRY_{vendor.name.upper()}_URL"
    raise AuthFailure(
        f"{vendor.label} has a key, and {variable} is an address without encryption on another "
        "machine: the key is not sent.",
        suggested_action=f"Set {variable} to an https:// address, or remove the key if the server "
        "needs none.",
    )
