"""A flow -> a matrix of features, one row a feature, one column a block.

Nearly everything is relative to the page: shares of its text, of its paragraphs, distances in
blocks. A paragraph is a block of more than 80 characters with few links. A page has some hundred
blocks, so that every call into numpy costs more than what it computes: rows are made many at a
time, and never touched element by element.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np

from webquarry.read.main_content import tags, texts
from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.boxes import (
    CLUSTER,
    DEEP,
    FIRST,
    FLAGS,
    JUMP,
    LAST,
    LEVEL,
    PARENT,
    SIBLINGS,
    TAG,
    UNIT,
    Array,
    Boxes,
    Ints,
    describe_boxes,
)
from webquarry.read.main_content.lifts import Lifts

_PARAGRAPH = 80  # characters
_GOOD = 140
_FEW_LINKS = 0.35
_LEVELS = 6
_REACH = 4  # blocks to each side that make the surroundings of a block
# Running sums over blocks are kept in the rows of one matrix, so that every subtree costs two
# look-ups.
(
    CHARS,
    LINKS,
    PARAGRAPH_CHARS,
    PARAGRAPHS,
    TOPIC,
    HEADINGS,
    IMAGES,
    LINK_COUNT,
    CUT,
    PRICES,
    WORD,
) = range(11)
_MASSES = (0.4, 0.6)
_FLAGS = {
    "in_main": tags.MAIN_FLAG,
    "in_aside": tags.ASIDE_FLAG,
    "in_caption": tags.CAPTION_FLAG,
    "in_paragraph": tags.PARAGRAPH_FLAG,
    "in_hidden": tags.HIDDEN_FLAG,
    "in_article": tags.ARTICLE_FLAG,
    "in_items": tags.ITEM_FLAG,
}
_FLAG_BITS = np.array([[flag] for flag in _FLAGS.values()], np.int64)
_COUNTED = texts.COUNTED[: texts.COMMENTS]
_BLOCK = (
    "density",
    "links",
    "tag",
    "position",
    "chars_before",
    "paragraphs_before",
    "up0_siblings",
)
_NAMES = ("name_own", "name_lowest", "name_highest", "name_parent")
_AROUND = (
    "previous_tag", "previous_chars", "previous_density", "next_tag", "next_chars", "next_density", "window_density",
    "window_chars", "window_word",
)  # fmt: skip
_HEADED = (
    "heading_level", "heading_word", "heading_comments", "heading_density", "since_heading", "from_comment_heading",
    "from_h1",
)  # fmt: skip
_UP = tuple(
    f"up{level}_{what}"
    for what in ("share", "paragraphs", "density", "mean", "topic")
    for level in range(_LEVELS)
)
_UNIT = (
    "unit_density", "unit_links", "unit_blocks", "unit_images", "unit_headings", "unit_group_share",
    "unit_group_paragraphs", "unit_group_density", "unit_group_cut", "unit_group_prices", "unit_siblings", "unit_place",
)  # fmt: skip
_ALIKE = tuple(
    f"{kind}_{what}"
    for what in ("share", "paragraphs", "density", "mean", "topic", "cut", "word", "count")
    for kind in ("cluster", "deep")
)
_MASS = tuple(
    f"mass{round(100 * quota)}_{what}"
    for quota in _MASSES
    for what in ("place", "distance", "in", "share", "density")
)
_ANCHOR = ("from_anchor", "common_share", "common_paragraphs", "common_steps")
_PAGE = (
    "page_in_main", "page_in_article", "page_in_items", "page_chars", "page_blocks", "page_paragraphs", "page_in_links",
    "page_kind", "page_good", "page_longest", "page_prices", "page_images", "page_h1",
)  # fmt: skip
NAMES = (
    *_COUNTED,
    *_BLOCK,
    *_NAMES,
    *_FLAGS,
    *_AROUND,
    *_HEADED,
    *_UP,
    *_UNIT,
    *_ALIKE,
    *_MASS,
    *_ANCHOR,
    *_PAGE,
)
ROW = {name: row for row, name in enumerate(NAMES)}


@dataclass(slots=True)
class Features:
    """A row for each of `NAMES`, and the page that they were made of."""

    matrix: Array
    page: Page

    @property
    def words(self) -> Array:
        """How many words each block has."""
        words: Array = self.matrix[texts.WORDS]
        return words

    @property
    def columns(self) -> dict[str, Array]:
        """The rows by name."""
        return dict(zip(NAMES, self.matrix, strict=True))


def features_of(flow: Flow, lifts: Lifts) -> Features:
    """Everything that the model may ask about the blocks of a page."""
    counts = texts.count_texts(flow.texts, flow.title, flow.topic, lifts)
    page = Page(flow, counts, describe_boxes(flow, lifts.of_names))
    matrix = np.empty((len(NAMES), page.n))
    start = 0
    for names, make in _GROUPS:
        end = start + len(names)
        make(page, matrix[start:end])
        start = end
    return Features(matrix, page)


def running(values: Array) -> Array:
    """Sums up to each place, the first of them 0; of each row of a matrix."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def _floats(values: list[float] | list[int]) -> Array:
    return np.frombuffer(array("d", values))  # several times as fast as numpy's own way from a list


def _ints(values: list[int]) -> Ints:
    return np.frombuffer(array("q", values), np.int64).astype(np.intp, copy=False)


class Page:
    """The arrays of one page, and the rows made of them."""

    def __init__(self, flow: Flow, counts: Array, boxes: Boxes) -> None:
        self.flow, self.counts = flow, counts
        self.n = len(flow.texts)
        self.index: Ints = np.arange(self.n)
        self.box = _ints(flow.boxes)
        self.table, self.names = boxes.table, boxes.names
        self.at: Ints = self.table.take(
            self.box, 1
        )  # what is known of the element that each block is in
        self.parent: Ints = np.maximum(self.table[PARENT], 0)
        self.above: Ints = np.maximum(self.at[PARENT], 0)
        self.level = self.at[LEVEL]
        self.heading = self.level > 0
        self.chars = counts[texts.CHARS]
        links = _floats([*flow.link_chars, *flow.links]).reshape(2, -1)
        self.links, self.link_count = links[0], links[1]
        self.density = self.links / self.chars
        self.is_paragraph = (self.chars > _PARAGRAPH) & (self.density < _FEW_LINKS)
        self.sums = running(self._summed())
        self.inside: Array = self.sums.take(self.table[LAST], 1) - self.sums.take(
            self.table[FIRST], 1
        )  # each element
        self.all_chars = max(float(self.sums[CHARS, -1]), 1.0)
        self.all_paragraph_chars = max(float(self.sums[PARAGRAPH_CHARS, -1]), 1.0)
        self.known = self._known()

    def _summed(self) -> Array:
        counts, values = self.counts, np.empty((11, self.n))
        values[CHARS] = self.chars
        values[LINKS] = self.links
        np.multiply(self.chars, self.is_paragraph, out=values[PARAGRAPH_CHARS])
        values[PARAGRAPHS] = self.is_paragraph
        values[TOPIC] = counts[texts.TOPIC]
        values[HEADINGS] = self.heading
        images = [min(place, self.n - 1) for place in self.flow.image_places]
        if images:
            values[IMAGES] = np.bincount(_ints(images), minlength=self.n)
        else:
            values[IMAGES] = 0.0
        values[LINK_COUNT] = self.link_count
        values[CUT] = counts[texts.CUT]
        values[PRICES] = counts[texts.PRICES]
        values[WORD] = counts[texts.MEAN]
        return values

    def _known(self) -> Array:
        """Shares of the page's text and of its paragraphs, density of links, mean length and topic
        of each element.
        """
        inside = self.inside
        known = np.empty((5, inside.shape[1]))
        np.divide(inside[CHARS], self.all_chars, out=known[0])
        np.divide(inside[PARAGRAPH_CHARS], self.all_paragraph_chars, out=known[1])
        np.divide(
            inside[LINKS], inside[CHARS], out=known[2]
        )  # no element of the table is without text
        np.divide(inside[CHARS], self.table[LAST] - self.table[FIRST], out=known[3])
        np.divide(inside[TOPIC], np.maximum(inside[PARAGRAPHS], 1.0), out=known[4])
        return known

    def make_counted(self, rows: Array) -> None:
        rows[:] = self.counts[: len(rows)]

    def make_block(self, rows: Array) -> None:
        rows[0] = self.density
        rows[1] = self.link_count
        rows[2] = self.at[TAG]
        np.divide(self.index, self.n, out=rows[3])
        np.divide(self.sums[CHARS, :-1], self.all_chars, out=rows[4])
        np.divide(self.sums[PARAGRAPH_CHARS, :-1], self.all_paragraph_chars, out=rows[5])
        rows[6] = self.at[SIBLINGS]

    def make_names(self, rows: Array) -> None:
        self.names.take(self.box, 1, out=rows[:3], mode="clip")
        self.names[0].take(self.above, out=rows[3], mode="clip")

    def make_flags(self, rows: Array) -> None:
        np.not_equal(self.at[FLAGS] & _FLAG_BITS, 0, out=rows, casting="unsafe")
        shares = rows @ self.chars / self.all_chars
        self.in_main, self.in_article, self.in_items = (
            float(shares[0]),
            float(shares[5]),
            float(shares[6]),
        )

    def make_around(self, rows: Array) -> None:
        own = np.array([self.at[TAG], self.chars, self.density])
        before, after = rows[:3], rows[3:6]
        before[:, 1:] = own[:, :-1]
        after[:, :-1] = own[:, 1:]
        before[:, 0] = after[:, -1] = _EDGE
        start, end = np.maximum(self.index - _REACH, 0), np.minimum(self.index + _REACH + 1, self.n)
        sums = self.sums.take(end, 1) - self.sums.take(start, 1)
        size = end - start
        np.divide(sums[LINKS], sums[CHARS], out=rows[6])
        np.divide(sums[CHARS], size, out=rows[7])
        np.divide(sums[WORD], size, out=rows[8])

    def make_headed(self, rows: Array) -> None:
        last = np.maximum.accumulate(np.where(self.heading, self.index, -1))
        says = self.counts[texts.COMMENTS]
        told = np.array([self.level, self.counts[texts.MEAN], says, self.density])
        rows[:4] = told.take(last, 1, mode="clip")
        rows[4] = self.index - last
        if self.heading.any():
            none = int(np.argmax(self.heading))  # blocks before the first heading
        else:
            none = self.n
        rows[:5, :none] = _HEADLESS
        spoken = np.flatnonzero(self.heading & (says > 0))
        rows[5] = self.index - (int(spoken[0]) if len(spoken) else self.n + 50)
        first = np.flatnonzero(self.level == 1)
        self.first_h1 = int(first[0]) if len(first) else -1
        rows[6] = self.index - self.first_h1 if len(first) else -999.0

    def make_up(self, rows: Array) -> None:
        elements = np.empty((_LEVELS, self.n), np.intp)
        elements[0] = self.box
        jumps = self.table[JUMP]
        for level in range(1, _LEVELS):
            jumps.take(elements[level - 1], out=elements[level], mode="clip")
        self.known.take(elements, 1, out=rows.reshape(5, _LEVELS, self.n), mode="clip")

    def make_unit(self, rows: Array) -> None:
        alone = self.at[UNIT] < 0
        unit: Ints = np.maximum(self.at[UNIT], 0)
        group = self.parent[unit]
        inside, around = self.inside.take(unit, 1), self.inside.take(group, 1)
        of_unit = self.table.take(unit, 1)
        np.divide(inside[LINKS], inside[CHARS], out=rows[0])
        rows[1] = inside[LINK_COUNT]
        np.subtract(of_unit[LAST], of_unit[FIRST], out=rows[2], casting="unsafe")
        rows[3] = inside[IMAGES]
        rows[4] = inside[HEADINGS]
        self.known[:3].take(group, 1, out=rows[5:8], mode="clip")
        np.divide(around[CUT : PRICES + 1], of_unit[SIBLINGS], out=rows[8:10])
        rows[10] = of_unit[SIBLINGS]
        np.subtract(self.index, of_unit[FIRST], out=rows[11], casting="unsafe")
        rows[:, alone] = -1.0

    def make_alike(self, rows: Array) -> None:
        """Sums over the blocks whose elements look alike, with like parents and with like
        grandparents.
        """
        keys = self.at[CLUSTER : DEEP + 1]
        size = int(keys.max()) + 1
        values = np.empty((7, self.n))
        values[0] = self.chars
        values[1] = self.links
        np.multiply(self.chars, self.is_paragraph, out=values[2])
        values[3] = self.counts[texts.TOPIC]
        values[4] = self.counts[texts.CUT]
        values[5] = self.counts[texts.MEAN]
        values[6] = 1.0
        places = keys[None] + (size * np.arange(14)).reshape(7, 2, 1)
        spread = np.broadcast_to(values[:, None], (7, 2, self.n))
        sums = np.bincount(places.ravel(), spread.ravel(), 14 * size)[places]
        chars, links, paragraphs, count = sums[0], sums[1], sums[2], sums[6]
        np.divide(chars, self.all_chars, out=rows[0:2])
        np.divide(paragraphs, self.all_paragraph_chars, out=rows[2:4])
        np.divide(links, chars, out=rows[4:6])
        np.divide(chars, count, out=rows[6:8])
        np.divide(sums[3:6], count, out=rows[8:14].reshape(3, 2, self.n))
        rows[14:16] = count

    def make_mass(self, rows: Array) -> None:
        """Where the block stands relative to the smallest element that holds most of the
        paragraphs.
        """
        inside, size = self.inside[PARAGRAPH_CHARS], self.inside[CHARS]
        for number, quota in enumerate(_MASSES):
            enough = inside >= quota * self.all_paragraph_chars
            if enough.any():
                smallest = np.where(enough, size, np.inf)
            else:
                smallest = size
            # the innermost of those that hold the same text
            element = len(smallest) - 1 - int(np.argmin(smallest[::-1]))
            first, last = int(self.table[FIRST, element]), int(self.table[LAST, element])
            own = rows[5 * number : 5 * number + 5]
            np.divide(self.index - first, max(last - first, 1), out=own[0])
            own[1] = np.minimum(self.index - first, 0) + np.maximum(self.index - last + 1, 0)
            np.equal(own[1], 0.0, out=own[2], casting="unsafe")
            own[3] = self.known[0, element]
            own[4] = self.known[2, element]

    def make_anchor(self, rows: Array) -> None:
        """Where the block stands relative to the one that says what the title says."""
        likeness = self.counts[texts.TITLE] * np.minimum(1.0, self.chars / 20)
        likeness += _HEADING_BONUS.take(self.level)
        anchor = int(np.argmax(likeness))
        if likeness[anchor] <= 0.5:
            rows[0] = -999.0
            rows[1:] = -1.0
            return
        path = [self.flow.boxes[anchor]]
        while self.flow.parents[path[-1]] >= 0:
            path.append(self.flow.parents[path[-1]])
        way = _ints(path)
        first, last = self.table[FIRST][way][:, None], self.table[LAST][way][:, None]
        covers = (first <= self.index) & (self.index < last)
        steps = np.minimum(len(path) - covers.sum(axis=0), len(path) - 1)
        rows[0] = self.index - anchor
        self.known[:2].take(way[steps], 1, out=rows[1:3], mode="clip")
        rows[3] = steps

    def make_page(self, rows: Array) -> None:
        facts = (
            self.in_main,
            self.in_article,
            self.in_items,
            self.all_chars,
            float(self.n),
            self.all_paragraph_chars / self.all_chars,
            float(self.sums[LINKS, -1]) / self.all_chars,
            float(self.flow.is_article),
            float(np.count_nonzero((self.chars > _GOOD) & self.is_paragraph)),
            float(self.chars.max()),
            float(self.sums[PRICES, -1]),
            float(self.sums[IMAGES, -1]),
            float(self.first_h1),
        )
        rows[:] = np.array(facts)[:, None]


_EDGE = np.array(
    [-1.0, 0.0, 1.0]
)  # in place of what stands before the first block and behind the last
_HEADLESS = np.array([[0.0], [0.0], [0.0], [-1.0], [99.0]])
_HEADING_BONUS = np.array([0.0, 0.5, 0.15, 0.15, 0.15, 0.15, 0.15])
_GROUPS = (
    (_COUNTED, Page.make_counted),
    (_BLOCK, Page.make_block),
    (_NAMES, Page.make_names),
    (tuple(_FLAGS), Page.make_flags),
    (_AROUND, Page.make_around),
    (_HEADED, Page.make_headed),
    (_UP, Page.make_up),
    (_UNIT, Page.make_unit),
    (_ALIKE, Page.make_alike),
    (_MASS, Page.make_mass),
    (_ANCHOR, Page.make_anchor),
    (_PAGE, Page.make_page),
)
