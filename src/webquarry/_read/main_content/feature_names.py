"""The names of the features, and the rows of the matrix that they stand in.

The trained model knows features by name. Their order matters where several rows are filled at once:
those stand side by side.
"""

from __future__ import annotations

from webquarry._read.main_content import tags, texts

# Flags of an element that are features as they stand.
FLAG_NAMES = {
    "in_main": tags.MAIN_FLAG,
    "in_aside": tags.ASIDE_FLAG,
    "in_caption": tags.CAPTION_FLAG,
    "in_paragraph": tags.PARAGRAPH_FLAG,
    "in_hidden": tags.HIDDEN_FLAG,
    "in_article": tags.ARTICLE_FLAG,
    "in_items": tags.ITEM_FLAG,
}
# Shares of the paragraphs; the smallest element that holds as many of them is looked for.
MASSES = {"mass40": 0.4, "mass60": 0.6}
LIKENESSES = ("cluster", "deep")  # of elements, with like parents and with like grandparents

COUNTED = texts.COUNTED[: texts.COMMENTS]
_BLOCK = (
    "density",
    "links",
    "tag",
    "position",
    "chars_before",
    "paragraphs_before",
    "siblings",
)
_NAMES = ("name_own", "name_lowest", "name_highest", "name_parent")
_AROUND = (
    "previous_tag",
    "previous_chars",
    "previous_density",
    "next_tag",
    "next_chars",
    "next_density",
    "window_density",
    "window_chars",
    "window_word",
)
_HEADED = (
    "heading_level",
    "heading_word",
    "heading_comments",
    "heading_density",
    "since_heading",
    "from_comment_heading",
    "from_h1",
)
_UNIT = (
    "unit_density",
    "unit_links",
    "unit_blocks",
    "unit_images",
    "unit_group_share",
    "unit_group_paragraphs",
    "unit_group_cut",
    "unit_group_prices",
    "unit_siblings",
    "unit_place",
)
_ALIKE = tuple(
    f"{likeness}_{what}"
    for what in ("share", "paragraphs", "density", "mean", "topic", "cut", "word", "count")
    for likeness in LIKENESSES
)
_MASS = tuple(
    f"{mass}_{what}" for mass in MASSES for what in ("place", "distance", "in", "share", "density")
)
_ANCHOR = ("from_anchor", "common_share", "common_paragraphs", "common_steps")
_PAGE = (
    "page_in_main",
    "page_in_article",
    "page_in_items",
    "page_chars",
    "page_blocks",
    "page_paragraphs",
    "page_in_links",
    "page_kind",
    "page_good",
    "page_longest",
    "page_prices",
    "page_images",
    "page_h1",
)
NAMES = (
    *COUNTED,
    *_BLOCK,
    *_NAMES,
    *FLAG_NAMES,
    *_AROUND,
    *_HEADED,
    *_UNIT,
    *_ALIKE,
    *_MASS,
    *_ANCHOR,
    *_PAGE,
)
ROW = {name: number for number, name in enumerate(NAMES)}
