"""Probabilities of the first stage -> feature matrix of the second stage.

A block is compared with the first probabilities of similar blocks, of its section and of the
element around it, so that repeated units (posts, tiles, rows) are classified together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.main_content.arrays.buffers import Rows, make_rows
from webquarry._read.main_content.boxes import FIRST, LAST
from webquarry._read.main_content.feature_names import ROW
from webquarry._read.main_content.features import (
    FEW_LINKS,
    PARAGRAPH,
    SEVERAL,
    Features,
    PageArrays,
    sum_between,
    sum_up,
)
from webquarry._read.main_content.lifts import Array, Ints
from webquarry._read.main_content.threshold import THRESHOLD_LIMITS, find_single_threshold

try:
    from webquarry._read.main_content._context import FILLED, fill_context
except ImportError:  # not built: numpy does it
    FILLED = ()
    fill_context = None  # type: ignore[assignment]
if TYPE_CHECKING:
    import numpy as np
else:
    from webquarry._read.main_content.arrays.late_numpy import np

# Features of the first matrix that the second stage uses too.
CARRIED = (
    "chars",
    "density",
    "tag",
    "position",
    "word_mean",
    "unit_group_share",
    "unit_siblings",
    "cluster_paragraphs",
    "page_kind",
    "page_blocks",
    "page_paragraphs",
    "since_heading",
    "from_anchor",
)
_CARRIED_FROM = [ROW[name] for name in CARRIED]
_MEANS = ("box", "window", "section", "text")
_LIKES = ("alike", "alike_deep")
_STEPS = ("before", "after", "after2", "heading")
_PAGE = ("page_mean", "page_best", "page_mass", "page_limit")
CONTEXT_NAMES = ("first", *_MEANS, "box_mass", "text_mass", *_LIKES, *_STEPS, *_PAGE, *CARRIED)
_ROW = {name: number for number, name in enumerate(CONTEXT_NAMES)}


def _rows(first: str, last: str) -> slice:
    """Return the rows from one feature to another, both included."""
    return slice(_ROW[first], _ROW[last] + 1)


_MEAN_ROWS = _rows("box", "text")
_LIKE_ROWS = _rows("alike", "alike_deep")
_BESIDE_ROWS = _rows("before", "after2")
_PAGE_ROWS = _rows("page_mean", "page_limit")
_CARRIED_ROWS = slice(_ROW[CARRIED[0]], None)
_BOX, _WINDOW, _SECTION, _TEXT = range(4)  # ranges of blocks, as in `_MEANS`
# Summed: log odds times the weight of the block, the weight, words times the probability.
_OPINION, _WEIGHT, _MASS = range(3)
_NONE = -9.0  # no block to compare with
_REACH = 3  # blocks to each side
_BESIDE = ([-1], [1], [2])  # blocks away, as in `_STEPS`
_LEAST = 1e-9  # avoids division by zero
SURE = 1e-3  # probabilities are clipped to this distance from 0 and 1


class ContextLimits(NamedTuple):
    """Constants that are passed to the compiled implementation."""

    carried: list[int] = _CARRIED_FROM
    chars_row: int = ROW["chars"]
    density_row: int = ROW["density"]
    paragraph: int = PARAGRAPH
    few_links: float = FEW_LINKS
    several: int = SEVERAL
    reach: int = _REACH
    least: float = _LEAST
    none: float = _NONE
    sure: float = SURE
    lowest: float = THRESHOLD_LIMITS.lowest
    highest: float = THRESHOLD_LIMITS.highest
    strictness: float = THRESHOLD_LIMITS.strictness


_LIMITS = ContextLimits()
# rows that are not filled would be undefined
_IS_COMPILED = (*FILLED, *CARRIED) == CONTEXT_NAMES


def build_context(features: Features, probabilities: Rows) -> Rows:
    """Return the matrix of the second stage, with a row for each of `CONTEXT_NAMES`."""
    if not _IS_COMPILED:
        return build_in_numpy(features, np.asarray(probabilities))
    matrix = make_rows(len(CONTEXT_NAMES), len(probabilities))
    boxes, table = features.flow.boxes, features.boxes.table
    fill_context(matrix, features.matrix, probabilities, features.words, boxes, table, _LIMITS)
    return matrix


def build_in_numpy(features: Features, probabilities: Array) -> Array:
    """Return the same matrix, computed by numpy."""
    matrix = np.empty((len(CONTEXT_NAMES), len(probabilities)))
    page, words = features.page, np.array(features.words)
    logits = log_odds(probabilities)
    weights = np.sqrt(words)  # longer blocks weigh more
    values = np.array([weights * logits, weights, words * probabilities])
    sums = sum_up(values)
    mass = max(float(sums[_MASS, -1]), _LEAST)
    last_heading = page.find_last_headings()
    matrix[_ROW["first"]] = logits
    # means over the blocks around
    start, end = _find_ranges(page, last_heading)
    within = sum_between(sums, start, end)
    weight = np.maximum(within[_WEIGHT], _LEAST)
    np.divide(within[_OPINION], weight, out=matrix[_MEAN_ROWS])
    np.divide(within[_MASS, _BOX], mass, out=matrix[_ROW["box_mass"]])
    np.divide(within[_MASS, _TEXT], mass, out=matrix[_ROW["text_mass"]])
    # over similar blocks
    alike = page.sum_alike(values[_OPINION : _WEIGHT + 1])
    weight = np.maximum(alike[_WEIGHT], _LEAST)
    np.divide(alike[_OPINION], weight, out=matrix[_LIKE_ROWS])
    # of the blocks before and after in the same text, and of the last heading
    beside = page.index + np.array(_BESIDE)
    is_inside = (beside >= start[_TEXT]) & (beside < end[_TEXT])
    matrix[_BESIDE_ROWS] = np.where(is_inside, logits.take(beside, mode="clip"), _NONE)
    of_heading = logits.take(last_heading, mode="clip")
    matrix[_ROW["heading"]] = np.where(last_heading < 0, _NONE, of_heading)
    # of the page
    facts = (
        mass / max(float(words.sum()), _LEAST),
        float(probabilities.max()),
        mass,
        find_single_threshold(probabilities, words),
    )
    matrix[_PAGE_ROWS] = np.array(facts)[:, None]
    matrix[_CARRIED_ROWS] = np.asarray(features.matrix)[_CARRIED_FROM]
    return matrix


def log_odds(probabilities: Array) -> Array:
    """Return clipped log odds."""
    safe = np.clip(probabilities, SURE, 1 - SURE)
    odds: Array = np.log(safe / (1 - safe))
    return odds


def _find_ranges(page: PageArrays, last_heading: Ints) -> tuple[Ints, Ints]:
    """Return the first block and one past the last of the ranges, with a row for each of `_MEANS`.

    A window ends where the text ends: blocks after it say nothing about its last sentence.
    """
    n, index = page.n, page.index
    start = np.empty((len(_MEANS), n), np.intp)
    end = np.empty((len(_MEANS), n), np.intp)
    start[_BOX] = page.element[FIRST]
    end[_BOX] = page.element[LAST]
    start[_TEXT], end[_TEXT] = page.find_text_boxes()
    np.maximum(index - _REACH, start[_TEXT], out=start[_WINDOW])
    np.minimum(index + _REACH + 1, end[_TEXT], out=end[_WINDOW])
    np.maximum(last_heading, 0, out=start[_SECTION])
    # a section ends before the next heading
    headings_behind = np.where(page.heading, index, n)[:0:-1]
    end[_SECTION, -1] = n
    end[_SECTION, :-1] = np.minimum.accumulate(headings_behind)[::-1]
    return start, end
