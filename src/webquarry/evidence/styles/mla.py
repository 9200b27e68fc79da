"""Entries of a list of works cited in MLA 9. English titles are set in title case."""

from __future__ import annotations

import re
from collections.abc import Iterator

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

_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()  # noqa: SIM905
# Kinds whose publisher is not set in italics.
_PLAIN_PUBLISHER = frozenset({"article", "report", "dataset", "software"})
_SMALL_WORDS = frozenset(
    """
    a an the and but for nor or so yet as at by in into of off on onto out over per to up via
    with from about above across after against along among around before behind below beneath
    beside between beyond despite down during except inside like near since through throughout
    toward towards under until upon within without
    """.split()  # noqa: SIM905
)
_PLAIN_WORD = re.compile(r"([\"'“‘(\[]*)([A-Za-z][a-z'’]*(?:-[a-z'’]+)*)([\"'”’)\],.;:!?…]*)")
_SENTENCE_STARTS = (":", "?", "!", "—", "–")


def format_mla(work: Work) -> str:
    """Return the entry on one line, with the date of access if the work is undated."""
    work = plain_work(work)
    authors = ""
    if work.kind != "motion_picture" and not work.is_signed_by_site:
        authors = add_full_stop(_format_authors(work.authors))
    title = "Web page."
    if work.title:
        is_english = work.language[:2].lower() in ("en", "")
        title = title_case(work.title) if is_english else work.title
        title = f"“{add_full_stop(title.replace('“', '‘').replace('”', '’'))}”"
    publication = add_full_stop(join_present(", ", _list_publication(work)))
    accessed = ""
    if work.accessed and not work.issued:
        accessed = f"Accessed {add_full_stop(_format_date(work.accessed))}"
    return render(join_present(" ", [authors, title, publication, accessed]))


def _list_publication(work: Work) -> Iterator[str]:
    """Yield the parts of the container of MLA: where, when and at which location; maybe empty."""
    if work.kind in _PLAIN_PUBLISHER and not work.container:
        yield work.publisher
    else:
        yield italic(work.container or work.publisher)
    if work.kind == "motion_picture" and work.authors:
        yield f"uploaded by {work.authors[0].written}"
    if work.kind in ("article-journal", "article-magazine"):
        yield f"vol. {work.volume}" if work.volume else ""
        yield f"no. {work.issue}" if work.issue else ""
    yield _format_date(work.issued)
    yield mla_pages(work.pages)
    if work.kind == "article-journal" and work.number and not work.pages:
        yield f"article {work.number}"
    yield work.location


def _format_authors(names: tuple[Name, ...]) -> str:
    """Return the first author, family name first; three or more end in "et al."."""
    if not names:
        return ""
    name = names[0]
    first = name.literal or join_present(", ", [name.family, name.given, name.suffix])
    if len(names) > 2:
        return f"{first}, et al."
    return f"{first}, and {names[1].written}" if len(names) == 2 else first


def _format_date(parts: tuple[int, ...]) -> str:
    """Return `3 Mar. 2024`, with the parts that are known."""
    if len(parts) < 2:
        return "".join(map(str, parts))
    year, month, *day = parts
    return join_present(" ", [*map(str, day), _MONTHS[month - 1], str(year)])


def mla_pages(pages: str) -> str:
    """Return `pp. 201–19` for `201-219`: of the last page the digits that differ, at least two."""
    first, last = page_range(pages)
    if not last:
        return f"p. {first}" if first else ""
    are_numbers = first.isdecimal() and last.isdecimal()
    if are_numbers and len(first) == len(last) > 2 and int(last) > int(first):
        same = next(place for place in range(len(first)) if first[place] != last[place])
        last = last[min(same, len(last) - 2) :]
    return f"pp. {first}–{last}"


def title_case(title: str) -> str:
    """Return an English title in title case. Words with capitals inside (`NASA`, `iPhone`) and
    words with other characters (`height()`, `example.org`) stay unchanged.
    """
    words = title.split(" ")
    cased: list[str] = []
    for place, word in enumerate(words):
        found = _PLAIN_WORD.fullmatch(word)
        if not found:
            cased.append(word)
            continue
        before, letters, after = found.groups()
        is_first = place == 0 or words[place - 1].endswith(_SENTENCE_STARTS)
        if letters.lower() in _SMALL_WORDS and not is_first and place < len(words) - 1:
            cased.append(before + letters.lower() + after)
            continue
        first, *others = letters.split("-")
        parts = [first[:1].upper() + first[1:]]
        parts += [part if part in _SMALL_WORDS else part.capitalize() for part in others]
        cased.append(before + "-".join(parts) + after)
    return " ".join(cased)
