"""A snapshot and how its links are to be shown -> its text in that form.

Nothing asked for: the text as it is kept, without targets. `inline`: as the page was read, byte for
byte. `list`: a number behind each link, and the targets by number at the end, each once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from webquarry._read.slices.links import (
    SplitText,
    add_targets,
    join_links,
    number_links,
    split_links,
)
from webquarry.pages.snapshot import Snapshot

LinkForm = Literal["list", "inline"]


def show_links(snapshot: Snapshot, links: LinkForm | None) -> bytes:
    """The whole text."""
    data, targets = mark_links(snapshot, links)
    return add_targets(data, targets)


def mark_links(snapshot: Snapshot, links: LinkForm | None) -> tuple[bytes, Sequence[bytes]]:
    """The text, and the targets that are to be listed behind whatever part of it is shown
    (`add_targets`).
    """
    if links is None or snapshot.kind != "markdown":
        return snapshot.data, ()
    split = SplitText(snapshot.data, snapshot.links)
    if links == "inline":
        return join_links(split), ()
    if not split.taken_out:
        split = split_links(snapshot.data)  # its targets were left where they are
    return number_links(split)
