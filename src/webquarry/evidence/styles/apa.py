"""References in APA 7. Titles keep their capitals, because names in them are not known."""

from __future__ import annotations

import re
from collections.abc import Callable

from webquarry.evidence.page.dates import MONTHS
from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.work import (
    Work,
    add_full_stop,
    italic,
    join_present,
    page_range,
    plain_work,
    render,
)

_IN_PERIODICAL = frozenset(
    {"article-journal", "article-newspaper", "article-magazine", "post-weblog"}
)
_IN_BOOK = frozenset({"chapter", "paper-conference"})
YEAR_ONLY = _IN_BOOK | {
    "article-journal",
    "article",
    "book",
    "report",
    "thesis",
    "dataset",
    "software",
}
_NOTES = {
    "motion_picture": "[Video]",
    "dataset": "[Data set]",
    "software": "[Computer software]",
    "post": "[Online forum post]",
}
_MOST_LISTED, _LISTED_BEFORE_DOTS = 20, 19
_POST_WORDS = 20
_INITIAL_END = re.compile(r"\.(?=\S)")


def format_apa(work: Work, *, letter: str = "", escape: Callable[[str], str] | None = None) -> str:
    """Return the reference on one line; with `escape` as Markdown, otherwise as plain text.
    `letter` distinguishes works of the same author and year in a list.
    """
    work = plain_work(work)
    authors = add_full_stop(_format_authors(work.authors))
    title = _format_title(work)
    date = f"({_format_date(work, letter)})."
    opening = [authors, date, title] if authors else [title, date]
    return render(join_present(" ", [*opening, _format_source(work), work.location]), escape)


def _format_authors(names: tuple[Name, ...]) -> str:
    """Return `A, B, & C`; of more than twenty authors, the first nineteen and the last."""
    *others, last = [
        name.literal or join_present(", ", [name.family, _format_initials(name.given), name.suffix])
        for name in names
    ] or [""]
    if len(names) > _MOST_LISTED:
        return ", ".join(others[:_LISTED_BEFORE_DOTS]) + f", . . . {last}"
    return join_present(", & ", [", ".join(others), last])


def _format_initials(given: str) -> str:
    """Return `J.-P. M.` for `Jean-Paul M`."""
    words = _INITIAL_END.sub(". ", given).split()
    parts = ([part[0].upper() + "." for part in word.split("-") if part] for word in words)
    return join_present(" ", map("-".join, parts))


def _format_date(work: Work, letter: str) -> str:
    """Return the date with the precision of its kind of work: `2024a, March 3`."""
    if not work.issued:
        return f"n.d.-{letter}" if letter else "n.d."
    year, *month_and_day = work.issued
    date = f"{year}{letter}"
    if work.kind in YEAR_ONLY or not month_and_day:
        return date
    month, *day = month_and_day
    return join_present(" ", [f"{date}, {MONTHS[month - 1]}", *map(str, day)])


def _format_title(work: Work) -> str:
    """Return the title with its notes in brackets: the number, and the kind of work."""
    title = work.title
    note = _NOTES.get(work.kind, "")
    words = title.split()
    if work.kind == "post" and len(words) > _POST_WORDS:
        title = " ".join(words[:_POST_WORDS]) + "…"
    if not title:
        return add_full_stop(note or "[Web page]")
    if work.kind in _IN_PERIODICAL or work.kind in _IN_BOOK:
        return add_full_stop(title)
    number = work.number if work.kind in ("article", "report") else ""
    if number:
        if work.kind == "report" and not number.lower().startswith(("report", "no.")):
            number = f"Report No. {number}"
        number = f"({number})"
    notes = join_present(" ", [number, note])
    return f"{italic(title)} {notes}." if notes else add_full_stop(italic(title))


def _format_source(work: Work) -> str:
    """Return where the work was published: its journal, book, site or publisher."""
    first, last = page_range(work.pages)
    if work.kind == "article-journal":
        volume = italic(work.volume) + (f"({work.issue})" if work.issue else "")
        place = f"{first}–{last}" if last else first
        if work.number and not place:
            place = f"Article {work.number}"
        return add_full_stop(join_present(", ", [italic(work.container), volume, place]))
    if work.kind in _IN_BOOK:
        pages = f" (pp. {first}–{last})" if last else f" (p. {first})" if first else ""
        book = f"In {italic(work.container)}{pages}." if work.container else ""
        return join_present(" ", [book, add_full_stop(work.publisher)])
    if work.is_signed_by_site:
        return ""
    if work.kind in _IN_PERIODICAL:
        return add_full_stop(italic(work.container))
    return add_full_stop(work.container or work.publisher)
