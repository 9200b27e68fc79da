"""Plain text and ISO 8601 dates from the texts and dates of providers.

Titles and snippets come as HTML fragments or plain text, dates in many forms. ISO 8601 and RFC 1123
are read with their zone and precision; of dates in natural language, only unambiguous ones are
read: "February 12, 2025", "12.2.2025" and "2 days ago", not "03/04/2026" or "3 months ago".
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Literal

_MARKS = re.compile(r"</?(?:strong|b|em|i|u|mark|span)(?:\s[^<>]*)?>", re.IGNORECASE)
_BREAKS = re.compile(r"<(?:br|wbr)\s*/?>", re.IGNORECASE)
_LEADING_ZEROS = re.compile(r"&#0+(?=[0-9])")
_TOO_LARGE = re.compile(r"&#[0-9]{8,}+")
_MOST_MARKS = 30  # combining marks of one letter, as in Unicode's stream-safe format
_MARKS_IN_A_ROW = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ISO = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?"
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
MONTH_NUMBERS = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)}|sept|{'|'.join(MONTH_NUMBERS)})\.?"
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
    r"(?P<count>\d{1,3}|an?|one) (?P<unit>sec|min|hour|hr|day|week)(?:ond|ute)?s? ago",
    re.IGNORECASE | re.ASCII,
)
_UNITS = {"sec": 1, "min": 60, "hour": 3600, "hr": 3600, "day": 86_400, "week": 604_800}
_LONGEST_DATE = 30  # characters
# The separator of date and text in a snippet.
_SNIPPET_DATE = re.compile(
    rf"(.{{5,{_LONGEST_DATE}}}?)(?: ?(?:\.\.\.|[\u2026\u2014\u2013\u00b7])(?: |$)| - )"
)


def plain(text: str) -> str:
    """Return plain text on one line: whitespace collapsed, no unprintable characters."""
    printable = _UNPRINTABLE.sub("", text)
    return " ".join(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", printable).split())


def plain_from_html(fragment: str) -> str:
    """Return plain text of a snippet in HTML; entities are decoded once, so that `&amp;lt;` stays
    `&lt;`.
    """
    return plain(unescape_entities(_MARKS.sub("", _BREAKS.sub(" ", fragment))))


def unescape_entities(text: str) -> str:
    """Return a text with its character references decoded once, also those with thousands of
    digits, which Python rejects.
    """
    if "&#" in text:
        text = _LEADING_ZEROS.sub("&#", text)
        text = _TOO_LARGE.sub("&#1114112", text)  # beyond the last character, too
    return html.unescape(text)


def normalize_letters(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form, without excess combining marks: sorting them takes quadratic
    time.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _MARKS_IN_A_ROW.sub(_limit_marks, text))


def _limit_marks(found: re.Match[str]) -> str:
    characters: list[str] = []
    in_a_row = 0
    for character in found[0]:
        in_a_row = in_a_row + 1 if unicodedata.combining(character) else 0
        if in_a_row <= _MOST_MARKS:
            characters.append(character)
    return "".join(characters)


def shorten_text(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut between words if possible, with dots at the cut."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 4]
    words = cut.rpartition(" ")[0].rstrip()
    return (words if len(words) > limit // 2 else cut) + " ..."


def iso_date(value: object) -> str | None:
    """Return a date as ISO 8601 if it is in that format, otherwise None."""
    if not isinstance(value, str) or not value.isascii():
        return None
    found = _ISO.fullmatch(value.strip())
    if not found:
        return None
    moment = found["date"]
    if found["time"] is not None:
        moment = f"{moment}T{found['time']}{(found['zone'] or '').upper()}"
    try:
        year = datetime.fromisoformat(moment).year
    except ValueError:
        return None
    return None if year == 1 else moment  # 0001-01-01 means "no date"


def rfc_date(value: object) -> str | None:
    """Return a date of RFC 1123 (`Fri, 13 Nov 2026 08:05:00 GMT`) as ISO 8601 in UTC, or None."""
    try:
        moment = parsedate_to_datetime(str(value))
        return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if moment.tzinfo else None
    except (ValueError, TypeError, OverflowError):
        return None


def join_date(numbers: Sequence[int]) -> str:
    """Return ISO 8601 of year, month and day, as far as given."""
    widths = (4, 2, 2)
    return "-".join(f"{number:0{width}}" for number, width in zip(numbers, widths, strict=False))


def read_shown_date(value: object, now: datetime) -> str | None:
    """Return the date of a text in natural language: a day, or a time in UTC if the text counts
    hours or less from now. None for ambiguous and future dates.
    """
    if not isinstance(value, str):
        return None
    text = " ".join(value[: 2 * _LONGEST_DATE].split())
    if len(text) > _LONGEST_DATE:
        return None
    now = now.astimezone(UTC)
    day = iso_date(text) or _read_day(text)
    if day is None:
        return _read_age(text.lower(), now)
    tomorrow = now.date() + timedelta(days=1)  # the current day in other time zones
    return day if day[:10] <= tomorrow.isoformat() else None


def read_snippet_date(snippet: str, now: datetime) -> str | None:
    """Return the date at the start of a snippet of Google ("Mar 3, 2026 ... Notes from")."""
    found = _SNIPPET_DATE.match(snippet)
    return read_shown_date(found[1], now) if found else None


def to_timestamp(published: str | None) -> str | None:
    """Return a date in ISO 8601 as `2026-01-16T12:00:00Z`, without the Z if its zone is unknown;
    None for anything but a full date.
    """
    try:
        moment = datetime.fromisoformat(published or "").replace(microsecond=0)
        zone = "Z" if moment.tzinfo else ""
        moment = moment.astimezone(UTC) if zone else moment
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=None).isoformat() + zone


def _read_day(text: str) -> str | None:
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        month = found["month"].lower()
        number = int(month) if month.isdigit() else MONTH_NUMBERS[month[:3]]
        try:
            return date(int(found["year"]), number, int(found["day"])).isoformat()
        except ValueError:
            return None
    return None


def _read_age(text: str, now: datetime) -> str | None:
    """Return the day or time of an age, as exact as it is stated."""
    text = {"today": "0 days ago", "yesterday": "1 day ago"}.get(text, text)
    found = _AGO.fullmatch(text)
    if found is None:
        return None
    count = int(found["count"]) if found["count"].isdigit() else 1
    unit = _UNITS[found["unit"]]
    moment = (now - timedelta(seconds=count * unit)).replace(second=0, microsecond=0)
    if unit > 3600:
        return moment.date().isoformat()
    if unit == 3600:
        moment = moment.replace(minute=0)
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def describe_age(seconds: float) -> str:
    """Return an age in words."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "less than a minute"
