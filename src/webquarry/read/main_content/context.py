"""First chances -> what the blocks around a block say about it: a second matrix of features.

This is how repeated units are judged as wholes: a post, a tile or a row is compared with what was thought of all its like,
of the same place in the other units, of the section and of the boxes around it.
"""

from __future__ import annotations

import numpy as np

from webquarry.read.main_content.choose import threshold
from webquarry.read.main_content.features import (
    CLUSTER,
    DEEP,
    FIRST,
    JUMP,
    LAST,
    ROW,
    UNIT,
    Array,
    Features,
    Ints,
    Page,
    running,
)

# Features of the first matrix that the second model sees again.
CARRIED = (
    "chars", "density", "tag", "position", "title_share", "word_mean", "up0_siblings", "unit_group_share",
    "unit_siblings", "cluster_paragraphs", "page_kind", "page_blocks", "page_paragraphs", "heading_level",
    "since_heading", "heading_density", "repeats", "echoes", "from_anchor",
)  # fmt: skip
_CARRIED_ROWS = [ROW[name] for name in CARRIED]
_MEANS = ("box0", "box1", "box2", "unit", "group", "window3", "window8", "section")
_MASSES = ("box_mass", "group_mass")
_LIKES = ("alike", "alike_deep", "slot")
_SPREADS = ("alike_spread", "slot_count")
_STEPS = ("before1", "before2", "after1", "after2", "heading")
_PAGE = ("page_mean", "page_best", "page_mass", "page_limit")
CONTEXT_NAMES = ("first", *_MEANS, *_MASSES, *_LIKES, *_SPREADS, *_STEPS, *_PAGE, *CARRIED)
_NONE = -9.0  # where there is nothing to compare with


def context_of(features: Features, chances: Array) -> Array:
    """The second matrix, a row for each of `CONTEXT_NAMES`."""
    page, words = features.page, features.words
    safe = np.clip(chances, 1e-3, 1 - 1e-3)
    logits: Array = np.log(safe / (1 - safe))
    weights = np.sqrt(words)  # longer blocks weigh more
    sums = running(np.array([weights * logits, weights, words * chances]))
    mass = max(float(sums[2, -1]), 1e-9)
    alone = page.at[UNIT] < 0
    unit: Ints = np.maximum(page.at[UNIT], 0)
    group: Ints = page.parent[unit]
    last_heading, section_end = _sections(page.heading, page.index)
    rows = np.empty((len(CONTEXT_NAMES), page.n))
    rows[0] = logits
    start, end = _ranges(page, unit, group)
    np.maximum(last_heading, 0, out=start[7])
    end[7] = section_end
    within: Array = sums.take(end, 1) - sums.take(start, 1)
    np.divide(within[0], np.maximum(within[1], 1e-9), out=rows[1:9])
    np.divide(within[2, 0:5:4], mass, out=rows[9:11])  # of the box and of the group
    rows[[4, 5, 10]] = np.where(alone, [[_NONE], [_NONE], [1.0]], rows[[4, 5, 10]])
    _pool(rows[11:16], features, logits, weights, np.where(alone, -1 - page.index, group))
    rows[16:20] = _NONE
    rows[16, 1:], rows[17, 2:] = logits[:-1], logits[:-2]
    rows[18, :-1], rows[19, :-2] = logits[1:], logits[2:]
    rows[20] = np.where(last_heading < 0, _NONE, logits.take(last_heading, mode="clip"))
    facts = (mass / max(float(words.sum()), 1e-9), float(chances.max()), mass, threshold(chances, words))
    rows[21:25] = np.array(facts)[:, None]
    rows[25:] = features.matrix[_CARRIED_ROWS]
    return rows


def _ranges(page: Page, unit: Ints, group: Ints) -> tuple[Ints, Ints]:
    """First and last block, a row for each of `_MEANS`: of elements around each block, and of what stands near it."""
    n, index, jumps = page.n, page.index, page.table[JUMP]
    start, end = np.empty((8, n), np.intp), np.empty((8, n), np.intp)
    elements = np.empty((5, n), np.intp)
    elements[0] = page.box
    elements[1] = page.at[JUMP]
    jumps.take(elements[1], out=elements[2], mode="clip")
    elements[3] = unit
    elements[4] = group
    page.table[FIRST].take(elements, out=start[:5], mode="clip")
    page.table[LAST].take(elements, out=end[:5], mode="clip")
    for row, reach in ((5, 3), (6, 8)):
        np.maximum(index - reach, 0, out=start[row])
        np.minimum(index + reach + 1, n, out=end[row])
    return start, end


def _sections(heading: Array, index: Ints) -> tuple[Ints, Ints]:
    """The last heading up to each block, or -1, and where the section of the block ends."""
    n = len(index)
    last = np.maximum.accumulate(np.where(heading, index, -1))
    end = np.full(n, n, np.intp)
    end[:-1] = np.minimum.accumulate(np.where(heading, index, n)[:0:-1])[::-1]
    return last, end


def _pool(rows: Array, features: Features, logits: Array, weights: Array, place: Ints) -> None:
    """Means and a spread over blocks of the same kind: on the page, under like parents, in the units of one group."""
    page = features.page
    n, own = page.n, page.at[CLUSTER]
    keys = np.empty((3, n), np.intp)
    keys[0] = own
    keys[1] = page.at[DEEP]
    keys[2] = np.unique(own * (2 * page.table.shape[1] + 2 * n) + place, return_inverse=True)[1]
    size = int(keys.max()) + 1
    weighted = weights * logits
    values = np.array([weights, weighted, weighted * logits, np.ones(n)])
    places = keys[None] + (size * np.arange(12)).reshape(4, 3, 1)
    spread = np.broadcast_to(values[:, None], (4, 3, n))
    sums = np.bincount(places.ravel(), spread.ravel(), 12 * size)[places]
    weight = np.maximum(sums[0], 1e-9)
    np.divide(sums[1], weight, out=rows[:3])
    square = sums[2, 0] / weight[0] - rows[0] ** 2
    np.sqrt(np.maximum(square, 0.0), out=rows[3])
    rows[4] = sums[3, 2]
