"""Dates as a provider shows them to people -> ISO 8601, and ISO 8601 -> one shape.

"February 12, 2025", "12 Feb 2025", "12.2.2025" and "2 days ago" are read; what can be read in two
ways ("03/04/2026"), or says too little ("3 months ago"), is no date here. A result of Google's has
such a date only at the beginning of its snippet.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from webquarry._search.replies.text import iso_date, join_date

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBER_OF = {name: number for number, name in enumerate(_MONTHS, 1)}
_NUMBER_OF |= {name[:3]: number for name, number in _NUMBER_OF.items()} | {"sept": 9}
_MONTH = r"(?P<month>" + "|".join(sorted(_NUMBER_OF, key=len, reverse=True)) + r")\.?"
_FORMS = [
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})",
        rf"(?P<day>\d{{1,2}})\.? {_MONTH},? (?P<year>\d{{4}})",
        r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\. ?(?P<year>\d{4})",
        r"(?P<year>\d{4})\N{CJK UNIFIED IDEOGRAPH-5E74}(?P<month>\d{1,2})"
        r"\N{CJK UNIFIED IDEOGRAPH-6708}(?P<day>\d{1,2})\N{CJK UNIFIED IDEOGRAPH-65E5}",
    )
]
_AGO = re.compile(
    r"(?P<count>\d{1,3}|an?|one) (?P<unit>second|sec|minute|min|hour|hr|day|week)s? ago",
    re.IGNORECASE | re.ASCII,
)
_UNITS = {
    "second": timedelta(seconds=1),
    "sec": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "hr": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_DAYS_AGO = {"today": 0, "yesterday": 1}
_LONGEST = 30  # characters; no date is longer
# What stands between the date and the text of a snippet.
_SNIPPET_DATE = re.compile(
    rf"(.{{5,{_LONGEST}}}?)(?: ?(?:\.\.\.|[\u2026\u2014\u2013\u00b7])(?: |$)| - )"
)


def read_shown_date(value: object, now: datetime) -> str | None:
    """The date that this text shows, in ISO 8601: a day, or a moment in UTC where the text counts
    hours or less from now. None for what is no date, not clearly one, or still to come.
    """
    if not isinstance(value, str):
        return None
    text = " ".join(value[: 2 * _LONGEST].split())
    if len(text) > _LONGEST:
        return None
    day = iso_date(text) or _read_day(text)
    if day is not None:
        tomorrow = now.astimezone(UTC).date() + timedelta(days=1)  # it may be tomorrow elsewhere
        return day if day[:10] <= tomorrow.isoformat() else None
    return _read_age(text, now.astimezone(UTC))


def read_snippet_date(snippet: str, now: datetime) -> str | None:
    """The date that a snippet of Google's begins with ("Mar 3, 2026 ... Notes from"), or None."""
    found = _SNIPPET_DATE.match(snippet)
    if found is None:
        return None
    return read_shown_date(found[1], now)


def to_timestamp(published: str | None) -> str | None:
    """A date in ISO 8601 as `2026-01-16T12:00:00Z`; without the Z where its zone is not known. A
    day is its beginning. None for what is no whole date.
    """
    try:
        moment = datetime.fromisoformat(published or "")
    except ValueError:
        return None
    moment = moment.replace(microsecond=0)
    if moment.tzinfo is None:
        return moment.isoformat()
    try:
        moment = moment.astimezone(UTC)
    except OverflowError:  # at the ends of the calendar
        return None
    return f"{moment.replace(tzinfo=None).isoformat()}Z"


def _read_day(text: str) -> str | None:
    """A day that is written out."""
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        month = found["month"].lower()
        number = _NUMBER_OF.get(month) or int(month)
        parts = (int(found["year"]), number, int(found["day"]))
        try:
            date(*parts)
        except ValueError:
            return None
        return join_date(parts)
    return None


def _read_age(text: str, now: datetime) -> str | None:
    """A day, or a moment, that is counted from now on."""
    lower = text.lower()
    if lower in _DAYS_AGO:
        return (now - timedelta(days=_DAYS_AGO[lower])).date().isoformat()
    found = _AGO.fullmatch(lower)
    if found is None:
        return None
    count = int(found["count"]) if found["count"].isdigit() else 1
    unit = _UNITS[found["unit"]]
    moment = now - count * unit
    if unit >= timedelta(days=1):
        return moment.date().isoformat()
    # As exact as it was said.
    moment = moment.replace(second=0, microsecond=0)
    if unit == timedelta(hours=1):
        moment = moment.replace(minute=0)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
