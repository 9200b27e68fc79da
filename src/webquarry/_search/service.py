"""Base class of search providers, scholarly indexes and patent registers: name, address,
credentials and errors. A service builds requests and parses replies; it never opens a socket.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import urlsplit

import httpx2

from webquarry.clock import Clock
from webquarry.credentials import Credential, FoundCredential, find
from webquarry.errors import (
    PASSING_FAULT,
    SERVER_FAULT,
    AuthFailure,
    BadInput,
    NetworkFailure,
    WebquarryError,
    end_sentence,
)
from webquarry.net.models import Reply
from webquarry.registry import members_of
from webquarry.secret import Masker, redact
from webquarry.settings import Settings

_NETWORK_ADVICE = "Check the connection and try again, or name another provider."
_SHORTEST_KEY = 4  # a shorter key would mask ordinary words

T = TypeVar("T")


class Service(ABC):
    """One service. A subclass in the folder of its kind is registered."""

    package: ClassVar[str]  # whose modules register the services of one kind
    plugins: ClassVar[str | None] = None  # entry points that register others
    name: ClassVar[str]  # as in SEARCH_PROVIDER and WEBQUARRY_<NAME>_URL
    aliases: ClassVar[tuple[str, ...]] = ()  # other names, in lower case
    label: ClassVar[str]  # the name for people
    origin: ClassVar[str]  # default scheme and host
    credentials: ClassVar[tuple[Credential, ...]] = ()
    credentials_text: ClassVar[str] = ""  # full message for missing or rejected credentials
    key_in_url: ClassVar[bool] = False  # the API accepts its key only in the URL
    sign_up: ClassVar[str] = ""  # URL to get credentials from
    notice: ClassVar[str] = ""  # a warning for users, such as the end of the API
    min_interval_seconds: float = 0.0  # between two calls, which are then not concurrent
    clock: Clock = Clock()

    def __init__(
        self,
        found: Mapping[str, FoundCredential],
        origin: str | None = None,
        unusable: Mapping[str, str] | None = None,
    ) -> None:
        self._found = dict(found)
        self.unusable = dict(unusable or {})  # by variable: why a credential cannot be used
        self.base = origin or self.origin

    @classmethod
    def members(cls) -> list[type[Self]]:
        """Return the services of this kind, sorted by name."""
        return sorted(members_of(cls.package, cls, cls.plugins), key=lambda kind: kind.name)

    @classmethod
    def configure(
        cls,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Create the service with its credentials; errors in them are raised on first use."""
        environ = os.environ if environ is None else environ
        found: dict[str, FoundCredential] = {}
        unusable: dict[str, str] = {}
        for wanted in cls.credentials:
            try:
                credential = find(wanted, environ)
            except AuthFailure as error:
                unusable[wanted.variable] = error.message
                continue
            if credential:
                found[wanted.variable] = credential
        service = cls(found, settings.origins.get(cls.name), unusable)
        service.clock = clock or service.clock
        service.apply_settings(settings)
        return service

    def apply_settings(self, settings: Settings) -> None:
        """Read the settings of this service."""
        return

    @property
    def missing(self) -> list[str]:
        """The required variables without a usable value."""
        variables = [wanted.variable for wanted in self.credentials]
        return [variable for variable in variables if variable not in self._found]

    def describe_missing(self) -> str:
        """Return a sentence that names those variables."""
        verb = "was" if len(self.missing) == 1 else "were"
        return f"{' and '.join(self.missing)} {verb} not found."

    @property
    def configured(self) -> bool:
        """Whether the service can be used."""
        return not self.missing

    def sources(self) -> dict[str, str]:
        """Return the source of each credential, by variable."""
        return {variable: found.source for variable, found in self._found.items()}

    def signature(self) -> list[Any]:
        """Return what determines an answer besides the query, for cache keys: whether the service
        is configured, its address and its public credentials.
        """
        public = [wanted.variable for wanted in self.credentials if not wanted.secret]
        values = [self._found[name].value.reveal() for name in public if name in self._found]
        return [self.name, self.configured, redact(self.base), sorted(self._found), values]

    def credential(self, variable: str) -> str:
        """Return the value of a credential or raise `AuthFailure`."""
        if variable in self._found:
            return self._found[variable].value.reveal()
        cure = f"Set {variable}; get one from {self.sign_up}."
        reason = self.unusable.get(variable)
        missing = f"{self.label} needs {variable}, which was not found."
        raise self.auth_failure(reason or missing, cure, was_found=reason is not None)

    def not_accepted(self) -> AuthFailure:
        """Return the error for credentials that the service rejected."""
        places = " and ".join(self.sources().values())
        variables = " and ".join(self.sources())
        return self.auth_failure(
            f"{self.label} did not accept what was found in {places}.",
            f"Replace it, or set {variables} to another; get one from {self.sign_up}.",
        )

    def auth_failure(self, what: str, cure: str, *, was_found: bool = True) -> AuthFailure:
        """Return the error for credentials, with the text of `credentials_text` if there is one;
        that one says "not found", so the `plain` error of a rejected credential differs.
        """
        plain = AuthFailure(what, suggested_action=cure, provider=self.name)
        if not self.credentials_text:
            return plain
        error = AuthFailure(
            self.credentials_text, suggested_action=f"{what} {cure}", provider=self.name
        )
        if was_found:
            error.plain = plain
        return error

    def no_access(self, words: str, cure: str) -> AuthFailure:
        """Return the error for a valid key without access to the search."""
        return AuthFailure(
            f"{self.label} does not open the search to this key: {words or 'no reason was given.'}",
            suggested_action=f"{cure}, or name another provider.",
        )

    def endpoint(self, path: str) -> str:
        """Return the URL of a path at the origin, which the user may have replaced."""
        return at_origin(self.base, path, f"WEBQUARRY_{self.name.upper()}_URL")

    @abstractmethod
    def build_probe(self) -> httpx2.Request:
        """Return the cheapest request that checks availability and credentials."""

    @abstractmethod
    def parse_probe(self, reply: Reply) -> None:
        """Raise the error of the reply to a probe."""

    def explain(self, error: WebquarryError) -> None:
        """Add name and notice to an error; those of a promised text go into its advice."""
        error.provider = self.name
        error.host = None
        if isinstance(error, AuthFailure) and error.plain is not None:
            self.explain(error.plain)
        if error.message == self.credentials_text:
            error.suggested_action = f"{error.action_template} {self.notice}".rstrip()
            return
        message = end_sentence(error.message)
        if self.name not in message.lower() and self.label not in message:
            message = f"{self.label}: {message}"
        error.args = (f"{message} {self.notice}".rstrip(),)
        is_fault = error.action_template in (SERVER_FAULT, PASSING_FAULT)
        if is_fault or (type(error) is NetworkFailure and not error.has_own_advice):
            error.suggested_action = _NETWORK_ADVICE

    @contextmanager
    def explain_errors(self) -> Iterator[None]:
        """Apply `explain` to errors of the block."""
        try:
            yield
        except WebquarryError as error:
            self.explain(error)
            raise

    def conceal(self, value: T) -> T:
        """Return a text or a record of texts with our secret keys masked."""
        if not self._masker:
            return value
        masked: Any = value
        if isinstance(value, str):
            masked = self._masker.mask_text(value)
        elif isinstance(value, tuple):
            masked = tuple(map(self.conceal, value))
        elif is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value)]
            masked = replace(value, **{name: self.conceal(getattr(value, name)) for name in names})
        return masked  # type: ignore[no-any-return]

    @cached_property
    def _masker(self) -> Masker:
        secrets = [wanted.variable for wanted in self.credentials if wanted.secret]
        keys = [self._found[name].value.reveal() for name in secrets if name in self._found]
        return Masker(key for key in keys if len(key) >= _SHORTEST_KEY)

    async def answer(self, request: httpx2.Request) -> Reply | None:
        """Return the reply of a local service; None for those that are asked over the network."""
        return None

    def rest_after(self, reply: Reply) -> float:
        """Return the pause in seconds that a reply, even a good one, asks for."""
        return 0.0


def at_origin(origin: str, path: str, variable: str) -> str:
    """Return the URL of a path at an origin, which `variable` can set."""
    try:
        parts = urlsplit(origin)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BadInput(
            f"The setting {variable} is not an http or https URL.",
            suggested_action=f"Correct or unset {variable}.",
        )
    return origin + path
