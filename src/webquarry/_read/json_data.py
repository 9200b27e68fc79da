"""Access to untrusted JSON: missing values and other types read as empty."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


class JsonData:
    """A value of an untrusted JSON document."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    @classmethod
    def parse(cls, body: bytes | str) -> JsonData:
        """Parse a document; empty if it is not JSON."""
        try:
            return cls(json.loads(body))
        except (ValueError, RecursionError):
            return cls(None)

    def get(self, *path: str) -> Any:
        """Return the value at a path of names, or None."""
        value = self.value
        for name in path:
            if not isinstance(value, Mapping):
                return None
            value = value.get(name)
        return value

    def fields(self, *path: str) -> Mapping[str, Any]:
        found = self.get(*path)
        return found if isinstance(found, Mapping) else {}

    def object(self, *path: str) -> JsonData:
        return JsonData(self.fields(*path))

    def values(self, *path: str) -> list[Any]:
        found = self.get(*path)
        return found if isinstance(found, list) else []

    def objects(self, *path: str) -> list[JsonData]:
        """Return the objects of the list at a path."""
        return [JsonData(entry) for entry in self.values(*path) if isinstance(entry, Mapping)]

    def text(self, *path: str) -> str:
        found = self.get(*path)
        return found if isinstance(found, str) else ""

    def texts(self, *path: str) -> list[str]:
        """Return the non-empty strings of the list at a path."""
        return [entry for entry in self.values(*path) if isinstance(entry, str) and entry]

    def number(self, *path: str) -> int | None:
        found = self.get(*path)
        return found if type(found) is int else None

    def numbers(self, *path: str) -> list[int]:
        """Return the integers of the list at a path."""
        return [entry for entry in self.values(*path) if type(entry) is int]

    def flag(self, *path: str) -> bool:
        return self.get(*path) is True

    def day(self, *path: str) -> str:
        """Return the date of the ISO 8601 time at a path: `2026-01-05`."""
        day = self.text(*path)[:10]
        return day if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", day) else ""

    def time(self, *path: str) -> datetime | None:
        """Return the time at a path that is in seconds since the epoch."""
        seconds = self.number(*path)
        if seconds is None:
            return None
        try:
            return datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, ValueError, OSError):
            return None
