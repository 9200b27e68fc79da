"""What every service that is asked for something has in common: a name, an address, credentials and
errors of its own.

It builds requests and parses replies, and never opens a socket. Search providers are services, and
so are the indexes of papers and the registers of patents, whose questions and answers have other
shapes.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import ClassVar, Self
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
from webquarry.secret import Masker
from webquarry.settings import Settings

# Whoever searches has chosen no address that could be wrong.
_ADVICE_ON_NETWORK = "Check the connection and try again, or name another provider."
_SHORTEST_KEY = 4  # that is looked for in what a service sends


class Service(ABC):
    """One service. A subclass in the folder of its kind is all that it takes to add one."""

    name: ClassVar[str]  # as in SEARCH_PROVIDER and WEBQUARRY_<NAME>_URL
    # What people call it as well, in lower-case letters and digits.
    aliases: ClassVar[tuple[str, ...]] = ()
    label: ClassVar[str]  # as a person writes it
    origin: ClassVar[str]  # scheme and host; the user may put another in its place
    credentials: ClassVar[tuple[Credential, ...]] = ()
    # The whole sentence for credentials that are missing or not accepted.
    credentials_text: ClassVar[str] = ""
    # A key goes into a header, which nobody logs; True only where the service takes none there.
    key_in_url: ClassVar[bool] = False
    sign_up: ClassVar[str] = ""  # where a credential is to be had
    notice: ClassVar[str] = ""  # what a user should know, such as the end of the service
    # Least time between two calls, which then go one after the other.
    min_interval_seconds: float = 0.0
    clock: Clock = Clock()  # for those that take dates where the question has a time range

    def __init__(
        self,
        found: Mapping[str, FoundCredential],
        origin: str | None = None,
        unusable: Mapping[str, str] | None = None,
    ) -> None:
        self._found = dict(found)
        self._unusable = dict(unusable or {})
        self.base = origin or self.origin

    @classmethod
    def configure(
        cls,
        settings: Settings,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> Self:
        """Find the credentials, wherever they are; what is wrong with them is said when they are
        needed.
        """
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
        """Take over what the settings say about this service; nothing, unless it has some."""
        return

    @property
    def missing(self) -> list[str]:
        """The variables it cannot do without that were not found, or not in a form that can be
        right.
        """
        variables = [wanted.variable for wanted in self.credentials]
        return [variable for variable in variables if variable not in self._found]

    def describe_missing(self) -> str:
        """A sentence that names those variables."""
        names = " and ".join(self.missing)
        verb = "was" if len(self.missing) == 1 else "were"
        return f"{names} {verb} not found."

    @property
    def configured(self) -> bool:
        """Whether it can be asked at all."""
        return not self.missing

    @property
    def unusable(self) -> dict[str, str]:
        """Of those, the ones that were found: what is wrong with each, never its value."""
        return dict(self._unusable)

    def sources(self) -> dict[str, str]:
        """Where each credential came from; never its value."""
        return {variable: found.source for variable, found in self._found.items()}

    def credential(self, variable: str) -> str:
        """The bare value, for the request alone."""
        if variable in self._found:
            return self._found[variable].value.reveal()
        not_found = f"{self.label} needs {variable}, which was not found."
        cure = f"Set {variable}; get one from {self.sign_up}."
        if variable not in self._unusable:
            raise self.credentials_failure(not_found, cure)
        raise self._build_refusal(self._unusable[variable], cure)

    def credentials_failure(self, what: str, cure: str) -> AuthFailure:
        """The error for credentials that are missing or not accepted, in the words promised for it
        if there are any.
        """
        if not self.credentials_text:
            return AuthFailure(what, suggested_action=cure, provider=self.name)
        return AuthFailure(
            self.credentials_text, suggested_action=f"{what} {cure}", provider=self.name
        )

    def not_accepted(self) -> AuthFailure:
        """The provider says that our credentials are not good."""
        places = " and ".join(self.sources().values())
        variables = " and ".join(self.sources())
        return self._build_refusal(
            f"{self.label} did not accept what was found in {places}.",
            f"Replace it, or set {variables} to another; get one from {self.sign_up}.",
        )

    def _build_refusal(self, what: str, cure: str) -> AuthFailure:
        """The error for credentials that are there and no good: what is promised for it may say
        that they were not found.
        """
        error = self.credentials_failure(what, cure)
        if self.credentials_text:
            error.plain = AuthFailure(what, suggested_action=cure, provider=self.name)
        return error

    def endpoint(self, path: str) -> str:
        """The URL of a path at the provider, or at the origin that the user put in its place."""
        return at_origin(self.base, path, f"WEBQUARRY_{self.name.upper()}_URL")

    @abstractmethod
    def build_probe(self) -> httpx2.Request:
        """The cheapest request that tells whether it is there and takes our credentials."""

    @abstractmethod
    def parse_probe(self, reply: Reply) -> None:
        """Raise what the probe's reply says is wrong."""

    @property
    def current_notice(self) -> str:
        """What a user should know of it today."""
        return self.notice

    def explain(self, error: WebquarryError) -> None:
        """Put our name and our notice on an error; where its words are promised, into what it
        suggests.
        """
        error.provider = self.name
        error.host = None  # it has a name
        if isinstance(error, AuthFailure) and error.plain is not None:
            self.explain(error.plain)
        if error.message == self.credentials_text:
            error.suggested_action = f"{error.action_template} {self.current_notice}".rstrip()
            return
        message = end_sentence(error.message)
        if self.name not in message.lower() and self.label not in message:
            message = f"{self.label}: {message}"
        error.args = (f"{message} {self.current_notice}".rstrip(),)
        is_fault = error.action_template in (SERVER_FAULT, PASSING_FAULT)
        if is_fault or (type(error) is NetworkFailure and not error.has_own_advice):
            error.suggested_action = _ADVICE_ON_NETWORK

    @contextmanager
    def explain_errors(self) -> Iterator[None]:
        """For a block that asks this service: what it raises is explained."""
        try:
            yield
        except WebquarryError as error:
            self.explain(error)
            raise

    def conceal(self, text: str) -> str:
        """A text from the provider without our own keys, should it have put them back into its
        answer.
        """
        return self._masker.mask_text(text)

    @cached_property
    def has_secrets(self) -> bool:
        """Whether there is anything to conceal."""
        return bool(self._masker)

    @cached_property
    def _masker(self) -> Masker:
        """For our secret keys; too short a one would mask ordinary words."""
        keys = []
        for wanted in self.credentials:
            if wanted.secret and wanted.variable in self._found:
                keys.append(self._found[wanted.variable].value.reveal())
        return Masker(key for key in keys if len(key) >= _SHORTEST_KEY)

    async def answer(self, request: httpx2.Request) -> Reply | None:
        """The reply of a service that is on this machine; None for all that are asked over the
        network.
        """
        return None

    def rest_after(self, reply: Reply) -> float:
        """Seconds for which this reply asks to be left alone, although it may be a good one; 0 if
        it says nothing.
        """
        return 0.0


@lru_cache(256)  # asked for every request
def at_origin(origin: str, path: str, variable: str) -> str:
    """The URL of a path at an origin, which the user may have set by this variable."""
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
