"""A flow -> a matrix of features, one row a feature, one column a block.

Nearly everything is relative to the page: shares of its text, of its paragraphs, distances in blocks. A paragraph is a
block of more than 80 characters with few links. numpy arrays are only ever handled whole; element-wise access is slow.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content import tags
from webquarry.read.main_content.blocks import Flow
from webquarry.read.main_content.boxes import COMMENT_BIT, THREAD_BIT, Boxes, describe_boxes
from webquarry.read.main_content.texts import COUNTED, Lifts, count_texts

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
_PARAGRAPH = 80  # characters
_GOOD = 140
_FEW_LINKS = 0.35
_LEVELS = 6
_MASSES = (("40", 0.4), ("60", 0.6), ("85", 0.85))
_TAGS = """p div li td h1 h2 h3 h4 h5 h6 section article blockquote pre dd dt th figcaption ul form main aside body header
footer center details summary label noscript address fieldset legend caption table tr hgroup""".split()  # noqa: SIM905
_TAG_NUMBERS = {tag: number for number, tag in enumerate(_TAGS, 1)}


# Running sums over blocks are kept in the rows of one matrix, so that every subtree costs two look-ups.
CHARS, LINKS, PARAGRAPH_CHARS, PARAGRAPHS, TOPIC, HEADINGS, IMAGES, LINKED, LINK_COUNT, CUT, PRICES = range(11)
# What is known of every element, likewise.
_SHARE, _PARAGRAPH_SHARE, _DENSITY, _COUNT, _MEAN = range(5)
_UNIT_COLUMNS = "chars blocks density paragraphs images linked links siblings".split()  # noqa: SIM905
_GROUP_COLUMNS = "group_share group_paragraphs group_density".split()  # noqa: SIM905
_GROUP_MEANS = {
    "group_mean": CHARS,
    "group_linked": LINKED,
    "group_links": LINK_COUNT,
    "group_topic": TOPIC,
    "group_cut": CUT,
    "group_prices": PRICES,
    "group_images": IMAGES,
}


@dataclass(slots=True)
class Features:
    """The columns by name, and the arrays that they were made of."""

    columns: dict[str, Array]
    page: Page

    @property
    def words(self) -> Array:
        """How many words each block has."""
        return self.columns["words"]


def stacked(columns: Mapping[str, Array], names: Sequence[str]) -> NDArray[np.float32]:
    """Some columns as one matrix, a row each."""
    matrix = np.empty((len(names), len(columns[names[0]])), np.float32)
    for row, name in enumerate(names):
        matrix[row] = columns[name]
    return matrix


def features_of(flow: Flow, lifts: Lifts) -> Features:
    """Everything that the model may ask about the blocks of a page."""
    counts = count_texts(flow.texts, flow.title, flow.topic, lifts)
    table = np.frombuffer(counts).reshape(-1, len(COUNTED)).T.copy()
    page = Page(flow, dict(zip(COUNTED, table, strict=True)), describe_boxes(flow, lifts.classes))
    columns: dict[str, Array] = {}
    page.add_block_columns(columns)
    page.add_neighbour_columns(columns)
    page.add_heading_columns(columns)
    page.add_ancestor_columns(columns)
    page.add_unit_columns(columns)
    page.add_cluster_columns(columns)
    page.add_mass_columns(columns)
    page.add_anchor_columns(columns)
    page.add_name_columns(columns)
    page.add_flag_columns(columns)
    page.add_page_columns(columns)
    return Features(columns, page)


def running(values: Array) -> Array:
    """Sums up to each place, the first of them 0; of each row of a matrix."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def _floats(values: Iterable[float]) -> Array:
    return np.frombuffer(array("d", values))  # several times as fast as numpy's own way from a list


def _ints(values: Iterable[int]) -> Ints:
    return np.frombuffer(array("q", values), np.int64).astype(np.intp, copy=False)


class Page:
    """The arrays of one page, and the columns made of them."""

    def __init__(self, flow: Flow, counts: dict[str, Array], boxes: Boxes) -> None:
        self.flow, self.counts, self.boxes = flow, counts, boxes
        self.n = len(flow.texts)
        self.index = np.arange(self.n)
        self.box = _ints(flow.boxes)
        self.first = _ints(flow.first)
        self.last = _ints(flow.last)
        self.parent: Ints = np.maximum(_ints(flow.parents), 0)
        self.above: Ints = self.parent[self.box]
        self.flags = _ints(flow.flags)[self.box]
        self.level = _ints(flow.levels)[self.box]
        self.chars = _floats(map(len, flow.texts))
        self.links = _floats(flow.link_chars)
        self.density = self.links / self.chars
        self.is_paragraph = (self.chars > _PARAGRAPH) & (self.density < _FEW_LINKS)
        self.paragraph_chars = self.chars * self.is_paragraph
        self.siblings = _floats(boxes.siblings)
        self.jumps = _ints(boxes.jumps)
        self.clusters = _ints(boxes.clusters)
        self.units = _ints(boxes.units)[self.box]
        self.path_bits = _ints(boxes.path_bits)[self.box]
        self.link_count = _floats(flow.links)
        self.all_chars = max(float(self.chars.sum()), 1.0)
        self.all_paragraph_chars = max(float(self.paragraph_chars.sum()), 1.0)
        self.sums = self._sums()
        self.inside: Array = self.sums.take(self.last, 1) - self.sums.take(self.first, 1)  # of each element
        self.known = self._known()

    def _sums(self) -> Array:
        counts, heading = self.counts, self.level > 0
        images = np.bincount(np.minimum(_ints([place for _, place in self.flow.images]), self.n - 1), minlength=self.n)[
            : self.n
        ]
        values = np.empty((11, self.n))
        values[CHARS] = self.chars
        values[LINKS] = self.links
        values[PARAGRAPH_CHARS] = self.paragraph_chars
        values[PARAGRAPHS] = self.is_paragraph
        values[TOPIC] = counts["topic"]
        values[HEADINGS] = heading
        values[IMAGES] = images
        values[LINKED] = heading & (self.density > 0.7)
        values[LINK_COUNT] = self.link_count
        values[CUT] = counts["cut"]
        values[PRICES] = counts["prices"]
        return running(values)

    def _known(self) -> Array:
        inside = self.inside
        known = np.empty((5, inside.shape[1]))
        np.divide(inside[CHARS], self.all_chars, out=known[_SHARE])
        np.divide(inside[PARAGRAPH_CHARS], self.all_paragraph_chars, out=known[_PARAGRAPH_SHARE])
        np.divide(inside[LINKS], np.maximum(inside[CHARS], 1.0), out=known[_DENSITY])
        known[_COUNT] = inside[PARAGRAPHS]
        np.divide(inside[CHARS], np.maximum(self.last - self.first, 1), out=known[_MEAN])
        return known

    def add_block_columns(self, columns: dict[str, Array]) -> None:
        columns.update((name, self.counts[name]) for name in COUNTED if name not in ("prices", "says_comments"))
        columns["chars"] = self.chars
        columns["density"] = self.density
        columns["links"] = self.link_count
        number = _TAG_NUMBERS.get
        numbers = _floats([number(tag, 0) for tag in self.flow.tags])
        columns["tag"] = numbers[self.box]
        columns["parent_tag"] = numbers[self.above]
        columns["position"] = self.index / self.n
        columns["chars_before"] = self.sums[CHARS][:-1] / self.all_chars
        columns["paragraphs_before"] = self.sums[PARAGRAPH_CHARS][:-1] / self.all_paragraph_chars

    def add_neighbour_columns(self, columns: dict[str, Array]) -> None:
        tag = columns["tag"]
        for name, shift in (("previous", 1), ("next", -1)):
            columns[f"{name}_tag"] = _shifted(tag, shift, -1.0)
            columns[f"{name}_chars"] = _shifted(self.chars, shift, 0.0)
            columns[f"{name}_density"] = _shifted(self.density, shift, 1.0)
        chars_before, links_before = self.sums[CHARS], self.sums[LINKS]
        word_sums = running(columns["word_mean"])
        for reach in (4, 12):
            start, end = np.maximum(self.index - reach, 0), np.minimum(self.index + reach + 1, self.n)
            chars, size = chars_before[end] - chars_before[start], end - start
            columns[f"window{reach}_density"] = (links_before[end] - links_before[start]) / np.maximum(chars, 1.0)
            columns[f"window{reach}_chars"] = chars / size
            columns[f"window{reach}_word"] = (word_sums[end] - word_sums[start]) / size
        good = np.flatnonzero((self.chars > _GOOD) & self.is_paragraph)
        columns["from_first_good"] = self.index - (good[0] if len(good) else self.n)
        columns["from_last_good"] = self.index - (good[-1] if len(good) else self.n)

    def add_heading_columns(self, columns: dict[str, Array]) -> None:
        heading = self.level > 0
        last = np.maximum.accumulate(np.where(heading, self.index, -1))
        none = last < 0
        place = np.maximum(last, 0)
        columns["heading_level"] = np.where(none, 0, self.level[place])
        columns["since_heading"] = np.where(none, 99, self.index - last)
        columns["heading_word"] = np.where(none, 0.0, columns["word_mean"][place])
        columns["heading_density"] = np.where(none, -1.0, self.density[place])
        columns["heading_title"] = np.where(none, -1.0, columns["title_share"][place])
        columns["heading_cluster"] = np.where(none, -1.0, self.siblings[self.box][place])
        says = self.counts["says_comments"]
        columns["heading_comments"] = np.where(none, 0.0, says[place])
        spoken = np.flatnonzero(heading & (says > 0))
        columns["from_comment_heading"] = self.index - (spoken[0] if len(spoken) else self.n + 50)
        first = np.flatnonzero(self.level == 1)
        self.first_h1 = int(first[0]) if len(first) else -1
        columns["from_h1"] = (self.index - self.first_h1).astype(float) if len(first) else np.full(self.n, -999.0)
        after = np.minimum.accumulate(np.where(heading, self.index, self.n)[::-1])[::-1]
        columns["to_heading"] = after - self.index

    def add_ancestor_columns(self, columns: dict[str, Array]) -> None:
        element = self.box
        for level in range(_LEVELS):
            share, paragraphs, density, count, mean = self.known.take(element, 1)
            columns[f"up{level}_share"] = share
            columns[f"up{level}_paragraphs"] = paragraphs
            columns[f"up{level}_density"] = density
            columns[f"up{level}_count"] = count
            columns[f"up{level}_mean"] = mean
            if level < 2:
                columns[f"up{level}_siblings"] = self.siblings[element]
            if level in (1, 2, 3):
                columns[f"up{level}_topic"] = self.inside[TOPIC][element] / np.maximum(count, 1)
            if level in (2, 3):
                columns[f"up{level}_headings"] = self.inside[HEADINGS][element]
            element = self.jumps[element]
        columns["depth"] = _floats(self.boxes.depths)[self.box]

    def add_unit_columns(self, columns: dict[str, Array]) -> None:
        unit: Ints = np.maximum(self.units, 0)
        group = self.parent[unit]
        inside, siblings = self.inside.take(unit, 1), self.siblings[unit]
        first = self.first[unit]
        values = np.empty((len(_UNIT_COLUMNS) + len(_GROUP_COLUMNS) + len(_GROUP_MEANS) + 1, self.n))
        values[0] = inside[CHARS]
        values[1] = self.last[unit] - first
        values[2] = self.known[_DENSITY][unit]
        values[3] = inside[PARAGRAPH_CHARS] / np.maximum(inside[CHARS], 1.0)
        values[4] = inside[IMAGES]
        values[5] = inside[LINKED]
        values[6] = inside[LINK_COUNT]
        values[7] = siblings
        values[8:11] = self.known[: _DENSITY + 1].take(group, 1)
        around = self.inside.take(group, 1)
        np.divide(around[list(_GROUP_MEANS.values())], np.maximum(siblings, 1), out=values[11:-1])
        values[-1] = self.index - first
        values[:, self.units < 0] = -1.0
        for part, row in zip((*_UNIT_COLUMNS, *_GROUP_COLUMNS, *_GROUP_MEANS, "place"), values, strict=True):
            columns[f"unit_{part}"] = row

    def add_cluster_columns(self, columns: dict[str, Array]) -> None:
        clusters = self.clusters
        parents = clusters[self.parent]
        deep = np.unique(clusters.astype(np.int64) * (len(clusters) + 1) + parents, return_inverse=True)[1]
        for name, keys in (("cluster", clusters[self.box]), ("deep", np.asarray(deep, np.intp)[self.box])):
            count = np.bincount(keys)
            chars = np.bincount(keys, self.chars)
            links = np.bincount(keys, self.links)
            paragraph_chars = np.bincount(keys, self.paragraph_chars)
            size = np.maximum(count, 1)
            columns[f"{name}_count"] = count[keys].astype(float)
            columns[f"{name}_mean"] = (chars / size)[keys]
            columns[f"{name}_density"] = (links / np.maximum(chars, 1.0))[keys]
            columns[f"{name}_share"] = (chars / self.all_chars)[keys]
            columns[f"{name}_paragraphs"] = (paragraph_chars / self.all_paragraph_chars)[keys]
            columns[f"{name}_topic"] = (np.bincount(keys, columns["topic"]) / size)[keys]
            columns[f"{name}_cut"] = (np.bincount(keys, columns["cut"]) / size)[keys]
            columns[f"{name}_word"] = (np.bincount(keys, columns["word_mean"]) / size)[keys]

    def add_mass_columns(self, columns: dict[str, Array]) -> None:
        inside, size = self.inside[PARAGRAPH_CHARS], self.inside[CHARS]
        for name, quota in _MASSES:
            enough = inside >= quota * self.all_paragraph_chars
            if not enough.any():
                enough = np.ones_like(enough)
            smallest = np.where(enough, size, np.inf)
            # the innermost of those that hold the same text
            element = len(smallest) - 1 - int(np.argmin(smallest[::-1]))
            first, last = int(self.first[element]), int(self.last[element])
            before, after = np.maximum(first - self.index, 0), np.maximum(self.index - last + 1, 0)
            columns[f"mass{name}_in"] = ((before == 0) & (after == 0)).astype(float)
            columns[f"mass{name}_place"] = (self.index - first) / max(last - first, 1)
            columns[f"mass{name}_distance"] = (after - before).astype(float)
            columns[f"mass{name}_share"] = np.full(self.n, size[element] / self.all_chars)
            columns[f"mass{name}_density"] = np.full(self.n, self.known[_DENSITY, element])

    def add_anchor_columns(self, columns: dict[str, Array]) -> None:
        """Where the block stands relative to the one that says what the title says."""
        likeness = columns["title_share"] * np.minimum(1.0, self.chars / 20)
        likeness = likeness + 0.5 * (self.level == 1) + 0.15 * (self.level > 1)
        anchor = int(np.argmax(likeness))
        if likeness[anchor] <= 0.5:
            for name in ("from_anchor", "common_share", "common_paragraphs", "common_steps"):
                columns[name] = np.full(self.n, -999.0 if name == "from_anchor" else -1.0)
            return
        path = [self.flow.boxes[anchor]]
        while self.flow.parents[path[-1]] >= 0:
            path.append(self.flow.parents[path[-1]])
        way: Ints = np.array(path, np.intp)
        covers = (self.first[way][:, None] <= self.index) & (self.index < self.last[way][:, None])
        steps = np.minimum(len(path) - covers.sum(axis=0), len(path) - 1)
        common = way[steps]
        columns["from_anchor"] = (self.index - anchor).astype(float)
        columns["common_share"] = self.known[_SHARE][common]
        columns["common_paragraphs"] = self.known[_PARAGRAPH_SHARE][common]
        columns["common_steps"] = steps.astype(float)

    def add_name_columns(self, columns: dict[str, Array]) -> None:
        named = self.boxes.named
        own = _floats([one[0] for one in named])
        columns["name_own"] = own[self.box]
        columns["name_parent"] = own[self.above]
        columns["name_grandparent"] = own[self.parent[self.above]]
        columns["name_lowest"] = _floats(self.boxes.lowest)[self.box]
        columns["name_highest"] = _floats(self.boxes.highest)[self.box]
        columns["name_total"] = _floats(self.boxes.total)[self.box]
        for number in (0, 1):
            columns[f"named{number}"] = ((self.path_bits >> number) & 1).astype(float)
        bits = _ints([named[box][3] for box in self.flow.boxes])
        columns["own_named1"] = ((bits >> 1) & 1).astype(float)

    def add_flag_columns(self, columns: dict[str, Array]) -> None:
        flags = self.flags
        for name, flag in _FLAG_COLUMNS.items():
            columns[name] = ((flags & flag) > 0).astype(float)
        order: dict[int, int] = {}
        for element in self.boxes.articles:
            if element >= 0 and element not in order:
                order[element] = len(order)
        self.article_count = len(order)
        articles = [self.boxes.articles[box] for box in self.flow.boxes]
        place = _ints(articles)
        columns["article_ordinal"] = _floats([order.get(element, -1) for element in articles])
        columns["article_share"] = np.where(place < 0, -1.0, self.known[_PARAGRAPH_SHARE][np.maximum(place, 0)])

    def add_page_columns(self, columns: dict[str, Array]) -> None:
        bits, flags = self.path_bits, self.flags
        chars, total = self.chars, self.all_chars

        def of_chars(mask: NDArray[np.bool_]) -> float:
            return float(chars[mask].sum()) / total

        facts = {
            "page_chars": total,
            "page_blocks": float(self.n),
            "page_paragraphs": self.all_paragraph_chars / total,
            "page_articles": float(self.article_count),
            "page_in_article": of_chars((flags & tags.ARTICLE_FLAG) > 0),
            "page_in_main": of_chars((flags & tags.MAIN_FLAG) > 0),
            "page_in_items": of_chars((flags & tags.ITEM_FLAG) > 0),
            "page_in_cells": of_chars((flags & tags.CELL_FLAG) > 0),
            "page_in_comments": of_chars((bits & COMMENT_BIT) > 0),
            "page_in_threads": of_chars((bits & THREAD_BIT) > 0),
            "page_in_links": float(self.links.sum()) / total,
            "page_kind": float(self.flow.is_article),
            "page_h1": float(self.first_h1),
            "page_good": float(((chars > _GOOD) & self.is_paragraph).sum()),
            "page_longest": float(chars.max()),
            "page_median": float(np.median(chars)),
            "page_prices": float(self.sums[PRICES, -1]),
            "page_images": float(self.sums[IMAGES, -1]),
            "page_variety": len(set(self.boxes.signatures)) / self.n,
        }
        for name, value in facts.items():
            columns[name] = np.full(self.n, value)


_FLAG_COLUMNS = {
    "in_main": tags.MAIN_FLAG,
    "in_aside": tags.ASIDE_FLAG,
    "in_caption": tags.CAPTION_FLAG,
    "in_paragraph": tags.PARAGRAPH_FLAG,
    "in_item": tags.ITEM_FLAG,
    "in_cell": tags.CELL_FLAG,
    "in_quote": tags.QUOTE_FLAG,
    "in_hidden": tags.HIDDEN_FLAG,
    "in_form": tags.FORM_FLAG,
}


def _shifted(values: Array, shift: int, edge: float) -> Array:
    moved = np.empty_like(values)
    if shift > 0:
        moved[:shift] = edge
        moved[shift:] = values[:-shift]
    else:
        moved[shift:] = edge
        moved[:shift] = values[-shift:]
    return moved
