"""Dates as programs write them -> as a person writes them. What is no date stays as it is."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# Not `%B`, which speaks the language of the locale in the middle of our English.
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?![\d-])")


def write_date(text: str) -> str:
    """`2026-09-14T06:00:00` -> `14 September 2026`, `2026-09` -> `September 2026`, `2026` as it
    is.
    """
    found = _DATE.match(text)
    if found is None:
        return text
    year, month, day = found.groups()
    if month is None:
        return year if found.end() == len(text) else text
    if not 1 <= int(month) <= len(MONTHS):
        return text
    words = [MONTHS[int(month) - 1], year]
    if day is not None:
        words.insert(0, str(int(day)))
    return " ".join(words)


def write_moment(text: str) -> str:
    """`2026-11-10T09:00:00Z` -> `10 November 2026, 09:00 UTC`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    if moment.tzinfo is None:
        return f"{write_date(text)}, {moment:%H:%M}"
    moment = moment.astimezone(UTC)
    return f"{write_date(moment.isoformat())}, {moment:%H:%M} UTC"
