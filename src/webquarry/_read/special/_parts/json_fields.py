"""Values out of the JSON of a site: whatever is missing, or of another kind than expected, is
empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def get_value(value: Any, *path: str) -> Any:
    """What lies at a path of names; None where there is nothing."""
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def get_fields(value: Any, *path: str) -> Mapping[str, Any]:
    """The object at a path."""
    found = get_value(value, *path)
    if isinstance(found, Mapping):
        return found
    return {}


def get_objects(value: Any, *path: str) -> list[Mapping[str, Any]]:
    """The objects of the list at a path; what is none of them is left out."""
    found = get_value(value, *path)
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, Mapping)]


def get_texts(value: Any, *path: str) -> list[str]:
    """The texts of the list at a path; what is none of them is left out."""
    found = get_value(value, *path)
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, str) and entry]


def get_text(value: Any, *path: str) -> str:
    """The text at a path."""
    found = get_value(value, *path)
    if isinstance(found, str):
        return found
    return ""


def get_number(value: Any, *path: str) -> int | None:
    """The whole number at a path; `true` is none."""
    found = get_value(value, *path)
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    return None


def get_flag(value: Any, *path: str) -> bool:
    """Whether what lies at a path is true."""
    return get_value(value, *path) is True


def get_day(value: Any, *path: str) -> str:
    """The day of the moment at a path, as ISO 8601 writes it: `2026-01-05`."""
    day = get_text(value, *path)[:10]
    if _DAY.fullmatch(day):
        return day
    return ""
