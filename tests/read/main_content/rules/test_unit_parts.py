"""What is missing of repeated units of which something is kept."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.runs.parts import add_unit_parts

NAMES = ("Weir plan approved", "How weirs work", "Fish passes compared", "Grants for removal")
ARTICLE = '<meta property="og:type" content="article">'


def flow(body: str, head: str = "") -> Flow:
    return build_flow(parse_html(f"<html><head>{head}</head><body>{body}</body></html>"))


def complete(found: Flow, kept: list[int], chance: float = 0.1) -> list[int]:
    chances = [chance] * len(found.texts)
    return add_unit_parts(found, Chances(chances, chances), kept)


def write_results(*names: str, before: str = "", behind: str = "") -> str:
    results = [
        f"<div class=result>{before}<a href=/{number}>{name}</a>"
        f"<div class=snippet>What is said of it in line {number}.</div>{behind}</div>"
        for number, name in enumerate(names)
    ]
    return f"<div>{''.join(results)}</div>"


def test_results_keep_their_linked_titles() -> None:
    assert complete(flow(write_results(*NAMES)), [1, 3, 5, 7]) == list(range(8))


def test_a_result_of_which_nothing_was_kept_is_completed_as_the_others_are() -> None:
    assert complete(flow(write_results(*NAMES)), [1, 3, 5]) == list(range(8))


def test_teams_keep_their_names_behind_their_places() -> None:
    rows = "".join(
        f"<div class=row><div>{number}</div><div><a href=/t>{name}</a></div><div>3</div></div>"
        for number, name in enumerate(NAMES)
    )

    assert complete(flow(f"<div>{rows}</div>"), [0, 2, 3, 5, 6, 8, 9, 11]) == list(range(12))


def test_prices_that_half_of_the_products_keep_are_kept_of_all() -> None:
    products = "".join(
        f"<div class=product><p class=name>{name}</p><p class=price>{number} coins</p></div>"
        for number, name in enumerate(NAMES)
    )

    assert complete(flow(f"<div>{products}</div>"), [0, 1, 2, 3, 4, 6]) == list(range(8))
    assert complete(flow(f"<div>{products}</div>"), [0, 1, 2, 4, 6]) == [0, 1, 2, 4, 6]


def test_cards_that_are_links_are_completed_too() -> None:
    cards = "".join(
        f"<a class=card href=/{name}><div class=name>{name}</div><p>Its summary.</p></a>"
        for name in NAMES
    )

    assert complete(flow(f"<div>{cards}</div>"), [1, 3, 5, 7]) == list(range(8))


def test_a_run_of_which_little_or_nothing_is_kept_stays_as_it_is() -> None:
    found = flow(write_results(*NAMES) + "<p>Text.</p>")

    assert complete(found, [8]) == [8]
    assert complete(found, [1, 3]) == [1, 3]


def test_two_units_are_no_run() -> None:
    assert complete(flow(write_results(*NAMES[:2])), [1, 3]) == [1, 3]


@pytest.mark.parametrize(
    "results",
    [
        write_results("Share", "Share", "Share", "Share"),
        write_results("A", "B", "C", "D"),
        f"<aside>{write_results(*NAMES)}</aside>",
        f"<form>{write_results(*NAMES)}</form>",
        write_results(*NAMES).replace("<a ", "<div hidden><a ").replace("</a>", "</a></div>"),
    ],
)
def test_buttons_letters_and_what_is_hidden_or_set_aside_stay_out(results: str) -> None:
    assert complete(flow(results), [1, 3, 5, 7]) == [1, 3, 5, 7]


def test_links_behind_all_that_is_kept_lead_elsewhere_and_stay_out() -> None:
    found = flow(
        "<div>"
        + "".join(
            f"<div class=unit><p>Text {name}.</p><p class=more><a href=/>On: {name}</a></p></div>"
            for name in NAMES
        )
        + "</div>"
    )

    assert complete(found, [0, 2, 4, 6]) == [0, 2, 4, 6]


def test_most_unlikely_titles_stay_out() -> None:
    assert complete(flow(write_results(*NAMES)), [1, 3, 5, 7], 0.01) == [1, 3, 5, 7]


def test_units_with_whole_texts_are_judged_by_their_words() -> None:
    found = flow(write_results(*NAMES, behind=f"<p>{'A long text. ' * 50}</p>"))

    assert complete(found, [1, 4, 7, 10]) == [1, 4, 7, 10]


def test_parts_of_the_boxes_of_an_article_are_not_completed() -> None:
    boxes = "".join(f"<div class=part><p>One of {name}.</p><p>Two.</p></div>" for name in NAMES)
    found = flow(f"<div>{boxes}</div>", head=ARTICLE)

    assert complete(found, [0, 1, 2, 3, 4, 6]) == [0, 1, 2, 3, 4, 6]
