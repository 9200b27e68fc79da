"""A page that was read comes in, a line that can be quoted goes out (APA 7, web page without a known author).

    Tides of the Lagoon. (2024, March 3). example.org. Retrieved November 15, 2026, from https://example.org/tides

The retrieval date is always given: what was read that day is what can be checked. A date that nobody stated is
"n.d.", never guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

# Not calendar.month_name, which speaks the language of the machine.
_MONTHS = ("January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December")  # fmt: skip
_SEPARATORS = (" | ", " · ", " – ", " — ", " - ")
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?!\d))?)?(?![\d-])")


@dataclass(frozen=True)
class Source:
    """What a citation needs to know. `published` is ISO 8601, as far as it is known."""

    title: str
    url: str
    accessed: datetime
    published: str | None = None

    @property
    def site(self) -> str:
        """The host, without the `www.` that says nothing."""
        return (urlsplit(self.url).hostname or "").removeprefix("www.")


def cite(source: Source) -> str:
    """The citation, on one line."""
    title = _without_site(" ".join(source.title.split()), source.site) or "[Untitled page]"
    stop = "" if title.endswith((".", "!", "?", "…")) else "."
    accessed = f"{_MONTHS[source.accessed.month - 1]} {source.accessed.day}, {source.accessed.year}"
    return f"{title}{stop} ({_written_date(source.published)}). {source.site}. Retrieved {accessed}, from {source.url}"


def _without_site(title: str, site: str) -> str:
    """Many titles end in the site's name, which a citation gives anyway."""
    place = max(title.rfind(separator) for separator in _SEPARATORS)
    bare, last = (title[:place], title[place + 3 :]) if place > 0 else (title, "")
    name = "".join(letter for letter in last.lower() if letter.isalnum())
    return bare if name and name in site.replace("-", "").split(".") else title


def _written_date(published: str | None) -> str:
    """As exact as the date that was given: a year, a month or a day."""
    found = _DATE.match(published or "")
    if not found:
        return "n.d."
    year, month, day = found.groups()
    if month is None or not 1 <= int(month) <= 12:
        return year
    written = f"{year}, {_MONTHS[int(month) - 1]}"
    return f"{written} {int(day)}" if day and 1 <= int(day) <= 31 else written
