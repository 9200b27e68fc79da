"""A work -> its record in RIS: one tag a line, CRLF between lines. A value is one line, so it
cannot end its field.
"""

from __future__ import annotations

from collections.abc import Iterator

from webquarry.evidence.styles.work import Work, join_present, page_range, plain

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
    kind = _TYPES.get(work.kind, "ELEC")
    lines = [f"TY  - {kind}"]
    for tag, text in _fields(work):
        value = plain(text)
        if not value:
            continue
        lines.append(f"{tag}  - {value}")
    lines += ["ER  - ", ""]
    return "\r\n".join(lines)


def _fields(work: Work) -> Iterator[tuple[str, str]]:
    """Tags and their values; empty where nothing is known."""
    for name in work.listed_authors:
        parts = [name.family, name.given, name.suffix]
        # a comma divides the parts of a name, so one within a part becomes a blank
        person = join_present(", ", [part.replace(",", " ") for part in parts])
        yield "AU", name.literal or person
    yield "TI", work.title
    yield "T2", work.container
    yield "PB", work.publisher
    if work.issued:
        yield "PY", str(work.issued[0])
        yield "DA", _format_date(work.issued)
    if work.url:
        yield "Y2", _format_date(work.accessed)
    yield "VL", work.volume
    yield "IS", work.issue
    first, last = page_range(work.pages)
    yield "SP", first
    yield "EP", last
    number_tag = "C7" if work.kind == "article-journal" else "M1"
    yield number_tag, work.number
    yield "SN", work.issn
    yield "LA", work.language
    yield "DO", work.doi
    yield "UR", work.url or work.location


def _format_date(parts: tuple[int, ...]) -> str:
    """`2024/03/03/`; the slashes stay where a part is not known."""
    if not parts:
        return ""
    written = [f"{part:02}" for part in parts[:3]]
    while len(written) < 3:
        written.append("")
    return "/".join(written) + "/"
