"""What an Office file says about itself -> title, author and dates."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from webquarry._read.documents import prose
from webquarry._read.documents.office import Package, name_of
from webquarry._read.html.tree import text_of
from webquarry._read.models import Dated

_DATE = re.compile(
    r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])"
    r"(?:T[0-2]\d:[0-5]\d(?::[0-5]\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_FIRST_YEAR = "1900"
_LONGEST_TEXT = 2_000  # characters of a property
_NO_TITLE = re.compile(
    r"(?i)(?:(?:powerpoint[- ])?pr[aäée]sentation|untitled|document|slide|title|titel|titre)?\s*\d*"
)


class Properties(NamedTuple):
    title: str = ""
    author: str = ""
    published: Dated | None = None
    modified: Dated | None = None


def read_properties(package: Package, kind: str, removed: Counter[str]) -> Properties:
    """The properties that matter. Dates are named by their field: `docx:created`."""
    part = "docProps/core.xml"
    for relation in package.relations("").values():
        if relation.kind == "core-properties":
            part = relation.target
            break
    root = package.xml_if_sound(part)
    if root is None:
        return Properties()
    texts: dict[str, str] = {}
    for element in root:
        name = name_of(element.tag)
        texts[name] = text_of(element)[:_LONGEST_TEXT]
    title = prose.clean_name(texts.get("dc:title", ""), removed)
    if _NO_TITLE.fullmatch(title):
        title = ""
    return Properties(
        title=title,
        author=prose.clean_name(texts.get("dc:creator", ""), removed),
        published=_parse_date(texts.get("dcterms:created", ""), f"{kind}:created"),
        modified=_parse_date(texts.get("dcterms:modified", ""), f"{kind}:modified"),
    )


def _parse_date(text: str, field: str) -> Dated | None:
    """The date with the field that gave it; None for what is no date, or none that can be."""
    value = text.strip()
    if _DATE.fullmatch(value) and value[:4] >= _FIRST_YEAR:
        return Dated(value, field)
    return None
