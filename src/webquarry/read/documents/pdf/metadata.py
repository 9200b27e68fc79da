"""What a PDF says about itself -> title, author and dates, where they say something."""

from __future__ import annotations

import re
from collections import Counter

from webquarry.read.documents.pdf.pdfium import PdfFile
from webquarry.read.documents.text import clean_name
from webquarry.read.models import Dated

_DATE = re.compile(
    r"\s*(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d)(?:(\d\d))?)?)?)?)?"
    r"\s*(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?"
)
_ISO = re.compile(
    r"\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?)?\s*$"
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2200
_LONGEST_DATE = 100  # characters
# What programs write when their user gave no title: the name of the file, or their own.
_NO_TITLE = re.compile(
    r"(?i)(?:untitled|unbenannt|sans titre|sin título|document|doc|presentation|slide)?\s*[\d-]*"
    r"|(?:microsoft (?:word|powerpoint|excel)|powerpoint presentation|print|layout \d+"
    r"|about:blank)\b.*"
    r"|\S+\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|qxp|rtf|odt|html?|ps|pages|pub)(?:\s.*)?"
)


def title_of(pdf: PdfFile, removed: Counter[str]) -> str:
    """The title in the file, unless a program made it up."""
    title = clean_name(pdf.get_metadata("Title"), removed)
    if _NO_TITLE.fullmatch(title):
        return ""
    return title


def author_of(pdf: PdfFile, removed: Counter[str]) -> str:
    """The author in the file; empty where it names none."""
    author = pdf.get_metadata("Author")
    return clean_name(author, removed)


def date_of(pdf: PdfFile, key: str) -> Dated | None:
    """The date under a key, as exact as it was given; None for one that cannot be."""
    text = pdf.get_metadata(key)[:_LONGEST_DATE]
    iso = _ISO.match(text)  # as some programs write it already
    value: str | None
    if iso is None:
        value = _parse_pdf_date(text)
    else:
        day, time, zone = iso.groups()
        value = day
        if time:
            value = f"{day}T{time}{zone or ''}"
    if value is None:
        return None
    return Dated(value, f"pdf:{key}")


def _parse_pdf_date(text: str) -> str | None:
    """`D:20240303101500+01'00'` -> `2024-03-03T10:15:00+01:00`; None where it cannot be a date."""
    found = _DATE.match(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, utc, sign, hours, minutes = found.groups()
    if not _FIRST_YEAR <= int(year) <= _LAST_YEAR:
        return None
    if not 1 <= int(month or 1) <= 12:
        return None
    if not 1 <= int(day or 1) <= 31:
        return None
    if int(hour or 0) > 23:
        return None
    if int(minute or 0) > 59 or int(second or 0) > 59:
        return None
    value = "-".join(filter(None, (year, month, day)))
    if minute is None:
        return value
    zone = ""
    if utc:
        zone = "Z"
    elif sign:
        zone = f"{sign}{hours}:{minutes or '00'}"
    return f"{value}T{hour}:{minute}:{second or '00'}{zone}"
