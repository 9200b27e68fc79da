"""A labelled page -> the rows that the model learns from: which blocks, with which label and
weight.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scripts.extraction.pages import LabelledPage

# Without these the largest set alone would decide what a page is about.
SET_WEIGHTS = {
    "scrapinghub": 4.0,
    "trafilatura-eval": 1.2,
    "wcxb": 1.0,
    "magic-article": 3.5,
    "magic-forum": 3.0,
}
_SNIPPET_WEIGHT = 0.12
_MOST_ROWS = 160  # of each kind from one page
_MOST_AGAINST = 3.0

Rows = tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]


def rows_of(page: LabelledPage) -> Rows:
    """Block numbers, labels (0 or 1) and weights; a share becomes two rows."""
    known = [(index, label) for index, label in enumerate(page.labels) if label is not None]
    if not known:
        return np.empty(0, np.intp), np.empty(0), np.empty(0)
    index = np.array([one for one, _ in known], np.intp)
    share = np.array([label for _, label in known])
    if "text" in page.label:
        tokens = np.array(page.tokens, float)[index]
        weight = np.minimum(1.0, tokens / max(40, page.gold_tokens)) + 0.2 / len(page.labels)
    else:
        weight = np.full(len(index), _SNIPPET_WEIGHT)
    against = float((weight * (1 - share)).sum())
    scale = min(1.0, _MOST_AGAINST / against) if against else 1.0
    kinds = [(share, 1.0, 1.0), (1 - share, 0.0, scale)]
    parts = [_sampled(page, index, weight * part * factor, kind) for part, kind, factor in kinds]
    numbers, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return numbers, labels, weights * SET_WEIGHTS[page.set_name]


def _sampled(
    page: LabelledPage, index: NDArray[np.intp], weight: NDArray[np.float64], kind: float
) -> Rows:
    """At most so many rows, with the weight of all."""
    some = weight > 1e-9
    index, weight = index[some], weight[some]
    if len(index) > _MOST_ROWS:
        seed = int(
            hashlib.sha256(f"{page.set_name}/{page.label['id']}/{kind}".encode()).hexdigest()[:8],
            16,
        )
        chosen = np.sort(np.random.default_rng(seed).choice(len(index), _MOST_ROWS, replace=False))
        total = weight.sum()
        index, weight = index[chosen], weight[chosen]
        weight = weight * (total / weight.sum())
    return index, np.full(len(index), kind), weight
