"""CSL-JSON items of works, for reference managers, and works from items.

Items written here are parsed unchanged. Items of others are parsed as far as possible: texts given
as numbers or lists, names in one text, dates in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webquarry._search.addresses import normal_doi
from webquarry.evidence.page.dates import date_parts, read_date
from webquarry.evidence.page.people import MOST_AUTHORS, Name, parse_people, parse_person
from webquarry.evidence.styles.work import Work, build_key, plain, plain_work

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
# Field names of our tools and others, by those of CSL-JSON.
_OTHER_NAMES = {
    "URL": "url",
    "DOI": "doi",
    "ISBN": "isbn",
    "PMID": "pmid",
    "author": "authors inventor",
    "issued": "published publishedAt date year",
    "container-title": "journal venue booktitle site siteName",
    "page": "pages",
    "accessed": "accessedDate",
}
_CSL_NAMES = {name: csl for csl, names in _OTHER_NAMES.items() for name in names.split()}
_NAME_PARTS = ("family", "given", "suffix", "literal")
_KIND = re.compile(r"[a-z][a-z_-]{1,40}")
_MAX_TEXT = 4000  # characters
_LAST = (9999, 12, 31)  # the largest year, month and day


def to_csl(work: Work, key: str = "") -> dict[str, Any]:
    """Return the item of a work; unknown fields are absent. `key` is its id in a list."""
    item: dict[str, Any] = {"id": key or build_key(work), "type": work.kind}
    work = plain_work(work)
    item |= {field: vars(work)[name] for field, name in _TEXTS.items() if vars(work)[name]}
    authors = [
        {part: vars(author)[part] for part in _NAME_PARTS if vars(author)[part]}
        for author in work.listed_authors
    ]
    if any(authors):
        item["author"] = list(filter(None, authors))
    for name in ("issued", "accessed"):
        if vars(work)[name]:
            item[name] = {"date-parts": [list(vars(work)[name])]}
    return item


def parse_csl(item: Mapping[str, Any]) -> Work:
    """Return the work of an item."""
    texts = {attribute: _parse_text(item.get(field)) for field, attribute in _TEXTS.items()}
    doi = normal_doi(texts["doi"])
    if doi:  # without the resolver, with its capitals
        has_suffix = texts["doi"].lower().endswith(doi)
        texts["doi"] = texts["doi"][-len(doi) :] if has_suffix else doi
    kind = item.get("type")
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        kind = "webpage" if texts["url"] else "document"
    return Work(
        kind=kind,
        authors=_parse_names(item.get("author")),
        issued=_parse_date(item.get("issued")),
        accessed=_parse_date(item.get("accessed")),
        **texts,
    )


def rename_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the field names of our tools as a CSL-JSON item."""
    item = {name: value for name, value in fields.items() if name not in _CSL_NAMES}
    for name, csl_name in _CSL_NAMES.items():
        if fields.get(name) not in (None, "", []):
            item.setdefault(csl_name, fields[name])
    return item


def _parse_text(value: Any) -> str:
    """Return a text on one line; of several, the first."""
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, str) and one.strip()), "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return plain(value[: 2 * _MAX_TEXT])[:_MAX_TEXT].rstrip() if isinstance(value, str) else ""


def _parse_names(value: Any) -> tuple[Name, ...]:
    """Return the authors of an item: a list, one name, or all in one text."""
    if isinstance(value, str):
        return parse_people([value])
    if isinstance(value, Mapping):
        value = [value]
    names = map(_parse_name, value[:MOST_AUTHORS] if isinstance(value, list) else ())
    return tuple(filter(None, names))


def _parse_name(value: Any) -> Name | None:
    """Return a name that is given in parts or as one text."""
    if isinstance(value, str):
        return parse_person(plain(value[:_MAX_TEXT]))
    if not isinstance(value, Mapping):
        return None
    parts = (*_NAME_PARTS, "non-dropping-particle", "dropping-particle", "name")
    family, given, suffix, literal, before, inside, name = (
        _parse_text(value.get(part)) for part in parts
    )
    if family:
        return Name(f"{before} {family}".strip(), f"{given} {inside}".strip(), suffix)
    if literal:
        return Name(literal=literal)
    return parse_person(name) or (Name(literal=given) if given else None)


def _parse_date(value: Any) -> tuple[int, ...]:
    """Return year, month and day as far as they are valid."""
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        if isinstance(parts, list) and parts and isinstance(parts[0], list):
            return _parse_date_parts(parts[0])
        return _parse_date(value.get("raw") or value.get("literal"))
    if isinstance(value, int) and not isinstance(value, bool):
        return _parse_date_parts([value])
    return date_parts(read_date(value))


def _parse_date_parts(values: list[Any]) -> tuple[int, ...]:
    """Return the numbers up to the first invalid one."""
    found: list[int] = []
    for value, last in zip(values, _LAST, strict=False):
        is_digits = isinstance(value, str) and value.isascii() and value.isdigit()
        number = int(value) if is_digits else value
        if type(number) is not int or not 1 <= number <= last:
            break
        found.append(number)
    return tuple(found)
