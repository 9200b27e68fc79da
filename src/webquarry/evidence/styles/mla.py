"""A work -> its entry in a list of works cited, MLA 9. English titles are put in title case, others
stay as they are.
"""

from __future__ import annotations

from webquarry.evidence.page.people import Name
from webquarry.evidence.page.titles import title_case
from webquarry.evidence.styles.work import Work, ended, italic, page_range, plain, rendered

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
_PLAIN_CONTAINER = frozenset(
    {"article", "report", "dataset", "software"}
)  # the publisher, which is not set in italics


def format_mla(work: Work, *, markdown: bool = False) -> str:
    """The entry in one line. The date of access is given where the work has none of its own."""
    video = work.kind == "motion_picture"
    if work.signs_itself or video:
        author = ""
    else:
        author = ended(_authors(work.authors))
    middle = [
        _container(work),
        _uploader(work) if video else "",
        *_numbers(work),
        _date(work.issued),
        *_place(work),
    ]
    body = ended(", ".join(part for part in middle if part))
    if work.issued or not work.accessed:
        accessed = ""
    else:
        accessed = f"Accessed {ended(_date(work.accessed))}"
    return rendered(
        " ".join(filter(None, [author, _title(work), body, accessed])), markdown=markdown
    )


def _authors(names: tuple[Name, ...]) -> str:
    if not names:
        return ""
    first = plain(names[0].literal) or ", ".join(
        filter(None, [plain(names[0].family), plain(names[0].given), plain(names[0].suffix)])
    )
    if len(names) == 1:
        return first
    if len(names) > 2:
        return f"{first}, et al."
    return f"{first}, and {plain(names[1].written)}"


def _title(work: Work) -> str:
    title = plain(work.title)
    if not title:
        return "Web page."
    if work.language[:2].lower() in ("en", ""):
        title = title_case(title)
    inner = title.replace("“", "‘").replace("”", "’")
    return f"“{ended(inner)}”"


def _container(work: Work) -> str:
    container, publisher = plain(work.container), plain(work.publisher)
    if work.kind in _PLAIN_CONTAINER and not container:
        return publisher
    return italic(container or publisher)


def _uploader(work: Work) -> str:
    if work.authors:
        return f"uploaded by {plain(work.authors[0].written)}"
    return ""


def _numbers(work: Work) -> list[str]:
    if work.kind not in ("article-journal", "article-magazine"):
        return []
    return [
        f"{label} {plain(value)}"
        for label, value in (("vol.", work.volume), ("no.", work.issue))
        if value
    ]


def _place(work: Work) -> list[str]:
    if work.kind == "article-journal" and work.number and not work.pages:
        number = f"article {plain(work.number)}"
    else:
        number = ""
    return [mla_pages(work.pages), number, plain(work.location)]


def _date(parts: tuple[int, ...]) -> str:
    if len(parts) < 2:
        return "".join(map(str, parts))
    written = f"{_MONTHS[parts[1] - 1]} {parts[0]}"
    if len(parts) > 2:
        return f"{parts[2]} {written}"
    return written


def mla_pages(pages: str) -> str:
    """`201-219` -> `pp. 201–19`: of the last page, the digits that differ, at least two."""
    first, last = page_range(pages)
    if not last:
        if first:
            return f"p. {first}"
        return ""
    if first.isdigit() and last.isdigit() and len(first) == len(last) and len(last) > 2:
        differs = next(
            (at for at, (one, two) in enumerate(zip(first, last, strict=True)) if one != two), 0
        )
        same = min(differs, len(last) - 2)
        kept = last[same:] if int(last) > int(first) else last
        return f"pp. {first}–{kept}"
    return f"pp. {first}–{last}"
