"""Probabilities of the first stage -> feature matrix of the second stage.

A block is compared with the first probabilities of similar blocks, of its section and of the
element around it, so that repeated units (posts, tiles, rows) are classified together.
Compiled code (`native/model.pxi`) computes the rows.
"""

from __future__ import annotations

from typing import NamedTuple

from webquarry._native import FILLED, fill_context
from webquarry._read.main_content.buffers import Rows, make_rows
from webquarry._read.main_content.features import FEW_LINKS, PARAGRAPH, ROW, SEVERAL, Features
from webquarry._read.main_content.threshold import THRESHOLD_LIMITS

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
CONTEXT_NAMES = (*FILLED, *CARRIED)


class ContextLimits(NamedTuple):
    """Constants that are passed to the compiled code."""

    carried: list[int]
    chars_row: int = ROW["chars"]
    density_row: int = ROW["density"]
    paragraph: int = PARAGRAPH
    few_links: float = FEW_LINKS
    several: int = SEVERAL
    reach: int = 3  # blocks to each side
    least: float = 1e-9  # avoids division by zero
    none: float = -9.0  # no block to compare with
    sure: float = 1e-3  # probabilities are clipped to this distance from 0 and 1
    lowest: float = THRESHOLD_LIMITS.lowest
    highest: float = THRESHOLD_LIMITS.highest
    strictness: float = THRESHOLD_LIMITS.strictness


_LIMITS = ContextLimits([ROW[name] for name in CARRIED])


def build_context(features: Features, probabilities: Rows) -> Rows:
    """Return the matrix of the second stage, with a row for each of `CONTEXT_NAMES`."""
    matrix = make_rows(len(CONTEXT_NAMES), len(probabilities))
    boxes, table = features.flow.boxes, features.boxes.table
    fill_context(matrix, features.matrix, probabilities, features.words, boxes, table, _LIMITS)
    return matrix
