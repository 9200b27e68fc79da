"""A work -> its record in RIS: one tag a line, CRLF between lines. A value is one line, so it
cannot end its field.
"""

from __future__ import annotations

from collections.abc import Iterator

from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.work import Work, page_range, plain

_TYPES = {
    "article-journal": "JOUR",
    "article": "UNPB",
    "paper-conference": "CPAPER",
    "book": "BOOK",
    "chapter": "CHAP",
    "report": "RPRT",
    "thesis": "THES",
    "post-weblog": "BLOG",
    "article-newspaper": "NEWS",
    "article-magazine": "MGZN",
    "motion_picture": "VIDEO",
    "dataset": "DATA",
    "software": "COMP",
    "entry-encyclopedia": "ENCYC",
}


def to_ris(work: Work) -> str:
    """The record, with its end."""
    lines = [f"TY  - {_TYPES.get(work.kind, 'ELEC')}"]
    lines += [f"{tag}  - {value}" for tag, text in _fields(work) if (value := plain(text))]
    return "\r\n".join([*lines, "ER  - ", ""])


def _fields(work: Work) -> Iterator[tuple[str, str]]:
    yield from (("AU", _name(name)) for name in work.listed)
    yield "TI", work.title
    yield "T2", work.container
    yield "PB", work.publisher
    yield "PY", str(work.issued[0]) if work.issued else ""
    yield "DA", _date(work.issued)
    yield "Y2", _date(work.accessed) if work.url else ""
    yield "VL", work.volume
    yield "IS", work.issue
    first, last = page_range(work.pages)
    yield "SP", first
    yield "EP", last
    yield "C7" if work.kind == "article-journal" else "M1", work.number
    yield "SN", work.issn
    yield "LA", work.language
    yield "DO", work.doi
    yield "UR", work.url or work.location


def _name(name: Name) -> str:
    """A comma divides the parts of a name, so one within a part becomes a blank."""
    if name.literal:
        return name.literal
    return ", ".join(
        part.replace(",", " ") for part in (name.family, name.given, name.suffix) if part
    )


def _date(parts: tuple[int, ...]) -> str:
    if not parts:
        return ""
    year, month, day = (*(f"{part:02}" for part in parts), "", "")[:3]
    return f"{year}/{month}/{day}/"
