"""Labelled pages and both matrices of their features -> a small net, whose loss is what the scorer
takes off for a whole page.

Trees learn block by block; the net is told the F1 of the page that its blocks make up, and every
set weighs as much as the others. It is one hidden layer beside a straight sum, made of several that
were started differently: the mean of such nets is one net.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scripts.extraction.pages import LabelledPage

from webquarry._read.main_content.model import (
    NET_INPUTS,
    WIDE_INPUTS,
    Net,
    list_net_inputs,
    scale_net_inputs,
)

Singles = NDArray[np.float32]
_STARTS = (0, 1, 2)  # seeds
_UNITS = 12  # of each start
_EPOCHS = 8
_PAGES_AT_ONCE = 40
_RATE = 3e-3
_LEAST_SCALE = 1e-6
_CROSS_ENTROPY = 1.0  # its weight beside the F1, which alone says nothing where all is lost
_SETS = 5
_DIGITS = 4  # of the numbers that are kept


@dataclass
class NetPage:
    """What the net learns from one page."""

    inputs: Singles  # blocks x inputs, as they come
    labels: Singles
    weights: Singles  # of a text: words, in gold texts of that length; of snippets: shares of all
    is_text: bool
    page_weight: float
    fold: int
    counts: bool  # whether anything is known of it


def build_net_pages(
    pages: Sequence[LabelledPage], matrices: Sequence[Any], contexts: Sequence[Any]
) -> list[NetPage]:
    """One for each page."""
    sizes = Counter(page.set_name for page in pages)
    snippets: Counter[str] = Counter()
    for page in pages:
        if "text" not in page.label:
            snippets[page.set_name] += page.labels.count(1.0)
    found = []
    for page, matrix, context in zip(pages, matrices, contexts, strict=True):
        labels = np.array([label or 0.0 for label in page.labels], np.float32)
        is_text = "text" in page.label
        if is_text:
            tokens = np.array(page.tokens, np.float32)
            wanted = float((tokens * labels).sum())
            weights, counts = tokens / max(wanted, 1.0), wanted > 0
            page_weight = 1 / sizes[page.set_name]
        else:
            known = np.array([label is not None for label in page.labels], np.float32)
            weights, counts = known / (2 * snippets[page.set_name]), bool(known.any())
            page_weight = 1.0
        inputs = np.ascontiguousarray(list_net_inputs(matrix, context).T, np.float32)
        one = NetPage(
            inputs, labels, weights.astype(np.float32), is_text, page_weight, page.fold, counts
        )
        found.append(one)
    return found


def fit_net(pages: Sequence[NetPage], without: set[int | None]) -> Net:
    """A net that has learned from all folds but some."""
    known = [page for page in pages if page.counts and page.fold not in without]
    middle, scale = _find_usual(np.concatenate([page.inputs for page in known]))
    scaled = [scale_net_inputs(page.inputs.T, middle, scale).T for page in known]
    nets = []
    for start in _STARTS:
        learner = _Learner(len(NET_INPUTS), start)
        learner.learn(known, scaled)
        nets.append(learner.parameters)
    weights, offsets, outputs, straight, bias = zip(*nets, strict=True)
    share = np.float32(1 / len(nets))
    return Net(
        middle=middle,
        scale=scale,
        weights=np.ascontiguousarray(np.concatenate(weights, axis=1).T),
        offsets=np.concatenate(offsets),
        outputs=np.concatenate(outputs) * share,
        straight=np.sum(straight, axis=0) * share,
        bias=float(np.mean(bias)),
    )


def _find_usual(values: Singles) -> tuple[Singles, Singles]:
    """The middle of each input and how far from it the blocks are, for wide ones such that a few
    huge numbers do not move them.
    """
    middle, scale = values.mean(axis=0), values.std(axis=0)
    wide = values[:, : len(WIDE_INPUTS)]
    median = np.median(wide, axis=0)
    middle[: len(WIDE_INPUTS)] = median
    scale[: len(WIDE_INPUTS)] = np.abs(wide - median).mean(axis=0)
    return middle, scale + np.float32(_LEAST_SCALE)


class _Learner:
    """One net while it learns, by Adam."""

    def __init__(self, inputs: int, seed: int) -> None:
        self._dice = np.random.default_rng(seed)
        spread = 1.5 / np.sqrt(inputs)
        self.parameters: list[Singles] = [
            self._dice.normal(0, spread, (inputs, _UNITS)).astype(np.float32),
            np.zeros(_UNITS, np.float32),
            self._dice.normal(0, 0.2, _UNITS).astype(np.float32),
            np.zeros(inputs, np.float32),
            np.zeros(1, np.float32),
        ]
        self._means = [np.zeros_like(one) for one in self.parameters]
        self._squares = [np.zeros_like(one) for one in self.parameters]
        self._step = 0

    def learn(self, pages: Sequence[NetPage], scaled: Sequence[Singles]) -> None:
        """Go over all pages several times, in smaller and smaller steps."""
        starts = range(0, len(pages), _PAGES_AT_ONCE)
        steps = _EPOCHS * len(starts)
        for _ in range(_EPOCHS):
            order = self._dice.permutation(len(pages))
            for start in starts:
                batch = order[start : start + _PAGES_AT_ONCE]
                inputs = np.concatenate([scaled[number] for number in batch])
                hidden, sums = self._run(inputs)
                slopes = _find_slopes([pages[number] for number in batch], sums)
                slopes *= np.float32(len(pages) / _PAGES_AT_ONCE / _SETS)
                self._move(inputs, hidden, slopes, _RATE * (1 - self._step / steps))

    def _run(self, inputs: Singles) -> tuple[Singles, Singles]:
        """What goes into the hidden units, and what comes out of the net."""
        weights, offsets, outputs, straight, bias = self.parameters
        hidden = inputs @ weights + offsets
        sums = (hidden / (1 + np.abs(hidden))) @ outputs + inputs @ straight + bias
        return hidden, sums

    def _move(self, inputs: Singles, hidden: Singles, slopes: Singles, rate: float) -> None:
        """One step down the slopes."""
        outputs = self.parameters[2]
        size = 1 + np.abs(hidden)
        of_hidden = np.outer(slopes, outputs) / size**2
        gradients = (
            inputs.T @ of_hidden,
            of_hidden.sum(axis=0),
            (hidden / size).T @ slopes,
            inputs.T @ slopes,
            slopes.sum(keepdims=True),
        )
        self._step += 1
        rows = zip(self.parameters, gradients, self._means, self._squares, strict=True)
        for parameter, gradient, mean, square in rows:
            mean += np.float32(0.1) * (gradient - mean)
            square += np.float32(0.001) * (gradient * gradient - square)
            size = np.sqrt(square / (1 - 0.999**self._step)) + 1e-8
            parameter -= (rate * mean / (1 - 0.9**self._step) / size).astype(np.float32)


def _find_slopes(pages: Sequence[NetPage], sums: Singles) -> Singles:
    """How much the loss grows with what the net says of each block."""
    chances = (1 / (1 + np.exp(-np.clip(sums, -30, 30)))).astype(np.float32)
    slopes = []
    start = 0
    for page in pages:
        end = start + len(page.labels)
        slopes.append(_find_slopes_of_page(page, chances[start:end]))
        start = end
    return np.concatenate(slopes).astype(np.float32)


def _find_slopes_of_page(page: NetPage, chances: Singles) -> Singles:
    labels, weights = page.labels, page.weights
    steepness = chances * (1 - chances)
    if not page.is_text:
        # the snippets of all pages make up one F1: each that is kept or lost counts alike
        costs = np.where(labels > 0.5, -weights, weights)
        slopes: Singles = costs * steepness + _CROSS_ENTROPY * weights * (chances - labels)
        return slopes
    hits = 2 * (chances * weights * labels).sum()
    size = (chances * weights).sum() + 1
    of_f1 = weights * (2 * labels * size - hits) / size**2
    share = np.minimum(weights, 1) / max(1.0, float(weights.sum()))
    slopes = -of_f1 * steepness + _CROSS_ENTROPY * share * (chances - labels)
    return page.page_weight * slopes


def net_as_data(net: Net) -> dict[str, Any]:
    """The net as the package reads it."""
    return {
        "inputs": list(NET_INPUTS),
        "middle": _round(net.middle),
        "scale": _round(net.scale),
        "weights": [_round(row) for row in net.weights],
        "offsets": _round(net.offsets),
        "outputs": _round(net.outputs),
        "straight": _round(net.straight),
        "bias": round(net.bias, _DIGITS),
    }


def _round(values: Singles) -> list[float]:
    """The numbers with some digits each, whatever their size."""
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]
