"""What an Office file says about itself -> title, author and dates."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from webquarry.read.documents import prose
from webquarry.read.documents.office import Package, name_of
from webquarry.read.html.tree import text_of
from webquarry.read.models import Dated

_DATE = re.compile(
    r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:T[0-2]\d:[0-5]\d(?::[0-5]\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
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
    parts = (
        relation.target
        for relation in package.relations("").values()
        if relation.kind == "core-properties"
    )
    root = package.xml_if_sound(next(parts, "docProps/core.xml"))
    if root is None:
        return Properties()
    said = {name_of(element.tag): text_of(element)[:2_000] for element in root}
    title = prose.clean_name(said.get("dc:title", ""), removed)
    return Properties(
        title="" if _NO_TITLE.fullmatch(title) else title,
        author=prose.clean_name(said.get("dc:creator", ""), removed),
        published=_date(said.get("dcterms:created", ""), f"{kind}:created"),
        modified=_date(said.get("dcterms:modified", ""), f"{kind}:modified"),
    )


def _date(text: str, field: str) -> Dated | None:
    value = text.strip()
    if _DATE.fullmatch(value) and value[:4] >= "1900":
        return Dated(value, field)
    return None
