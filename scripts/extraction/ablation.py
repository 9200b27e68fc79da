"""Parts of the extraction that can be left out, to see what each of them is worth.

A group of features is left out of all stages, which are then trained anew; a rule behind the trees
is only not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from webquarry._read.main_content import choose
from webquarry._read.main_content.blocks import Flow

# The names of the features that each group is made of, as patterns.
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
_FIXED = 0.45  # for all pages; .4 to .5 are equally good, below and above is worse


def _keep_all(flow: Flow, kept: Sequence[int]) -> list[int]:
    """In place of a rule: the same blocks."""
    return list(kept)


def _get_fixed_threshold(chances: Sequence[float], words: Sequence[float]) -> float:
    """In place of a threshold for the page: one for all pages."""
    return _FIXED


RULES: dict[str, tuple[str, Any]] = {
    "copies": ("drop_copies", _keep_all),
    "notices": ("drop_notices", _keep_all),
    "tables": ("add_tables", _keep_all),
    "code": ("add_code", _keep_all),
    "pairs": ("add_pairs", _keep_all),
    "units": ("add_units", _keep_all),
    "sight": ("prefer_visible", _keep_all),
    "threshold": ("find_threshold", _get_fixed_threshold),
}


def group_members(group: str | None, names: Sequence[str]) -> list[int]:
    """The numbers of the features that are in a group; of none, without a group."""
    if group is None:
        return []
    pattern = re.compile(GROUPS[group])
    return [number for number, name in enumerate(names) if pattern.fullmatch(name)]


@contextmanager
def leave_out_rule(rule: str) -> Iterator[None]:
    """Blocks are chosen without a rule."""
    name, instead = RULES[rule]
    with patch.object(choose, name, instead):
        yield
