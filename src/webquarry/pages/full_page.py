"""A snapshot -> all that is kept of the page, as JSON has it: its text with links, its citation in
every form, its structured data whole, what was noticed and when it was fetched.
"""

from __future__ import annotations

from typing import Any

from webquarry.evidence.citation import format_all
from webquarry.evidence.models import TRUST
from webquarry.pages.snapshot import Snapshot, dump_part


def describe_page(snapshot: Snapshot) -> dict[str, Any]:
    """Everything that a call of `scrape_page` gives some of."""
    fields = dict(snapshot.fields)
    fields.pop("linksLeftOut", None)
    formatted = dump_part(format_all(snapshot.work))
    page = {
        "url": fields.pop("url"),
        "content": snapshot.text.markdown,
        "trust": TRUST,
        **fields,
        "citation": {**fields["citation"], "formatted": formatted},
        "fetchedAt": snapshot.fetched_at.isoformat(),
    }
    if snapshot.metadata:
        page["metadata"] = snapshot.metadata
    if snapshot.structured:
        page["structuredData"] = snapshot.structured
    if snapshot.notes:
        page["notes"] = list(snapshot.notes)
    return page
