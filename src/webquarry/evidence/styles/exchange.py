"""Records of works in BibTeX and RIS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.work import (
    MOST_LISTED,
    Work,
    build_key,
    join_present,
    page_range,
    plain_work,
)

_BIBTEX_ENTRIES = {
    "article-journal": "article",
    "article-magazine": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "report": "techreport",
    "thesis": "phdthesis",
}
_CONTAINER_FIELD = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
_PUBLISHER_FIELD = {"techreport": "institution", "phdthesis": "school"}
_BIBTEX_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905
# BibTeX counts braces even after a backslash, so a brace is written by its name.
_TEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\ensuremath{\lbrace}",  # more programs can read this than \textbraceleft
    "}": r"\ensuremath{\rbrace}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {character: "\\" + character for character in "$&#%_"}
_TEX_TABLE = str.maketrans(_TEX_ESCAPES)
_UNSAFE_IN_URLS = re.compile(r"[{}\\\s\"<>^`|]")
_AND = re.compile(r"\band\b", re.IGNORECASE)
_RIS_TYPES = {
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


def to_bibtex(work: Work, key: str = "") -> str:
    """Return the BibTeX entry, one field a line. In a list each entry has its own `key`."""
    entry = _BIBTEX_ENTRIES.get(work.kind, "misc")
    key = key or build_key(work)
    fields = {name: value for name, value in _list_bibtex(plain_work(work), entry) if value}
    width = max(map(len, fields), default=0)
    lines = [
        f"  {name:<{width}} = {value if name == 'month' else f'{{{value}}}'}"
        for name, value in fields.items()
    ]
    body = ",\n".join(lines)
    return f"@{entry}{{{key},\n{body}\n}}\n"


def _list_bibtex(work: Work, entry: str) -> Iterator[tuple[str, str]]:
    """Yield the fields and their values, which may be empty."""
    names = [_format_bibtex_name(name) for name in work.authors[:MOST_LISTED]]
    names += ["others"] if len(work.authors) > MOST_LISTED else []
    yield "author", " and ".join(names)
    yield "title", escape_tex(work.title)
    yield _CONTAINER_FIELD.get(entry, "howpublished"), escape_tex(work.container)
    yield _PUBLISHER_FIELD.get(entry, "publisher"), escape_tex(work.publisher)
    yield "year", "".join(map(str, work.issued[:1]))
    yield "month", "".join(_BIBTEX_MONTHS[month - 1] for month in work.issued[1:2])
    yield "volume", escape_tex(work.volume)
    yield "number", escape_tex(work.issue or work.number)
    yield "pages", join_present("--", map(escape_tex, page_range(work.pages)))
    yield "issn", escape_tex(work.issn)
    yield "doi", _escape_url(work.doi)
    yield "url", _escape_url(work.url)
    if work.url and work.accessed:
        yield "note", "Accessed: " + "-".join(f"{part:02}" for part in work.accessed)


def escape_tex(text: str) -> str:
    """Escape the special characters of TeX."""
    return text.translate(_TEX_TABLE)


def _escape_url(url: str) -> str:
    """Percent-encode what could end a field of BibTeX; programs read URLs and DOIs verbatim."""
    return _UNSAFE_IN_URLS.sub(lambda found: quote(found[0]), url)


def _format_bibtex_name(name: Name) -> str:
    if name.literal:
        return f"{{{escape_tex(name.literal)}}}"
    if name.given:
        parts = filter(None, [name.family, name.suffix, name.given])
        return ", ".join(map(_format_bibtex_part, parts))
    # a suffix alone after the comma would be the given name
    whole = join_present(" ", [name.family, name.suffix])
    return _format_bibtex_part(whole, is_alone=True)


def _format_bibtex_part(text: str, *, is_alone: bool = False) -> str:
    """Return a part of a name, in braces if BibTeX could split it or if it has escapes."""
    escaped = escape_tex(text)
    is_ambiguous = "," in text or _AND.search(text) is not None
    is_ambiguous |= is_alone and (" " in escaped or text.casefold() == "others")
    return f"{{{escaped}}}" if is_ambiguous or "\\" in escaped else escaped


def to_ris(work: Work) -> str:
    """Return the RIS record: one tag a line, which end in CRLF."""
    tags = [(tag, value) for tag, value in _list_ris(plain_work(work)) if value]
    lines = [("TY", _RIS_TYPES.get(work.kind, "ELEC")), *tags, ("ER", "")]
    return "".join(f"{tag}  - {value}\r\n" for tag, value in lines)


def _list_ris(work: Work) -> Iterator[tuple[str, str]]:
    """Yield the tags and their values, which may be empty."""
    for name in work.listed_authors:
        # a comma separates the parts of a name
        parts = [part.replace(",", " ") for part in (name.family, name.given, name.suffix)]
        yield "AU", name.literal or " ".join(join_present(", ", parts).split())
    yield "TI", work.title
    yield "T2", work.container
    yield "PB", work.publisher
    yield "PY", "".join(map(str, work.issued[:1]))
    yield "DA", _format_ris_date(work.issued)
    yield "Y2", _format_ris_date(work.accessed) if work.url else ""
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


def _format_ris_date(parts: tuple[int, ...]) -> str:
    """Return `2024/03/03/`, with the slashes of missing parts."""
    if not parts:
        return ""
    return "/".join([*(f"{part:02}" for part in parts[:3]), "", "", ""][:3]) + "/"
