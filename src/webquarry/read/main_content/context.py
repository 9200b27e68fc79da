"""First chances -> what the blocks around a block say about it: a second matrix of features.

This is how repeated units are judged as wholes: a post, a tile or a row is compared with what was
thought of all its like, of the section and of the box around it.
"""

from __future__ import annotations

import numpy as np

from webquarry.read.main_content.boxes import CLUSTER, DEEP, FIRST, LAST, Array, Ints
from webquarry.read.main_content.choose import threshold
from webquarry.read.main_content.features import ROW, Features, Page, running

# Features of the first matrix that the second model sees again.
CARRIED = (
    "chars", "density", "tag", "position", "word_mean", "unit_group_share", "unit_siblings", "cluster_paragraphs",
    "page_kind", "page_blocks", "page_paragraphs", "since_heading", "from_anchor",
)  # fmt: skip
_CARRIED_ROWS = [ROW[name] for name in CARRIED]
_MEANS = ("box", "window", "section")
_LIKES = ("alike", "alike_deep")
_STEPS = ("before", "after", "after2", "heading")
_PAGE = ("page_mean", "page_best", "page_mass", "page_limit")
CONTEXT_NAMES = ("first", *_MEANS, "box_mass", *_LIKES, *_STEPS, *_PAGE, *CARRIED)
_NONE = -9.0  # where there is nothing to compare with
_REACH = 3  # blocks to each side


def context_of(features: Features, chances: Array) -> Array:
    """The second matrix, a row for each of `CONTEXT_NAMES`."""
    page, words = features.page, features.words
    safe = np.clip(chances, 1e-3, 1 - 1e-3)
    logits: Array = np.log(safe / (1 - safe))
    weights = np.sqrt(words)  # longer blocks weigh more
    values = np.array([weights * logits, weights, words * chances])
    sums = running(values)
    mass = max(float(sums[2, -1]), 1e-9)
    last_heading = np.maximum.accumulate(np.where(page.heading, page.index, -1))
    rows = np.empty((len(CONTEXT_NAMES), page.n))
    rows[0] = logits
    start, end = _ranges(page, last_heading)
    within: Array = sums.take(end, 1) - sums.take(start, 1)
    np.divide(within[0], np.maximum(within[1], 1e-9), out=rows[1:4])
    np.divide(within[2, 0], mass, out=rows[4])
    _pool(rows[5:7], page, values[:2])
    rows[7:10] = _NONE
    rows[7, 1:], rows[8, :-1], rows[9, :-2] = logits[:-1], logits[1:], logits[2:]
    rows[10] = np.where(last_heading < 0, _NONE, logits.take(last_heading, mode="clip"))
    facts = (
        mass / max(float(words.sum()), 1e-9),
        float(chances.max()),
        mass,
        threshold(chances, words),
    )
    rows[11:15] = np.array(facts)[:, None]
    rows[15:] = features.matrix[_CARRIED_ROWS]
    return rows


def _ranges(page: Page, last_heading: Ints) -> tuple[Ints, Ints]:
    """First block and the one behind the last, a row for each of `_MEANS`."""
    n, index = page.n, page.index
    start, end = np.empty((3, n), np.intp), np.empty((3, n), np.intp)
    start[0], end[0] = page.at[FIRST], page.at[LAST]
    np.maximum(index - _REACH, 0, out=start[1])
    np.minimum(index + _REACH + 1, n, out=end[1])
    np.maximum(last_heading, 0, out=start[2])
    end[2, -1] = n
    end[2, :-1] = np.minimum.accumulate(np.where(page.heading, index, n)[:0:-1])[::-1]
    return start, end


def _pool(rows: Array, page: Page, values: Array) -> None:
    """Means over blocks of the same kind: on the page, and under like parents."""
    keys = page.at[CLUSTER : DEEP + 1]
    size = int(keys.max()) + 1
    places = keys[None] + (size * np.arange(4)).reshape(2, 2, 1)
    spread = np.broadcast_to(values[:, None], (2, 2, page.n))
    sums = np.bincount(places.ravel(), spread.ravel(), 4 * size)[places]
    np.divide(sums[0], np.maximum(sums[1], 1e-9), out=rows)
