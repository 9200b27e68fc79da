"""The text of a snapshot with its link targets in the requested form."""

from __future__ import annotations

from webquarry._read.slices.text import LinkForm, WrittenText
from webquarry.pages.snapshot import Snapshot


def mark_links(snapshot: Snapshot, links: LinkForm | None) -> tuple[WrittenText, list[str]]:
    """Return the text, and the targets to list behind whatever part of it is shown
    (`add_targets`).
    """
    if snapshot.kind != "markdown":
        return WrittenText(snapshot.data), []
    return snapshot.text.show_links(links)
