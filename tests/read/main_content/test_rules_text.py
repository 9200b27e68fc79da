"""Rules for running text: neighbours of kept blocks, and copies."""

from __future__ import annotations

import pytest

from tests.read.main_content.applying import ARTICLE, apply, parse
from webquarry._read.main_content.rules_text import (
    add_captions,
    add_code,
    add_ends,
    add_headings,
    drop_comments,
    drop_copies,
)

FIGURE = "<figure><img src=a.png><figcaption>The mill at low water.</figcaption></figure>"
LONG = "This sentence is long enough to be recognised when it comes again somewhere else."


def test_code_after_a_selected_block_is_selected_in_all_its_pieces() -> None:
    flow = parse("<p>Like this:</p><pre>one()</pre><pre>two()</pre><p>Other.</p><pre>no()</pre>")

    assert apply(add_code, flow, [0]) == [0, 1, 2]


@pytest.mark.parametrize("parent", ["<aside>", "<div hidden>"])
def test_hidden_code_and_code_in_an_aside_are_not_added(parent: str) -> None:
    assert apply(add_code, parse(f"<p>Like this:</p>{parent}<pre>one()</pre>"), [0]) == [0]


@pytest.mark.parametrize("last", ["<p>The end.</p>", "<blockquote>The end.</blockquote>"])
def test_likely_last_sentence_is_selected(last: str) -> None:
    flow = parse(f"<div><p>A text.</p>{last}</div><p>Footer</p>")

    assert apply(add_ends, flow, [0], [0.9, 0.5, 0.1]) == [0, 1]


@pytest.mark.parametrize("before", ["<pre>one()</pre>", "<div><pre>one()</pre></div>"])
def test_sentence_after_code_needs_a_lower_probability(before: str) -> None:
    flow = parse(f"<div>{before}<p>It gives one.</p><p>Further on.</p></div>")

    assert apply(add_ends, flow, [0], [0.9, 0.3, 0.3]) == [0, 1]
    assert apply(add_ends, flow, [0], [0.9, 0.1, 0.3]) == [0]


@pytest.mark.parametrize(
    ("behind", "probability"),
    [
        ("<p>An unlikely sentence.</p>", 0.3),
        ("<p><a href=/more>Read more</a></p>", 0.8),
        (
            "<p>See <a href=/more>all that we have ever written about tides and storage</a>.</p>",
            0.8,
        ),
        ("<p>Other pages here: <a href=/more>Read on about all of the tides</a></p>", 0.8),
        ("<div>No sentence</div>", 0.8),
        ("</div><div><p>In another element.</p>", 0.8),
    ],
)
def test_other_blocks_after_a_text_are_not_added(behind: str, probability: float) -> None:
    flow = parse(f"<div><p>A text.</p>{behind}</div>")

    assert apply(add_ends, flow, [0], [0.9, probability]) == [0]


@pytest.mark.parametrize("figure", [FIGURE, f"<div><div>{FIGURE}</div></div>"])
def test_caption_of_a_figure_between_selected_blocks_is_selected(figure: str) -> None:
    flow = parse(f"<main><p>Before.</p>{figure}<p>Behind.</p></main>")

    assert apply(add_captions, flow, [0, 2], 0.2) == [0, 1, 2]
    assert apply(add_captions, flow, [0, 2], 0.1) == [0, 2]


@pytest.mark.parametrize(
    "body",
    [
        f"<main><p>Before.</p></main><div>{FIGURE}</div><p>Footer.</p>",
        f"<main><p>Before.</p>{FIGURE.replace('<figure', '<figure hidden')}<p>x</p></main>",
        f"<main><p>Before.</p><aside>{FIGURE}</aside><p>Behind.</p></main>",
        f"<main><p>Before.</p><figure>{'<p>Text.</p>' * 6}<figcaption>x</figcaption></figure>x",
    ],
    ids=["after the text", "hidden", "aside", "large"],
)
def test_other_captions_are_not_added(body: str) -> None:
    flow = parse(body)
    kept = [0] if "Footer" in body else [0, len(flow.texts) - 1]

    assert apply(add_captions, flow, kept, 0.2) == kept


@pytest.mark.parametrize(("probability", "kept"), [(0.15, [0, 1]), (0.05, [1])])
def test_heading_before_selected_text_is_selected_unless_very_unlikely(
    probability: float, kept: list[int]
) -> None:
    assert apply(add_headings, parse("<h2>Name</h2><p>Text.</p>"), [1], probability) == kept


@pytest.mark.parametrize(("probability", "kept"), [(0.5, [0, 1]), (0.49, [1])])
def test_title_before_selected_text_is_selected_if_it_is_likely(
    probability: float, kept: list[int]
) -> None:
    assert apply(add_headings, parse("<h1>Title</h1><p>Text.</p>"), [1], probability) == kept


def test_heading_before_dropped_text_is_not_added() -> None:
    flow = parse("<p>Text.</p><h2>Name</h2><p>other</p>")

    assert apply(add_headings, flow, [0], 0.3) == [0]


STORY = f"<article><p>{'The tide turned before noon. ' * 60}</p></article>"
COMMENTS = "<div class=CommentList><p>I was there.</p><div>So was I.</div></div>"


def test_comments_below_an_article_are_dropped() -> None:
    flow = parse(f"{STORY}{COMMENTS}<p>Correction: it was one o'clock.</p>", head=ARTICLE)

    assert apply(drop_comments, flow, [0, 1, 2, 3]) == [0, 3]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", f"{STORY}{COMMENTS}"),
        (ARTICLE, f"<p>A short question.</p>{COMMENTS}"),
        (ARTICLE, f"<div class=has-comments>{STORY}</div><p>One.</p><p>Two.</p>"),
        (ARTICLE, f"<div class=Discussion>{STORY}</div>{COMMENTS}"),
    ],
    ids=["no article", "short text", "text in an element of that name", "forum"],
)
def test_comments_of_other_pages_are_left_to_the_model(head: str, body: str) -> None:
    assert apply(drop_comments, parse(body, head), [0, 1, 2]) == [0, 1, 2]


def test_long_text_in_another_element_is_dropped() -> None:
    flow = parse(f"<div><p>{LONG}</p></div><section><p>{LONG}</p></section>")

    assert apply(drop_copies, flow, [0, 1]) == [0]


def test_repeated_items_of_one_list_are_selected() -> None:
    flow = parse(f"<ul><li>{LONG}</li><li>{LONG}</li></ul>")

    assert apply(drop_copies, flow, [0, 1]) == [0, 1]


@pytest.mark.parametrize("size", [3, 70, 230])
def test_block_that_contains_other_blocks_is_dropped(size: int) -> None:
    sentences = [f"Sentence {number} says what no other one does. " * 5 for number in range(size)]
    whole = " ".join(["All of it:", *sentences])
    body = "".join(f"<p>{one}</p>" for one in sentences) + f"<div>{whole}</div><p>{LONG}</p>"
    flow = parse(body)

    assert apply(drop_copies, flow, range(size + 2)) == [*range(size), size + 1]
    assert apply(drop_copies, flow, [0, size]) == [0, size]
