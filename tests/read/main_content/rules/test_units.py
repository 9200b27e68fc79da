"""Lists of products and results that are the point of a page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.rules.units import PRICE, add_units, holds_price

PRICES = ("€6,490.00", "$89", "449 zł", "1 980 kr")
SIGNS = (
    "USD", "EUR", "GBP", "CHF", "PLN", "SEK", "NOK", "DKK", "CZK", "AUD", "CAD", "AED", "SAR",
    "IDR", "kr", "zł", "Kč", "Ft", "лв", "руб", "Rp", "ر.س", "د.إ", "$", "€", "£", "¥", "￥", "₹",
    "₽", "₩", "₺", "₴", "₫", "₪", "฿", "元", "円", "đ", ",-", ",–",
)  # fmt: skip
MENU = f"<ul>{'<li><a href=/>An entry of a long menu</a>' * 40}</ul>"


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def list_products(names: str = "Lantern Anchor Rope Buoy") -> str:
    tiles = [
        f"<li class=card><h3><a href=/{name}>{name} for boats of every kind</a></h3><p>{price}</p>"
        for name, price in zip(names.split(), PRICES, strict=False)
    ]
    return f"<ul>{''.join(tiles)}</ul>"


def list_threads(count: int) -> str:
    return "".join(
        f"<div class=thread><a href=/{n}>How to mend the rope of anchor number {n}</a>"
        f"<p>{n} replies, last by keeper{n}</p></div>"
        for n in range(count)
    )


def test_products_are_kept_where_they_are_what_the_page_is_for() -> None:
    shop = flow(f"<h1>Shop</h1><p>Things for boats.</p>{list_products()}<p>Footer</p>")

    assert add_units(shop, [0, 1]) == list(range(10))


def test_products_beside_a_text_that_says_more_stay_out() -> None:
    article = flow(f"<p>{'A long text about ropes. ' * 20}</p>{list_products()}")

    assert add_units(article, [0]) == [0]


def test_three_products_are_a_list_and_two_are_not() -> None:
    assert add_units(flow(f"<h1>Shop</h1>{list_products('A B C')}"), [0]) == list(range(7))
    assert add_units(flow(f"<h1>Shop</h1>{list_products('A B')}"), [0]) == [0]


def test_threads_without_prices_are_kept_where_nothing_else_is() -> None:
    assert add_units(flow(f"<h1>Forum</h1>{list_threads(8)}"), [0]) == list(range(17))
    assert add_units(flow(f"<p>{'Rules. ' * 30}</p>{list_threads(8)}"), [0]) == [0]


@pytest.mark.parametrize(
    "body",
    [
        f"<aside>{list_products()}</aside>",
        f"<div hidden>{list_products()}</div>",
        "<ul>" + "".join(f"<li><a href=/{n}>Entry {n} of a menu</a>" for n in range(9)) + "</ul>",
    ],
)
def test_what_is_set_aside_hidden_or_a_menu_is_no_list_of_results(body: str) -> None:
    assert add_units(flow(f"<h1>Shop</h1>{body}"), [0]) == [0]


def test_a_hidden_part_of_a_product_stays_out() -> None:
    hidden = list_products().replace("<p>€", "<p hidden>secret</p><p>€")

    assert add_units(flow(f"<h1>Shop</h1>{hidden}"), [0]) == [0, 1, *range(3, 10)]


def test_units_that_are_kept_in_part_have_been_judged_already() -> None:
    forum = flow(f"<h1>Forum</h1>{list_threads(8)}")
    kept = list(range(1, 17, 2))

    assert add_units(forum, kept) == kept


def test_units_with_whole_texts_in_them_are_no_list_of_results() -> None:
    sections = "".join(
        f"<section><a href=/{number}>Part {number}</a>{'<p>A line for $5.</p>' * 20}</section>"
        for number in range(4)
    )

    assert add_units(flow(f"<h1>Shop</h1>{sections}"), [0]) == [0]


@pytest.mark.parametrize("price", ["￥168", "46.000đ", "Rp 25.000", "99 ر.س", "AED 120", "249,-"])
def test_a_price_is_one_in_whatever_currency(price: str) -> None:
    tile = f"<li class=card><h3><a href=/>A lantern for boats</a></h3><p>{price}</p>"
    shop = flow(f"<h1>Shop</h1><p>Things for boats of every kind.</p><ul>{tile * 4}</ul>")

    assert add_units(shop, [0, 1]) == list(range(10))


def test_a_card_that_is_one_link_is_a_unit() -> None:
    cards = "".join(
        f"<a class=card href=/{name}><div>{name}</div><div>{price}</div></a>"
        for name, price in zip(("Lantern", "Anchor", "Rope", "Buoy"), PRICES, strict=True)
    )

    assert add_units(flow(f"<h1>Shop</h1><div>{cards}</div>"), [0]) == list(range(9))


def test_products_are_kept_beside_a_menu_that_is_longer() -> None:
    shop = flow(f"{MENU}<h1>Shop</h1>{list_products()}<p>Footer</p>")

    assert add_units(shop, [40]) == list(range(40, 49))


@pytest.mark.parametrize("score", ["2 - 1", "0–0", "3:1"])
def test_matches_with_their_scores_are_a_list(score: str) -> None:
    match = f"<div>Rovers</div><div>{score}</div><div>Albion</div>"
    matches = f"<div>{f'<a class=match href=/m>{match}</a>' * 8}</div>"

    assert add_units(flow(f"{MENU}<h2>Results</h2>{matches}"), [40]) == list(range(40, 65))


def test_the_times_of_films_are_no_scores() -> None:
    films = "<div class=film><a href=/f>A film about boats</a><div>10:04</div></div>" * 8

    assert add_units(flow(f"{MENU}<h2>Films</h2><p>About.</p>{films}"), [40, 41]) == [40, 41]


@given(st.lists(st.sampled_from([*SIGNS, "5", "20", "a", "Usd", ".", "-", " "]), max_size=6))
def test_a_price_is_found_where_the_pattern_finds_one(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert holds_price(text) == (PRICE.search(text) is not None)


@pytest.mark.parametrize("sign", SIGNS)
def test_every_sign_of_a_currency_makes_a_price(sign: str) -> None:
    assert holds_price(f"5{sign}") or holds_price(f"5 {sign}")
