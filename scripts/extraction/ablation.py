"""Parts of the extraction that can be left out, to see what each of them is worth.

A group of features is left out of both stages, which are then trained anew; a rule behind the trees
is only not asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content import choose
from webquarry.read.main_content.blocks import Flow

# The names of the features that each group is made of, as patterns.
GROUPS = {
    "names": "name_.*",
    "words": ".*_?word(_.*)?",
    "topic": "(.*_)?topic|title_share",
    "flags": "in_.*",
    "around": "(previous|next|window)_.*",
    "headings": "heading.*|since_heading|from_comment_heading|from_h1",
    "ancestors": r"up\d_.*",
    "units": "unit_.*|up0_siblings",
    "alike": "(cluster|deep)_.*|alike.*",
    "mass": r"mass\d.*",
    "anchor": "from_anchor|common_.*",
    "page": "page_.*",
}
_FIXED = 0.45  # for all pages; .4 to .5 are equally good, below and above is worse


def _same(flow: Flow, kept: Sequence[int]) -> list[int]:
    return list(kept)


def _fixed(chances: NDArray[np.float64], words: NDArray[np.float64]) -> float:
    return _FIXED


RULES: dict[str, tuple[str, Any]] = {
    "copies": ("drop_copies", _same),
    "notices": ("drop_notices", _same),
    "cells": ("add_cells", _same),
    "sight": ("prefer_visible", _same),
    "threshold": ("find_threshold", _fixed),
}


def group_members(group: str | None, names: Sequence[str]) -> list[int]:
    """The numbers of the features that are in a group; of none, without a group."""
    return [
        number for number, name in enumerate(names) if group and re.fullmatch(GROUPS[group], name)
    ]


@contextmanager
def rule_left_out(rule: str) -> Iterator[None]:
    """Blocks are chosen without a rule."""
    name, instead = RULES[rule]
    with patch.object(choose, name, instead):
        yield
