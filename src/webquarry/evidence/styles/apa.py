"""A work -> its reference in APA 7. Titles keep the capitals they came with: which words are names,
nobody told us.
"""

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
    plain,
    render,
)

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
_IN_BOOK = frozenset({"chapter", "paper-conference"})
_NOTES = {
    "motion_picture": "[Video]",
    "dataset": "[Data set]",
    "software": "[Computer software]",
    "post": "[Online forum post]",
}
_MOST_LISTED, _LISTED_BEFORE_DOTS = 20, 19
_POST_WORDS = 20
_INITIAL_END = re.compile(r"\.(?=\S)")


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
    authors = _format_authors(work.authors)
    title = _format_title(work)
    date = f"({_format_date(work, letter)})."
    if authors:
        opening = [add_full_stop(authors), date, title]
    else:
        opening = [title, date]
    location = plain(work.location)
    if retrieved and location and len(work.accessed) == 3:
        year, month, day = work.accessed
        location = f"Retrieved {MONTHS[month - 1]} {day}, {year}, from {location}"
    reference = join_present(" ", [*opening, _format_source(work), location])
    return render(reference, markdown=markdown, escape=escape)


def _format_authors(names: tuple[Name, ...]) -> str:
    """`A, B, & C`; of more than twenty, the first nineteen and the last."""
    written: list[str] = []
    for name in names:
        parts = [name.literal]
        if not name.literal:
            parts = [name.family, _format_initials(plain(name.given)), name.suffix]
        written.append(join_present(", ", map(plain, parts)))
    if len(written) < 2:
        return "".join(written)
    *others, last = written
    if len(written) > _MOST_LISTED:
        return ", ".join(others[:_LISTED_BEFORE_DOTS]) + f", . . . {last}"
    return join_present(", & ", [", ".join(others), last])


def _format_initials(given: str) -> str:
    """`Jean-Paul M` -> `J.-P. M.`"""
    initials: list[str] = []
    spaced = given
    if "." in given:
        spaced = _INITIAL_END.sub(". ", given)
    for word in spaced.split():
        letters: list[str] = []
        parts = word.split("-")
        for part in parts:
            if part:
                letters.append(part[0].upper() + ".")
        if letters:
            initials.append("-".join(letters))
    return " ".join(initials)


def _format_date(work: Work, letter: str) -> str:
    """The date as exact as the kind of work gives it: `2024a, March 3`."""
    if not work.issued:
        if letter:
            return f"n.d.-{letter}"
        return "n.d."
    year, *month_and_day = work.issued
    date = f"{year}{letter}"
    if work.kind in YEAR_ONLY or not month_and_day:
        return date
    month = month_and_day[0]
    date += f", {MONTHS[month - 1]}"
    if len(month_and_day) > 1:
        date += f" {month_and_day[1]}"
    return date


def _format_title(work: Work) -> str:
    """The title with what stands in brackets behind it: a number, and what the work is."""
    title = plain(work.title)
    note = _NOTES.get(work.kind, "")
    words = title.split()
    if work.kind == "post" and len(words) > _POST_WORDS:
        title = " ".join(words[:_POST_WORDS]) + "…"
    if not title:
        return add_full_stop(note or "[Web page]")
    if work.kind in _IN_PERIODICAL or work.kind in _IN_BOOK:
        return add_full_stop(title)
    number = plain(work.number) if work.kind in ("article", "report") else ""
    if number:
        has_label = number.lower().startswith(("report", "no."))
        if work.kind == "report" and not has_label:
            number = f"Report No. {number}"
        number = f"({number})"
    behind = join_present(" ", [number, note])
    if behind:
        return f"{italic(title)} {behind}."
    return add_full_stop(italic(title))


def _format_source(work: Work) -> str:
    """Where the work was published: its journal, its book, its site or its publisher."""
    container = plain(work.container)
    publisher = plain(work.publisher)
    if work.kind == "article-journal":
        volume = italic(plain(work.volume))
        if work.issue:
            volume += f"({plain(work.issue)})"
        first, last = page_range(work.pages)
        place = first
        if last:
            place = f"{first}–{last}"
        elif work.number and not first:
            place = f"Article {plain(work.number)}"
        journal = join_present(", ", [italic(container), volume, place])
        return add_full_stop(journal)
    if work.kind in _IN_BOOK:
        book = ""
        if container:
            first, last = page_range(work.pages)
            pages = f" (p. {first})" if first else ""
            if last:
                pages = f" (pp. {first}–{last})"
            book = f"In {italic(container)}{pages}."
        return join_present(" ", [book, add_full_stop(publisher)])
    if work.is_signed_by_site:
        return ""
    if work.kind in _IN_PERIODICAL:
        return add_full_stop(italic(container))
    return add_full_stop(container or publisher)
