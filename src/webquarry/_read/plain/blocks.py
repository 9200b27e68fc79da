"""Words of documents that are no HTML, from their blocks. (The words of HTML pages are read from
the tree, `html.py`.)

The number of a list item is in the text, but a quote may leave it out. Lines `[page 3]`, which
mark the pages of a PDF, are positions, not words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from webquarry._read.markdown.blocks import Block, strip_links
from webquarry._read.plain.words import PageWords
from webquarry._read.plain.writer import WordWriter
from webquarry._read.slices.text import read_inline

_PAGE = re.compile(r"\[page (\d{1,6})\]")
_NOTE = re.compile(r"\[\^([^\[\]\s]{1,40})\]")


def read_verbatim_words(text: str) -> PageWords:
    """Return the words of plain text."""
    writer = WordWriter()
    writer.add_verbatim(text)
    return writer.finish(may_have_furniture=True)


def read_block_words(title: str, blocks: Iterable[Block]) -> PageWords:
    """Return the words of a document."""
    writer = WordWriter()
    writer.add_title(title)
    item = None
    for block in blocks:
        page = _PAGE.fullmatch(block.text) if block.kind == "paragraph" else None
        if page:
            writer.mark_page(int(page[1]))
            continue
        writer.break_line()
        inner = block.around[-1] if block.around else None
        if inner is not None and inner is not item:
            _add_marker(writer, inner.marker.strip())
        item = inner
        if block.kind in ("code", "verbatim"):
            writer.add(block.text, verbatim=True)
            continue
        if block.kind == "heading":
            writer.open_heading(block.level)
        _add_inline(writer, block.text)
        if block.kind == "heading":
            writer.close_heading()
        for row in block.rows:
            writer.break_line()
            for cell in row:
                _add_inline(writer, cell)
                writer.break_cell()
    return writer.finish()


def _add_marker(writer: WordWriter, marker: str) -> None:
    """Write the number of an item or the label of a note as an aside."""
    note = _NOTE.match(marker)
    if note or marker[:1].isdigit():
        start = writer.open_aside()
        writer.add(f"[{note[1]}]" if note else marker)
        writer.mark_aside(start)
        writer.add(" ")


def _add_inline(writer: WordWriter, text: str) -> None:
    """Write inline Markdown; marks of notes are asides."""
    for number, part in enumerate(_NOTE.split(strip_links(text))):
        if number % 2:
            start = writer.open_aside()
            writer.add(f"[{part}]")
            writer.mark_aside(start)
        else:
            writer.add(read_inline(part.replace("\\\n", "\n")))
