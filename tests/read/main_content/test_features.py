"""The feature matrix: consistency for any page, names, similar elements, and counts in texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scripts.extraction.lifts import split_names

from webquarry._native import FEATURE_NAMES, LONGEST_NAME, SHORT_TEXT, build_context
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.model import Lifts, build_features, split_words

LIFTS = Lifts(
    {"post": 0.5, "share": -0.25, "body": 0.125},
    {"share": -0.5, "story": 0.25, "old": 0.75},
    {"old": 0.125, "tale": -0.25},
)
ROW = {name: row for row, name in enumerate(FEATURE_NAMES)}
LONG = "An old tale of the harbour, told again and again by all the keepers of its lights. "
TAGS = ("p", "div", "ul", "li", "h1", "h2", "a", "article", "main", "aside", "td", "tr", "table")
PIECES = st.one_of(
    st.builds("<{}>".format, st.sampled_from(TAGS)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.builds("<div class='{}'>".format, st.sampled_from(["post", "shareBar x", "post-2"])),
    st.sampled_from(
        [LONG, LONG * 3, "old ", "Comments", "<a href=x>", "<img>", "$5", "and…", "海"]
    ),
)


def assert_consistent(html: str) -> None:
    flow = build_flow(parse_html(f"<title>An old tale</title>{html}"))
    if not flow.texts:
        return
    features = build_features(flow, LIFTS)
    rows = np.asarray(features.matrix.to_lists())
    assert np.isfinite(rows).all()
    lengths = [len(text) for text in flow.texts]
    assert rows[ROW["chars"]].tolist() == lengths
    before = np.cumsum([0, *lengths])[:-1] / sum(lengths)
    assert rows[ROW["chars_before"]] == pytest.approx(before)
    assert rows[ROW["previous_chars"]].tolist() == [0, *lengths[:-1]]
    assert rows[ROW["next_chars"]].tolist() == [*lengths[1:], 0]
    assert ((rows[ROW["density"]] >= 0) & (rows[ROW["density"]] <= 1)).all()

    context = build_context(features, np.linspace(0.02, 0.97, len(lengths)).tolist())
    assert np.isfinite(context.to_lists()).all()


@given(st.lists(PIECES, max_size=40).map("".join))
@example(f"<h2>Comments</h2><p>{LONG}</p></html>behind everything<p>{LONG}</p>")
@example(f"<ul><li>{LONG}<li><a href=x>{LONG}</a><li>old</ul><h1>An old tale</h1><p>{LONG}")
@settings(max_examples=200)
def test_features_of_any_markup_are_finite_and_consistent(html: str) -> None:
    assert_consistent(html)


@pytest.mark.parametrize(
    "html",
    ["<div>" * 1_500 + "deep", "<p>a</p>" * 15_000, "<div class=x>" * 900 + "a<p>b</p>" * 900],
    ids=["deep", "many", "deep and many"],
)
def test_features_of_extreme_pages_are_finite_and_consistent(html: str) -> None:
    assert_consistent(html)


def describe(
    body: str, title: str = "", topic: str = "", lifts: Lifts = LIFTS
) -> dict[str, list[float]]:
    """Return each feature of the blocks of a page."""
    head = f"<title>{title}</title><meta name=description content='{topic}'>"
    flow = build_flow(parse_html(f"<html><head>{head}</head><body>{body}</body></html>"))
    return dict(zip(FEATURE_NAMES, build_features(flow, lifts).matrix.to_lists(), strict=True))


def describe_texts(*texts: str, title: str = "", topic: str = "") -> dict[str, list[float]]:
    return describe("".join(f"<p>{text}</p>" for text in texts), title, topic)


def test_names_are_scored_by_class_and_id_with_the_extremes_of_ancestors() -> None:
    rows = describe(
        '<div class="post-1" id="body">text<p>a</p><p class="share">b</p></div><p>c</p>'
    )

    assert rows["name_own"] == [0.625, 0, -0.25, 0]
    assert rows["name_lowest"] == [0, 0, -0.25, 0]
    assert rows["name_highest"] == [0.5, 0.5, 0.5, 0]
    assert rows["name_parent"] == [0, 0.625, 0.625, 0]


def test_three_similar_siblings_are_units_of_their_descendants() -> None:
    item = '<li class="a-{0}"><p>x</p><p>y</p>'
    rows = describe("<ul>" + "".join(map(item.format, range(3))) + "</ul><p>z</p>")

    assert rows["unit_siblings"] == [3] * 6 + [-1]
    assert rows["unit_blocks"] == [2] * 6 + [-1]
    assert rows["unit_place"] == [0, 1] * 3 + [-1]


def test_repeated_texts_and_repeated_beginnings_are_counted() -> None:
    same = "x" * 50
    rows = describe_texts(same + "a", same + "b", same + "a", "y", same + "a")

    assert rows["echoes"] == [0, 1, 2, 0, 3]
    assert rows["repeats"] == [0, 0, 1, 0, 2]


def test_short_and_long_blocks_have_different_word_tables() -> None:
    rows = describe_texts("Old story!", LONG * 2, "Share")

    assert rows["word_max"] == [0.75, 0.125, -0.5]
    assert rows["word_min"] == [0.25, -0.25, -0.5]
    assert rows["word_mean"][0] == 0.5
    assert rows["word_mean"][2] == -0.5


@pytest.mark.parametrize("texts", [["***", "old"], ["old", "***"], ["old", "***", "old"]])
def test_a_block_without_words_has_neutral_scores(texts: list[str]) -> None:
    rows = describe_texts(*texts)

    for row in ("word_max", "word_min", "word_mean"):
        assert rows[row] == [0.75 if text == "old" else 0.0 for text in texts]


def test_words_of_the_title_count_in_short_blocks_only() -> None:
    rows = describe_texts("An old tale", "New", LONG * 2, title="Old Tale – The Site")

    assert rows["title_share"] == pytest.approx([2 / 3, 0, 0])


def test_headings_of_comments_are_recognized() -> None:
    rows = describe("<h2>3 comments</h2><p>a</p><h2>Links</h2><p>b</p>")

    assert rows["heading_comments"] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("text", "words"), [("two words", 2), ("deux été", 2), ("海の道", 1.8), ("\U0001f30a wave", 2)]
)
def test_a_cjk_character_counts_as_a_part_of_a_word(text: str, words: float) -> None:
    assert describe_texts("plain text", text)["words"] == pytest.approx([2, words])


KNOWN = ("the", "été", "2", "post", "body", "коммент", "评论", "a", "don", "t")
SCORES = {word: number / 8 for number, word in enumerate(KNOWN, 1)}
BLANKS = "\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\t\n’“”‘„_-"
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(KNOWN),
        st.sampled_from(BLANKS),
        st.sampled_from("Aa 2Éé."),
        st.characters(exclude_categories=["Cs", "Cc", "Cn"]),
    )
).map("".join)


@given(TEXTS)
@example("Don’t “the”, été_2 ÉTÉ\u3000评论\u2009The \u2080\ue000\U0001f600the")
@settings(max_examples=300, deadline=None)
def test_each_word_of_a_text_has_its_score(text: str) -> None:
    document = parse_html("<html><body><p>text</p></body></html>")
    next(document.roots[0].iter("p")).text = text
    flow = build_flow(document)
    if not flow.texts:
        return
    matrix = build_features(flow, Lifts({}, SCORES, SCORES)).matrix.to_lists()

    scores = [SCORES.get(word, 0.0) for word in split_words(flow.texts[0][:SHORT_TEXT])]
    mean = sum(scores) / max(len(scores), 1)
    assert matrix[ROW["word_mean"]] == [pytest.approx(mean)]
    assert matrix[ROW["word_max"]] == [max(scores, default=0.0)]


@given(TEXTS)
@example("postBody post-12 Share_bar ÉpostBODY")
@settings(max_examples=300, deadline=None)
def test_each_part_of_a_class_name_has_its_score(text: str) -> None:
    document = parse_html("<html><body><p>text</p></body></html>")
    next(document.roots[0].iter("p")).set("class", text)
    matrix = build_features(build_flow(document), Lifts(SCORES, {}, {})).matrix.to_lists()

    parts = split_names(text[:LONGEST_NAME])
    assert matrix[ROW["name_own"]] == [pytest.approx(sum(SCORES.get(part, 0.0) for part in parts))]
