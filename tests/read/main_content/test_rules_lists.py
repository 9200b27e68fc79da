"""Lists are completed: items, units and their parts."""

from __future__ import annotations

import pytest

from tests.read.main_content.applying import ARTICLE, apply, parse
from webquarry._read.main_content.rules_lists import (
    PRICE,
    add_items,
    add_unit_parts,
    add_units,
)

LINKED_ITEM = "<a href=/w2>Kelp forests</a>"


def write_list(*items: str) -> str:
    return f"<div><ul>{''.join(f'<li>{item}</li>' for item in items)}</ul></div>"


@pytest.mark.parametrize(
    ("items", "kept"),
    [
        (("Week 1: plankton", LINKED_ITEM, LINKED_ITEM), [0]),
        (("Week 1: plankton", "Week 2: algae", LINKED_ITEM, "Exam"), [0, 1]),
        (("<div><p>Week 1</p></div>", LINKED_ITEM), [0]),
    ],
)
def test_list_with_a_third_of_its_items_kept_is_completed(
    items: tuple[str, ...], kept: list[int]
) -> None:
    assert apply(add_items, parse(write_list(*items)), kept) == list(range(len(items)))


@pytest.mark.parametrize(
    "other", [f"<aside>{LINKED_ITEM}</aside>", f"<form>{LINKED_ITEM}</form>", "long " * 60]
)
def test_long_items_and_items_in_forms_are_not_added(other: str) -> None:
    assert apply(add_items, parse(write_list("Week 1: plankton", other)), [0]) == [0]


def test_very_unlikely_items_are_not_added() -> None:
    assert apply(add_items, parse(write_list("Week 1", LINKED_ITEM)), [0], 0.01) == [0]


def test_list_with_few_kept_items_is_not_completed() -> None:
    flow = parse(write_list("Week 1: plankton", LINKED_ITEM, LINKED_ITEM, LINKED_ITEM))

    assert apply(add_items, flow, [0]) == [0]


PRICES = ("€6,490.00", "$89", "449 zł", "1 980 kr")
MENU = f"<ul>{'<li><a href=/>An entry of a long menu</a>' * 40}</ul>"


def write_products(names: str = "Lantern Anchor Rope Buoy") -> str:
    tiles = [
        f"<li class=card><h3><a href=/{name}>{name} for boats of every kind</a></h3><p>{price}</p>"
        for name, price in zip(names.split(), PRICES, strict=False)
    ]
    return f"<ul>{''.join(tiles)}</ul>"


def write_threads(count: int) -> str:
    return "".join(
        f"<div class=thread><a href=/{n}>How to mend the rope of anchor number {n}</a>"
        f"<p>{n} replies, last by keeper{n}</p></div>"
        for n in range(count)
    )


def test_products_that_are_most_of_the_page_are_kept() -> None:
    shop = parse(f"<h1>Shop</h1><p>Things for boats.</p>{write_products()}<p>Footer</p>")

    assert apply(add_units, shop, [0, 1]) == list(range(10))


def test_products_next_to_a_longer_text_are_left_to_the_model() -> None:
    article = parse(f"<p>{'A long text about ropes. ' * 20}</p>{write_products()}")

    assert apply(add_units, article, [0]) == [0]


def test_a_list_of_units_has_at_least_three() -> None:
    assert apply(add_units, parse(f"<h1>x</h1>{write_products('A B C')}"), [0]) == list(range(7))
    assert apply(add_units, parse(f"<h1>x</h1>{write_products('A B')}"), [0]) == [0]


def test_threads_without_prices_are_kept_if_nothing_else_is() -> None:
    assert apply(add_units, parse(f"<h1>Forum</h1>{write_threads(8)}"), [0]) == list(range(17))
    assert apply(add_units, parse(f"<p>{'Rules. ' * 30}</p>{write_threads(8)}"), [0]) == [0]


@pytest.mark.parametrize(
    "body",
    [
        f"<aside>{write_products()}</aside>",
        f"<div hidden>{write_products()}</div>",
        "<ul>" + "".join(f"<li><a href=/{n}>Entry {n} of a menu</a>" for n in range(9)) + "</ul>",
    ],
    ids=["aside", "hidden", "menu"],
)
def test_menus_and_hidden_lists_are_left_to_the_model(body: str) -> None:
    assert apply(add_units, parse(f"<h1>Shop</h1>{body}"), [0]) == [0]


def test_hidden_part_of_a_product_is_not_added() -> None:
    hidden = write_products().replace("<p>€", "<p hidden>secret</p><p>€")

    assert apply(add_units, parse(f"<h1>Shop</h1>{hidden}"), [0]) == [0, 1, *range(3, 10)]


def test_units_that_are_kept_in_part_are_not_added() -> None:
    kept = list(range(1, 17, 2))

    assert apply(add_units, parse(f"<h1>Forum</h1>{write_threads(8)}"), kept) == kept


def test_sections_with_many_blocks_are_not_units() -> None:
    sections = "".join(
        f"<section><a href=/{number}>Part {number}</a>{'<p>A line for $5.</p>' * 20}</section>"
        for number in range(4)
    )

    assert apply(add_units, parse(f"<h1>Shop</h1>{sections}"), [0]) == [0]


@pytest.mark.parametrize(
    "price",
    [
        "￥168",
        "46.000đ",
        "Rp 25.000",
        "99 ر.س",
        "AED 120",
        "249,-",
        "USD 5",
        "5 EUR",
        "5 Kč",
        "5円",
    ],
)
def test_prices_of_many_currencies_are_recognised(price: str) -> None:
    assert PRICE.search(price)


@pytest.mark.parametrize("text", ["20 krill", "5 Usd", "1.5", "2024-05-01"])
def test_other_numbers_are_not_prices(text: str) -> None:
    assert not PRICE.search(text)


def test_link_that_contains_elements_is_a_unit() -> None:
    cards = "".join(
        f"<a class=card href=/{name}><div>{name}</div><div>{price}</div></a>"
        for name, price in zip(("Lantern", "Anchor", "Rope", "Buoy"), PRICES, strict=True)
    )

    assert apply(add_units, parse(f"<h1>Shop</h1><div>{cards}</div>"), [0]) == list(range(9))


def test_products_are_kept_next_to_a_longer_menu() -> None:
    shop = parse(f"{MENU}<h1>Shop</h1>{write_products()}<p>Footer</p>")

    assert apply(add_units, shop, [40]) == list(range(40, 49))


@pytest.mark.parametrize("score", ["2 - 1", "0–0", "3:1"])
def test_matches_with_scores_are_kept(score: str) -> None:
    match = f"<div>Rovers</div><div>{score}</div><div>Albion</div>"
    matches = f"<div>{f'<a class=match href=/m>{match}</a>' * 8}</div>"

    flow = parse(f"{MENU}<h2>Results</h2>{matches}")
    assert apply(add_units, flow, [40]) == list(range(40, 65))


def test_running_times_are_not_scores() -> None:
    films = "<div class=film><a href=/f>A film about boats</a><div>10:04</div></div>" * 8
    flow = parse(f"{MENU}<h2>Films</h2><p>About.</p>{films}")

    assert apply(add_units, flow, [40, 41]) == [40, 41]


NAMES = ("Weir plan approved", "How weirs work", "Fish passes compared", "Grants for removal")
SNIPPETS = [1, 3, 5, 7]


def write_results(*names: str, behind: str = "") -> str:
    results = [
        f"<div class=result><a href=/{number}>{name}</a>"
        f"<div class=snippet>What is said of it in line {number}.</div>{behind}</div>"
        for number, name in enumerate(names)
    ]
    return f"<div>{''.join(results)}</div>"


@pytest.mark.parametrize("kept", [SNIPPETS, SNIPPETS[:3]])
def test_results_keep_their_linked_titles(kept: list[int]) -> None:
    assert apply(add_unit_parts, parse(write_results(*NAMES)), kept) == list(range(8))


def test_names_between_other_parts_are_kept() -> None:
    rows = "".join(
        f"<div class=row><div>{number}</div><div><a href=/t>{name}</a></div><div>3</div></div>"
        for number, name in enumerate(NAMES)
    )

    kept = [0, 2, 3, 5, 6, 8, 9, 11]
    assert apply(add_unit_parts, parse(f"<div>{rows}</div>"), kept) == list(range(12))


@pytest.mark.parametrize(
    ("kept", "completed"),
    [([0, 1, 2, 3, 4, 6], list(range(8))), ([0, 1, 2, 4, 6], [0, 1, 2, 4, 6])],
)
def test_part_that_half_of_the_units_keep_is_kept_of_all(
    kept: list[int], completed: list[int]
) -> None:
    products = "".join(
        f"<div class=product><p class=name>{name}</p><p class=price>{number} coins</p></div>"
        for number, name in enumerate(NAMES)
    )

    assert apply(add_unit_parts, parse(f"<div>{products}</div>"), kept) == completed


def test_links_that_contain_elements_are_completed() -> None:
    cards = "".join(
        f"<a class=card href=/{name}><div class=name>{name}</div><p>Its summary.</p></a>"
        for name in NAMES
    )

    assert apply(add_unit_parts, parse(f"<div>{cards}</div>"), SNIPPETS) == list(range(8))


@pytest.mark.parametrize(
    ("results", "kept"),
    [
        (write_results(*NAMES), [1, 3]),
        (write_results(*NAMES[:2]), [1, 3]),
        (write_results("Share", "Share", "Share", "Share"), SNIPPETS),
        (write_results("A", "B", "C", "D"), SNIPPETS),
        (f"<aside>{write_results(*NAMES)}</aside>", SNIPPETS),
        (f"<form>{write_results(*NAMES)}</form>", SNIPPETS),
        (
            write_results(*NAMES).replace("<a ", "<div hidden><a ").replace("</a>", "</a></div>"),
            SNIPPETS,
        ),
        (write_results(*NAMES, behind=f"<p>{'A long text. ' * 50}</p>"), [1, 4, 7, 10]),
    ],
    ids=["few kept", "two units", "buttons", "letters", "aside", "form", "hidden", "long"],
)
def test_other_units_are_not_completed(results: str, kept: list[int]) -> None:
    assert apply(add_unit_parts, parse(results), kept) == kept


def test_links_after_the_kept_part_of_a_unit_are_not_added() -> None:
    units = "".join(
        f"<div class=unit><p>Text {name}.</p><p class=more><a href=/>On: {name}</a></p></div>"
        for name in NAMES
    )

    assert apply(add_unit_parts, parse(f"<div>{units}</div>"), [0, 2, 4, 6]) == [0, 2, 4, 6]


def test_very_unlikely_titles_are_not_added() -> None:
    assert apply(add_unit_parts, parse(write_results(*NAMES)), SNIPPETS, 0.01) == SNIPPETS


def test_parts_of_articles_are_not_completed() -> None:
    parts = "".join(f"<div class=part><p>One of {name}.</p><p>Two.</p></div>" for name in NAMES)
    flow = parse(f"<div>{parts}</div>", head=ARTICLE)

    assert apply(add_unit_parts, flow, [0, 1, 2, 3, 4, 6]) == [0, 1, 2, 3, 4, 6]
