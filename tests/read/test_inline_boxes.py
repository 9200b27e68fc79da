"""Inline elements that only the layout of a page sets apart do not run into each other."""

from __future__ import annotations

import pytest

from tests.read.converting import markdown


@pytest.mark.parametrize(
    ("page", "text"),
    [
        # cells, labels and values, as pages that scripts write have them
        ("<div><span>1</span><span>Harbour FC</span><span>14</span><span>33</span></div>",
         "1 Harbour FC 14 33"),
        ("<div><span>Sea bass</span><span></span><span>€29.00</span></div>", "Sea bass €29.00"),
        ("<div><span>135k</span><span>4 gold badges</span></div>", "135k 4 gold badges"),
        ("<li><span>Area</span><b>78 m²</b></li>", "- Area **78 m²**"),
        ("<h2><span>La Sportiva</span><span>Aragon</span></h2>", "## La Sportiva Aragon"),
        ("<div><time>1d ago</time><span>3 min read</span></div>", "1d ago 3 min read"),
        ('<div><span class="k">rent</span><span class="v">free</span></div>', "rent free"),
        ("<div><span><b>Prep</b></span><span>10 min</span></div>", "**Prep** 10 min"),
        # one word, or one number
        ("<p><span>T</span><span>he tide turns.</span></p>", "The tide turns."),
        ("<p><span>I know i</span><span>t is easy.</span></p>", "I know it is easy."),
        ("<div><span>4</span><span>2</span></div>", "42"),
        ("<div><span>12</span><span>.</span><span>99</span></div>", "12.99"),
        ("<p><span>list.append</span><span>(x)</span></p>", "list.append(x)"),
        ("<p><span>潮汐</span><span>能源</span></p>", "潮汐能源"),
        ("<p><span>H</span><sub>2</sub><span>O</span></p>", "H₂O"),
        ("<p><span>super</span><wbr><span>Market</span></p>", "superMarket"),
        ("<p>web<span>Quarry</span><span>MCP</span></p>", "webQuarryMCP"),
        ("<p><code><span>print</span><span>X1</span></code></p>", "`printX1`"),
        ("<p><span>one </span><span>two</span></p>", "one two"),
    ],
)  # fmt: skip
def test_boxes_are_set_apart_and_parts_of_a_word_are_not(page: str, text: str) -> None:
    assert markdown(page) == text
