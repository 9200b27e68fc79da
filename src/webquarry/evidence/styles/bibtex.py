"""A work -> its entry in BibTeX.

BibTeX counts braces without regard to a backslash in front of them, so a brace in a title is
written by its name: no value can end its field, whatever a page calls itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from webquarry.evidence.styles.keys import build_key
from webquarry.evidence.styles.work import MOST_LISTED, Work, join_present, page_range, plain

_ENTRIES = {
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
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\ensuremath{\lbrace}",  # which more programs can read than \textbraceleft
    "}": r"\ensuremath{\rbrace}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {character: "\\" + character for character in "$&#%_"}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
_UNSAFE_IN_ADDRESSES = re.compile(r"[{}\\\s\"<>^`|]")
_AND = re.compile(r"\band\b", re.IGNORECASE)


def to_bibtex(work: Work, key: str = "") -> str:
    """The entry, one field a line. `key` is given in a list, where each entry has its own."""
    entry = _ENTRIES.get(work.kind, "misc")
    key = key or build_key(work)
    fields = {name: value for name, value in _fields(work, entry) if value}
    width = max(map(len, fields), default=0)
    lines = [f"  {name:<{width}} = {value}" for name, value in fields.items()]
    body = ",\n".join(lines)
    return f"@{entry}{{{key},\n{body}\n}}\n"


def escape_tex(text: str) -> str:
    """A text in one line, its special characters written so that TeX prints them."""
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], plain(text))


def _fields(work: Work, entry: str) -> Iterator[tuple[str, str]]:
    """The fields with their values; empty where nothing is known."""
    yield "author", _brace(_format_authors(work))
    yield "title", _brace(escape_tex(work.title))
    container_field = _CONTAINER_FIELD.get(entry, "howpublished")
    yield container_field, _brace(escape_tex(work.container))
    publisher_field = _PUBLISHER_FIELD.get(entry, "publisher")
    yield publisher_field, _brace(escape_tex(work.publisher))
    if work.issued:
        yield "year", _brace(str(work.issued[0]))
    if len(work.issued) > 1:
        yield "month", _MONTHS[work.issued[1] - 1]
    yield "volume", _brace(escape_tex(work.volume))
    yield "number", _brace(escape_tex(work.issue or work.number))
    pages = [escape_tex(page) for page in page_range(work.pages) if page]
    yield "pages", _brace("--".join(pages))
    yield "issn", _brace(escape_tex(work.issn))
    yield "doi", _brace(_escape_address(work.doi))
    yield "url", _brace(_escape_address(work.url))
    if work.url and work.accessed:
        accessed = "-".join(f"{part:02}" for part in work.accessed)
        yield "note", _brace(f"Accessed: {accessed}")


def _brace(value: str) -> str:
    """A value in braces; nothing where there is none."""
    return f"{{{value}}}" if value else ""


def _format_authors(work: Work) -> str:
    """All authors, divided by "and"; of very many, the first ones "and others"."""
    names: list[str] = []
    for name in work.authors[:MOST_LISTED]:
        if name.literal:
            names.append(f"{{{escape_tex(name.literal)}}}")
        elif name.given:
            parts = filter(None, [name.family, name.suffix, name.given])
            names.append(", ".join(map(_format_part, parts)))
        else:  # a suffix alone behind the comma would be taken for the given name
            whole = join_present(" ", [name.family, name.suffix])
            names.append(_format_part(whole, alone=True))
    if len(work.authors) > MOST_LISTED:
        names.append("others")
    return " and ".join(names)


def _format_part(text: str, *, alone: bool = False) -> str:
    """A part of a name. What BibTeX could take for two names or for another part, and what has to
    be escaped, which not every reader of names understands, is held together.
    """
    written = escape_tex(text)
    is_ambiguous = "," in text or _AND.search(text) is not None
    if alone and (" " in written or text.casefold() == "others"):
        is_ambiguous = True
    if is_ambiguous or "\\" in written:
        return f"{{{written}}}"
    return written


def _escape_address(text: str) -> str:
    """An address or a DOI, which programs read as it stands: what could end the field is
    percent-encoded.
    """
    return _UNSAFE_IN_ADDRESSES.sub(lambda found: quote(found[0]), plain(text))
