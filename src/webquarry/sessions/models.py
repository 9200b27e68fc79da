"""What a research session is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Source:
    """One source that a tool found: enough to find it again and to cite it, and nothing of the provider's own text."""

    url: str
    title: str = ""
    published: str | None = None  # ISO 8601, as exactly as it is known
    provider: str | None = None  # who found it
    csl: Mapping[str, Any] | None = None  # the reference as CSL-JSON, where the source was read or is a paper
