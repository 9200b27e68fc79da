"""A labelled page -> the rows that the model learns from: which blocks, with which label and
weight.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scripts.extraction.pages import LabelledPage

from webquarry._read.main_content.tags import HIDDEN_FLAG

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
_MOST_AGAINST = 3.0  # weight of all the blocks of a page that are not wanted
_LEAST_GOLD = 40  # tokens; the blocks of a page with less weigh less
_SHARED_WEIGHT = 0.2  # of a page, for all its blocks alike
_NO_WEIGHT = 1e-9
_MOSTLY = 0.5  # of a block that is wanted
# Where a text begins and where it ends is asked for more often than its share of the words tells.
_FIRST_WEIGHT = 2.0
_LAST_WEIGHT = 3.0
_FEWEST_TOKENS = 4  # of a block that a text begins or ends with
_HIDDEN_WEIGHT = 0.5  # what a page hides has to be surer

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Rows = tuple[Ints, Array, Array]


def build_rows(page: LabelledPage) -> Rows:
    """Block numbers, labels (0 or 1) and weights; a share becomes two rows."""
    known = [(index, label) for index, label in enumerate(page.labels) if label is not None]
    if not known:
        return np.empty(0, np.intp), np.empty(0), np.empty(0)
    index = np.array([one for one, _ in known], np.intp)
    share = np.array([label for _, label in known])
    if "text" in page.label:
        tokens = np.array(page.tokens, float)[index]
        share_of_gold = tokens / max(_LEAST_GOLD, page.gold_tokens)
        weight = np.minimum(1.0, share_of_gold) + _SHARED_WEIGHT / len(page.labels)
    else:
        weight = np.full(len(index), _SNIPPET_WEIGHT)
    weight_for = weight * share * _weigh_wanted(page)[index]
    weight_against = weight * (1 - share)
    against = float(weight_against.sum())
    if against > _MOST_AGAINST:
        weight_against = weight_against * (_MOST_AGAINST / against)
    parts = [_sample(page, index, weight_for, 1.0), _sample(page, index, weight_against, 0.0)]
    numbers, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return numbers, labels, weights * SET_WEIGHTS[page.set_name]


def _weigh_wanted(page: LabelledPage) -> Array:
    """A factor for each block: more for the first and for the last that is wanted, less for those
    that are hidden.
    """
    flags = np.array([page.flow.flags[box] for box in page.flow.boxes], np.int64)
    is_hidden = flags & HIDDEN_FLAG > 0
    factors = np.where(is_hidden, _HIDDEN_WEIGHT, 1.0)
    ends = []
    for index, label in enumerate(page.labels):
        is_wanted = label is not None and label > _MOSTLY
        if is_wanted and page.tokens[index] >= _FEWEST_TOKENS and not is_hidden[index]:
            ends.append(index)
    if "text" in page.label and ends:
        factors[ends[0]] = _FIRST_WEIGHT
        factors[ends[-1]] = _LAST_WEIGHT
    return factors


def _sample(page: LabelledPage, index: Ints, weight: Array, kind: float) -> Rows:
    """At most so many rows, with the weight of all."""
    counts = weight > _NO_WEIGHT
    index, weight = index[counts], weight[counts]
    if len(index) > _MOST_ROWS:
        identity = f"{page.set_name}/{page.label['id']}/{kind}"
        seed = int(hashlib.sha256(identity.encode()).hexdigest()[:8], 16)
        drawn = np.random.default_rng(seed).choice(len(index), _MOST_ROWS, replace=False)
        chosen = np.sort(drawn)
        total = weight.sum()
        index, weight = index[chosen], weight[chosen]
        weight = weight * (total / weight.sum())
    return index, np.full(len(index), kind), weight
