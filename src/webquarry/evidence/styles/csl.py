"""A work -> its item in CSL-JSON, which reference managers read; and an item -> the work that it
describes.

What is written here is read back equal. Items of others are read as far as they can be understood:
texts that come as numbers or as lists, names in one text, dates in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webquarry._search.addresses import normal_doi
from webquarry.evidence.page.dates import date_parts, read_date
from webquarry.evidence.page.people import MOST_AUTHORS, Name, parse_people, parse_person
from webquarry.evidence.styles.keys import build_key
from webquarry.evidence.styles.work import Work, is_plain, plain

_TEXTS = {
    "title": "title",
    "container-title": "container",
    "publisher": "publisher",
    "volume": "volume",
    "issue": "issue",
    "page": "pages",
    "number": "number",
    "DOI": "doi",
    "URL": "url",
    "ISSN": "issn",
    "language": "language",
}
_NAME_PARTS = ("family", "given", "suffix", "literal")
_KIND = re.compile(r"[a-z][a-z_-]{1,40}")
_LONGEST = 4000  # characters of any text
_LAST_YEAR = 9999


def to_csl(work: Work, key: str = "") -> dict[str, Any]:
    """The item; what is not known is absent. `key` is its id in a list where it has a key of its
    own.
    """
    item: dict[str, Any] = {"id": key or build_key(work), "type": work.kind}
    texts = vars(work)
    for field, attribute in _TEXTS.items():
        value = texts[attribute]
        if value:
            value = plain(value)
        if value:
            item[field] = value
    names: list[dict[str, str]] = []
    for author in work.listed_authors:
        parts = vars(author)
        written = ((part, plain(parts[part])) for part in _NAME_PARTS if parts[part])
        name = {part: text for part, text in written if text}
        if name:
            names.append(name)
    if names:
        item["author"] = names
    if work.issued:
        item["issued"] = {"date-parts": [list(work.issued)]}
    if work.accessed:
        item["accessed"] = {"date-parts": [list(work.accessed)]}
    return item


def parse_csl(item: Mapping[str, Any]) -> Work:
    """The work that an item describes, as far as it can be understood."""
    texts: dict[str, str] = {}
    for name in _TEXTS.keys() & item.keys():
        texts[_TEXTS[name]] = _parse_text(item[name])
    doi = texts.get("doi", "")
    bare_doi = normal_doi(doi) if doi else None
    if bare_doi:  # without the address in front of it, in the capitals it came with if it can be
        if doi.lower().endswith(bare_doi):
            bare_doi = doi[-len(bare_doi) :]
        texts["doi"] = bare_doi
    kind = item.get("type")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        kind = "webpage" if texts.get("url") else "document"
    return Work(
        kind=kind,
        authors=_parse_names(item.get("author")),
        issued=_parse_date(item.get("issued")),
        accessed=_parse_date(item.get("accessed")),
        **texts,
    )


def _parse_text(value: Any) -> str:
    """A text in one line; of several, the first."""
    if value is None:
        return ""  # as most
    if type(value) is str and len(value) <= _LONGEST and is_plain(value):
        return value  # as all that we wrote
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, str) and one.strip()), "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return plain(value[: 2 * _LONGEST])[:_LONGEST].rstrip()
    return ""


def _parse_names(value: Any) -> tuple[Name, ...]:
    """The authors of an item: a list, one name, or all in one text."""
    if isinstance(value, str):
        return parse_people([value])
    if isinstance(value, Mapping):
        value = [value]
    if not isinstance(value, list):
        return ()
    names: list[Name] = []
    for one in value[:MOST_AUTHORS]:
        name = _parse_name(one)
        if name:
            names.append(name)
    return tuple(names)


def _parse_name(value: Any) -> Name | None:
    """A name in parts, or in one text; the particles of CSL go where they are written."""
    if isinstance(value, str):
        text = plain(value[:_LONGEST])
        return parse_person(text)
    if not isinstance(value, Mapping):
        return None
    family = _parse_text(value.get("family"))
    given = _parse_text(value.get("given"))
    if family:
        before = _parse_text(value.get("non-dropping-particle"))
        inside = _parse_text(value.get("dropping-particle"))
        suffix = _parse_text(value.get("suffix"))
        whole_family = f"{before} {family}"
        return Name(
            family=whole_family.strip(),
            given=f"{given} {inside}".strip(),
            suffix=suffix,
        )
    literal = _parse_text(value.get("literal"))
    if literal:
        return Name(literal=literal)
    written = _parse_text(value.get("name"))
    name = parse_person(written)
    if name is None and given:
        return Name(literal=given)
    return name


def _parse_date(value: Any) -> tuple[int, ...]:
    """Year, month and day as far as they are stated and can be right."""
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list):
            return _parse_date_parts(parts[0])
        return _parse_date(value.get("raw") or value.get("literal"))
    if isinstance(value, int) and not isinstance(value, bool):
        return _parse_date_parts([value])
    return date_parts(read_date(value))


def _parse_date_parts(values: list[Any]) -> tuple[int, ...]:
    """The numbers up to the first that cannot be right."""
    found: list[int] = []
    for value, last in zip(values, (_LAST_YEAR, 12, 31), strict=False):
        number = value
        if isinstance(value, str) and value.isascii() and value.isdigit():
            number = int(value)
        if not isinstance(number, int) or isinstance(number, bool):
            break
        if not 1 <= number <= last:
            break
        found.append(number)
    return tuple(found)
