"""What the blocks around a block say about it."""

from __future__ import annotations

import numpy as np
import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.context import CONTEXT_NAMES, build_context, log_odds
from webquarry._read.main_content.features import Features, build_features
from webquarry._read.main_content.lifts import Array, Lifts

TEXT = "The keeper of the harbour writes down every boat, its crew and the hour of its departure."
LINKS = "<ul><li><a href=/a>Menu</a><li><a href=/b>Shop</a><li><a href=/c>Help</a></ul>"
PARAGRAPHS = f"<p>{TEXT}</p><p>{TEXT} At night.</p><p>The end.</p>"
NOTHING = -9.0


def describe(body: str) -> Features:
    flow = build_flow(parse_html(f"<html><body>{body}</body></html>"))
    return build_features(flow, Lifts({}, {}, {}))


def context(features: Features, chances: list[float]) -> dict[str, Array]:
    rows = np.asarray(build_context(features, np.array(chances)))
    return dict(zip(CONTEXT_NAMES, rows, strict=True))


def test_what_lies_behind_a_text_says_nothing_about_its_last_sentence() -> None:
    alone = describe(f"<article>{PARAGRAPHS}</article>")
    linked = describe(f"<article>{PARAGRAPHS}</article>{LINKS}")
    sure = [0.9, 0.9, 0.6]

    before = context(alone, sure)
    after = context(linked, [*sure, 0.01, 0.01, 0.01])

    for name in ("before", "after", "after2", "window", "text"):
        assert after[name][2] == pytest.approx(before[name][2]), name
    assert after["after"][2] == NOTHING


def test_blocks_of_the_same_text_are_heard() -> None:
    rows = context(describe(f"{LINKS}<article>{PARAGRAPHS}</article>"), [0.1] * 3 + [0.9, 0.8, 0.7])
    odds = log_odds(np.array([0.9, 0.8, 0.7]))

    assert rows["before"][3:] == pytest.approx([NOTHING, odds[0], odds[1]])
    assert rows["after"][3:] == pytest.approx([odds[1], odds[2], NOTHING])
    assert rows["after2"][3:] == pytest.approx([odds[2], NOTHING, NOTHING])


def test_the_text_is_the_innermost_box_with_several_paragraphs() -> None:
    quote = f"<div><blockquote><p>{TEXT} In all weather.</p></blockquote></div>"
    features = describe(f"{LINKS}<main>{PARAGRAPHS}{quote}</main><p>{TEXT} Elsewhere.</p>")

    first, last = features.page.find_text_boxes()

    assert first.tolist() == [0, 0, 0, 3, 3, 3, 3, 0]
    assert last.tolist() == [8, 8, 8, 7, 7, 7, 7, 8]


def test_without_paragraphs_the_text_is_the_whole_page() -> None:
    first, last = describe("<div><b>a</b></div><div>b</div>").page.find_text_boxes()

    assert (first.tolist(), last.tolist()) == ([0, 0], [2, 2])
