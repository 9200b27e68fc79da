"""Labelled pages -> chances out of fold, and the model that ships.

Every number is reproducible to the byte: pages in a fixed order, one thread, fixed seeds, rounded floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from catboost import CatBoostClassifier, Pool
from numpy.typing import NDArray

from scripts.extraction.lifts import LiftTable, PageLifts
from scripts.extraction.pages import FOLDS, LabelledPage
from scripts.extraction.rows import rows_of
from webquarry.read.main_content.features import features_of
from webquarry.read.main_content.texts import Lifts

SETTINGS: dict[str, Any] = {
    "iterations": 400,
    "learning_rate": 0.07,
    "depth": 6,
    "rsm": 0.25,
    "subsample": 0.6,
    "bootstrap_type": "Bernoulli",
    "l2_leaf_reg": 8,
    "border_count": 48,
    "leaf_estimation_iterations": 1,
    "boosting_type": "Plain",
    "score_function": "L2",
    "random_seed": 1,
    "thread_count": 1,
    "verbose": 0,
    "allow_writing_files": False,
}
_LEAF_SCALE = 10_000
Matrix = NDArray[np.float32]


def table_of(pages: Sequence[LabelledPage], lifts: Sequence[PageLifts], fold: int | None) -> LiftTable:
    """The lift table of all pages but those of one fold."""
    by_site: dict[str, list[PageLifts]] = defaultdict(list)
    for page, lift in zip(pages, lifts, strict=True):
        if page.fold != fold:
            by_site[page.site].append(lift)
    return LiftTable(by_site)


def matrix_of(page: LabelledPage, lifts: Lifts, names: list[str]) -> Matrix:
    return features_of(page.flow, lifts).matrix(names)


def fit(pages: Sequence[LabelledPage], table: LiftTable, names: list[str], fold: int | None) -> CatBoostClassifier:
    """Train on all pages but those of one fold; each page is described without its own site's share in the table."""
    columns, labels, weights = [], [], []
    for page in pages:
        if page.fold == fold or not page.flow.texts:
            continue
        index, label, weight = rows_of(page)
        if len(index):
            columns.append(matrix_of(page, table.without(page.site), names)[:, index])
            labels.append(label)
            weights.append(weight)
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1).T)
    model = CatBoostClassifier(**SETTINGS)
    model.fit(Pool(rows, np.concatenate(labels), weight=np.concatenate(weights)))
    return model


def out_of_fold(
    pages: Sequence[LabelledPage], lifts: Sequence[PageLifts], names: list[str], say: Callable[[str], None]
) -> dict[int, NDArray[np.float64]]:
    """For every page the chances that a model gives which never saw its site."""
    chances: dict[int, NDArray[np.float64]] = {}
    for fold in range(FOLDS):
        table = table_of(pages, lifts, fold)
        model = fit(pages, table, names, fold)
        for number, page in enumerate(pages):
            if page.fold == fold and page.flow.texts:
                rows = np.ascontiguousarray(matrix_of(page, table.all(), names).T)
                chances[number] = model.predict_proba(rows)[:, 1]
        say(f"fold {fold + 1} of {FOLDS}")
    return chances


def as_data(model: CatBoostClassifier, lifts: Lifts, names: list[str]) -> dict[str, Any]:
    """The model as the package reads it; features that no tree asks for are left out."""
    trees = _trees(model)
    used = sorted({split[0] for tree in trees for split in tree["splits"]})
    numbers = {feature: number for number, feature in enumerate(used)}
    for tree in trees:
        tree["splits"] = [[numbers[feature], border] for feature, border in tree["splits"]]
    scale, bias = model.get_scale_and_bias()
    if scale != 1.0:
        raise SystemExit(f"The trees are scaled by {scale}; the package does not expect that.")
    return {
        "features": [names[feature] for feature in used],
        "bias": round(float(np.ravel(bias)[0]), 6),
        "leaf_scale": _LEAF_SCALE,
        "trees": trees,
        "class_lifts": dict(lifts.classes),
        "word_lifts": dict(lifts.words),
        "long_word_lifts": dict(lifts.long_words),
    }


def _trees(model: CatBoostClassifier) -> list[dict[str, Any]]:
    import json
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(str(path), format="json")
        raw = json.loads(path.read_text("utf-8"))
    depth = SETTINGS["depth"]
    trees = []
    for tree in raw["oblivious_trees"]:
        splits = [[split["float_feature_index"], _short(split["border"])] for split in tree["splits"]]
        leaves = [round(value * _LEAF_SCALE) for value in tree["leaf_values"]]
        while len(splits) < depth:  # a tree that stopped early: one more split that nothing passes
            splits.append([splits[0][0], 1e30])
            leaves += leaves
        trees.append({"splits": splits, "leaves": leaves})
    return trees


def _short(border: float) -> float:
    """A border with as few digits as still name the same float32 to six places."""
    return float(f"{border:.6g}")
