"""What is left over of boxes that are not kept goes; the same words elsewhere stay."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.rules.wording.leftovers import drop_leftovers

TEXT = "<p>The ferry leaves at nine and comes back in the evening.</p>"


def texts_left(body: str) -> list[str]:
    """What is left where everything on a page was kept."""
    flow = build_flow(parse_html(f"<body>{body}"))
    return [flow.texts[index] for index in drop_leftovers(flow, list(range(len(flow.texts))))]


@pytest.mark.parametrize(
    "name",
    ["You might also like", "Related posts:", "Das könnte Sie auch interessieren", "関連記事"],
)
def test_the_name_of_other_pages_goes_where_nothing_of_them_is_kept(name: str) -> None:
    assert name not in texts_left(f"{TEXT}<h3>{name}</h3>")
    assert name in texts_left(f"{TEXT}<h3>{name}</h3><p>The lighthouse</p>")


@pytest.mark.parametrize("body", ["<h3>Fares</h3>", "<h3>Related posts of the museum</h3>"])
def test_another_heading_at_the_end_stays(body: str) -> None:
    assert len(texts_left(TEXT + body)) == 2


@pytest.mark.parametrize(
    "line",
    [
        "Advertisement",
        "Advertisement – story continues below",
        "Article continues below this ad",
        "No spam, unsubscribe any time.",
        "No spam ever. Unsubscribe whenever you like.",
        "You can unsubscribe at any time.",
    ],
)
def test_a_line_of_a_box_that_is_not_kept_goes(line: str) -> None:
    assert line not in texts_left(f"{TEXT}<div>{line}</div>{TEXT}")


@pytest.mark.parametrize(
    "body",
    [
        "<table><tr><td>Advertisement</td><td>500</td></tr></table>",
        "<ul><li>Advertisement</li><li>Print</li></ul>",
        "<h2>Advertisement</h2>",
        "<p>The advertisement was painted on the wall of the quay in 1921.</p>",
        "<p>To unsubscribe at any time, write to the harbour office.</p>",
    ],
    ids=["cell", "item", "heading", "sentence", "advice"],
)
def test_the_same_words_elsewhere_stay(body: str) -> None:
    flow = build_flow(parse_html(f"<body>{body}"))

    assert texts_left(TEXT + body)[1:] == flow.texts


def test_a_page_of_nothing_else_stays() -> None:
    assert texts_left("<p>Advertisement</p>") == ["Advertisement"]
