"""A work -> its reference in APA 7. Titles keep the capitals they came with: which words are names,
nobody told us.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from webquarry.evidence.page.dates import MONTHS
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.work import Work, ended, italic, page_range, plain, rendered

YEAR_ONLY = frozenset(
    {
        "article-journal",
        "article",
        "paper-conference",
        "book",
        "chapter",
        "report",
        "thesis",
        "dataset",
        "software",
    }
)
_IN_PERIODICAL = frozenset(
    {"article-journal", "article-newspaper", "article-magazine", "post-weblog"}
)
_NOTES = {
    "motion_picture": "[Video]",
    "dataset": "[Data set]",
    "software": "[Computer software]",
    "post": "[Online forum post]",
}
_MOST_LISTED, _LISTED_BEFORE_DOTS = 20, 19
_POST_WORDS = 20


def format_apa(
    work: Work,
    *,
    markdown: bool = False,
    retrieved: bool = False,
    letter: str = "",
    escape: Callable[[str], str] | None = None,
) -> str:
    """The reference in one line; `retrieved` says when it was read, for pages that change. `letter`
    tells works of one author and year apart in a list; `escape` is what every piece of text goes
    through on its way into Markdown.
    """
    author, title, date = _authors(work.authors), _title(work), f"({_date(work, letter)})."
    if author:
        opening = [ended(author), date, title]
    else:
        opening = [title, date]
    parts = [*opening, _source(work), _location(work, retrieved)]
    return rendered(" ".join(part for part in parts if part), markdown=markdown, escape=escape)


def _authors(names: tuple[Name, ...]) -> str:
    written = [_name(name) for name in names]
    if len(written) > _MOST_LISTED:
        return ", ".join(written[:_LISTED_BEFORE_DOTS]) + f", . . . {written[-1]}"
    if len(written) == 1:
        return written[0]
    return ", & ".join(filter(None, [", ".join(written[:-1]), *written[-1:]]))


def _name(name: Name) -> str:
    if name.literal:
        return plain(name.literal)
    return ", ".join(
        filter(None, [plain(name.family), _initials(plain(name.given)), plain(name.suffix)])
    )


def _initials(given: str) -> str:
    """`Jean-Paul M` -> `J.-P. M.`"""
    words = [
        [part[0].upper() + "." for part in word.split("-") if part]
        for word in re.sub(r"\.(?=\S)", ". ", given).split()
    ]
    return " ".join("-".join(parts) for parts in words if parts)


def _date(work: Work, letter: str) -> str:
    if not work.issued:
        if letter:
            return f"n.d.-{letter}"
        return "n.d."
    number, *rest = work.issued
    year = f"{number}{letter}"
    if work.kind in YEAR_ONLY or not rest:
        return year
    return f"{year}, {MONTHS[rest[0] - 1]}" + (f" {rest[1]}" if len(rest) > 1 else "")


def _title(work: Work) -> str:
    title, note = plain(work.title), _NOTES.get(work.kind, "")
    if work.kind == "post" and len(title.split()) > _POST_WORDS:
        title = " ".join(title.split()[:_POST_WORDS]) + "…"
    if not title:
        return ended(note or "[Web page]")
    if work.kind in _IN_PERIODICAL or work.kind in ("chapter", "paper-conference"):
        return ended(title)
    if work.kind in ("article", "report"):
        number = plain(work.number)
    else:
        number = ""
    if number and work.kind == "report" and not number.lower().startswith(("report", "no.")):
        number = f"Report No. {number}"
    behind = " ".join(filter(None, [f"({number})" if number else "", note]))
    if behind:
        return f"{italic(title)} {behind}."
    return ended(italic(title))


def _source(work: Work) -> str:
    container, publisher = plain(work.container), plain(work.publisher)
    if work.kind == "article-journal":
        return _journal(work, container)
    if work.kind in _IN_PERIODICAL:
        if work.signs_itself:
            return ""
        return ended(italic(container))
    if work.kind in ("chapter", "paper-conference"):
        first, last = page_range(work.pages)
        if last:
            pages = f" (pp. {first}–{last})"
        else:
            pages = ""
            if first:
                pages = f" (p. {first})"
        return " ".join(
            filter(None, [f"In {italic(container)}{pages}." if container else "", ended(publisher)])
        )
    if work.signs_itself:
        return ""
    return ended(container or publisher)


def _journal(work: Work, container: str) -> str:
    first, last = page_range(work.pages)
    volume = italic(plain(work.volume)) + (f"({plain(work.issue)})" if work.issue else "")
    if work.number and not first:
        number = f"Article {plain(work.number)}"
    else:
        number = ""
    pages = f"{first}–{last}" if last else first
    return ended(", ".join(filter(None, [italic(container), volume, pages or number])))


def _location(work: Work, retrieved: bool) -> str:
    location = plain(work.location)
    if not (retrieved and len(work.accessed) == 3 and location):
        return location
    year, month, day = work.accessed
    return f"Retrieved {MONTHS[month - 1]} {day}, {year}, from {location}"
