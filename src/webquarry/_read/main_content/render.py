"""A selection -> Markdown, with the headings, lists, tables, quotes and code that the kept blocks
stand in.

The walk is the same as for the whole page, but it comes only to the elements that the kept blocks
are made of. Hidden text is left out here, by the same judgement as for the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from webquarry._read.html.parse import Document
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.rules.notes import find_notes
from webquarry._read.main_content.select import Selection
from webquarry._read.main_content.tags import FORMULA_CLASSES, HIDDEN_FLAG
from webquarry._read.markdown.convert import UNDECIDED_NOTE, Markdown, PartsWriter
from webquarry._read.markdown.footnotes import Footnotes
from webquarry._read.markdown.formulas import is_formula_image
from webquarry._read.markdown.links import Links
from webquarry._read.models import LeftOutText
from webquarry._read.style.styles import Styles
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.words import read_line

READY_NOTE = "The page hides its text until its script has run; it was read as if it had."
# Of the chosen text; a page that shows no more of it hides itself until its script has run.
_NEARLY_NOTHING = 0.05
_LEAST_LEFT_OUT = 100  # bytes; of less nothing is told
_MOST_HEADINGS = 8  # of what is left out
_MOST_CANDIDATES = 24  # headings that are looked at; some may be hidden or stand there twice
_LONGEST_HEADING = 60  # characters
_HEADINGS_ROOM = 200  # bytes of all headings together
# A heading in a line of Markdown; it may stand in quotes and in items of lists.
_HEADING = re.compile(r"(?:[ >]|[-*+] |\d{1,9}[.)] )*+#{1,6} (.+)")


def render_selection(
    document: Document, selection: Selection, base_url: str, *, tells_rest: bool = True
) -> Markdown:
    """The kept blocks as Markdown; the title is for the caller to add. `tells_rest` says whether
    anybody wants to know what is left out.
    """
    flow, page_info = selection.flow, document.page_info
    kept = set(selection.kept)
    images = flow.walk.images(kept, FORMULA_CLASSES)
    formulas = [image for image in images if is_formula_image(image)]
    parts = flow.walk.choose_parts(kept, formulas)
    footnotes = Footnotes(document.roots)
    found_notes: set[int] = set()
    if page_info.has_raised:
        found_notes = find_notes(flow, footnotes.find_note_ids(parts), kept)
    if found_notes:
        kept |= found_notes
        parts = flow.walk.choose_parts(kept, formulas)
    size = 0
    headings: list[int] = []
    if tells_rest:
        size, headings = _measure_rest(flow, kept)
    names = None
    if page_info.style_elements:
        names = parts.names()
        if headings:
            names |= flow.walk.choose_parts(set(headings), []).names()
    visibility = Styles(document.roots, page_info, names)
    writer = PartsWriter(document, visibility, Links(base_url, page_info.base), footnotes)

    walker = writer.write(parts)
    notes: tuple[str, ...] = ()
    is_nearly_empty = walker.shown < _NEARLY_NOTHING * sum(map(len, selection.texts))
    if is_nearly_empty and visibility.has_scripts():
        walker = writer.write(parts, script_has_run=True)
        notes = (READY_NOTE,)
    if visibility.undecided:
        notes = (*notes, UNDECIDED_NOTE)
    text = defuse_prose(walker.blocks.text(), walker.removed)
    left_out = None
    if size >= _LEAST_LEFT_OUT:
        found = _read_headings(flow, headings, writer)
        left_out = LeftOutText(size, _shorten_headings(found))
    visibility.close()
    return Markdown(text, "", dict(walker.removed), notes, left_out)


def _measure_rest(flow: Flow, kept: AbstractSet[int]) -> tuple[int, list[int]]:
    """The bytes of the blocks that are not kept, and those among them that are headings."""
    texts: list[str] = []
    headings: list[int] = []
    flags, levels = flow.flags, flow.levels
    for index, box in enumerate(flow.boxes):
        if index in kept or flags[box] & HIDDEN_FLAG:
            continue
        texts.append(flow.texts[index])
        # the first level is the page's title, which is given beside the text
        if levels[box] > 1 and len(headings) < _MOST_CANDIDATES:
            headings.append(index)
    size = len("".join(texts).encode("utf-8", "replace"))
    return size, headings


def _read_headings(flow: Flow, headings: Sequence[int], writer: PartsWriter) -> Iterator[str]:
    """The headings among some blocks, as plain words. They are walked to as the text is, so that
    none is told that nobody sees; the first ones are mostly enough.
    """
    for few in (headings[:_MOST_HEADINGS], headings[_MOST_HEADINGS:]):
        if not few:
            return
        walker = writer.write(flow.walk.choose_parts(set(few), []))
        for line in defuse_prose(walker.blocks.text(), walker.removed).split("\n"):
            found = _HEADING.match(line)
            if found is not None:
                yield read_line(found[1])


def _shorten_headings(found: Iterable[str]) -> tuple[str, ...]:
    """The first of some headings, shortened, as many as there is room for."""
    headings: list[str] = []
    room = _HEADINGS_ROOM
    for words in found:
        if len(words) > _LONGEST_HEADING:
            words = f"{words[: _LONGEST_HEADING - 1].rstrip()}…"
        room -= len(words.encode("utf-8", "replace"))
        if room < 0:
            break
        if words and words not in headings:
            headings.append(words)
        if len(headings) == _MOST_HEADINGS:
            break
    return tuple(headings)
