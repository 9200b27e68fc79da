"""Blocks of Markdown, put below each other inside quotes and items."""

from __future__ import annotations

from webquarry._read.markdown.blocks import Blocks


def test_blocks_have_one_blank_line_between_them_unless_tight() -> None:
    blocks = Blocks()
    blocks.add("a")
    blocks.add("b")
    blocks.tight = True
    blocks.add("c")

    assert blocks.text() == "a\n\nb\nc"


def test_a_container_shows_its_marker_once_and_its_indent_after() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.add("a\nb")
    blocks.add("c\n\nd")
    blocks.close()
    blocks.add("e")

    assert blocks.text() == "- a\n  b\n\n  c\n\n  d\n\ne"


def test_quotes_mark_their_blank_lines_and_only_theirs() -> None:
    blocks = Blocks()
    for word in ("a", "b"):
        blocks.open("> ", "> ")
        blocks.add(word)
        blocks.add(word)
        blocks.close()

    assert blocks.text() == "> a\n>\n> a\n\n> b\n>\n> b"


def test_a_container_that_holds_nothing_leaves_no_trace() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.close()
    blocks.add("a")

    assert blocks.text() == "a"


def test_markers_of_containers_that_start_together_stand_on_one_line() -> None:
    blocks = Blocks()
    blocks.open("- ", "  ")
    blocks.open("> ", "> ")
    blocks.add("a")

    assert blocks.text() == "- > a"
