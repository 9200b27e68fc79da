"""Features of the second stage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from webquarry._native import CONTEXT_NAMES, Features, build_context
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.model import Lifts, build_features

TEXT = "The keeper of the harbour writes down every boat, its crew and the hour of its departure."
LINKS = "<ul><li><a href=/a>Menu</a><li><a href=/b>Shop</a><li><a href=/c>Help</a></ul>"
PARAGRAPHS = f"<p>{TEXT}</p><p>{TEXT} At night.</p><p>The end.</p>"
NOTHING = -9.0


def describe(body: str) -> Features:
    flow = build_flow(parse_html(f"<html><body>{body}</body></html>"))
    return build_features(flow, Lifts({}, {}, {}))


def context(features: Features, chances: list[float]) -> dict[str, NDArray[np.float64]]:
    rows = np.asarray(build_context(features, chances).to_lists())
    return dict(zip(CONTEXT_NAMES, rows, strict=True))


def test_blocks_after_a_text_do_not_affect_its_last_sentence() -> None:
    alone = describe(f"<article>{PARAGRAPHS}</article>")
    linked = describe(f"<article>{PARAGRAPHS}</article>{LINKS}")
    sure = [0.9, 0.9, 0.6]

    before = context(alone, sure)
    after = context(linked, [*sure, 0.01, 0.01, 0.01])

    for name in ("before", "after", "after2", "window", "text"):
        assert after[name][2] == pytest.approx(before[name][2]), name
    assert after["after"][2] == NOTHING


def test_neighbours_in_the_same_text_are_features() -> None:
    rows = context(describe(f"{LINKS}<article>{PARAGRAPHS}</article>"), [0.1] * 3 + [0.9, 0.8, 0.7])
    odds = [math.log(chance / (1 - chance)) for chance in (0.9, 0.8, 0.7)]

    assert rows["before"][3:] == pytest.approx([NOTHING, odds[0], odds[1]])
    assert rows["after"][3:] == pytest.approx([odds[1], odds[2], NOTHING])
    assert rows["after2"][3:] == pytest.approx([odds[2], NOTHING, NOTHING])


def test_the_text_is_the_innermost_element_with_several_paragraphs() -> None:
    quote = f"<div><blockquote><p>{TEXT} In all weather.</p></blockquote></div>"
    page = f"{LINKS}<main>{PARAGRAPHS}{quote}</main><p>{TEXT} Elsewhere.</p>"
    rows = context(describe(page), [0.5] * 3 + [0.9] * 4 + [0.5])

    # the blocks of <main> only see each other, the others see the whole page
    log_odds = math.log(9)
    assert rows["text"][3:7] == pytest.approx([log_odds] * 4)
    assert (rows["text"][[0, 1, 2, 7]] < log_odds).all()


def test_without_paragraphs_the_text_is_the_whole_page() -> None:
    rows = context(describe("<div><b>a</b></div><div>b</div>"), [0.9, 0.5])

    assert rows["text"][0] == pytest.approx(rows["text"][1])


def test_chances_of_another_page_are_rejected() -> None:
    with pytest.raises(ValueError, match="another page"):
        build_context(describe(PARAGRAPHS), [0.5, 0.5])
