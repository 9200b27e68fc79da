"""Who asks over HTTP: a bearer token in, a principal or a refusal out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass


@dataclass(frozen=True)
class Principal:
    """Somebody whose token is good. What is kept for them is kept under `id`; `name` is for logs
    and for people.
    """

    id: str
    name: str
    scopes: frozenset[str] = frozenset()


class AccessDenied(Exception):
    """The token is not good; `reason` may be told to whoever sent it, so it says nothing about
    other tokens.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class VerifierUnavailable(Exception):
    """Nobody can say now whether the token is good, since the issuer's keys cannot be had."""


class Verifier(ABC):
    """One way to tell who sent a token."""

    @abstractmethod
    async def verify(self, token: str) -> Principal:
        """The principal; `AccessDenied` where the token is not good, `VerifierUnavailable` where
        that cannot be found out now.
        """

    async def aclose(self) -> None:  # noqa: B027 - most hold nothing open
        """Close what was opened."""
