"""Labelled pages -> what class names and words speak for or against, and the tables that leave one
site out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from scripts.extraction.pages import LabelledPage

from webquarry._native import LONGEST_NAME, SHORT_TEXT
from webquarry._read.main_content.model import Lifts, split_words

_LEAST_SITES = (8, 8, 16)  # for each kind of token
_SHRINK = 6  # sites without any lift that are added to those seen
_MOST_TOKENS = 60  # of a block; longer ones weigh no more

_NAME_PART = re.compile("[A-Za-z][a-z]*")

Table = dict[str, float]
PageLifts = tuple[Table, Table, Table]  # class names, words of short blocks, words of longer ones
_KINDS = (0, 1, 2)


def compute_page_lifts(page: LabelledPage) -> PageLifts:
    """For every name and word of a page how much likelier its blocks are kept than the page's
    others.
    """
    known = [(index, label) for index, label in enumerate(page.labels) if label is not None]
    weights = {index: min(page.tokens[index], _MOST_TOKENS) ** 0.5 for index, _ in known}
    total = sum(weights.values())
    if not total:
        return {}, {}, {}
    mean = sum(weights[index] * label for index, label in known) / total
    names, words, long_words = _Means(), _Means(), _Means()
    for index, label in known:
        weight, lift = weights[index], label - mean
        for token in _collect_names(page, page.flow.boxes[index]):
            names.add(token, lift, weight)
        text = page.flow.texts[index]
        table = words if len(text) <= SHORT_TEXT else long_words
        for token in set(split_words(text[:SHORT_TEXT])):
            table.add(token, lift, max(weight, 1.0))
    return names.compute(), words.compute(), long_words.compute()


def split_names(names: str) -> list[str]:
    """Return the words of class names, cut at capitals and at everything but letters."""
    return [part.lower() for part in _NAME_PART.findall(names)]


def _collect_names(page: LabelledPage, box: int) -> set[str]:
    """The parts of the names of an element and of all elements around it."""
    flow = page.flow
    names: set[str] = set()
    while box >= 0:
        names.update(split_names(f"{flow.names[box][:LONGEST_NAME]} {flow.ids[box]}"))
        box = flow.parents[box]
    return names


class _Means:
    """Weighted means of lifts, by token."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = defaultdict(float)
        self._weights: dict[str, float] = defaultdict(float)

    def add(self, token: str, lift: float, weight: float) -> None:
        self._sums[token] += weight * lift
        self._weights[token] += weight

    def compute(self) -> Table:
        means = {}
        for token, weight in self._weights.items():
            if weight:
                means[token] = self._sums[token] / weight
        return means


class LiftTable:
    """Means over sites, shrunk towards nothing."""

    def __init__(self, lifts_by_site: Mapping[str, Iterable[PageLifts]]) -> None:
        self._own: dict[str, PageLifts] = {}
        self._sums: list[Table] = [defaultdict(float) for _ in _KINDS]
        self._sites: list[dict[str, int]] = [defaultdict(int) for _ in _KINDS]
        for site in sorted(lifts_by_site):
            pages = list(lifts_by_site[site])
            tables = [_compute_site_means([page[kind] for page in pages]) for kind in _KINDS]
            names, words, long_words = tables
            self._own[site] = names, words, long_words
            for kind in _KINDS:
                for token, lift in tables[kind].items():
                    self._sums[kind][token] += lift
                    self._sites[kind][token] += 1
        self._all = [self._compute_all(kind) for kind in _KINDS]

    def _compute_all(self, kind: int) -> Table:
        """The means of the tokens that enough sites have."""
        table = {}
        for token, sites in sorted(self._sites[kind].items()):
            if sites >= _LEAST_SITES[kind]:
                table[token] = _shrink(self._sums[kind][token], sites)
        return table

    def all(self) -> Lifts:
        """The tables from all sites."""
        return Lifts(*self._all)

    def without(self, site: str) -> Lifts:
        """The tables as they would be had the site never been seen."""
        if site not in self._own:
            return self.all()
        tables = []
        for kind in _KINDS:
            table = dict(self._all[kind])
            for token, lift in self._own[site][kind].items():
                if token not in table:
                    continue
                sites = self._sites[kind][token] - 1
                if sites < _LEAST_SITES[kind]:
                    del table[token]
                else:
                    table[token] = _shrink(self._sums[kind][token] - lift, sites)
            tables.append(table)
        return Lifts(*tables)


def _shrink(total: float, sites: int) -> float:
    """A mean over sites, the nearer to nothing the fewer there are."""
    return round(total / (sites + _SHRINK), 3)


def _compute_site_means(pages: list[Table]) -> Table:
    """The mean of each token over the pages of one site."""
    lifts: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        for token, lift in page.items():
            lifts[token].append(lift)
    return {token: sum(values) / len(values) for token, values in lifts.items()}
