"""Groups of features that training can leave out, to measure what each of them is worth."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Patterns of the names of features.
GROUPS = {
    "names": "name_.*",
    "words": ".*_?word(_.*)?",
    "topic": "(.*_)?topic|title_share",
    "flags": "in_.*",
    "around": "(previous|next|window)_.*",
    "headings": "heading.*|since_heading|from_comment_heading|from_h1",
    "units": "unit_.*|siblings",
    "alike": "(cluster|deep)_.*|alike.*",
    "mass": r"mass\d.*",
    "anchor": "from_anchor|common_.*",
    "page": "page_.*",
}


def group_members(group: str | None, names: Sequence[str]) -> list[int]:
    """Return the indexes of the features of a group; none without a group."""
    if group is None:
        return []
    pattern = re.compile(GROUPS[group])
    return [index for index, name in enumerate(names) if pattern.fullmatch(name)]
