"""Which captions are kept."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.captions import add_captions

FIGURE = "<figure><img src=a.png><figcaption>The mill at low water.</figcaption></figure>"


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def judge(*values: float) -> Chances:
    return Chances(values, values)


@pytest.mark.parametrize("figure", [FIGURE, f"<div><div>{FIGURE}</div></div>"])
def test_the_caption_of_a_figure_in_a_text_is_kept(figure: str) -> None:
    found = flow(f"<article><p>Before.</p>{figure}<p>Behind.</p></article>")

    assert add_captions(found, judge(0.9, 0.2, 0.9), [0, 2]) == [0, 1, 2]


@pytest.mark.parametrize(
    "body",
    [
        f"<article><p>Before.</p></article><div>{FIGURE}</div><p>Footer.</p>",
        f"<article><p>Before.</p>{FIGURE.replace('<figure', '<figure hidden')}<p>x</p></article>",
        f"<article><p>Before.</p><aside>{FIGURE}</aside><p>Behind.</p></article>",
    ],
)
def test_a_caption_behind_the_text_hidden_or_set_aside_is_not_added(body: str) -> None:
    found = flow(body)
    kept = [0] if "Footer" in body else [0, 2]

    assert add_captions(found, judge(0.9, 0.2, 0.9), kept) == kept


def test_a_caption_that_is_most_unlikely_stays_out() -> None:
    found = flow(f"<article><p>Before.</p>{FIGURE}<p>Behind.</p></article>")

    assert add_captions(found, judge(0.9, 0.05, 0.9), [0, 2]) == [0, 2]


def test_the_caption_of_the_last_figure_of_a_text_is_kept() -> None:
    found = flow(f"<main><p>Before.</p>{FIGURE}</main><div>Footer</div>")

    assert add_captions(found, judge(0.9, 0.4, 0.1), [0]) == [0, 1]
    assert add_captions(found, judge(0.9, 0.25, 0.1), [0]) == [0]


@pytest.mark.parametrize(
    "body",
    [
        f"<main><p>Before.</p><div>{FIGURE}</div></main>",
        f"<main><h2>More</h2>{FIGURE}</main>",
        f"<main><p>Before.</p>{FIGURE.replace('The mill', '<a href=/>The mill</a>')}</main>",
    ],
)
def test_a_figure_elsewhere_behind_a_heading_or_with_links_is_no_last_figure(
    body: str,
) -> None:
    assert add_captions(flow(body), judge(0.9, 0.4), [0]) == [0]


def test_a_figure_behind_an_article_is_no_part_of_it() -> None:
    head = "<head><meta property=og:type content=article></head>"
    found = build_flow(parse_html(f"{head}<body><main><p>Before.</p>{FIGURE}</main></body>"))

    assert add_captions(found, judge(0.9, 0.4), [0]) == [0]
