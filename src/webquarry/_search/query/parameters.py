"""The parameters of a request to a provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


def drop_empty(parameters: Mapping[str, Value | None]) -> dict[str, Value]:
    """The parameters that have a value; what was not asked for is left to the provider."""
    kept = {}
    for name, value in parameters.items():
        if value:
            kept[name] = value
    return kept
