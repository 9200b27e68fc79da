"""What the indexes of works have in common: they work without a key, and serve those better whom
they can write to.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from webquarry._search.services.service import Service
from webquarry.errors import AuthFailure
from webquarry.settings import Settings


class ContactedService(Service):
    """A service that is told an e-mail address, where the user gave one, and whose keys only raise
    its limits.
    """

    contact: str | None = None
    user_agent: str = ""

    def apply_settings(self, settings: Settings) -> None:
        self.contact = settings.contact
        self.user_agent = settings.user_agent

    @property
    def missing(self) -> list[str]:
        """Nothing: its keys are optional. One that cannot be right is told when it is used."""
        return []

    def optional(self, variable: str) -> str | None:
        """A key if there is one; one that was found and cannot be right is an error."""
        if variable in self.sources() or variable in self.unusable:
            return self.credential(variable)
        return None

    def key_refused(self) -> AuthFailure:
        """The error for an index that speaks of a key: ours is not good, or it wants one where it
        did without before.
        """
        if self.sources():
            return self.not_accepted()
        cure = "Ask it later."
        if self.credentials:
            named = " or ".join(wanted.variable for wanted in self.credentials)
            cure = f"Set {named}; get one from {self.sign_up}."
        return self.credentials_failure(f"{self.label} asks for a key.", cure)

    def headers(self, accept: str = "application/json") -> dict[str, str]:
        """What a request carries: whom to write to, where the user said so."""
        headers = {"Accept": accept}
        if self.contact:
            headers["User-Agent"] = f"{self.user_agent} (mailto:{self.contact})"
        return headers

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        accept: str = "application/json",
    ) -> httpx2.Request:
        """A request for a path, with these parameters."""
        url = self.endpoint(path)
        return httpx2.Request("GET", url, params=parameters or None, headers=self.headers(accept))
