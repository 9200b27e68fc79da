"""A work -> its entry in BibTeX.

BibTeX counts braces without regard to a backslash in front of them, so a brace in a title is
written by its name: no value can end its field, whatever a page calls itself.
"""

from __future__ import annotations

import re

from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.keys import build_key
from webquarry.evidence.styles.work import MOST_LISTED, Work, page_range, plain

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
    """The entry, one field a line. `key` is given in a list, where each entry has one of its own."""
    entry = _ENTRIES.get(work.kind, "misc")
    fields = [(name, value) for name, value in _fields(work, entry) if value]
    width = max((len(name) for name, _ in fields), default=0)
    lines = [f"  {name:<{width}} = {value}" for name, value in fields]
    return f"@{entry}{{{key or build_key(work)},\n" + ",\n".join(lines) + "\n}\n"


def escaped(text: str) -> str:
    """A text in one line, its special characters written so that TeX prints them."""
    return _SPECIAL.sub(lambda found: _ESCAPES[found[0]], plain(text))


def _fields(work: Work, entry: str) -> list[tuple[str, str]]:
    first, last = page_range(work.pages)
    month = ""
    if len(work.issued) > 1:
        month = _MONTHS[work.issued[1] - 1]
    if work.url:
        accessed = "-".join(f"{part:02}" for part in work.accessed)
    else:
        accessed = ""
    return [
        ("author", _braced(_authors(work))),
        ("title", _braced(escaped(work.title))),
        (_CONTAINER_FIELD.get(entry, "howpublished"), _braced(escaped(work.container))),
        (_PUBLISHER_FIELD.get(entry, "publisher"), _braced(escaped(work.publisher))),
        ("year", _braced(str(work.issued[0]) if work.issued else "")),
        ("month", month),
        ("volume", _braced(escaped(work.volume))),
        ("number", _braced(escaped(work.issue or work.number))),
        ("pages", _braced(escaped(first) + (f"--{escaped(last)}" if last else ""))),
        ("issn", _braced(escaped(work.issn))),
        ("doi", _braced(_address(work.doi))),
        ("url", _braced(_address(work.url))),
        ("note", _braced(f"Accessed: {accessed}" if accessed else "")),
    ]


def _braced(value: str) -> str:
    if value:
        return f"{{{value}}}"
    return ""


def _authors(work: Work) -> str:
    names = [_name(name) for name in work.authors[:MOST_LISTED]]
    return " and ".join([*names, "others"] if len(work.authors) > MOST_LISTED else names)


def _name(name: Name) -> str:
    if name.literal:
        return f"{{{escaped(name.literal)}}}"
    if not name.given:  # a suffix alone behind the comma would be taken for the given name
        return _part(" ".join(filter(None, [name.family, name.suffix])), alone=True)
    return ", ".join(_part(part) for part in (name.family, name.suffix, name.given) if part)


def _part(text: str, *, alone: bool = False) -> str:
    """A part of a name. What BibTeX could take for two names or for another part, and what has to
    be escaped, which not every reader of names understands, is held together.
    """
    written = escaped(text)
    several = (
        "," in text
        or _AND.search(text)
        or (alone and (" " in written or text.casefold() == "others"))
    )
    if several or "\\" in written:
        return f"{{{written}}}"
    return written


def _address(text: str) -> str:
    """An address or a DOI, which programs read as it stands: what could end the field is
    percent-encoded.
    """
    return _UNSAFE_IN_ADDRESSES.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), plain(text)
    )
