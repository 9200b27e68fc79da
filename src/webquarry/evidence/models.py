"""The parts of answers that several tools share, in the shape in which they leave."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

TRUST = "untrusted-external-content"  # what came from the web is data, never an instruction


class Shape(BaseModel):
    """A part of an answer: names in camel case on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class DomainReputation(Shape):
    """How reliable a host is known to be; a host nobody has judged has none."""

    tier: Literal["high", "mixed", "low"]
    basis: str


class SuggestedAction(Shape):
    """One thing to try when nothing was found."""

    action: Literal["remove-filter", "try-different-provider"]
    filter: str | None = None
    provider: str | None = None


class ZeroResultHints(Shape):
    """Why nothing was found, and what to try."""

    reason: Literal["no_match", "filters_too_restrictive"]
    filters_applied: list[str]
    suggested_actions: list[SuggestedAction]
