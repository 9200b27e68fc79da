"""A date as a page writes it -> ISO 8601, as exact as it was given; or nothing, where it can be
read in two ways.

Read are ISO 8601 (a year, a month, a day, a moment), the same with slashes as scholarly tags have
it (`2023/4/5`), the dates of mail headers, and English dates with the month in letters.
`07/01/2025` is a day in July or in January, so it is no date here. A moment without a zone stays
without one.
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
_LONGEST = 64  # characters; no date is longer
_LOOSE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?!\d))?)?(?![\d-])")
# what programs write for "none"; years below 1000 too
_NO_DATE = frozenset({"1601-01-01", "1900-01-01", "1970-01-01"})
_FIRST_YEAR = "1000"
_DAY_LENGTH = len("2024-01-31")
_OLDEST_PAGE = 1990


def read_date(text: object) -> str | None:
    """The date in ISO 8601, or None for what is no date or not clearly one."""
    if not isinstance(text, str):
        return None
    written = text.strip()
    if not 4 <= len(written) <= _LONGEST:
        return None
    if len(written) == _DAY_LENGTH and written[4] == written[7] == "-":
        try:
            date.fromisoformat(written)
        except ValueError:
            pass  # it may be written in another of the forms
        else:
            return written if written >= _FIRST_YEAR else None
    for form in _FORMS:
        found = form.fullmatch(written)
        if found:
            return _to_iso(found.groupdict())
    return None


def _to_iso(parts: dict[str, str | None]) -> str | None:
    """The parts of a date in ISO 8601; None where there is no such day or no such time."""
    year = parts["year"] or ""
    month_text = parts.get("month") or "0"
    month = int(month_text) if month_text.isdigit() else _NUMBER_OF[month_text.lower()]
    day = parts.get("day")
    if day and not month:
        return None
    written = year
    if month:
        written += f"-{month:02}"
    if day:
        written += f"-{int(day):02}"
    try:
        date(int(year), month or 1, int(day or 1))
        time = (parts.get("time") or "").replace(",", ".")
        if time:
            zone = parts.get("zone") or ""
            if zone[:1] in ("+", "-"):
                minutes = zone[3:].removeprefix(":")
                zone = f"{zone[:3]}:{minutes or '00'}"
            elif zone:  # UTC, GMT
                zone = "Z"
            written += f"T{time}{zone}"
            datetime.fromisoformat(written)
    except ValueError:
        return None
    return written if year >= _FIRST_YEAR else None


def is_plausible(value: str, accessed: datetime, *, declared: bool) -> bool:
    """Whether a page read at that time can bear this date.

    Not the date of a program that had none, and not the future (a day of it is allowed for zones).
    What the page does not declare as its date, such as any `<time>`, is taken for the subject's
    when it is older than the web.
    """
    day = value[:10]
    if day in _NO_DATE:
        return False
    if not declared and int(value[:4]) < _OLDEST_PAGE:
        return False
    if day <= accessed.date().isoformat()[: len(day)]:
        return True  # as nearly all
    tomorrow = accessed.date() + timedelta(days=1)
    return day <= tomorrow.isoformat()[: len(day)]


def date_parts(value: str | None) -> tuple[int, ...]:
    """Year, month and day of an ISO 8601 date, as far as they are there and can be right."""
    found = _LOOSE.match(value or "")
    if not found:
        return ()
    year, month, day = found.groups()
    parts = [int(year)]
    if month is not None and 1 <= int(month) <= 12:
        parts.append(int(month))
        if day and 1 <= int(day) <= 31:
            parts.append(int(day))
    return tuple(parts)
