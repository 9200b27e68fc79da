"""Dates of pages in ISO 8601, with the precision that is given; ambiguous dates are not parsed.

Accepted are ISO 8601, the same with slashes (`2023/4/5`), dates of mail headers, and English dates
with the month in letters. `07/01/2025` is ambiguous. A time without a zone stays without one.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NUMBER_OF = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_NUMBER_OF |= {name[:3]: number for name, number in _NUMBER_OF.items()} | {"sept": 9}
_MONTH = r"(?P<month>" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>\d{4})"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?"
_TIME = (
    r"(?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s?(?P<zone>z|utc|gmt|[+-]\d{2}(?::?\d{2})?)?"
)
_FORMS = [
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_YEAR}(?:-(?P<month>\d{{2}})(?:-(?P<day>\d{{2}})(?:(?:t|\s){_TIME})?)?)?",
        rf"{_YEAR}(?P<month>\d{{2}})(?P<day>\d{{2}})(?:t{_TIME})?",
        rf"{_YEAR}/(?P<month>\d{{1,2}})(?:/(?P<day>\d{{1,2}})(?:\s{_TIME})?)?",
        rf"{_WEEKDAY}{_DAY}\s+{_MONTH},?\s+{_YEAR}(?:,?\s+{_TIME})?",
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"{_MONTH},?\s+{_YEAR}",
    )
]
_MAX_DATE = 64  # characters
_LOOSE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?!\d))?)?(?![\d-])")
# default values of programs; years below 1000 too
_NO_DATE = frozenset({"1601-01-01", "1900-01-01", "1970-01-01"})
_FIRST_YEAR = "1000"
_OLDEST_PAGE = 1990


def read_date(text: object) -> str | None:
    """Return the date in ISO 8601; None if the text is not a date or ambiguous."""
    if not isinstance(text, str) or len(text) > 2 * _MAX_DATE:
        return None
    for form in _FORMS:
        found = form.fullmatch(text.strip())
        if found and len(found[0]) <= _MAX_DATE:
            return _to_iso(found.groupdict())
    return None


def _to_iso(parts: dict[str, str | None]) -> str | None:
    """Return the parts of a date in ISO 8601; None if the day or the time does not exist."""
    year = parts["year"] or ""
    month_text = parts.get("month") or "0"
    month = int(month_text) if month_text.isdigit() else _NUMBER_OF[month_text.lower()]
    day = int(parts.get("day") or 0)
    if (day and not month) or year < _FIRST_YEAR:
        return None
    written = year + (f"-{month:02}" if month else "") + (f"-{day:02}" if parts.get("day") else "")
    try:
        date(int(year), month or 1, day if parts.get("day") else 1)
        time = (parts.get("time") or "").replace(",", ".")
        if time:
            zone = parts.get("zone") or ""
            if zone[:1] in ("+", "-"):
                zone = f"{zone[:3]}:{zone[3:].removeprefix(':') or '00'}"
            elif zone:  # UTC, GMT
                zone = "Z"
            written += f"T{time}{zone}"
            datetime.fromisoformat(written)
    except ValueError:
        return None
    return written


def is_plausible(value: str, accessed: datetime, *, declared: bool) -> bool:
    """Return whether a page that was read at a time can have this date.

    It is not a default value, and not in the future (one day is allowed for zones). A date that the
    page does not declare as its own, such as any `<time>`, is not older than the web.
    """
    day = value[:10]
    if day in _NO_DATE or (not declared and int(value[:4]) < _OLDEST_PAGE):
        return False
    tomorrow = accessed.date() + timedelta(days=1)
    return day <= tomorrow.isoformat()[: len(day)]


def date_parts(value: str | None) -> tuple[int, ...]:
    """Return year, month and day of an ISO 8601 date, as far as they are given and valid."""
    found = _LOOSE.match(value or "")
    if not found:
        return ()
    parts = [int(found[1])]
    for text, last in ((found[2], 12), (found[3], 31)):
        if text is None or not 1 <= int(text) <= last:
            break
        parts.append(int(text))
    return tuple(parts)
