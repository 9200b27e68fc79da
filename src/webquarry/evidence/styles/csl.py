"""A work -> its item in CSL-JSON, which reference managers read."""

from __future__ import annotations

from typing import Any

from webquarry.evidence.people import Name
from webquarry.evidence.styles.keys import key_of
from webquarry.evidence.styles.work import Work, plain


def csl(work: Work) -> dict[str, Any]:
    """The item; what is not known is absent."""
    texts = {
        "title": work.title,
        "container-title": work.container,
        "publisher": work.publisher,
        "volume": work.volume,
        "issue": work.issue,
        "page": work.pages,
        "number": work.number,
        "DOI": work.doi,
        "URL": work.url,
        "ISSN": work.issn,
        "language": work.language,
    }
    item: dict[str, Any] = {"id": key_of(work), "type": work.kind}
    item |= {name: value for name, text in texts.items() if (value := plain(text))}
    if work.authors:
        item["author"] = [_name(name) for name in work.listed]
    if work.issued:
        item["issued"] = {"date-parts": [list(work.issued)]}
    if work.accessed:
        item["accessed"] = {"date-parts": [list(work.accessed)]}
    return item


def _name(name: Name) -> dict[str, str]:
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix, "literal": name.literal}
    return {part: plain(value) for part, value in parts.items() if value}
