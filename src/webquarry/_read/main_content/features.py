"""Build the feature matrix of a page: a row per feature, a column per block.

Nearly all features are relative to the page: shares of its text and of its paragraphs, distances in
blocks. A paragraph is a block of more than 80 characters with few links. Compiled code
(`native/features.pxi`) computes the rows.
"""

from __future__ import annotations

from typing import NamedTuple

from webquarry._native import FEATURE_NAMES, fill_features
from webquarry._read.main_content import texts
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.boxes import Boxes, describe_boxes
from webquarry._read.main_content.buffers import Rows, make_rows, take_row
from webquarry._read.main_content.lifts import Lifts

ROW = {name: number for number, name in enumerate(FEATURE_NAMES)}
PARAGRAPH = 80  # characters
SEVERAL = 2  # paragraphs
FEW_LINKS = 0.35  # of the characters of a paragraph


class FeatureLimits(NamedTuple):
    """Constants that are passed to the compiled code."""

    paragraph: int = PARAGRAPH
    few_links: float = FEW_LINKS
    several: int = SEVERAL
    good: int = 140  # characters of a long paragraph
    reach: int = 4  # blocks to each side in the window around a block
    none: float = -1.0  # nothing to describe
    far: float = -999.0  # distance from something that the page does not have
    comments_far: int = 50  # blocks after the last one, if no heading starts the comments
    like_title: float = 0.5  # least likeness of the block that repeats the title
    title_length: int = 20  # characters; a shorter block is less like a title
    heading_bonus: tuple[float, ...] = (0.0, 0.5, 0.15, 0.15, 0.15, 0.15, 0.15)  # none, h1 to h6


_LIMITS = FeatureLimits()


class Features:
    """The feature matrix of a page, with a row for each of `FEATURE_NAMES`, and its input."""

    def __init__(self, flow: Flow, counts: Rows, boxes: Boxes) -> None:
        self.flow = flow
        self.counts = counts  # a row for each of `texts.COUNTED`
        self.boxes = boxes
        self.words = take_row(counts, texts.WORDS)  # number of words of each block
        self.matrix = make_rows(len(FEATURE_NAMES), len(flow.texts))
        fill_features(self.matrix, flow, counts, boxes, _LIMITS)


def build_features(flow: Flow, lifts: Lifts) -> Features:
    """Compute all features of the blocks of a page."""
    counts = texts.count_texts(flow.texts, flow.title, flow.topic, lifts)
    boxes = describe_boxes(flow, lifts.name_lookup)
    return Features(flow, counts, boxes)
