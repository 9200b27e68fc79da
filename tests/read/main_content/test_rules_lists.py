"""Lists of products and matches are kept."""

from __future__ import annotations

import pytest

from tests.read.main_content.applying import apply, parse
from webquarry._read.main_content.rules_lists import PRICE, add_units

PRICES = ("€6,490.00", "$89", "449 zł", "1 980 kr")
MENU = f"<ul>{'<li><a href=/>An entry of a long menu</a>' * 40}</ul>"


def write_products(names: str = "Lantern Anchor Rope Buoy") -> str:
    tiles = [
        f"<li class=card><h3><a href=/{name}>{name} for boats of every kind</a></h3><p>{price}</p>"
        for name, price in zip(names.split(), PRICES, strict=False)
    ]
    return f"<ul>{''.join(tiles)}</ul>"


def test_products_that_are_most_of_the_page_are_selected() -> None:
    shop = parse(f"<h1>Shop</h1><p>Things for boats.</p>{write_products()}<p>Footer</p>")

    assert apply(add_units, shop, [0, 1]) == list(range(10))


def test_products_next_to_a_longer_text_are_left_to_the_model() -> None:
    article = parse(f"<p>{'A long text about ropes. ' * 20}</p>{write_products()}")

    assert apply(add_units, article, [0]) == [0]


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


@pytest.mark.parametrize("score", ["2 - 1", "0–0", "3:1"])
def test_matches_with_scores_are_selected(score: str) -> None:
    match = f"<a href=/m><p>Rovers</p><p>{score}</p><p>Albion</p></a>"
    matches = f"<div>{f'<div class=match>{match}</div>' * 8}</div>"

    flow = parse(f"{MENU}<h2>Results</h2>{matches}")
    assert apply(add_units, flow, [40]) == list(range(40, 65))


def test_running_times_are_not_scores() -> None:
    films = "<div class=film><a href=/f>A film about boats</a><div>10:04</div></div>" * 8
    flow = parse(f"{MENU}<h2>Films</h2><p>About.</p>{films}")

    assert apply(add_units, flow, [40, 41]) == [40, 41]
