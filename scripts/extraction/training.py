"""Labelled pages -> probabilities out of fold, and both stages of the model that ships.

Training is reproducible to the byte: pages in a fixed order, one thread, fixed seeds, rounded
numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from catboost import CatBoostClassifier, Pool
from scripts.extraction.groups import group_members
from scripts.extraction.lifts import LiftTable, PageLifts, compute_page_lifts
from scripts.extraction.pages import FOLDS, LabelledPage
from scripts.extraction.rows import build_rows
from scripts.extraction.stages import Array, Matrix, Stage

from webquarry._native import CONTEXT_NAMES, FEATURE_NAMES, build_context
from webquarry._read.main_content.model import build_features

COMMON: dict[str, Any] = {
    "depth": 6,
    "subsample": 0.6,
    "bootstrap_type": "Bernoulli",
    "l2_leaf_reg": 8,
    "border_count": 48,
    "leaf_estimation_iterations": 1,
    "boosting_type": "Plain",
    "score_function": "L2",
    "random_seed": 3,
    "thread_count": 1,
    "verbose": 0,
    "allow_writing_files": False,
}
FIRST: dict[str, Any] = {"iterations": 300, "learning_rate": 0.11, "rsm": 0.3}
SECOND: dict[str, Any] = {"iterations": 85, "learning_rate": 0.11, "rsm": 0.4}
_SEEDS = 4  # the mean of several trainings has less variance
PageProbabilities: TypeAlias = "list[Array | None]"  # None for pages of a fold that was left out


class Trainer:
    """Both stages over one set of pages.

    Folds are by registered domain, and the lift tables of a page leave out its own domain.
    """

    left_out: str | None = None  # a group of features

    def __init__(self, pages: Sequence[LabelledPage], log: Callable[[str], None]) -> None:
        self._log = log
        self.pages = [page for page in pages if page.flow.texts]
        by_site: dict[str, list[PageLifts]] = defaultdict(list)
        for page in self.pages:
            by_site[page.site].append(compute_page_lifts(page))
        self.table = LiftTable(by_site)
        self._rows = [build_rows(page) for page in self.pages]
        self._features = [
            build_features(page.flow, self.table.without(page.site)) for page in self.pages
        ]
        self._matrices = [
            np.asarray(features.matrix.to_lists(), np.float32) for features in self._features
        ]
        log(
            f"{len(self.pages)} pages with text, {len(by_site)} sites, {len(FEATURE_NAMES)} features"
        )

    def predict_first(self, without: int | None = None) -> PageProbabilities:
        """Return the first stage's probabilities out of fold; leave out one more fold if given."""
        predicted: PageProbabilities = [None] * len(self.pages)
        for fold in range(FOLDS):
            if fold != without:
                stage = self.fit_first({fold, without})
                self._predict(stage, self._matrices, predicted, fold)
                self._log(f"first stage, fold {fold + 1} of {FOLDS}")
        return predicted

    def predict_second(self, first: PageProbabilities, *, nested: bool) -> PageProbabilities:
        """Return the second stage's probabilities out of fold.

        The first probabilities that it learns from come from trees that saw the tested fold;
        `nested` trains those again without it, which takes five times as long.
        """
        predicted: PageProbabilities = [None] * len(self.pages)
        contexts = self.build_contexts(first)
        for fold in range(FOLDS):
            learned = self.build_contexts(self.predict_first(fold)) if nested else contexts
            self._predict(self.fit_second(learned, {fold}), contexts, predicted, fold)
            self._log(f"second stage, fold {fold + 1} of {FOLDS}")
        return predicted

    def build_contexts(self, first: PageProbabilities) -> list[Matrix | None]:
        """Return the feature matrices of the second stage."""
        contexts: list[Matrix | None] = []
        for features, probabilities in zip(self._features, first, strict=True):
            context = None
            if probabilities is not None:
                matrix = build_context(features, probabilities.tolist())
                context = np.asarray(matrix.to_lists(), np.float32)
            contexts.append(context)
        return contexts

    def fit_first(self, without: set[int | None]) -> Stage:
        """Train the first stage on all folds but some."""
        return self._fit(self._matrices, FEATURE_NAMES, without, FIRST)

    def fit_second(self, contexts: Sequence[Matrix | None], without: set[int | None]) -> Stage:
        """Train the second stage on all folds but some."""
        return self._fit(contexts, CONTEXT_NAMES, without, SECOND)

    def _fit(
        self,
        matrices: Sequence[Matrix | None],
        names: Sequence[str],
        without: set[int | None],
        settings: dict[str, Any],
    ) -> Stage:
        columns, labels, weights = [], [], []
        for page, matrix, rows in zip(self.pages, matrices, self._rows, strict=True):
            index, label, weight = rows
            if page.fold not in without and matrix is not None and len(index):
                columns.append(matrix[:, index])
                labels.append(label)
                weights.append(weight)
        examples = np.ascontiguousarray(np.concatenate(columns, axis=1).T)
        pool = Pool(examples, np.concatenate(labels), weight=np.concatenate(weights))
        ignored = group_members(self.left_out, names)
        models = []
        for number in range(_SEEDS):
            seed = COMMON["random_seed"] + number
            options = {**COMMON, **settings, "random_seed": seed, "ignored_features": ignored}
            model = CatBoostClassifier(**options)
            model.fit(pool)
            models.append(model)
        return Stage(models)

    def _predict(
        self,
        stage: Stage,
        matrices: Sequence[Matrix | None],
        predicted: PageProbabilities,
        fold: int,
    ) -> None:
        """Fill in the probabilities of the pages of a fold."""
        for number, (page, matrix) in enumerate(zip(self.pages, matrices, strict=True)):
            if page.fold == fold and matrix is not None:
                predicted[number] = stage.predict(matrix)
