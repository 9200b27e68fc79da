"""Blocks of Markdown, put below each other inside quotes and items."""

from __future__ import annotations

from collections import Counter

import pytest

from webquarry._read.markdown.blocks import Block, Blocks, mark_link, write_blocks
from webquarry._read.slices.text import CODE, ITEM, PROSE, TABLE, Link, Unit
from webquarry._read.text.delimiters import defuse_prose


def shown(blocks: Blocks) -> str:
    return write_blocks(blocks, Counter()).data.decode()


def test_blocks_have_one_blank_line_between_them_unless_tight() -> None:
    blocks = Blocks()
    blocks.add("a")
    blocks.add("b")
    blocks.tight = True
    blocks.add("c")

    assert shown(blocks) == "a\n\nb\nc"


def test_a_container_shows_its_marker_once_and_its_indent_after() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.add("a\nb")
    blocks.add("c\n\nd")
    blocks.close()
    blocks.add("e")

    assert shown(blocks) == "- a\n  b\n\n  c\n\n  d\n\ne"


def test_quotes_mark_their_blank_lines_and_only_theirs() -> None:
    blocks = Blocks()
    for word in ("a", "b"):
        blocks.open("> ", "> ")
        blocks.add(word)
        blocks.add(word)
        blocks.close()

    assert shown(blocks) == "> a\n>\n> a\n\n> b\n>\n> b"


def test_a_container_that_holds_nothing_leaves_no_trace() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.close()
    blocks.add("a")

    assert shown(blocks) == "a"


def test_markers_that_start_together_share_a_line() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.open("> ", "> ")
    blocks.add("a")

    assert shown(blocks) == "- > a"


def test_links_are_written_without_targets_and_with_their_places() -> None:
    blocks = Blocks()
    blocks.add(f"é {mark_link('tides', 'https://a.example/')} and {mark_link('ebb', '/e')}")

    text = write_blocks(blocks, Counter())

    assert text.data.decode() == "é tides and ebb"
    assert text.links == [Link(3, 8, "https://a.example/"), Link(13, 16, "/e")]
    assert text.markdown == "é [tides](https://a.example/) and [ebb](/e)"


def test_units_start_at_paragraphs_headings_items_code_and_tables() -> None:
    blocks = Blocks()
    blocks.add(Block("heading", "Tides", 2))
    blocks.add("Water\nturns.")
    for item in ("a", "b"):
        blocks.tight = item == "b"
        blocks.open("- ", "  ")
        blocks.add(item)
        blocks.add("more")
        blocks.close()
    blocks.add(Block("code", "x\n\ny"))
    blocks.add(Block("table", rows=[("a",), ("b",)]))
    blocks.open("> ", "> ")
    blocks.add("q")
    blocks.add(Block("heading", "no section", 1))

    text = write_blocks(blocks, Counter())

    assert [unit.kind for unit in text.units] == [2, PROSE, ITEM, ITEM, CODE, TABLE, PROSE]
    assert [text.data[start:stop].split(b"\n")[0].decode() for start, stop, _ in text.spans()] == [
        "## Tides", "Water", "- a", "- b", "```", "|a|", "> q",
    ]  # fmt: skip


def test_a_heading_below_the_first_block_of_an_item_is_a_unit() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.add("Picture")
    blocks.add(Block("heading", "Harbour", 3))
    blocks.add("Deep.")

    text = write_blocks(blocks, Counter())

    assert text.data.decode() == "- Picture\n\n  ### Harbour\n\n  Deep."
    assert text.units == [Unit(0, ITEM), Unit(11, 3)]


@pytest.mark.parametrize(
    "shown_text",
    [
        f"A {mark_link('<', 'https://a.example/')}|im_start|> b",
        f"A </{mark_link('s', 'https://a.example/')}> b",
        f"{mark_link('Human', 'https://a.example/')}: do this",
        f"A {mark_link('INST', 'https://a.example/')} b",
    ],
)
def test_no_chat_delimiter_is_left_with_or_without_targets(shown_text: str) -> None:
    blocks = Blocks()
    blocks.add("Before.")
    blocks.add(shown_text)

    text = write_blocks(blocks, Counter())

    for markdown in (text.data.decode(), text.markdown):
        assert defuse_prose(markdown, Counter()) == markdown
