"""Providers' text and dates -> plain text and ISO 8601.

Titles and snippets come as HTML fragments or as plain text, by provider; dates come in many
spellings, of which only those that already are ISO 8601 are kept, with the zone and the precision
they were given in, and those of RFC 1123, which say the same in other words. Nothing is guessed.
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
_MOST_MARKS = 30  # as Unicode's stream-safe text has it
_MARKS_IN_A_ROW = re.compile(r"[^\w\s\x00-\x7f]{31,}")  # marks are neither letters nor blanks
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ISO = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)"
    r" ?(?P<zone>[Zz]|[+-]\d{2}(?::?\d{2})?)?)?"
)
_RFC_1123 = re.compile(
    r"[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} [1-9]\d{3} \d{2}:\d{2}:\d{2} (?:GMT|UTC|[+-]\d{4})"
)


def plain(text: str) -> str:
    """Plain text in one line: white space collapsed, nothing that cannot be printed or encoded."""
    if text.isprintable():  # then a blank is the only white space
        if "  " in text or text[:1] == " " or text[-1:] == " ":
            return " ".join(text.split())
        return text
    printable = _UNPRINTABLE.sub("", text)
    encodable = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", printable)
    return " ".join(encodable.split())


def plain_from_html(fragment: str) -> str:
    """Plain text of a snippet in HTML: highlighting removed, entities decoded once, so that
    `&amp;lt;` stays `&lt;`.
    """
    unmarked = _MARKS.sub("", _BREAKS.sub(" ", fragment))
    return plain(unescape_entities(unmarked))


def unescape_entities(text: str) -> str:
    """A text with its character references decoded once. Python refuses numbers of thousands of
    digits, which a page may well write.
    """
    if "&#" in text:
        text = _LEADING_ZEROS.sub("&#", text)
        text = _TOO_LARGE.sub("&#1114112", text)  # beyond the last character, as they are
    return html.unescape(text)


def normalize_letters(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """A text in one way of writing. Of more marks on one letter than any script has, the first are
    kept: sorting them takes the square of their number.
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _MARKS_IN_A_ROW.sub(_keep_first_marks, text))


def _keep_first_marks(found: re.Match[str]) -> str:
    """Signs and marks in a row, without the marks that are too many for one letter."""
    kept: list[str] = []
    in_a_row = 0
    for character in found[0]:
        in_a_row = in_a_row + 1 if unicodedata.combining(character) else 0
        if in_a_row <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def shorten_text(text: str, limit: int) -> str:
    """At most `limit` characters of a text, cut between words where it has some; what is cut is
    marked by dots.
    """
    if len(text) <= limit:
        return text
    cut = text[: limit - 4]
    words = cut.rpartition(" ")[0].rstrip()
    if len(words) > limit // 2:
        cut = words
    return cut + " ..."


def iso_date(value: object) -> str | None:
    """The date as ISO 8601, if that is what it is; None otherwise."""
    if not isinstance(value, str) or not value.isascii():
        return None
    found = _ISO.fullmatch(value.strip())
    if not found:
        return None
    moment = found["date"]
    if found["time"] is not None:
        zone = (found["zone"] or "").upper()
        moment = f"{moment}T{found['time']}{zone}"
    try:
        year = datetime.fromisoformat(moment).year
    except ValueError:
        return None
    if year == 1:  # 0001-01-01 is how some publishing systems write "no date"
        return None
    return moment


def rfc_date(value: object) -> str | None:
    """The date as ISO 8601 in UTC, if it is one of RFC 1123 (`Fri, 13 Nov 2026 08:05:00 GMT`); None
    otherwise.
    """
    if not isinstance(value, str) or not value.isascii():
        return None
    text = value.strip()
    if not _RFC_1123.fullmatch(text):
        return None
    try:
        moment = parsedate_to_datetime(text).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def join_date(numbers: Sequence[int]) -> str:
    """Year, month and day, as far as they are there, as ISO 8601."""
    widths = (4, 2, 2)
    parts = [f"{number:0{width}}" for number, width in zip(numbers, widths, strict=False)]
    return "-".join(parts)


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
