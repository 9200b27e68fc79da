"""Dates as feeds write them -> ISO 8601. A date without a zone stays without; what is no date stays
as it is.
"""

from __future__ import annotations

import re
from datetime import datetime
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?\s?"
    r"(?:Z|z|[+-]\d\d:?\d\d)?)?)?)?"
)
_LONGEST = 100  # characters


def iso_date(text: str) -> str:
    """The date in ISO form, as exact as it was given; empty when it is none."""
    text = " ".join(text[:_LONGEST].split())
    if _ISO.fullmatch(text):
        day = text[:10]
        if len(day) < 10:  # a year, or a year and a month
            day = (day + "-01-01")[:10]
        try:
            datetime.strptime(day, "%Y-%m-%d")
        except ValueError:
            return ""
        return text.replace(" ", "T", 1).replace(" ", "").replace("z", "Z")
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    if date.year < 1900:
        return ""
    return date.isoformat().replace("+00:00", "Z")
