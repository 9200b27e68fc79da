"""A selection -> Markdown, with the headings, lists, tables, quotes and code that the kept blocks
stand in.

The walk is the same as for the whole page, but it comes only to the elements that the kept blocks
are made of. Hidden text is left out here, by the same judgement as for the whole page.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from webquarry.read.html.parse import Document
from webquarry.read.main_content.blocks import ChosenParts, Flow
from webquarry.read.main_content.rules.notes import find_notes
from webquarry.read.main_content.select import Selection
from webquarry.read.main_content.tags import HIDDEN_FLAG
from webquarry.read.markdown.convert import FALLBACK_TAGS, Markdown
from webquarry.read.markdown.elements import BOX_TAGS
from webquarry.read.markdown.footnotes import Footnotes
from webquarry.read.markdown.formulas import is_formula_image
from webquarry.read.markdown.links import Links
from webquarry.read.markdown.scope import WalkScope
from webquarry.read.markdown.walker import Walker
from webquarry.read.models import LeftOutText
from webquarry.read.text.delimiters import defuse_prose
from webquarry.read.text.words import Words
from webquarry.read.visibility.tracker import VisibilityTracker

READY_NOTE = "The page hides its text until its script has run; it was read as if it had."
# Of the chosen text; a page that shows no more of it hides itself until its script has run.
_NEARLY_NOTHING = 0.05
_LEAST_LEFT_OUT = 100  # bytes; of less nothing is told
_MOST_HEADINGS = 8  # of what is left out
_MOST_CANDIDATES = 24  # headings that are looked at; some may be hidden or stand there twice
_LONGEST_HEADING = 60  # characters
_HEADINGS_ROOM = 200  # bytes of all headings together


def render_selection(document: Document, selection: Selection, base_url: str) -> Markdown:
    """The kept blocks as Markdown; the title is for the caller to add."""
    links = Links(base_url, document.page_info.base)
    kept = set(selection.kept)
    formulas = [image for image in selection.flow.walk.images(kept) if is_formula_image(image)]
    parts = selection.flow.walk.choose_parts(kept, formulas)
    note_ids = Footnotes(document.roots).find_note_ids(parts)
    found_notes = find_notes(selection.flow, note_ids, kept)
    if found_notes:
        kept |= found_notes
        parts = selection.flow.walk.choose_parts(kept, formulas)
    walker = _walk(document, parts, links, script_has_run=False)
    notes: tuple[str, ...] = ()
    if walker.shown < _NEARLY_NOTHING * sum(map(len, selection.texts)):
        walker = _walk(document, parts, links, script_has_run=True)
        notes = (READY_NOTE,)
    text = defuse_prose(walker.blocks.text(), walker.removed)
    left_out = _describe_rest(document, selection.flow, kept, links)
    return Markdown(text, "", dict(walker.removed), notes, left_out)


def _describe_rest(
    document: Document, flow: Flow, kept: AbstractSet[int], links: Links
) -> LeftOutText | None:
    """How much of a page is not kept, and the headings in it; None where it is next to nothing.

    The headings are written by the same walk as the text, so that none is told that nobody sees.
    """
    size = 0
    headings: list[int] = []
    for index, (text, box) in enumerate(zip(flow.texts, flow.boxes, strict=True)):
        if index in kept or flow.flags[box] & HIDDEN_FLAG:
            continue
        size += len(text.encode("utf-8", "replace"))
        # the first level is the page's title, which is given beside the text
        if flow.levels[box] > 1 and len(headings) < _MOST_CANDIDATES:
            headings.append(index)
    if size < _LEAST_LEFT_OUT:
        return None
    if not headings:
        return LeftOutText(size)
    parts = flow.walk.choose_parts(set(headings), [])
    walker = _walk(document, parts, links, script_has_run=False)
    lines = defuse_prose(walker.blocks.text(), walker.removed).split("\n")
    return LeftOutText(size, _shorten_headings(lines))


def _shorten_headings(lines: Iterable[str]) -> tuple[str, ...]:
    """The first headings among the lines of a text, as plain words, as many as there is room
    for.
    """
    headings: list[str] = []
    room = _HEADINGS_ROOM
    for line in lines:
        marks, _, title = line.partition(" ")
        if not title or marks.strip("#"):
            continue
        words = " ".join(Words(title).text.split())
        if len(words) > _LONGEST_HEADING:
            words = f"{words[: _LONGEST_HEADING - 1].rstrip()}…"
        room -= len(words.encode("utf-8", "replace"))
        if room < 0 or len(headings) == _MOST_HEADINGS:
            break
        if words and words not in headings:
            headings.append(words)
    return tuple(headings)


def _walk(document: Document, parts: ChosenParts, links: Links, *, script_has_run: bool) -> Walker:
    """Walk through what was chosen of a page. Where a mark then leads to a note that is not there,
    because nobody sees it, the page is walked through again without that mark.
    """
    page_info = document.page_info
    names = None
    if page_info.css:
        names = parts.names()
    scope = WalkScope(
        parts=parts,
        fallback_tags=FALLBACK_TAGS,  # the model has judged what stands there
        heading_tags=BOX_TAGS,
        counts_hidden_skipped=True,
        script_has_run=script_has_run,
    )
    absent: set[str] = set()
    while True:
        visibility = VisibilityTracker(document.roots, page_info, names)
        footnotes = Footnotes(document.roots, absent)
        walker = Walker(visibility, links, footnotes, page_info, scope)
        walker.walk(document.roots)
        if absent or not footnotes.find_unwritten():
            return walker
        absent = footnotes.find_unwritten()
