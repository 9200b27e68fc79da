"""Labelled pages -> what class names and words speak for or against, and the tables that leave one
site out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from scripts.extraction.pages import LabelledPage

from webquarry.read.main_content.boxes import LONGEST
from webquarry.read.main_content.lifts import Lifts
from webquarry.read.main_content.texts import SHORT
from webquarry.read.main_content.words import split_names, split_words

_LEAST_SITES = (8, 8, 16)  # for each kind of token
_SHRINK = 6

Table = dict[str, float]
PageLifts = tuple[Table, Table, Table]  # class names, words of short blocks, words of longer ones
_KINDS = (0, 1, 2)


def page_lifts(page: LabelledPage) -> PageLifts:
    """For every name and word of a page how much likelier its blocks are kept than the page's
    others.
    """
    known = [(index, label) for index, label in enumerate(page.labels) if label is not None]
    if not known:
        return {}, {}, {}
    weights = {index: min(page.tokens[index], 60) ** 0.5 for index, _ in known}
    total = sum(weights.values())
    if not total:
        return {}, {}, {}
    mean = sum(weights[index] * label for index, label in known) / total
    names: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    words: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    long_words: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for index, label in known:
        weight, lift = weights[index], label - mean
        for token in _names_around(page, page.flow.boxes[index]):
            _add(names[token], weight, lift)
        text = page.flow.texts[index]
        table = words if len(text) <= SHORT else long_words
        for token in set(split_words(text[:SHORT])):
            _add(table[token], max(weight, 1.0), lift)
    return _means(names), _means(words), _means(long_words)


def _names_around(page: LabelledPage, box: int) -> set[str]:
    found: set[str] = set()
    while box >= 0:
        found.update(split_names(f"{page.flow.names[box][:LONGEST]} {page.flow.ids[box]}"))
        box = page.flow.parents[box]
    return found


def _add(entry: list[float], weight: float, lift: float) -> None:
    entry[0] += weight * lift
    entry[1] += weight


def _means(entries: Mapping[str, list[float]]) -> dict[str, float]:
    return {token: lift / weight for token, (lift, weight) in entries.items() if weight}


class LiftTable:
    """Means over sites, shrunk towards nothing."""

    def __init__(self, lifts_by_site: Mapping[str, Iterable[PageLifts]]) -> None:
        self._own: dict[str, PageLifts] = {}
        self._sums: list[Table] = [defaultdict(float) for _ in _KINDS]
        self._sites: list[dict[str, int]] = [defaultdict(int) for _ in _KINDS]
        for site in sorted(lifts_by_site):
            pages = list(lifts_by_site[site])
            names, words, long_words = (
                _site_means([page[kind] for page in pages]) for kind in _KINDS
            )
            self._own[site] = names, words, long_words
            for kind in _KINDS:
                for token, lift in self._own[site][kind].items():
                    self._sums[kind][token] += lift
                    self._sites[kind][token] += 1
        self._all = tuple(
            {
                token: round(self._sums[kind][token] / (sites + _SHRINK), 3)
                for token, sites in sorted(self._sites[kind].items())
                if sites >= _LEAST_SITES[kind]
            }
            for kind in _KINDS
        )

    def all(self) -> Lifts:
        return Lifts(*self._all)

    def without(self, site: str) -> Lifts:
        """The table as it would be had the site never been seen."""
        if site not in self._own:
            return self.all()
        tables = []
        for kind in _KINDS:
            table = dict(self._all[kind])
            for token, lift in self._own[site][kind].items():
                if token in table:
                    sites = self._sites[kind][token] - 1
                    table[token] = round((self._sums[kind][token] - lift) / (sites + _SHRINK), 3)
                    if sites < _LEAST_SITES[kind]:
                        del table[token]
            tables.append(table)
        return Lifts(*tables)


def _site_means(pages: list[dict[str, float]]) -> dict[str, float]:
    sums: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        for token, lift in page.items():
            sums[token].append(lift)
    return {token: sum(values) / len(values) for token, values in sums.items()}
