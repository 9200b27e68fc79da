"""A work -> its entry in a list of works cited, MLA 9. English titles are put in title case, others
stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from webquarry.evidence.page.people import Name
from webquarry.evidence.page.titles import title_case
from webquarry.evidence.styles.work import (
    Work,
    add_full_stop,
    italic,
    join_present,
    page_range,
    plain,
    render,
)

_MONTHS = (
    "Jan.",
    "Feb.",
    "Mar.",
    "Apr.",
    "May",
    "June",
    "July",
    "Aug.",
    "Sept.",
    "Oct.",
    "Nov.",
    "Dec.",
)
# the publisher, which is not set in italics
_PLAIN_CONTAINER = frozenset({"article", "report", "dataset", "software"})


def format_mla(work: Work, *, markdown: bool = False) -> str:
    """The entry in one line. The date of access is given where the work has none of its own."""
    is_video = work.kind == "motion_picture"
    begins_with_title = is_video or work.is_signed_by_site
    authors = ""
    if not begins_with_title:
        names = _format_authors(work.authors)
        authors = add_full_stop(names)
    title = plain(work.title)
    if title:
        language = work.language[:2].lower()
        if language in ("en", ""):
            title = title_case(title)
        # in quotation marks, those within it turned into single ones
        inner = title.replace("“", "‘")
        inner = inner.replace("”", "’")
        title = f"“{add_full_stop(inner)}”"
    else:
        title = "Web page."
    accessed = ""
    if work.accessed and not work.issued:
        date = _format_date(work.accessed)
        accessed = f"Accessed {add_full_stop(date)}"
    publication = join_present(", ", _publication(work))
    parts = [authors, title, add_full_stop(publication), accessed]
    entry = join_present(" ", parts)
    return render(entry, markdown=markdown)


def _publication(work: Work) -> Iterator[str]:
    """What MLA calls the container, part by part: where the work was published, when, and where it
    is found; empty where nothing is known.
    """
    container = plain(work.container)
    publisher = plain(work.publisher)
    if work.kind in _PLAIN_CONTAINER and not container:
        yield publisher
    else:
        yield italic(container or publisher)
    if work.kind == "motion_picture" and work.authors:
        yield f"uploaded by {plain(work.authors[0].written)}"
    if work.kind in ("article-journal", "article-magazine"):
        if work.volume:
            yield f"vol. {plain(work.volume)}"
        if work.issue:
            yield f"no. {plain(work.issue)}"
    yield _format_date(work.issued)
    yield mla_pages(work.pages)
    if work.kind == "article-journal" and work.number and not work.pages:
        yield f"article {plain(work.number)}"
    yield plain(work.location)


def _format_authors(names: tuple[Name, ...]) -> str:
    """The first author with the family name in front; of three or more, that one "et al."."""
    if not names:
        return ""
    name = names[0]
    first = plain(name.literal)
    if not first:
        parts = [name.family, name.given, name.suffix]
        first = join_present(", ", map(plain, parts))
    if len(names) == 1:
        return first
    if len(names) > 2:
        return f"{first}, et al."
    second = plain(names[1].written)
    return f"{first}, and {second}"


def _format_date(parts: tuple[int, ...]) -> str:
    """`3 Mar. 2024`, as far as the parts are known."""
    if len(parts) < 2:
        return "".join(map(str, parts))
    year, month, *day = parts
    written = f"{_MONTHS[month - 1]} {year}"
    if day:
        return f"{day[0]} {written}"
    return written


def mla_pages(pages: str) -> str:
    """`201-219` -> `pp. 201–19`: of the last page, the digits that differ, at least two."""
    first, last = page_range(pages)
    if not last:
        return f"p. {first}" if first else ""
    are_numbers = first.isdecimal() and last.isdecimal()
    if are_numbers and len(first) == len(last) > 2 and int(last) > int(first):
        same = 0
        while first[same] == last[same]:
            same += 1
        last = last[min(same, len(last) - 2) :]
    return f"pp. {first}–{last}"
