"""What the net learns from labelled pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scripts.extraction.net import NetPage, build_net_pages, fit_net, net_as_data
from scripts.extraction.pages import LabelledPage

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.context import CONTEXT_NAMES
from webquarry._read.main_content.feature_names import NAMES
from webquarry._read.main_content.model import NET_INPUTS

TELLING = NET_INPUTS.index("density")  # the one input that differs between wanted and unwanted


def make_page(fold: int = 0, *, is_text: bool = True, telling: float = 1.0) -> NetPage:
    """A page of two blocks that are wanted and two that are not."""
    inputs = np.zeros((4, len(NET_INPUTS)), np.float32)
    inputs[2:, TELLING] = telling
    return NetPage(
        inputs=inputs,
        labels=np.array([1, 1, 0, 0], np.float32),
        weights=np.full(4, 0.5, np.float32),
        is_text=is_text,
        page_weight=0.05,
        fold=fold,
        counts=True,
    )


@pytest.mark.parametrize("is_text", [True, False])
def test_a_net_tells_what_is_wanted_from_what_is_not(is_text: bool) -> None:
    pages = [make_page(is_text=is_text) for _ in range(60)]

    opinion = fit_net(pages, set()).judge_inputs(pages[0].inputs.T)

    assert opinion[:2].min() > opinion[2:].max()


def test_a_net_hears_nothing_of_a_fold_that_is_left_out() -> None:
    pages = [make_page(fold) for fold in range(5) for _ in range(10)]
    others = [replace(page, labels=1 - page.labels) for page in pages if page.fold == 2]
    others += [page for page in pages if page.fold != 2]

    nets = [fit_net(pages, {2}), fit_net(sorted(others, key=lambda page: page.fold), {2})]

    assert net_as_data(nets[0]) == net_as_data(nets[1])


def test_a_page_of_which_nothing_is_known_teaches_nothing() -> None:
    pages = [make_page() for _ in range(20)]
    unknown = replace(make_page(telling=9.0), counts=False)

    assert net_as_data(fit_net(pages, set())) == net_as_data(fit_net([*pages, unknown], set()))


def label(labels: list[float | None], **gold: object) -> LabelledPage:
    flow = build_flow(parse_html("<body><p>One two.</p><p>Three four.</p><p>Five six.</p></body>"))
    return LabelledPage("wcxb", {"id": "page", **gold}, "example.org", 3, flow, labels, [2] * 3, 4)


def test_the_words_of_a_page_weigh_by_its_gold_text_and_snippets_by_all_of_them() -> None:
    pages = [label([1.0, 1.0, 0.0], text="gold"), label([1.0, None, 0.0], **{"with": ["One"]})]
    matrices = [np.zeros((len(NAMES), 3))] * 2
    contexts = [np.zeros((len(CONTEXT_NAMES), 3))] * 2

    text, snippets = build_net_pages(pages, matrices, contexts)

    assert text.weights.tolist() == [0.5, 0.5, 0.5]
    assert text.page_weight == 0.5
    assert snippets.weights.tolist() == [0.5, 0.0, 0.5]
    assert snippets.inputs.shape == (3, len(NET_INPUTS))
    assert text.counts
    assert snippets.counts
    assert text.fold == 3
