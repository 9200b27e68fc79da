"""What a search provider is: it builds requests and parses replies, and never opens a socket."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Self

import httpx2

from webquarry.credentials import Credential, Found, find
from webquarry.errors import AuthFailure
from webquarry.net.models import Reply
from webquarry.search.models import Batch, Query
from webquarry.settings import Settings


class Provider(ABC):
    """One provider. A subclass in `providers/` is all that it takes to add one."""

    name: ClassVar[str]  # as in SEARCH_PROVIDER and WEBQUARRY_<NAME>_URL
    label: ClassVar[str]  # as a person writes it
    origin: ClassVar[str]  # scheme and host; the user may put another in its place
    credentials: ClassVar[tuple[Credential, ...]] = ()
    sign_up: ClassVar[str] = ""  # where a credential is to be had
    notice: ClassVar[str] = ""  # what a user should know, such as the end of the service
    page_size: ClassVar[int] = 10
    max_pages: ClassVar[int] = 10

    def __init__(self, found: Mapping[str, Found], origin: str | None = None) -> None:
        self._found = dict(found)
        self.base = origin or self.origin

    @classmethod
    def configure(cls, settings: Settings, environ: Mapping[str, str] | None = None) -> Self:
        """Find the credentials, wherever they are; which ones are missing is said when they are needed."""
        environ = os.environ if environ is None else environ
        found = {wanted.variable: hit for wanted in cls.credentials if (hit := find(wanted, environ))}
        return cls(found, settings.origins.get(cls.name))

    @property
    def missing(self) -> list[str]:
        """The credentials that were not found."""
        return [wanted.variable for wanted in self.credentials if wanted.variable not in self._found]

    def sources(self) -> dict[str, str]:
        """Where each credential came from; never its value."""
        return {variable: found.source for variable, found in self._found.items()}

    def credential(self, variable: str) -> str:
        """The bare value, for the request alone."""
        if variable not in self._found:
            raise AuthFailure(
                f"{self.label} needs {variable}, which was not found.",
                suggested_action=f"Set {variable}; get one from {self.sign_up}.",
                provider=self.name,
            )
        return self._found[variable].value.reveal()

    @abstractmethod
    def build_request(self, query: Query) -> httpx2.Request:
        """The request for one page of results."""

    @abstractmethod
    def parse_reply(self, reply: Reply) -> Batch:
        """The results, or the error of the right kind; "no results" only when the provider really said so."""

    @abstractmethod
    def build_probe(self) -> httpx2.Request:
        """The cheapest request that tells whether the provider is there and takes our credentials."""

    def parse_probe(self, reply: Reply) -> None:
        """Raise what the probe's reply says is wrong; a provider whose probe is an error by design overrides this."""
        self.parse_reply(reply)
