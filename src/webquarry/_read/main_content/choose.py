"""Probabilities of blocks -> which blocks to keep: a threshold for the page, then what belongs to
the blocks above it, then no text twice and no notices.
"""

from __future__ import annotations

from collections.abc import Sequence

from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.block_marks import list_marked, mark_blocks
from webquarry._read.main_content.rules.captions import add_captions
from webquarry._read.main_content.rules.facts.columns import add_columns
from webquarry._read.main_content.rules.facts.definitions import add_definitions
from webquarry._read.main_content.rules.facts.rows import add_rows
from webquarry._read.main_content.rules.facts.title_facts import add_title_facts
from webquarry._read.main_content.rules.items import add_items
from webquarry._read.main_content.rules.neighbours import add_code, add_ends, add_notes
from webquarry._read.main_content.rules.pairs import add_pairs
from webquarry._read.main_content.rules.runs.parts import add_unit_parts
from webquarry._read.main_content.rules.sections import add_sections
from webquarry._read.main_content.rules.short_facts import add_short_facts
from webquarry._read.main_content.rules.short_pages import fill_short_page
from webquarry._read.main_content.rules.siblings import add_siblings
from webquarry._read.main_content.rules.superfluous import (
    drop_copies,
    drop_notices,
    prefer_visible,
)
from webquarry._read.main_content.rules.tables import add_tables
from webquarry._read.main_content.rules.threshold import find_threshold
from webquarry._read.main_content.rules.units import add_units
from webquarry._read.main_content.rules.wording.leftovers import drop_leftovers
from webquarry._read.main_content.rules.wording.questions import add_questions

_UNLIKELY = 0.1  # by both stages: below that a heading stays out even if what follows it is kept


def choose(flow: Flow, chances: Chances, words: Sequence[float]) -> list[int]:
    """The numbers of the blocks to keep, in order, by how many words each has."""
    threshold = find_threshold(chances.final, words)
    kept = _keep_likely(chances.final, threshold)
    kept = add_tables(flow, kept)
    kept = add_code(flow, kept)
    kept = add_ends(flow, chances, kept)
    kept = add_notes(flow, chances, kept)
    kept = add_captions(flow, chances, kept)
    kept = add_pairs(flow, kept)
    kept = add_units(flow, kept)
    kept = fill_short_page(flow, chances, kept)
    kept = add_siblings(flow, chances, kept)
    kept = add_items(flow, chances, kept)
    kept = add_rows(flow, chances, kept)
    kept = add_definitions(flow, chances, kept)
    kept = add_columns(flow, chances, kept)
    kept = add_sections(flow, chances, kept)
    kept = add_questions(flow, kept)
    kept = add_unit_parts(flow, chances, kept)
    kept = prefer_visible(flow, kept)
    kept = drop_copies(flow, kept)
    kept = drop_notices(flow, kept)
    kept = add_headings(flow, chances, kept)
    kept = add_short_facts(flow, chances, kept)
    kept = add_title_facts(flow, chances, kept)
    return drop_leftovers(flow, kept)


def _keep_likely(chances: Sequence[float], threshold: float) -> list[int]:
    """The blocks with a chance that is high enough."""
    kept: list[int] = []
    for index in range(len(chances)):
        chance = chances[index]
        if chance >= threshold:
            kept.append(index)
    return kept


def add_headings(flow: Flow, chances: Chances, kept: list[int]) -> list[int]:
    """The same blocks, and the headings right before them: readers need the name of what they
    read.
    """
    first, final = chances.first, chances.final
    chosen = mark_blocks(kept, len(flow.boxes))
    for index in kept:
        before = index - 1
        if before < 0 or chosen[before]:
            continue
        # the first level is the page's title, which is given beside the text
        level = flow.levels[flow.boxes[before]]
        if level < 2 or flow.levels[flow.boxes[index]]:
            continue
        chance = max(first[before], final[before])
        if chance >= _UNLIKELY:
            chosen[before] = 1
    return list_marked(chosen)
