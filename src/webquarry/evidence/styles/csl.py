"""A work -> its item in CSL-JSON, which reference managers read; and an item -> the work that it
describes.

What is written here is read back equal. Items of others are read as far as they can be understood:
texts that come as numbers or as lists, names in one text, dates in words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webquarry.evidence.page.dates import date_parts, read_date
from webquarry.evidence.page.people import MOST_AUTHORS, Name, parse_people, parse_person
from webquarry.evidence.styles.keys import build_key
from webquarry.evidence.styles.work import Work, plain
from webquarry.search.replies.doi import normal_doi

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
_KIND = re.compile(r"[a-z][a-z_-]{1,40}")
_LONGEST = 4000  # characters of any text
_LAST_YEAR = 9999


def to_csl(work: Work, key: str = "") -> dict[str, Any]:
    """The item; what is not known is absent. `key` is its id in a list where it has a key of its
    own.
    """
    item: dict[str, Any] = {"id": key or build_key(work), "type": work.kind}
    item |= {
        name: value for name, field in _TEXTS.items() if (value := plain(getattr(work, field)))
    }
    if names := [written for name in work.listed if (written := _written(name))]:
        item["author"] = names
    if work.issued:
        item["issued"] = {"date-parts": [list(work.issued)]}
    if work.accessed:
        item["accessed"] = {"date-parts": [list(work.accessed)]}
    return item


def _written(name: Name) -> dict[str, str]:
    parts = {
        "family": name.family,
        "given": name.given,
        "suffix": name.suffix,
        "literal": name.literal,
    }
    return {part: written for part, value in parts.items() if (written := plain(value))}


def parse_csl(item: Mapping[str, Any]) -> Work:
    """The work that an item describes, as far as it can be understood."""
    texts = {field: _text(item.get(name)) for name, field in _TEXTS.items()}
    kind = item.get("type")
    return Work(
        kind=kind
        if isinstance(kind, str) and _KIND.fullmatch(kind)
        else "webpage"
        if texts["url"]
        else "document",
        authors=_names(item.get("author")),
        issued=_date(item.get("issued")),
        accessed=_date(item.get("accessed")),
        **texts | {"doi": _bare(texts["doi"])},
    )


def _text(value: Any) -> str:
    """A text in one line; of several, the first."""
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, str) and one.strip()), "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        return plain(value[: 2 * _LONGEST])[:_LONGEST].rstrip()
    return ""


def _bare(doi: str) -> str:
    """The DOI without the address in front of it, in the capitals it came with."""
    known = normal_doi(doi)
    if known and doi.lower().endswith(known):
        return doi[-len(known) :]
    return known or doi


def _names(value: Any) -> tuple[Name, ...]:
    if isinstance(value, str):
        return parse_people([value])
    if isinstance(value, list):
        given = value
    else:
        given = []
        if isinstance(value, Mapping):
            given = [value]
    return tuple(name for one in given[:MOST_AUTHORS] if (name := _name(one)))


def _name(value: Any) -> Name | None:
    """A name in parts, or in one text; the particles of CSL go where they are written."""
    if isinstance(value, str):
        return parse_person(plain(value[:_LONGEST]))
    if not isinstance(value, Mapping):
        return None
    part = {
        name: _text(value.get(name)) for name in ("family", "given", "suffix", "literal", "name")
    }
    before, inside = (
        _text(value.get("non-dropping-particle")),
        _text(value.get("dropping-particle")),
    )
    if part["family"]:
        return Name(
            f"{before} {part['family']}".strip(),
            f"{part['given']} {inside}".strip(),
            part["suffix"],
        )
    if part["literal"]:
        return Name(literal=part["literal"])
    return parse_person(part["name"]) or (Name(literal=part["given"]) if part["given"] else None)


def _date(value: Any) -> tuple[int, ...]:
    """Year, month and day as far as they are stated and can be right."""
    if isinstance(value, Mapping):
        parts = value.get("date-parts")
        first = None
        if isinstance(parts, list) and parts:
            first = parts[0]
        if isinstance(first, list):
            return _parts(first)
        return _date(value.get("raw") or value.get("literal"))
    if isinstance(value, int) and not isinstance(value, bool):
        return _parts([value])
    return date_parts(read_date(value))


def _parts(values: list[Any]) -> tuple[int, ...]:
    found: list[int] = []
    for value, last in zip(values, (_LAST_YEAR, 12, 31), strict=False):
        if isinstance(value, str) and value.isascii() and value.isdigit():
            number = int(value)
        else:
            number = value
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= last:
            break
        found.append(number)
    return tuple(found)
