"""A flow -> a matrix of features, one row a feature, one column a block.

Nearly everything is relative to the page: shares of its text, of its paragraphs, distances in
blocks. A paragraph is a block of more than 80 characters with few links. A page has some hundred
blocks, so that every call into numpy costs more than what it computes: rows are made many at a
time, and never touched element by element.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.main_content import texts
from webquarry._read.main_content.arrays.buffers import Rows, make_rows, take_row
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.boxes import (
    CLUSTER,
    DEEP,
    FIRST,
    FLAGS,
    LAST,
    LEVEL,
    OWN,
    PARENT,
    SIBLINGS,
    TAG,
    UNIT,
    Boxes,
    describe_boxes,
)
from webquarry._read.main_content.feature_names import (
    COUNTED,
    FLAG_NAMES,
    LIKENESSES,
    MASSES,
    NAMES,
    ROW,
    find_rows,
)
from webquarry._read.main_content.lifts import Array, Ints, Lifts

try:
    from webquarry._read.main_content._features import fill_features
except ImportError:  # not built, or for features of other names: numpy does it
    fill_features = None  # type: ignore[assignment]
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    from webquarry._read.main_content.arrays.late_numpy import np

PARAGRAPH = 80  # characters
SEVERAL = 2  # paragraphs
_GOOD = 140  # characters of a paragraph that says something
FEW_LINKS = 0.35  # of the characters of a paragraph
_REACH = 4  # blocks to each side that make the surroundings of a block
_NONE = -1.0  # where there is nothing to describe
_FAR = -999.0  # from something that the page does not have
_COMMENTS_FAR = 50  # blocks behind the last one, where a page has no heading above comments
_LIKE_TITLE = 0.5  # a block that is less like the title says something else
_TITLE_LENGTH = 20  # characters; a shorter block is less like a title

# What is summed up over blocks. The running sums are kept in the rows of one matrix, so that every
# subtree costs two look-ups.
(
    CHARS,
    LINKS,
    PARAGRAPH_CHARS,
    PARAGRAPHS,
    IMAGES,
    LINK_COUNT,
    CUT,
    PRICES,
    WORD,
) = range(9)
# Ratios of each element: its share of the page's text and of its paragraphs, the density of links.
SHARE, PARAGRAPH_SHARE, DENSITY = range(3)
# What is summed up over the blocks whose elements look alike.
(
    _ALIKE_CHARS,
    _ALIKE_LINKS,
    _ALIKE_PARAGRAPHS,
    _ALIKE_TOPIC,
    _ALIKE_CUT,
    _ALIKE_WORD,
    _ALIKE_COUNT,
) = range(7)
_FLAG_BITS = [[flag] for flag in FLAG_NAMES.values()]

# Features that are filled together.
_COUNTED_ROWS = find_rows(COUNTED[0], COUNTED[-1])
_NAME_ROWS = find_rows("name_own", "name_highest")
_FLAG_ROWS = find_rows("in_main", "in_items")
_PREVIOUS_ROWS = find_rows("previous_tag", "previous_density")
_NEXT_ROWS = find_rows("next_tag", "next_density")
_OF_HEADING_ROWS = find_rows("heading_level", "heading_density")
_HEADING_ROWS = find_rows("heading_level", "since_heading")
_UNIT_ROWS = find_rows("unit_density", "unit_place")
_GROUP_RATIO_ROWS = find_rows("unit_group_share", "unit_group_paragraphs")
_GROUP_COUNT_ROWS = find_rows("unit_group_cut", "unit_group_prices")
_ALIKE_SHARE_ROWS = find_rows("cluster_share", "deep_share")
_ALIKE_PARAGRAPH_ROWS = find_rows("cluster_paragraphs", "deep_paragraphs")
_ALIKE_DENSITY_ROWS = find_rows("cluster_density", "deep_density")
_ALIKE_LENGTH_ROWS = find_rows("cluster_mean", "deep_mean")
_ALIKE_MEAN_ROWS = find_rows("cluster_topic", "deep_word")
_ALIKE_COUNT_ROWS = find_rows("cluster_count", "deep_count")
_ANCHOR_ROWS = find_rows("from_anchor", "common_steps")
_COMMON_RATIO_ROWS = find_rows("common_share", "common_paragraphs")
_PAGE_ROWS = find_rows("page_in_main", "page_h1")

# In place of what stands before the first block and behind the last: tag, characters, density.
_EDGE = (-1.0, 0.0, 1.0)
# For blocks before the first heading: its level, word, comments, density, and how far it is.
_HEADLESS = ([0.0], [0.0], [0.0], [-1.0], [99.0])
_HEADING_BONUS = (0.0, 0.5, 0.15, 0.15, 0.15, 0.15, 0.15)  # for none, h1, ... h6


class FeatureLimits(NamedTuple):
    """What the compiled way to make features is told, so that it stands here only."""

    paragraph: int = PARAGRAPH
    few_links: float = FEW_LINKS
    several: int = SEVERAL
    good: int = _GOOD
    reach: int = _REACH
    none: float = _NONE
    far: float = _FAR
    comments_far: int = _COMMENTS_FAR
    like_title: float = _LIKE_TITLE
    title_length: int = _TITLE_LENGTH
    heading_bonus: tuple[float, ...] = _HEADING_BONUS


_LIMITS = FeatureLimits()


class Features:
    """A row for each of `NAMES`, and the page that they were made of."""

    def __init__(self, flow: Flow, counts: Rows, boxes: Boxes) -> None:
        self.flow = flow
        self.counts = counts  # a row for each of `texts.COUNTED`
        self.boxes = boxes
        self.words = take_row(counts, texts.WORDS)  # how many each block has
        self.matrix = self._build_matrix()

    def _build_matrix(self) -> Rows:
        """Fill the matrix in one go, or row by row where nothing is compiled."""
        if fill_features is None:
            return self.page.build_matrix()
        matrix = make_rows(len(NAMES), len(self.flow.texts))
        fill_features(matrix, self.flow, self.counts, self.boxes, _LIMITS)
        return matrix

    @cached_property
    def page(self) -> PageArrays:
        """The arrays that numpy makes features of."""
        return PageArrays(self.flow, self.counts, self.boxes)


def build_features(flow: Flow, lifts: Lifts) -> Features:
    """Everything that the model may ask about the blocks of a page."""
    counts = texts.count_texts(flow.texts, flow.title, flow.topic, lifts)
    boxes = describe_boxes(flow, lifts.name_lookup)
    return Features(flow, counts, boxes)


def sum_up(values: Array) -> Array:
    """Running sums of each row of a matrix: up to each block, the first of them 0."""
    rows, blocks = values.shape
    sums = np.zeros((rows, blocks + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums


def sum_between(sums: Array, start: Ints, end: Ints) -> Array:
    """Sums over ranges of blocks, by the running sums of each row."""
    up_to_end: Array = sums.take(end, 1)
    up_to_start: Array = sums.take(start, 1)
    return up_to_end - up_to_start


def _to_ints(values: list[int]) -> Ints:
    """An array of a list, by a way that is several times as fast as numpy's own."""
    numbers = np.frombuffer(array("q", values), np.int64)
    return numbers.astype(np.intp, copy=False)


class PageArrays:
    """The arrays of one page, an entry a block or an entry an element, and the features made of
    them.
    """

    def __init__(self, flow: Flow, rows: Rows, boxes: Boxes) -> None:
        self.flow = flow
        self.counts = counts = np.asarray(rows)  # a row for each of `texts.COUNTED`
        self.n = len(flow.texts)
        self.index: Ints = np.arange(self.n)
        # of each element
        self.table, self.names = np.asarray(boxes.table), np.asarray(boxes.names)
        self.parent: Ints = np.maximum(self.table[PARENT], 0)
        # of each block: the element it is in, and what is known of that
        self.box = _to_ints(flow.boxes)
        self.element: Ints = self.table.take(self.box, 1)
        self.level = self.element[LEVEL]
        self.heading = self.level > 0
        self.first_h1 = _find_first(self.level == 1)
        self.chars = counts[texts.CHARS]
        links = np.frombuffer(array("d", [*flow.link_chars, *flow.links]))
        self.link_chars, self.link_count = links.reshape(2, self.n)
        self.density = self.link_chars / self.chars
        self.is_paragraph = (self.chars > PARAGRAPH) & (self.density < FEW_LINKS)
        # up to each block, in the whole page, and in each element
        self.sums = sum_up(self._collect_summands())
        self.all_chars = max(float(self.sums[CHARS, -1]), 1.0)
        self.all_paragraph_chars = max(float(self.sums[PARAGRAPH_CHARS, -1]), 1.0)
        self.inside = sum_between(self.sums, self.table[FIRST], self.table[LAST])
        self.ratios = self._compute_ratios()

    def _collect_summands(self) -> Array:
        """What is summed up, a row for each kind."""
        counts = self.counts
        values = np.empty((WORD + 1, self.n))
        values[CHARS] = self.chars
        values[LINKS] = self.link_chars
        np.multiply(self.chars, self.is_paragraph, out=values[PARAGRAPH_CHARS])
        values[PARAGRAPHS] = self.is_paragraph
        values[IMAGES] = 0.0
        if self.flow.image_places:
            # an image behind the last block counts for that one
            last = self.n - 1
            places = [min(place, last) for place in self.flow.image_places]
            values[IMAGES] = np.bincount(_to_ints(places), minlength=self.n)
        values[LINK_COUNT] = self.link_count
        values[CUT] = counts[texts.CUT]
        values[PRICES] = counts[texts.PRICES]
        values[WORD] = counts[texts.MEAN]
        return values

    def _compute_ratios(self) -> Array:
        """The rows SHARE to DENSITY of each element."""
        inside = self.inside
        chars = inside[CHARS]  # never 0: no element of the table is without text
        paragraph_chars = inside[PARAGRAPH_CHARS]
        ratios = np.empty((DENSITY + 1, len(chars)))
        np.divide(chars, self.all_chars, out=ratios[SHARE])
        np.divide(paragraph_chars, self.all_paragraph_chars, out=ratios[PARAGRAPH_SHARE])
        np.divide(inside[LINKS], chars, out=ratios[DENSITY])
        return ratios

    def build_matrix(self) -> Array:
        """A row for each of `NAMES`."""
        matrix = np.empty((len(NAMES), self.n))
        matrix[_COUNTED_ROWS] = self.counts[: len(COUNTED)]
        self._fill_block(matrix)
        self._fill_names(matrix)
        flags = self.element[FLAGS] & np.array(_FLAG_BITS)
        np.not_equal(flags, 0, out=matrix[_FLAG_ROWS], casting="unsafe")
        self._fill_around(matrix)
        self._fill_heading(matrix)
        self._fill_unit(matrix)
        self._fill_alike(matrix)
        self._fill_mass(matrix)
        self._fill_anchor(matrix)
        self._fill_page(matrix)
        return matrix

    def _fill_block(self, matrix: Array) -> None:
        """The block itself, and what stands before it."""
        chars_before = self.sums[CHARS, :-1]
        paragraphs_before = self.sums[PARAGRAPH_CHARS, :-1]
        matrix[ROW["density"]] = self.density
        matrix[ROW["links"]] = self.link_count
        matrix[ROW["tag"]] = self.element[TAG]
        np.divide(self.index, self.n, out=matrix[ROW["position"]])
        np.divide(chars_before, self.all_chars, out=matrix[ROW["chars_before"]])
        np.divide(paragraphs_before, self.all_paragraph_chars, out=matrix[ROW["paragraphs_before"]])
        matrix[ROW["siblings"]] = self.element[SIBLINGS]

    def _fill_names(self, matrix: Array) -> None:
        """What the class names of the element and of those around it say."""
        parent = np.maximum(self.element[PARENT], 0)
        self.names.take(self.box, 1, out=matrix[_NAME_ROWS], mode="clip")
        self.names[OWN].take(parent, out=matrix[ROW["name_parent"]], mode="clip")

    def _fill_around(self, matrix: Array) -> None:
        """The block before, the block behind, and the surroundings of a block."""
        own = np.array([self.element[TAG], self.chars, self.density])
        previous = matrix[_PREVIOUS_ROWS]
        previous[:, 0] = _EDGE
        previous[:, 1:] = own[:, :-1]
        following = matrix[_NEXT_ROWS]
        following[:, :-1] = own[:, 1:]
        following[:, -1] = _EDGE
        # the window is cut off at both ends of the page
        start = np.maximum(self.index - _REACH, 0)
        end = np.minimum(self.index + _REACH + 1, self.n)
        size = end - start
        window = sum_between(self.sums, start, end)
        np.divide(window[LINKS], window[CHARS], out=matrix[ROW["window_density"]])
        np.divide(window[CHARS], size, out=matrix[ROW["window_chars"]])
        np.divide(window[WORD], size, out=matrix[ROW["window_word"]])

    def _fill_heading(self, matrix: Array) -> None:
        """The heading above a block."""
        last = self.find_last_headings()
        comments = self.counts[texts.COMMENTS]
        own = np.array([self.level, self.counts[texts.MEAN], comments, self.density])
        matrix[_OF_HEADING_ROWS] = own.take(last, 1, mode="clip")
        matrix[ROW["since_heading"]] = self.index - last
        # the blocks before the first heading, which may be all of them
        first_heading = _find_first(self.heading)
        if first_heading < 0:
            first_heading = self.n
        matrix[_HEADING_ROWS, :first_heading] = _HEADLESS
        # how far it is from where the comments begin, and from the main heading
        first_comments = _find_first(self.heading & (comments > 0))
        if first_comments < 0:
            first_comments = self.n + _COMMENTS_FAR
        matrix[ROW["from_comment_heading"]] = self.index - first_comments
        if self.first_h1 < 0:
            matrix[ROW["from_h1"]] = _FAR
        else:
            matrix[ROW["from_h1"]] = self.index - self.first_h1

    def find_last_headings(self) -> Ints:
        """For each block the heading that it is or that stands above it; -1 for none."""
        headings = np.where(self.heading, self.index, -1)
        return np.maximum.accumulate(headings)

    def find_text_boxes(self) -> tuple[Ints, Ints]:
        """For each block the first block, and the one behind the last, of the innermost element
        around it that holds several paragraphs; of the whole page, where there is none.
        """
        holds_text = self.inside[PARAGRAPHS] >= SEVERAL
        # parents stand before their children: the nearest has the highest number
        nearest = np.where(holds_text, np.arange(len(holds_text)), 0)
        up = self.parent
        while up.any():
            np.maximum(nearest, nearest.take(up), out=nearest)
            up = up.take(up)
        around: Ints = nearest.take(self.box)
        # a page with several roots has blocks outside of the first
        first = np.minimum(self.table[FIRST].take(around), self.index)
        last = np.maximum(self.table[LAST].take(around), self.index + 1)
        return first, last

    def _fill_unit(self, matrix: Array) -> None:
        """The repeated unit that a block is in (a post, a tile), and the group of all its like."""
        unit: Ints = np.maximum(self.element[UNIT], 0)
        known = self.table.take(unit, 1)
        first, last, siblings = known[FIRST], known[LAST], known[SIBLINGS]
        # the unit
        inside = self.inside.take(unit, 1)
        np.divide(inside[LINKS], inside[CHARS], out=matrix[ROW["unit_density"]])
        matrix[ROW["unit_links"]] = inside[LINK_COUNT]
        np.subtract(last, first, out=matrix[ROW["unit_blocks"]], casting="unsafe")
        matrix[ROW["unit_images"]] = inside[IMAGES]
        # the group: its ratios, and what a unit of it has on average
        group = self.parent[unit]
        ratios = self.ratios[SHARE : PARAGRAPH_SHARE + 1]
        ratios.take(group, 1, out=matrix[_GROUP_RATIO_ROWS], mode="clip")
        counts = self.inside[CUT : PRICES + 1].take(group, 1)
        np.divide(counts, siblings, out=matrix[_GROUP_COUNT_ROWS])
        # the place of the block and of the unit
        matrix[ROW["unit_siblings"]] = siblings
        np.subtract(self.index, first, out=matrix[ROW["unit_place"]], casting="unsafe")
        is_in_none = self.element[UNIT] < 0
        matrix[_UNIT_ROWS, is_in_none] = _NONE

    def _fill_alike(self, matrix: Array) -> None:
        """Sums over the blocks whose elements look alike, with like parents and with like
        grandparents.
        """
        values = np.empty((_ALIKE_COUNT + 1, self.n))
        values[_ALIKE_CHARS] = self.chars
        values[_ALIKE_LINKS] = self.link_chars
        np.multiply(self.chars, self.is_paragraph, out=values[_ALIKE_PARAGRAPHS])
        values[_ALIKE_TOPIC] = self.counts[texts.TOPIC]
        values[_ALIKE_CUT] = self.counts[texts.CUT]
        values[_ALIKE_WORD] = self.counts[texts.MEAN]
        values[_ALIKE_COUNT] = 1.0
        sums = self.sum_alike(values)
        chars, count = sums[_ALIKE_CHARS], sums[_ALIKE_COUNT]
        paragraphs = sums[_ALIKE_PARAGRAPHS]
        np.divide(chars, self.all_chars, out=matrix[_ALIKE_SHARE_ROWS])
        np.divide(paragraphs, self.all_paragraph_chars, out=matrix[_ALIKE_PARAGRAPH_ROWS])
        np.divide(sums[_ALIKE_LINKS], chars, out=matrix[_ALIKE_DENSITY_ROWS])
        np.divide(chars, count, out=matrix[_ALIKE_LENGTH_ROWS])
        to_mean = sums[_ALIKE_TOPIC : _ALIKE_WORD + 1]
        np.divide(to_mean, count, out=matrix[_ALIKE_MEAN_ROWS].reshape(to_mean.shape))
        matrix[_ALIKE_COUNT_ROWS] = count

    def sum_alike(self, values: Array) -> Array:
        """For each row of values and each block the sums over the blocks that are alike: first by
        CLUSTER, then by DEEP.
        """
        rows, kinds = len(values), len(LIKENESSES)
        keys = self.element[CLUSTER : DEEP + 1]
        size = int(keys.max()) + 1
        # all sums are made at once: each row and kind of likeness has bins of its own
        first_bins = size * np.arange(rows * kinds)
        bins = keys[None] + first_bins.reshape(rows, kinds, 1)
        spread = np.broadcast_to(values[:, None], bins.shape)
        totals = np.bincount(bins.ravel(), spread.ravel(), rows * kinds * size)
        sums: Array = totals[bins]
        return sums

    def _fill_mass(self, matrix: Array) -> None:
        """Where the block stands relative to the smallest element that holds most of the
        paragraphs.
        """
        paragraph_chars, chars = self.inside[PARAGRAPH_CHARS], self.inside[CHARS]
        for mass, quota in MASSES.items():
            has_enough = paragraph_chars >= quota * self.all_paragraph_chars
            sizes = chars
            if has_enough.any():
                sizes = np.where(has_enough, chars, np.inf)
            # the innermost of those that hold the same text
            from_end = int(np.argmin(sizes[::-1]))
            element = len(sizes) - 1 - from_end
            first, last = int(self.table[FIRST, element]), int(self.table[LAST, element])
            # a distance is below 0 before the element, 0 inside it and above 0 behind it
            from_first = self.index - first
            from_last = self.index - last + 1
            distance = np.minimum(from_first, 0) + np.maximum(from_last, 0)
            np.divide(from_first, max(last - first, 1), out=matrix[ROW[f"{mass}_place"]])
            matrix[ROW[f"{mass}_distance"]] = distance
            np.equal(distance, 0, out=matrix[ROW[f"{mass}_in"]], casting="unsafe")
            matrix[ROW[f"{mass}_share"]] = self.ratios[SHARE, element]
            matrix[ROW[f"{mass}_density"]] = self.ratios[DENSITY, element]

    def _fill_anchor(self, matrix: Array) -> None:
        """Where the block stands relative to the one that says what the title says."""
        likeness = self.counts[texts.TITLE] * np.minimum(1.0, self.chars / _TITLE_LENGTH)
        likeness += np.array(_HEADING_BONUS).take(self.level)
        anchor = int(np.argmax(likeness))
        if likeness[anchor] <= _LIKE_TITLE:
            matrix[_ANCHOR_ROWS] = _NONE
            matrix[ROW["from_anchor"]] = _FAR
            return
        # the elements around the anchor, from the innermost to the root
        path = []
        element = self.flow.boxes[anchor]
        while element >= 0:
            path.append(element)
            element = self.flow.parents[element]
        way = _to_ints(path)
        # the innermost of them that holds a block as well is so many steps up the path
        first = self.table[FIRST][way][:, None]
        last = self.table[LAST][way][:, None]
        holds = (first <= self.index) & (self.index < last)
        steps = len(path) - holds.sum(axis=0)
        steps = np.minimum(steps, len(path) - 1)
        common = self.ratios[SHARE : PARAGRAPH_SHARE + 1]
        matrix[ROW["from_anchor"]] = self.index - anchor
        common.take(way[steps], 1, out=matrix[_COMMON_RATIO_ROWS], mode="clip")
        matrix[ROW["common_steps"]] = steps

    def _fill_page(self, matrix: Array) -> None:
        """What is the same for all blocks, in the order of `_PAGE`."""
        # not by a product of matrices: the threads of its library cost more than they compute
        chars_by_flag = (matrix[_FLAG_ROWS] * self.chars).sum(axis=1)
        shares = chars_by_flag / self.all_chars
        share_by_flag = dict(zip(FLAG_NAMES, shares.tolist(), strict=True))
        sums = self.sums[:, -1]
        good = (self.chars > _GOOD) & self.is_paragraph
        facts = (
            share_by_flag["in_main"],
            share_by_flag["in_article"],
            share_by_flag["in_items"],
            self.all_chars,
            float(self.n),
            self.all_paragraph_chars / self.all_chars,
            float(sums[LINKS]) / self.all_chars,
            float(self.flow.is_article),
            float(np.count_nonzero(good)),
            float(self.chars.max()),
            float(sums[PRICES]),
            float(sums[IMAGES]),
            float(self.first_h1),
        )
        matrix[_PAGE_ROWS] = np.array(facts)[:, None]


def _find_first(condition: NDArray[np.bool_]) -> int:
    """The first block that something is true of; -1 for none."""
    first = int(condition.argmax())
    if condition[first]:
        return first
    return -1
