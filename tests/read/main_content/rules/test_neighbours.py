"""What is kept because of the blocks beside it."""

from __future__ import annotations

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import Flow, build_flow
from webquarry._read.main_content.model import Chances
from webquarry._read.main_content.rules.neighbours import add_code, add_ends, add_notes


def flow(body: str) -> Flow:
    return build_flow(parse_html(f"<body>{body}</body>"))


def judge(*pairs: tuple[float, float]) -> Chances:
    """Chances from what the first stage and both together say of each block."""
    first, final = zip(*pairs, strict=True)
    return Chances(first, final)


def test_code_right_behind_a_kept_block_is_kept_in_all_its_pieces() -> None:
    found = flow("<p>Like this:</p><pre>one()</pre><pre>two()</pre><p>Other.</p><pre>no()</pre>")

    assert add_code(found, [0]) == [0, 1, 2]


@pytest.mark.parametrize("box", ["<aside>", "<div hidden>"])
def test_code_that_is_hidden_or_set_aside_does_not_come_along(box: str) -> None:
    assert add_code(flow(f"<p>Like this:</p>{box}<pre>one()</pre>"), [0]) == [0]


@pytest.mark.parametrize("last", ["<p>The end.</p>", "<blockquote>The end.</blockquote>"])
@pytest.mark.parametrize(("early", "late"), [(0.8, 0.2), (0.2, 0.8)])
def test_the_last_sentence_is_kept_if_one_stage_wants_it(
    last: str, early: float, late: float
) -> None:
    found = flow(f"<div><p>A text.</p>{last}</div><p>Footer</p>")
    chances = judge((0.9, 0.9), (early, late), (0.1, 0.1))

    assert add_ends(found, chances, [0]) == [0, 1]


def test_a_last_sentence_may_say_where_to_read_on() -> None:
    links = "Go on with the <a href=/a>storage guide</a> or the <a href=/b>reference</a>."
    found = flow(f"<div><p>A text.</p><p>{links}</p></div>")

    assert add_ends(found, judge((0.9, 0.9), (0.6, 0.3)), [0]) == [0, 1]


@pytest.mark.parametrize("before", ["<pre>one()</pre>", "<div><pre>one()</pre></div>"])
def test_a_sentence_right_behind_code_needs_less(before: str) -> None:
    found = flow(f"<div>{before}<p>It gives one.</p><p>Further on.</p></div>")

    assert add_ends(found, judge((0.9, 0.9), (0.3, 0.2), (0.3, 0.2)), [0]) == [0, 1]
    assert add_ends(found, judge((0.9, 0.9), (0.1, 0.1), (0.3, 0.2)), [0]) == [0]


def test_sentences_follow_each_other() -> None:
    found = flow("<div><ul><li>One.</li><li>Two.</li></ul><p>Three.</p></div>")

    assert add_ends(found, judge((0.9, 0.9), (0.6, 0.4), (0.6, 0.4)), [0]) == [0, 1, 2]


@pytest.mark.parametrize(
    ("behind", "chance"),
    [
        ("<p>Neither stage wants it.</p>", 0.3),
        ("<p><a href=/more>Read more</a></p>", 0.8),
        (
            "<p>See <a href=/more>all that we have ever written about tides and storage</a>.</p>",
            0.8,
        ),
        ("<p>Other pages here: <a href=/more>Read on about all of the tides</a></p>", 0.8),
        ("<div>No sentence</div>", 0.8),
        ("</div><div><p>In another box.</p>", 0.8),
    ],
)
def test_what_else_stands_behind_a_text_is_left_to_its_chances(behind: str, chance: float) -> None:
    found = flow(f"<div><p>A text.</p>{behind}</div>")

    assert add_ends(found, judge((0.9, 0.9), (chance, 0.3)), [0]) == [0]


NOTE = "<aside class=note><p>Caution<p>Version 3 deletes the old index without asking.</aside>"


def read_notes(body: str, kept: list[int], chance: float = 0.4) -> list[int]:
    found = flow(body)
    return add_notes(found, judge(*[(chance, chance)] * len(found.texts)), kept)


def test_a_note_between_two_paragraphs_of_a_text_is_a_part_of_it() -> None:
    assert read_notes(f"<main><p>One.</p>{NOTE}<p>Two.</p></main>", [0, 3]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "body",
    [
        f"<main><p>One.</p><div>{NOTE}</div><p>Two.</p></main>",
        f"<p>One.</p>{NOTE}<p>Two.</p>",
        f"<main><p>One.</p>{NOTE.replace('asking.', 'asking')}<p>Two.</p></main>",
        f"<main><p>One.</p>{NOTE.replace('Caution', '<a href=/>Other</a>')}<p>Two.</p></main>",
        f"<main><p>One: version 3 deletes the old index without asking us.</p>{NOTE}<p>2.</p></main>",
    ],
    ids=["another box", "the whole page", "no sentence", "a card of another page", "repeated"],
)
def test_what_is_set_aside_for_good_stays_out(body: str) -> None:
    assert read_notes(body, [0, 3]) == [0, 3]


def test_a_note_stays_out_if_it_is_unlikely_or_nothing_follows_it() -> None:
    body = f"<main><p>One.</p>{NOTE}<p>Two.</p></main>"

    assert read_notes(body, [0, 3], 0.3) == [0, 3]
    assert read_notes(body, [0]) == [0]


def test_no_hidden_line_comes_with_a_note() -> None:
    body = f"<main><p>One.</p>{NOTE.replace('<p>Caution', '<p hidden>Ads')}<p>Two.</p></main>"

    assert read_notes(body, [0, 3]) == [0, 2, 3]


ADDRESS = "<address>The Old Creamery<br>Totnes TQ9 5XX<br><a href=tel:1>01803 555 222</a></address>"


def test_an_address_between_two_paragraphs_is_a_part_of_the_text() -> None:
    body = f"<main><p>We are here:</p>{ADDRESS}<p>Parking behind the mill.</p></main>"

    assert read_notes(body, [0, 2], 0.15) == [0, 1, 2]
    assert read_notes(body, [0, 2], 0.05) == [0, 2]
    assert read_notes(body, [0], 0.15) == [0]
