"""Chances -> blocks to keep."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.choose import add_headings, choose
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.superfluous import (
    drop_copies,
    drop_notices,
    prefer_visible,
)
from webquarry._read.main_content.rules.threshold import find_single_threshold, find_threshold

LONG = "This sentence is long enough to be recognised when it comes again somewhere else."


def judge(*values: float) -> Chances:
    return Chances(values, values)


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def test_the_threshold_is_lower_on_a_page_where_nothing_is_certain() -> None:
    words = [10.0] * 4

    certain = find_threshold([0.99, 0.98, 0.4, 0.01], words)
    vague = find_threshold([0.4, 0.35, 0.3, 0.3], words)

    assert vague < 0.35 < 0.4 < certain


def test_a_long_list_that_is_rather_not_wanted_is_left_out_as_a_whole() -> None:
    chances = [0.99] * 5 + [0.35] * 20
    words = [20.0] * 25

    # each by itself, one in three of the list would be worth more than they cost
    assert find_single_threshold(chances, words) < 0.4
    assert find_threshold(chances, words) == 0.5


@pytest.mark.parametrize("chances", [[0.0, 0.0], [1.0, 1.0]])
def test_the_threshold_stays_within_its_bounds(chances: list[float]) -> None:
    assert 0.2 <= find_threshold(chances, [1.0, 1.0]) <= 0.5


def test_a_long_text_that_comes_again_elsewhere_is_dropped() -> None:
    found = flow(f"<div><p>{LONG}</p></div><section><p>{LONG}</p></section>")

    assert drop_copies(found, [0, 1]) == [0]


def test_a_list_may_repeat_itself() -> None:
    found = flow(f"<ul><li>{LONG}</li><li>{LONG}</li></ul>")

    assert drop_copies(found, [0, 1]) == [0, 1]


@pytest.mark.parametrize("size", [3, 70, 230])
def test_a_copy_of_many_texts_in_one_piece_is_dropped(size: int) -> None:
    sentences = [f"Sentence {number} says what no other one does. " * 5 for number in range(size)]
    whole = " ".join(["All of it:", *sentences])
    found = flow("".join(f"<p>{one}</p>" for one in sentences) + f"<div>{whole}</div><p>{LONG}</p>")
    every = list(range(size + 2))

    assert drop_copies(found, every) == [*range(size), size + 1]
    assert drop_copies(found, [0, size]) == [0, size]


def test_of_a_hidden_copy_and_one_in_sight_the_one_in_sight_is_kept() -> None:
    found = flow(
        f"<div hidden><p>{LONG}</p></div><section><p>{LONG}</p></section><p>Something else.</p>"
    )

    assert prefer_visible(found, [0, 2]) == [1, 2]
    chances = [0.9, 0.1, 0.9]
    assert choose(found, Chances(chances, chances), [14.0, 14.0, 2.0]) == [1, 2]


def test_hidden_text_without_a_copy_stays_for_something_on_the_page_may_open_it() -> None:
    found = flow(f"<div hidden><p>{LONG}</p><p>More</p></div><p>More</p>")

    assert prefer_visible(found, [0, 1]) == [0, 1]


def test_a_copy_of_the_whole_text_in_one_piece_is_dropped() -> None:
    parts = [f"{number} {LONG} {'and more ' * 40}" for number in "123"]
    found = flow("".join(f"<p>{part}</p>" for part in parts) + f"<div>{' '.join(parts)}</div>")

    assert drop_copies(found, [0, 1, 2, 3]) == [0, 1, 2]


@pytest.mark.parametrize(
    "notice",
    [
        "<noscript><p>Please enable JavaScript to view this page.</p></noscript>",
        "<div><div>Your browser does not seem to support JavaScript.</div></div>",
        "<div><div>This site uses cookies to improve your experience.</div></div>",
        "<div><div>Diese Website verwendet Cookies.</div></div>",
    ],
)
def test_a_notice_in_a_box_of_its_own_is_dropped(notice: str) -> None:
    found = flow(f"{notice}<main><p>{LONG}</p></main>")

    assert drop_notices(found, [0, 1]) == [1]


def test_a_sentence_about_cookies_among_others_stays() -> None:
    found = flow(
        f"<main><p>{LONG}</p><p>Our website uses cookies only where it has "
        f"to.</p><p>{LONG}</p></main>"
    )

    assert drop_notices(found, [0, 1, 2]) == [0, 1, 2]


@pytest.mark.parametrize(("chance", "kept"), [(0.15, [0, 1]), (0.05, [1])])
def test_a_heading_comes_along_with_the_text_below_it_unless_it_is_most_unlikely(
    chance: float, kept: list[int]
) -> None:
    found = flow(f"<h2>Name</h2><p>{LONG}</p>")

    assert add_headings(found, judge(chance, 0.9), [1]) == kept


def test_a_heading_above_nothing_that_is_kept_stays_out() -> None:
    found = flow(f"<p>{LONG}</p><h2>Name</h2><p>other</p>")

    assert add_headings(found, judge(0.9, 0.3, 0.1), [0]) == [0]


@pytest.mark.parametrize(
    ("kept", "left"), [([0, 2], [2]), ([0, 1], [0, 1]), ([0], []), ([1, 2], [1, 2])]
)
def test_a_notice_stays_only_beside_what_is_kept_in_the_same_box(
    kept: list[int], left: list[int]
) -> None:
    notice = "<p>Our website uses cookies. Please accept all cookies.</p>"
    found = flow(f"<div>{notice}<p>{LONG}</p></div><main><p>{LONG} Again.</p></main>")

    assert drop_notices(found, kept) == left


@pytest.mark.parametrize(
    "facts",
    [
        "<div class=price>$129.00</div>",
        "<p>Answers to what people ask us about mills.</p>",
    ],
)
def test_the_facts_under_a_title_come_with_the_text(facts: str) -> None:
    found = flow(f"<main><h1>The mill</h1>{facts}<p>{LONG}</p></main>")

    assert choose(found, judge(0.4, 0.2, 0.99), [2.0, 2.0, 14.0]) == [1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        "<div class=f><div>Age</div><div>9</div></div>" * 4,
        f"<dl>{'<dt>Age<dd>9' * 4}</dl>",
    ],
)
def test_a_list_of_facts_is_not_cut_in_the_middle(rows: str) -> None:
    found = flow(f"<main><p>{LONG}</p>{rows}</main>")
    chances = judge(0.99, *[0.6] * 4, *[0.2] * 4)

    assert choose(found, chances, [14.0, *[1.0] * 8]) == list(range(9))


@pytest.mark.parametrize(
    ("body", "last"),
    [
        (f"<p>{LONG}</p><aside>Make a copy first.</aside><p>{LONG[5:]}</p>", 0.9),
        (f"<p>{LONG}</p><figure><figcaption>The mill.</figcaption></figure><p>x</p>", 0.1),
    ],
)
def test_notes_in_a_text_and_the_last_caption_belong_to_it(body: str, last: float) -> None:
    found = flow(f"<main>{body}</main>")

    assert 1 in choose(found, judge(0.99, 0.4, last), [14.0, 4.0, 13.0])
