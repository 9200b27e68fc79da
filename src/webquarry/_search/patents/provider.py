"""What a patent service is: it builds requests and parses replies, and never opens a socket.

One that wants a token before it answers says how to get it (`build_login`, `parse_login`) and where
it goes (`with_login`); who asks keeps the token in memory until it is over, and gets another when a
reply says that it is.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import httpx2

from webquarry._search.patents.models import PatentBatch, PatentQuery
from webquarry._search.patents.numbers import PatentNumber
from webquarry._search.services.service import Service
from webquarry.net.models import Reply
from webquarry.secret import Secret


@dataclass(frozen=True)
class Login:
    """A token, and for how many seconds it is good."""

    token: Secret
    seconds: float


class PatentProvider(Service):
    """One service. A subclass in `providers/` is all that it takes to add one."""

    most: ClassVar[int] = 100  # patents in one answer

    @abstractmethod
    def build_search(self, query: PatentQuery) -> httpx2.Request:
        """The request for the first `query.count` patents. No value of the query can leave its
        field.
        """

    @abstractmethod
    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        """The request for one publication."""

    @abstractmethod
    def parse_reply(self, reply: Reply) -> PatentBatch:
        """The patents, or the error of the right kind; none only where the service really said
        so.
        """

    def notes_on(self, query: PatentQuery) -> tuple[str, ...]:
        """What of the question could not be sent, in sentences."""
        return ()

    def build_login(self) -> httpx2.Request | None:
        """The request for a token; None where the credentials are sent with every request."""
        return None

    def parse_login(self, reply: Reply) -> Login:
        """The token in the reply to `build_login`, or the error of the right kind."""
        raise NotImplementedError

    def with_login(self, request: httpx2.Request, token: Secret) -> httpx2.Request:
        """The request with the token in its place."""
        request.headers["Authorization"] = f"Bearer {token.reveal()}"
        return request

    def is_login_over(self, reply: Reply) -> bool:
        """Whether the reply says that the token is no longer good."""
        return False

    def parse_probe(self, reply: Reply) -> None:
        """Raise what the probe's reply says is wrong."""
        self.parse_reply(reply)
