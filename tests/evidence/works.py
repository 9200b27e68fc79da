"""Items of CSL-JSON, as the recorded cases give them, as works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from webquarry.evidence.page.people import Name
from webquarry.evidence.styles.work import Work

FOLDER = Path(__file__).parent / "citations"
CASES: list[dict[str, Any]] = json.loads((FOLDER / "cases.json").read_text("utf-8"))["cases"]
ACCESSED = (2026, 11, 15)


def work_of(item: dict[str, Any], accessed: tuple[int, ...] = ACCESSED) -> Work:
    """The work that an item describes."""
    names = [
        Name(
            one.get("family", ""),
            one.get("given", ""),
            one.get("suffix", ""),
            one.get("literal", ""),
        )
        for one in item.get("author", [])
    ]
    return Work(
        kind=item["type"],
        title=item.get("title", ""),
        authors=tuple(names),
        container=item.get("container-title", ""),
        publisher=item.get("publisher", ""),
        volume=item.get("volume", ""),
        issue=item.get("issue", ""),
        pages=item.get("page", ""),
        number=item.get("number", ""),
        doi=item.get("DOI", ""),
        url=item.get("URL", ""),
        issued=tuple(item["issued"]["date-parts"][0]) if "issued" in item else (),
        accessed=accessed,
    )


def case(name: str) -> Work:
    """One of the recorded cases."""
    return next(work_of(one["csl"]) for one in CASES if one["id"] == name)
