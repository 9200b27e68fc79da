"""Probabilities of blocks -> indexes of the blocks to keep: a threshold per page, then rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from webquarry._native import find_joint_threshold
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Probabilities
from webquarry._read.main_content.rules_lists import (
    add_items,
    add_unit_parts,
    add_units,
)
from webquarry._read.main_content.rules_tables import add_tables
from webquarry._read.main_content.rules_text import (
    add_captions,
    add_code,
    add_ends,
    add_headings,
    drop_comments,
    drop_copies,
    prefer_visible,
)

Rule = Callable[[Flow, Sequence[float], bytearray], None]
# In this order: later rules complete what earlier ones keep.
RULES: tuple[Rule, ...] = (
    add_tables,
    add_code,
    add_ends,
    add_captions,
    add_units,
    add_items,
    add_unit_parts,
    prefer_visible,
    drop_comments,
    drop_copies,
    add_headings,
)


def choose(
    flow: Flow, probabilities: Probabilities, words: Sequence[float], rules: Sequence[Rule] = RULES
) -> list[int]:
    """Return the indexes of the blocks to keep; `words` is the number of words of each block."""
    threshold = find_joint_threshold(list(probabilities.final), list(words))
    kept = bytearray(probability >= threshold for probability in probabilities.final)
    likely = list(map(max, probabilities.first, probabilities.final))
    for rule in rules:
        rule(flow, likely, kept)
    return [index for index, is_kept in enumerate(kept) if is_kept]
