"""Which blocks of a labelled page the model learns from, and how much each weighs."""

from __future__ import annotations

import pytest
from scripts.extraction.pages import LabelledPage
from scripts.extraction.rows import build_rows

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow

SENTENCE = "The keeper of the harbour writes down every boat that leaves before the morning."


def label(
    labels: list[float | None], text: str = SENTENCE, hidden: int | None = None
) -> LabelledPage:
    body = ""
    for number in range(len(labels)):
        body += f"<p hidden>{text}</p>" if number == hidden else f"<p>{text}</p>"
    flow = build_flow(parse_html(f"<body>{body}</body>"))
    tokens = len(text.split())
    return LabelledPage(
        set_name="wcxb",
        label={"id": "page", "text": "gold"},
        site="example.org",
        fold=0,
        flow=flow,
        labels=labels,
        tokens=[tokens] * len(labels),
        gold_tokens=10 * tokens,
    )


def weigh(page: LabelledPage) -> dict[int, float]:
    """The weight of each block that is wanted."""
    numbers, labels, weights = build_rows(page)
    rows = zip(numbers.tolist(), labels.tolist(), weights.tolist(), strict=True)
    return {number: weight for number, wanted, weight in rows if wanted}


def test_the_beginning_and_above_all_the_end_of_a_text_weigh_more() -> None:
    weights = weigh(label([0.0, 1.0, 1.0, 1.0, 0.0]))

    assert list(weights) == [1, 2, 3]
    assert weights[2] < weights[1] < weights[3]


def test_a_scrap_is_no_end_of_a_text() -> None:
    weights = weigh(label([1.0, 1.0, 1.0], text="Share this"))

    assert weights[0] == pytest.approx(weights[2])


def test_noise_has_the_same_weight_everywhere() -> None:
    numbers, labels, weights = build_rows(label([0.0, 1.0, 0.0]))

    assert numbers[labels == 0].tolist() == [0, 2]
    assert weights[labels == 0][0] == pytest.approx(weights[labels == 0][1])


def test_what_the_page_hides_weighs_less_and_is_no_end_of_a_text() -> None:
    weights = weigh(label([1.0, 1.0, 1.0, 1.0], hidden=3))

    assert weights[3] < weights[1] < weights[2]
