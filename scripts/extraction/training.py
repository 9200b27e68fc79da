"""Labelled pages -> chances out of fold, and the stages and the net of the model that ships.

Every number is reproducible to the byte: pages in a fixed order, one thread, fixed seeds, rounded
floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from catboost import CatBoostClassifier, Pool
from scripts.extraction.ablation import group_members
from scripts.extraction.lifts import LiftTable, PageLifts, compute_page_lifts
from scripts.extraction.net import NetPage, build_net_pages, fit_net
from scripts.extraction.pages import FOLDS, LabelledPage
from scripts.extraction.rows import build_rows
from scripts.extraction.stages import Matrix, Stage

from webquarry._read.main_content.context import CONTEXT_NAMES, build_context
from webquarry._read.main_content.feature_names import NAMES
from webquarry._read.main_content.features import build_features
from webquarry._read.main_content.lifts import Array
from webquarry._read.main_content.model import NET_INPUTS, Net, list_net_inputs

COMMON: dict[str, Any] = {
    "depth": 5,
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
FIRST: dict[str, Any] = {"iterations": 350, "learning_rate": 0.11, "rsm": 0.3}
SECOND: dict[str, Any] = {"iterations": 100, "learning_rate": 0.11, "rsm": 0.4}
# Trees that were drawn by one seed have chances of their own; the mean of several has less of them.
_FIRST_STARTS = 4
_SECOND_STARTS = 4


class Trainer:
    """Both stages over one set of pages, each page described without its own site's share in the
    lift tables.
    """

    left_out: str | None = None  # a group of features that no tree may ask for

    def __init__(self, pages: Sequence[LabelledPage], say: Callable[[str], None]) -> None:
        self._say = say
        self.pages = [page for page in pages if page.flow.texts]
        by_site: dict[str, list[PageLifts]] = defaultdict(list)
        for page in self.pages:
            by_site[page.site].append(compute_page_lifts(page))
        self.table = LiftTable(by_site)
        self._rows = [build_rows(page) for page in self.pages]
        self._features = []
        for page in self.pages:
            lifts = self.table.without(page.site)
            self._features.append(build_features(page.flow, lifts))
        self._matrices = [np.asarray(features.matrix, np.float32) for features in self._features]
        say(f"{len(self.pages)} pages with text, {len(by_site)} sites, {len(NAMES)} features")

    def first_chances(self, without: int | None = None) -> list[Array | None]:
        """What trees say of pages whose fold they have not seen; `without` leaves one more fold out
        of everything.
        """
        chances: list[Array | None] = [None] * len(self.pages)
        for fold in range(FOLDS):
            if fold == without:
                continue
            stage = self.fit_first({fold, without})
            self._predict(stage, self._matrices, chances, fold)
            self._say(f"first stage, fold {fold + 1} of {FOLDS}")
        return chances

    def fit_first(self, without: set[int | None]) -> Stage:
        """The first stage, trained on all folds but some."""
        return self._fit(self._matrices, NAMES, without, FIRST, _FIRST_STARTS)

    def contexts(self, chances: Sequence[Array | None]) -> list[Matrix | None]:
        """The second matrices."""
        contexts: list[Matrix | None] = []
        for features, page_chances in zip(self._features, chances, strict=True):
            if page_chances is None:
                contexts.append(None)
            else:
                context = build_context(features, page_chances)
                contexts.append(np.asarray(context, np.float32))
        return contexts

    def fit_second(self, contexts: Sequence[Matrix | None], without: set[int | None]) -> Stage:
        """The second stage, trained on all folds but some."""
        return self._fit(contexts, CONTEXT_NAMES, without, SECOND, _SECOND_STARTS)

    def fit_net(self, contexts: Sequence[Matrix | None]) -> Net:
        """The net, trained on all folds."""
        return fit_net(self._net_pages(contexts), set())

    def out_of_fold(
        self, first: Sequence[Array | None], *, nested: bool
    ) -> tuple[list[Array | None], list[Array | None]]:
        """What the second stage and the net say of every page, by models that never saw its site.

        Without `nested`, the first chances of the pages that they learn from come from trees that
        have seen the fold they are tested on; `nested` trains those anew for every fold, which
        takes five times as long.
        """
        chances: list[Array | None] = [None] * len(self.pages)
        opinions: list[Array | None] = [None] * len(self.pages)
        plain = self.contexts(first)
        for fold in range(FOLDS):
            learned = plain
            if nested:
                learned = self.contexts(self.first_chances(fold))
            stage = self.fit_second(learned, {fold})
            self._predict(stage, plain, chances, fold)
            net = fit_net(self._net_pages(learned), {fold})
            self._judge(net, plain, opinions, fold)
            self._say(f"second stage and net, fold {fold + 1} of {FOLDS}")
        return chances, opinions

    def _net_pages(self, contexts: Sequence[Matrix | None]) -> list[NetPage]:
        """What the net learns from, without what no model may ask for."""
        known = [number for number, context in enumerate(contexts) if context is not None]
        found = build_net_pages(
            [self.pages[number] for number in known],
            [self._matrices[number] for number in known],
            [contexts[number] for number in known],
        )
        ignored = group_members(self.left_out, NET_INPUTS)
        for page in found:
            page.inputs[:, ignored] = 0.0
        return found

    def _judge(
        self, net: Net, contexts: Sequence[Matrix | None], opinions: list[Array | None], fold: int
    ) -> None:
        ignored = group_members(self.left_out, NET_INPUTS)
        for number, (page, context) in enumerate(zip(self.pages, contexts, strict=True)):
            if page.fold == fold and context is not None:
                inputs = list_net_inputs(self._matrices[number], context)
                inputs[ignored] = 0.0
                opinions[number] = net.judge_inputs(inputs)

    def _fit(
        self,
        matrices: Sequence[Matrix | None],
        names: Sequence[str],
        without: set[int | None],
        settings: dict[str, Any],
        starts: int,
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
        for start in range(starts):
            seed = COMMON["random_seed"] + start
            drawn = {**COMMON, **settings, "random_seed": seed, "ignored_features": ignored}
            model = CatBoostClassifier(**drawn)
            model.fit(pool)
            models.append(model)
        return Stage(models)

    def _predict(
        self,
        stage: Stage,
        matrices: Sequence[Matrix | None],
        chances: list[Array | None],
        fold: int,
    ) -> None:
        for number, (page, matrix) in enumerate(zip(self.pages, matrices, strict=True)):
            if page.fold == fold and matrix is not None:
                chances[number] = stage.chances(matrix)
