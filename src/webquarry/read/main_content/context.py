"""First chances -> what the blocks around a block say about it: a second matrix of features.

This is how repeated units are judged as wholes: a post, a tile or a row is compared with what was thought of all its like,
of the same place in the other units, of the section and of the boxes around it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from webquarry.read.main_content.choose import threshold
from webquarry.read.main_content.features import Array, Features, Ints, running

# Features of the first matrix that the second model sees again.
CARRIED = """chars density tag position title_share word_mean up0_siblings unit_group_share unit_siblings cluster_paragraphs
mass60_in page_kind page_blocks page_paragraphs in_item in_cell in_caption heading_level since_heading heading_comments named0
repeats echoes page_in_threads from_anchor unit_linked heading_density notice""".split()  # noqa: SIM905
_NONE = -9.0  # where there is nothing to compare with
_LEVELS = 5
_WINDOWS = (3, 8, 20)


def context_of(features: Features, chances: Array) -> dict[str, Array]:
    """The columns of the second matrix."""
    context = _Context(features, chances)
    columns = {"first": context.logits}
    context.add_boxes(columns)
    context.add_likes(columns)
    context.add_neighbours(columns)
    context.add_sections(columns)
    context.add_page(columns)
    for name in CARRIED:
        columns[name] = features.columns[name]
    return columns


class _Context:
    """First chances as log odds, with running sums over them; longer blocks weigh more."""

    def __init__(self, features: Features, chances: Array) -> None:
        safe = np.clip(chances, 1e-3, 1 - 1e-3)
        self.chances = chances
        self.logits: Array = np.log(safe / (1 - safe))
        self.n = len(chances)
        self.index = np.arange(self.n)
        page = features.page
        self.words = features.words
        self.weights = np.sqrt(self.words)
        self.sums = running(self.weights * self.logits)
        self.weight_sums = running(self.weights)
        self.mass = running(self.words * chances)
        self.box, self.parent, self.above = page.box, page.parent, page.above
        self.first, self.last, self.jumps = page.first, page.last, page.jumps
        self.clusters, self.level = page.clusters, page.level
        self.alone = page.units < 0
        self.unit: Ints = np.maximum(page.units, 0)

    def between(self, start: Ints, end: Ints) -> Array:
        weight = np.maximum(self.weight_sums[end] - self.weight_sums[start], 1e-9)
        return (self.sums[end] - self.sums[start]) / weight

    def within(self, elements: Ints) -> Array:
        return self.between(self.first[elements], self.last[elements])

    def mass_within(self, elements: Ints) -> Array:
        return (self.mass[self.last[elements]] - self.mass[self.first[elements]]) / max(float(self.mass[-1]), 1e-9)

    def add_boxes(self, columns: dict[str, Array]) -> None:
        element = self.box
        for level in range(_LEVELS):
            columns[f"box{level}"] = self.within(element)
            element = self.jumps[element]
        group = self.parent[self.unit]
        columns["unit"] = np.where(self.alone, _NONE, self.within(self.unit))
        columns["group"] = np.where(self.alone, _NONE, self.within(group))
        columns["box_mass"] = self.mass_within(self.box)
        columns["parent_mass"] = self.mass_within(self.above)
        columns["group_mass"] = self.mass_within(np.where(self.alone, 0, group))

    def add_likes(self, columns: dict[str, Array]) -> None:
        """Means and spreads over blocks of the same kind: on the page, under like parents, in the units of one group."""
        size = len(self.clusters) + 7
        own = self.clusters[self.box].astype(np.int64)
        columns["alike"], columns["alike_spread"], _ = self._pooled(own)
        columns["alike_deep"], _, _ = self._pooled(own * size + self.clusters[self.above])
        place = np.where(self.alone, -1 - self.index, self.parent[self.unit])
        columns["slot"], columns["slot_spread"], columns["slot_count"] = self._pooled(own * size * 2 + place)

    def _pooled(self, keys: NDArray[np.int64]) -> tuple[Array, Array, Array]:
        found = np.unique(keys, return_inverse=True)[1]
        weight = np.maximum(np.bincount(found, self.weights), 1e-9)
        mean = np.bincount(found, self.weights * self.logits) / weight
        square = np.bincount(found, self.weights * self.logits**2) / weight
        spread = np.sqrt(np.maximum(square - mean**2, 0.0))
        return mean[found], spread[found], np.bincount(found)[found].astype(float)

    def add_neighbours(self, columns: dict[str, Array]) -> None:
        n, index = self.n, self.index
        padded = np.concatenate([np.full(2, _NONE), self.logits, np.full(2, _NONE)])
        for step in (1, 2):
            columns[f"before{step}"] = padded[2 - step : 2 - step + n]
            columns[f"after{step}"] = padded[2 + step : 2 + step + n]
        for reach in _WINDOWS:
            columns[f"window{reach}"] = self.between(np.maximum(index - reach, 0), np.minimum(index + reach + 1, n))
        columns["all_before"] = self.between(np.zeros(n, np.intp), index)
        columns["all_after"] = self.between(index + 1, np.full(n, n))
        columns["mass_before"] = self.mass[:-1] / max(float(self.mass[-1]), 1e-9)

    def add_sections(self, columns: dict[str, Array]) -> None:
        heading = self.level > 0
        last = np.maximum.accumulate(np.where(heading, self.index, -1))
        following = np.minimum.accumulate(np.where(heading, self.index, self.n)[::-1])[::-1]
        end = np.concatenate([following[1:], [self.n]])
        columns["heading"] = np.where(last < 0, _NONE, self.logits[np.maximum(last, 0)])
        columns["section"] = self.between(np.maximum(last, 0), end)

    def add_page(self, columns: dict[str, Array]) -> None:
        limit = threshold(self.chances, self.words)
        columns["page_mean"] = np.full(self.n, self.mass[-1] / max(float(self.words.sum()), 1e-9))
        columns["page_best"] = np.full(self.n, self.chances.max())
        columns["page_mass"] = np.full(self.n, self.mass[-1])
        columns["page_limit"] = np.full(self.n, limit)
        columns["chosen"] = (self.chances >= limit).astype(float)
