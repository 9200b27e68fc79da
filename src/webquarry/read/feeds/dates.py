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
        if _is_possible(text):
            return text.replace(" ", "T", 1).replace(" ", "").replace("z", "Z")
        return ""
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    if found.year >= 1900:
        return found.isoformat().replace("+00:00", "Z")
    return ""


def _is_possible(text: str) -> bool:
    if len(text) < 10:
        parts = (text[:10] + "-01-01")[:10]
    else:
        parts = text[:10]
    try:
        datetime.strptime(parts, "%Y-%m-%d")
    except ValueError:
        return False
    return True
