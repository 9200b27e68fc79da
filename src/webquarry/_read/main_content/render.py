"""A selection -> Markdown, with the lists, tables, quotes and code around the blocks.

The walk is that of the whole page, restricted to the elements of the selected blocks. Hidden text
is left out here, by the same rules as for the whole page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from webquarry._read.html.fallbacks import FALLBACK_TAGS
from webquarry._read.html.parse import Document
from webquarry._read.main_content.blocks import Flow
from webquarry._read.main_content.select import Selection
from webquarry._read.main_content.tags import FORMULA_CLASSES, HIDDEN_FLAG
from webquarry._read.markdown.blocks import strip_links
from webquarry._read.markdown.convert import UNDECIDED_NOTE, Markdown, walk
from webquarry._read.markdown.footnotes import find_note_ids
from webquarry._read.markdown.formulas import is_formula_image
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.walker import Parts, Scope, Walker
from webquarry._read.models import LeftOutText
from webquarry._read.slices.text import read_line
from webquarry._read.style.styles import UNDONE_BY_SCRIPTS, find_hidden

READY_NOTE = "The page hides its text until its script has run; it was read as if it had."
# Share of the selected text; a page that shows less hides its text until a script has run.
_MIN_SHOWN = 0.05
_MIN_LEFT_OUT = 100  # bytes; less is not reported
_MAX_HEADINGS = 8  # of the text that is left out
_MAX_CANDIDATES = 24  # headings to read; some may be hidden or repeated
_MAX_HEADING = 60  # characters
_MAX_HEADINGS_SIZE = 200  # bytes of all headings together
_MAX_NOTE = 3_000  # characters; a longer element with the id of a footnote is a part of the page


def render_selection(document: Document, selection: Selection, base_url: str) -> Markdown:
    """Return the selected blocks as Markdown without the title of the page, and the size and the
    headings of the text that is left out.
    """
    flow, page_info = selection.flow, document.page_info
    kept = set(selection.kept)
    images = flow.walk.images(kept, FORMULA_CLASSES)
    formulas = [image for image in images if is_formula_image(image)]
    parts = flow.walk.choose_parts(kept, formulas)
    found_notes: set[int] = set()
    if page_info.has_raised:
        found_notes = _find_notes(flow, find_note_ids(document.roots, parts), kept)
    if found_notes:
        kept |= found_notes
        parts = flow.walk.choose_parts(kept, formulas)
    size, headings = _measure_rest(flow, kept)
    marked = flow.walk.choose_parts(kept | set(headings), formulas) if headings else parts
    hidden = find_hidden(document.roots, page_info, parts=marked)
    links = Links(base_url, page_info.base)

    def read(parts: Parts) -> Walker:
        return walk(document, hidden, links, Scope(parts, FALLBACK_TAGS))

    walker = read(parts)
    notes: tuple[str, ...] = ()
    is_nearly_empty = walker.shown < _MIN_SHOWN * sum(map(len, selection.texts))
    if is_nearly_empty and hidden.revealed.has_scripts():
        hidden = find_hidden(document.roots, page_info, parts=marked, ignored=UNDONE_BY_SCRIPTS)
        walker = read(parts)
        notes = (READY_NOTE,)
    if walker.is_undecided:
        notes = (*notes, UNDECIDED_NOTE)
    left_out = None
    if size >= _MIN_LEFT_OUT:
        found = _read_headings(flow, headings, read)
        left_out = LeftOutText(size, _shorten_headings(found))
    return Markdown(walker.blocks.blocks, "", walker.removed, notes, left_out)


def _find_notes(flow: Flow, note_ids: AbstractSet[str], kept: AbstractSet[int]) -> set[int]:
    """Return the blocks of footnotes that are not selected, and the headings before them."""
    found: set[int] = set()
    if not note_ids:
        return found
    for element, note_id in enumerate(flow.ids):
        if note_id not in note_ids:
            continue
        first, last = flow.first[element], flow.last[element]
        if last - first <= _MAX_NOTE and sum(map(len, flow.texts[first:last])) <= _MAX_NOTE:
            found.update(range(first, last))
    found -= kept
    for index in list(found):
        if index > 0 and flow.levels[flow.boxes[index - 1]] > 1:
            found.add(index - 1)
    return found - kept


def _measure_rest(flow: Flow, kept: AbstractSet[int]) -> tuple[int, list[int]]:
    """Return the size in bytes of the blocks that are not selected, and the indexes of headings."""
    texts: list[str] = []
    headings: list[int] = []
    flags, levels = flow.flags, flow.levels
    for index, box in enumerate(flow.boxes):
        if index in kept or flags[box] & HIDDEN_FLAG:
            continue
        texts.append(flow.texts[index])
        # h1 is the title of the page
        if levels[box] > 1 and len(headings) < _MAX_CANDIDATES:
            headings.append(index)
    size = len("".join(texts).encode("utf-8", "replace"))
    return size, headings


def _read_headings(
    flow: Flow, headings: Sequence[int], read: Callable[[Parts], Walker]
) -> Iterator[str]:
    """Yield the headings as plain text, without hidden ones; the first few are usually enough."""
    for few in (headings[:_MAX_HEADINGS], headings[_MAX_HEADINGS:]):
        if not few:
            return
        walker = read(flow.walk.choose_parts(set(few), []))
        for block in walker.blocks:
            if block.kind == "heading":
                yield read_line(strip_links(block.text))


def _shorten_headings(found: Iterable[str]) -> tuple[str, ...]:
    """Return the first headings, shortened, up to a total size."""
    headings: list[str] = []
    size = _MAX_HEADINGS_SIZE
    for words in found:
        if len(words) > _MAX_HEADING:
            words = f"{words[: _MAX_HEADING - 1].rstrip()}…"
        size -= len(words.encode("utf-8", "replace"))
        if size < 0:
            break
        if words and words not in headings:
            headings.append(words)
        if len(headings) == _MAX_HEADINGS:
            break
    return tuple(headings)
